"""Discriminative projections."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_array, check_is_fitted

from discrimap._sklearn import Interval, StrOptions
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
from discrimap.projections.objective import class_pencil, target_pencil
from discrimap.projections.solver import solve_label_pencil
from discrimap.samples.validation import (
    check_n_components,
    resolve_target,
    validate_continuous,
    validate_labelled,
)


class DiscriminativeProjections(LinearProjection):
    """Linear map that keeps classes apart and neighbours together, with labels for some samples.

    Samples are mapped by f, labels by g, into one space. For classes the method minimises, over
    f and g together,

        (sum_i |f'x_i - g'y_i|^2 + mu sum_ij |f'x_i - f'x_j|^2 W_ij / 2)
        / sum_i sum_{k != y_i} |f'x_i - g's_k|^2,

    with i over the labelled samples: samples are close to their own label and to their neighbours,
    and far from other labels (Section 2 of [1]_). There may be more than C - 1 components. For
    continuous targets it minimises the numerator alone, subject to ``f'X'DXf + g'Y'Yg = 1``
    (Section 3), which maps similar values close together.

    We differ from the paper in four points. The eigenproblem is solved as (B - A) against
    (A + C + ridge), which has the same solutions and is well posed with constant or collinear
    features. The components are scaled by A + C, not by B + C, so that the topological directions
    do not dominate distances in many dimensions. The direction at lambda = 1/C that maps all
    samples to one point is left out. The term with ``spread`` is our extension.

    Costs at most O(n^2 p) for the neighbour graph and O(n p^2 + p^3) for the solution; with more
    features than samples, O(n^2 p + n^3) for the solution.

    Parameters
    ----------
    n_components : int, default=2
        Number of components, at most n_features. The first C - 1 separate the classes, the others
        preserve the topology.
    mu : float or "auto", default="auto"
        Weight of the neighbour graph. "auto" is the paper's l/s for classes and 0.1 l/s for
        continuous targets, with l labelled samples and s the sum of all weights. As mu and ridge
        go to 0 the first C - 1 components span the space of LDA.
    ridge : float, default=1e-3
        Weight of ``|f|^2``, in units of l times the total variance of X.
    spread : float or "auto", default="auto"
        Our extension, for classes: reward for the spread of all samples, labelled or not. The term
        ``spread (C - 1) (l/s) X'DX`` is added to B - A, where D are the degrees of the graph. Only
        labelled samples enter B - A, so that with few labels the map could otherwise collapse the
        unlabelled samples. 0 is the paper's method. "auto" is ``300 (C/l)^2 (1 - l/n)``: large with
        one label for each class, negligible with a hundred, and zero if all samples have labels.
    target : {"auto", "classes", "continuous"}, default="auto"
        Type of y. "auto" treats numbers with a fractional part, with NaN or in several columns as
        continuous.
    solver : {"auto", "dense", "svd", "lobpcg"}, default="auto"
        "dense" solves exactly, in the row space if there are more features than samples. "svd"
        first reduces X to its leading 300 singular directions (or 3 per component, if more) by a
        randomised method. "lobpcg" iterates on products with X and the graph: exact, for few
        components of wide sparse X. "auto" is "svd" for sparse X with more features than samples,
        otherwise "dense".
    n_neighbors : int or "auto", default="auto"
        Number of neighbours of each sample in the graph; "auto" is 10, or n_samples - 1 if smaller.
    connect : {"union", "mutual"}, default="union"
        Join two samples if either is a neighbour of the other, or only if both are.
    width : float or "median", default="median"
        Width of the weights ``exp(-(distance / width)^2)``; "median" is the median distance of
        neighbours.
    metric : {"euclidean", "cosine"}, default="euclidean"
        Distance for the graph; "cosine" for text.
    max_iter : int, default=500
        Maximum number of iterations of "lobpcg".
    tol : float, default=1e-5
        Relative residual at which "lobpcg" stops.
    random_state : int, RandomState or None, default=None
        Seed of the neighbour search above 20,000 samples, and of the randomised SVD.
    n_jobs : int or None, default=None
        Number of threads of the neighbour search.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions f, one row for each component.
    label_components_ : ndarray of shape (n_components, n_codes)
        The directions g of the label codes, which are one-hot classes or centred outputs.
    prototypes_ : ndarray of shape (n_classes, n_components)
        Positions of the labels in the map (classes only).
    eigenvalues_ : ndarray of shape (n_components,)
        The eigenvalues lambda of the paper, in increasing order.
    mean_ : ndarray of shape (n_features,)
        Mean of the labelled samples.
    classes_ : ndarray of shape (n_classes,)
        The class labels (classes only).
    target_mean_ : ndarray of shape (n_outputs,)
        Mean of the labelled values (continuous only).
    mu_ : float
        The weight of the neighbour graph that was used.
    spread_ : float
        The weight of the spread that was used.
    target_ : {"classes", "continuous"}
        The type of y that was used.
    n_iter_ : int
        Number of iterations of "lobpcg"; 1 for the direct solvers.

    References
    ----------
    .. [1] C. Wang and S. Mahadevan, "Learning locality-preserving discriminative features",
       University of Massachusetts Amherst.

    Examples
    --------
    Two thirds of the labels are hidden:

    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from discrimap import DiscriminativeProjections
    >>> X, y = load_wine(return_X_y=True)
    >>> some = np.where(np.arange(len(y)) % 3 == 0, y, -1)
    >>> projections = DiscriminativeProjections(n_components=5).fit(scale(X), some)
    >>> projections.transform(scale(X)).shape, projections.prototypes_.shape
    ((178, 5), (3, 5))
    """

    _accepts_sparse = True

    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "mu": [StrOptions({"auto"}), NOT_NEGATIVE],
        "ridge": [NOT_NEGATIVE],
        "spread": [StrOptions({"auto"}), NOT_NEGATIVE],
        "target": [StrOptions({"auto", "classes", "continuous"})],
        "solver": [StrOptions({"auto", "dense", "svd", "lobpcg"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [NOT_NEGATIVE],
        **GRAPH_CONSTRAINTS,
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        mu: float | Literal["auto"] = "auto",
        ridge: float = 1e-3,
        spread: float | Literal["auto"] = "auto",
        target: Literal["auto", "classes", "continuous"] = "auto",
        solver: Literal["auto", "dense", "svd", "lobpcg"] = "auto",
        n_neighbors: int | Literal["auto"] = "auto",
        connect: Literal["union", "mutual"] = "union",
        width: float | Literal["median"] = "median",
        metric: Literal["euclidean", "cosine"] = "euclidean",
        max_iter: int = 500,
        tol: float = 1e-5,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.mu = mu
        self.ridge = ridge
        self.spread = spread
        self.target = target
        self.solver = solver
        self.n_neighbors = n_neighbors
        self.connect = connect
        self.width = width
        self.metric = metric
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Find the components from labelled and unlabelled samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Class labels, -1 for unlabelled samples (also among text labels, in an array of
            objects); or continuous targets, NaN for unlabelled samples.

        Returns
        -------
        self : DiscriminativeProjections
            The fitted estimator.
        """
        self.target_ = resolve_target(self.target, y)
        if self.target_ == "classes":
            return self._fit_classes(X, y)
        return self._fit_continuous(X, y)

    def _fit_classes(self, X: Any, y: Any) -> Self:
        samples = validate_labelled(self, X, y, accept_sparse=True, unlabelled=True)
        X, labels, self.classes_ = samples.array, samples.labels, samples.classes
        check_n_components(self.n_components, X.shape[1])
        is_labelled = labels >= 0

        weights, samples = build_graph(self, X), without_offset(X)[0]
        n_labelled = is_labelled.sum()
        self.mu_ = n_labelled / weights.sum() if self.mu == "auto" else float(self.mu)
        if self.spread == "auto":
            self.spread_ = auto_spread(n_labelled, len(self.classes_), len(labels))
        else:
            self.spread_ = float(self.spread)
        pencil = class_pencil(
            labels,
            weights,
            mu=self.mu_,
            spread=self.spread_,
            ridge=self.ridge * n_labelled * total_variance(samples),
        )

        ratios, f, places = self._solve(pencil, samples, is_labelled)

        counts = np.bincount(labels[is_labelled])
        self.mean_ = mean_of_rows(X, is_labelled)
        self.components_ = np.ascontiguousarray(f.T, dtype=X.dtype)
        self.eigenvalues_ = 1.0 / (1.0 + ratios)
        self.prototypes_ = (places / np.sqrt(counts)[:, None]).astype(X.dtype)
        self.label_components_ = np.ascontiguousarray(self.prototypes_.T)
        return self

    def _fit_continuous(self, X: Any, y: Any) -> Self:
        X, targets = validate_continuous(self, X, y, accept_sparse=True)
        check_n_components(self.n_components, X.shape[1])
        if self.spread != "auto" and self.spread > 0:
            raise ValueError(
                f"spread={self.spread} is for classes: with a continuous target the constraint already "
                'contains the spread of all samples; pass spread="auto" or 0.'
            )
        is_labelled = ~np.isnan(targets[:, 0])

        weights, samples = build_graph(self, X), without_offset(X)[0]
        n_labelled = is_labelled.sum()
        self.mu_ = 0.1 * n_labelled / weights.sum() if self.mu == "auto" else float(self.mu)
        self.spread_ = 0.0
        pencil, to_codes = target_pencil(
            targets,
            weights,
            mu=self.mu_,
            ridge=self.ridge * n_labelled * total_variance(samples),
        )

        ratios, f, places = self._solve(pencil, samples, is_labelled)

        self.mean_ = mean_of_rows(X, is_labelled)
        self.target_mean_ = targets[is_labelled].mean(axis=0)
        self.components_ = np.ascontiguousarray(f.T, dtype=X.dtype)
        self.eigenvalues_ = 1.0 / ratios
        self.label_components_ = np.ascontiguousarray((to_codes @ places).T, dtype=X.dtype)
        return self

    def _solve(self, pencil: Any, X: Any, is_labelled: Array) -> Any:
        """Return ratios, f, and positions of the label codes relative to the mean of the labelled samples."""
        ratios, f, h, self.n_iter_ = solve_label_pencil(
            pencil,
            X,
            self.n_components,
            solver=self.solver,
            max_iter=self.max_iter,
            tol=self.tol,
            random_state=self.random_state,
        )
        projected = X @ f
        projected -= projected[is_labelled].mean(axis=0)
        # Position of a code by least squares, plus its offset.
        return ratios, f, pencil.codes.T @ projected + h

    def transform_labels(self, y: ArrayLike) -> Array:
        """Map labels into the space of the samples.

        Parameters
        ----------
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Classes seen in ``fit``, or values of the continuous target.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            Positions of the labels: the prototypes of the classes, or
            ``(y - target_mean_) @ label_components_.T`` for continuous targets.
        """
        check_is_fitted(self)
        if self.target_ == "continuous":
            y = check_array(y, ensure_2d=False, dtype=np.float64)
            y = y[:, None] if y.ndim == 1 else y
            if y.shape[1] != len(self.target_mean_):
                raise ValueError(
                    f"y has {y.shape[1]} outputs, but the estimator was fitted with {len(self.target_mean_)}; "
                    "pass the same outputs."
                )
            places: Array = (y - self.target_mean_) @ self.label_components_.T
            return places
        y = np.asarray(y)
        indices = np.searchsorted(self.classes_, y).clip(max=len(self.classes_) - 1)
        is_unknown = self.classes_[indices] != y
        if is_unknown.any():
            raise ValueError(
                f"y holds {y[is_unknown].tolist()[0]!r}, which is not one of the {len(self.classes_)} classes "
                "of the fit; pass labels in classes_."
            )
        places = self.prototypes_[indices]
        return places


# Weight of the spread with one label for each class. Chosen on draws 100 to 102 of the data sets of
# benchmarks/few_labels.py, which reports other draws. The default ridge was chosen by
# benchmarks/projections_defaults.py, on data sets that are not in the reported results.
AUTO_SPREAD = 300.0


def auto_spread(n_labelled: int, n_classes: int, n_samples: int) -> Any:
    """Return the default weight of the spread, which falls with the square of the labels per class.

    It is zero if every sample has a label, as in the paper.
    """
    return AUTO_SPREAD * (n_classes / n_labelled) ** 2 * (1.0 - n_labelled / n_samples)
