"""Least squares that are smooth along a neighbour graph, for classes and continuous targets."""

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
    """Laplacian-regularised least squares: a linear prediction that is smooth along the graph.

    Minimises, over the labelled samples i,

        sum_i |W'x_i + b - y_i|^2 + mu tr(W'X'LXW) + ridge |W|^2

    with one-hot y for classes or the targets themselves [1]_. Unlabelled samples contribute to the
    Laplacian L. Costs O(k n^2) or less for the graph and O(n p^2 + p^3) for the solution; with more
    features than samples n takes the place of p.

    The map (``transform``) has one coordinate per class or output: the prediction minus its mean,
    ``(X - mean_) @ components_.T``, as in every linear method here. ``decision_function`` adds
    ``intercept_``.

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
        "dense" solves exactly, "svd" reduces X to its leading 300 singular directions first.
        "auto" is "svd" for sparse X with more features than samples.
    n_neighbors, connect, width, metric, random_state, n_jobs
        The graph, see :class:`DiscriminativeProjections`.

    Attributes
    ----------
    components_ : ndarray of shape (n_outputs, n_features)
        W, one row for each class or output.
    intercept_ : ndarray of shape (n_outputs,)
        Mean of the labelled targets (class frequencies).
    mean_ : ndarray of shape (n_features,)
        Mean of the labelled samples.
    classes_ : ndarray of shape (n_classes,)
        The class labels (classes only).
    mu_ : float
        The weight used.
    target_ : {"classes", "continuous"}
        Type of y used.

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
        """Fit the prediction to labelled and unlabelled samples.

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
        # Centred targets, so that the mean of the samples drops out of the product.
        moments = coordinates[is_labelled].T @ (targets[is_labelled] - intercept)

        # Least norm if constant or collinear features make the solution ambiguous.
        directions = solve_scatter(penalty, ridge, moments)

        self.intercept_ = intercept.astype(X.dtype)
        self.components_ = np.ascontiguousarray(reduction.lift(directions).T, dtype=X.dtype)
        self.mean_ = mean_of_rows(X, is_labelled)
        return self

    def decision_function(self, X: MatrixLike) -> Array:
        """Predicted one-hot code of each class, or the predicted targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_outputs)
            For two classes of shape (n_samples,): the score of the second less that of the first.
        """
        # set_output may have made it a table.
        scores = map_in_memory(self, X) + self.intercept_
        if self.target_ == "classes" and len(self.classes_) == 2:
            return scores[:, 1] - scores[:, 0]
        return scores

    def predict(self, X: MatrixLike) -> Array:
        """Class of the largest score, or the predicted targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Class labels, or targets in the shape of the fit.
        """
        check_is_fitted(self)
        scores = self.decision_function(X)
        if self.target_ == "continuous":
            return scores[:, 0] if self._is_single_output else scores
        if scores.ndim == 1:
            return self.classes_[(scores > 0).astype(int)]
        return self.classes_[scores.argmax(axis=1)]

    def score(self, X: MatrixLike, y: ArrayLike) -> float:
        """Accuracy for classes, R^2 for continuous targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The samples.
        y : array-like
            Their true classes or targets.

        Returns
        -------
        score : float
            1 is perfect.
        """
        measure = accuracy_score if self.target_ == "classes" else r2_score
        return measure(y, self.predict(X))
