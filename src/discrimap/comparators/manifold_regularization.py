"""Least squares with a smoothness penalty along a neighbour graph."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.validation import check_is_fitted

from discrimap._sklearn import StrOptions
from discrimap._typing import Array, MatrixLike, RandomState
from discrimap.base.fit_context import fit_context
from discrimap.base.graph_based import (
    GRAPH_CONSTRAINTS,
    NOT_NEGATIVE,
    build_graph,
    mean_of_rows,
    total_variance,
)
from discrimap.base.linear_projection import LinearProjection
from discrimap.linalg.centring import without_offset
from discrimap.linalg.discriminants import solve_scatter
from discrimap.linalg.graphs import laplacian
from discrimap.linalg.reductions import reduce_features
from discrimap.linalg.sample_forms import add_forms, diagonal_form, pairs_form
from discrimap.samples.new_samples import map_in_memory
from discrimap.samples.validation import resolve_target, validate_continuous, validate_labelled


class ManifoldRegularization(LinearProjection):
    """Laplacian-regularised least squares: a linear predictor that is smooth along a graph.

    Minimises, over the labelled samples i,

        sum_i |W'x_i + b - y_i|^2 + mu tr(W'X'LXW) + ridge |W|^2

    where y is one-hot for classes, or the continuous target [1]_. Unlabelled samples contribute to the
    Laplacian L. Costs at most O(n^2 p) for the graph and O(n p^2 + p^3) for the solution; with more
    features than samples, O(n^2 p + n^3) for the solution.

    The map (``transform``) has one coordinate per class or output: the prediction minus its mean,
    ``(X - mean_) @ components_.T``. ``decision_function`` adds ``intercept_``.

    Parameters
    ----------
    mu : float or "auto", default="auto"
        Weight of the graph. "auto" is l/s for classes and 0.1 l/s for continuous targets, with l
        labelled samples and s the sum of all weights.
    ridge : float, default=1e-3
        Weight of ``|W|^2``, in units of l times the total variance of X.
    target : {"auto", "classes", "continuous"}, default="auto"
        Type of y. "auto" treats numbers with a fractional part, with NaN or in several columns as
        continuous.
    solver : {"auto", "dense", "svd"}, default="auto"
        "dense" solves exactly, "svd" reduces X to its leading 300 singular directions first. "auto" is
        "svd" for sparse X with more features than samples, otherwise "dense".
    n_neighbors : int or "auto", default="auto"
        Number of neighbours of each sample in the graph; "auto" is 10, or n_samples - 1 if smaller.
    connect : {"union", "mutual"}, default="union"
        Join two samples if either is a neighbour of the other, or only if both are.
    width : float or "median", default="median"
        Width of the weights ``exp(-(distance / width)^2)``; "median" is the median distance of
        neighbours.
    metric : {"euclidean", "cosine"}, default="euclidean"
        Distance for the graph; "cosine" for text.
    random_state : int, RandomState or None, default=None
        Seed of the neighbour search above 20,000 samples, and of the randomised SVD.
    n_jobs : int or None, default=None
        Number of threads of the neighbour search.

    Attributes
    ----------
    components_ : ndarray of shape (n_outputs, n_features)
        The coefficients W, one row for each class or output.
    intercept_ : ndarray of shape (n_outputs,)
        Mean of the labelled targets; for classes, their frequencies.
    mean_ : ndarray of shape (n_features,)
        Mean of the labelled samples.
    classes_ : ndarray of shape (n_classes,)
        The class labels (classes only).
    mu_ : float
        The weight of the graph that was used.
    target_ : {"classes", "continuous"}
        The type of y that was used.

    References
    ----------
    .. [1] M. Belkin, P. Niyogi and V. Sindhwani, "Manifold regularization: a geometric framework
       for learning from labeled and unlabeled examples", JMLR 7 (2006), 2399-2434.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from discrimap import ManifoldRegularization
    >>> X, y = load_iris(return_X_y=True)
    >>> some = np.where(np.arange(150) % 10 == 0, y, -1)
    >>> bool(ManifoldRegularization().fit(X, some).score(X, y) > 0.8)
    True
    """

    _accepts_sparse = True

    _parameter_constraints = {
        "mu": [StrOptions({"auto"}), NOT_NEGATIVE],
        "ridge": [NOT_NEGATIVE],
        "target": [StrOptions({"auto", "classes", "continuous"})],
        "solver": [StrOptions({"auto", "dense", "svd"})],
        **GRAPH_CONSTRAINTS,
    }

    def __init__(
        self,
        *,
        mu: float | Literal["auto"] = "auto",
        ridge: float = 1e-3,
        target: Literal["auto", "classes", "continuous"] = "auto",
        solver: Literal["auto", "dense", "svd"] = "auto",
        n_neighbors: int | Literal["auto"] = "auto",
        connect: Literal["union", "mutual"] = "union",
        width: float | Literal["median"] = "median",
        metric: Literal["euclidean", "cosine"] = "euclidean",
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.mu = mu
        self.ridge = ridge
        self.target = target
        self.solver = solver
        self.n_neighbors = n_neighbors
        self.connect = connect
        self.width = width
        self.metric = metric
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Fit the predictor to labelled and unlabelled samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Class labels, -1 for unlabelled samples; or continuous targets, NaN for unlabelled
            samples.

        Returns
        -------
        self : ManifoldRegularization
            The fitted estimator.
        """
        self.target_ = resolve_target(self.target, y)
        if self.target_ == "classes":
            samples = validate_labelled(self, X, y, accept_sparse=True, unlabelled=True)
            X, labels, self.classes_ = samples.array, samples.labels, samples.classes
            is_labelled = labels >= 0
            targets = np.eye(len(self.classes_))[labels]
            graph_share = 1.0
        else:
            X, targets = validate_continuous(self, X, y, accept_sparse=True)
            is_labelled = ~np.isnan(targets[:, 0])
            self._is_single_output = np.ndim(y) == 1
            graph_share = 0.1

        weights, samples = build_graph(self, X), without_offset(X)[0]
        n_labelled = is_labelled.sum()
        self.mu_ = graph_share * n_labelled / weights.sum() if self.mu == "auto" else float(self.mu)
        ridge = self.ridge * n_labelled * total_variance(samples)
        reduction = reduce_features(samples, self.solver, 1, self.random_state)
        coordinates = reduction.coordinates
        penalty = add_forms(
            diagonal_form(is_labelled.astype(float)), pairs_form(laplacian(weights)), self.mu_
        ).matrix(coordinates)
        intercept = targets[is_labelled].mean(axis=0)
        # With centred targets the mean of the samples has no effect on the product.
        moments = coordinates[is_labelled].T @ (targets[is_labelled] - intercept)

        # The solution of least norm, if constant or collinear features make it ambiguous.
        directions = solve_scatter(penalty, ridge, moments)

        self.intercept_ = intercept.astype(X.dtype)
        self.components_ = np.ascontiguousarray(reduction.lift(directions).T, dtype=X.dtype)
        self.mean_ = mean_of_rows(X, is_labelled)
        return self

    def decision_function(self, X: MatrixLike) -> Array:
        """Predict the one-hot code of the classes, or the continuous targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_outputs)
            For two classes, of shape (n_samples,): the score of the second minus that of the first.
        """
        # With set_output, transform may return a data frame.
        scores: Array = map_in_memory(self, X) + self.intercept_
        if self.target_ == "classes" and len(self.classes_) == 2:
            scores = scores[:, 1] - scores[:, 0]
        return scores

    def predict(self, X: MatrixLike) -> Array:
        """Predict the class with the largest score, or the continuous targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Class labels, or targets in the same shape as in ``fit``.
        """
        check_is_fitted(self)
        scores = self.decision_function(X)
        if self.target_ == "continuous":
            return scores[:, 0] if self._is_single_output else scores
        indices = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: Array = self.classes_[indices]
        return labels

    def score(self, X: MatrixLike, y: ArrayLike) -> float:
        """Compute the accuracy for classes, or R^2 for continuous targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The samples.
        y : array-like
            The true classes or targets.

        Returns
        -------
        score : float
            1 is perfect.
        """
        measure = accuracy_score if self.target_ == "classes" else r2_score
        score: float = measure(y, self.predict(X))
        return score
