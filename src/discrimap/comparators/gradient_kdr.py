"""Gradient-based kernel dimension reduction."""

from __future__ import annotations

from itertools import product
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.utils import check_random_state

from discrimap._sklearn import Interval, StrOptions
from discrimap._typing import Array, MatrixLike, RandomState
from discrimap.base.fit_context import fit_context
from discrimap.base.linear_projection import LinearProjection
from discrimap.linalg.centring import centre
from discrimap.linalg.gaussian_factors import gaussian_factor, gaussian_rows, median_distance
from discrimap.linalg.reductions import row_space
from discrimap.linalg.signs import orient
from discrimap.samples.response import (
    RESPONSE_CONSTRAINTS,
    check_response_kernel,
    response_factor,
    validate_response,
)
from discrimap.samples.validation import check_n_components

# Candidates of the cross-validation: multiples of the median distance, and ridges.
WIDTH_FACTORS = (0.25, 0.5, 0.75, 1.0, 2.0)
TARGET_WIDTH_FACTORS = (0.5, 1.0, 2.0)
RIDGES = (1e-3, 1e-5, 1e-7)
CV_NEIGHBORS = 5
# Number of samples whose gradients are summed together, to avoid an n x n x p array.
BLOCK_ROWS = 256
# Columns of a matrix product; fewer take longer for each column.
WIDE_PRODUCT = 512


class GradientKDR(LinearProjection):
    """Directions along which the regression function of the target changes (gKDR).

    The gradient of ``E[phi(Y) | X = x]``, where phi is the feature map of a kernel of the target, lies
    in the subspace of X that determines the distribution of Y. Its estimate from Gaussian kernels
    gives the matrix [1]_

        M = 1/n sum_i  D_i' (G_X + n e I)^-1 G_Y (G_X + n e I)^-1 D_i,

    where D_i (n_samples, n_features) holds the derivatives of ``k(x_j, x)`` with respect to x at x_i.
    The components are the leading eigenvectors of M. The method makes no assumption about the
    distribution and solves a single eigenproblem.

    Mode "v" (gKDR-v in [1]_) divides the points i at random into parts, computes the leading
    eigenvectors of M over each part, and then the leading eigenvectors of the mean of their
    projectors. This limits the effect of a few points with large gradients.

    With ``G_Y = F F'`` of rank r, M is a sum of squares of n x p matrices, computed from blocks of
    rows. Costs O(n^3 + n^2 p r) and the memory of one n x n matrix; with ``max_rank`` m,
    O(n^2 p r + n m^2) and memory O(n (m + p)). With p > n, p is replaced by n.

    Parameters
    ----------
    n_components : int, default=2
        Number of components.
    mode : {"plain", "v"}, default="plain"
        "plain" uses the eigenvectors of M, "v" those of the mean projector of the parts.
    n_parts : int, default=50
        Number of parts of mode "v", of at least one sample each.
    sigma : float, default=None
        Width of the Gaussian kernel ``exp(-d^2 / (2 sigma^2))`` of the samples; None is their
        median distance.
    ridge : float, default=1e-5
        The regularisation e, above 0.
    target : {"auto", "classes", "continuous"}, default="auto"
        Type of y; see :class:`~discrimap.SupervisedPCA`.
    target_kernel : {"auto", "delta", "linear", "rbf"}, default="auto"
        Kernel of the target: "delta" for classes, "linear" or "rbf" (the choice of "auto") for a
        continuous target. The program of the authors has only "rbf"; to use it with class numbers,
        pass ``target="continuous"``.
    target_sigma : float, default=None
        Width of the "rbf" kernel of the target; None is the median distance.
    cv : int, default=None
        Number of folds of the cross-validation that chooses ridge (1e-3, 1e-5 or 1e-7) and the widths
        that are None (multiples of the median). The criterion is the squared error of
        5-nearest-neighbour regression after projection, as in [1]_. With None there is no
        cross-validation.
    max_rank : int, default=None
        For many samples: replace G_X by a pivoted Cholesky factor of at most this rank.
    random_state : int, RandomState instance or None, default=None
        Seed of the parts, the folds, and the samples from which medians are computed if there are
        more than 1,000.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal directions.
    mean_ : ndarray of shape (n_features,)
        Mean of the training samples.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of M, or of the mean projector (0 to 1) in mode "v".
    sigma_ : float
        The width that was used.
    ridge_ : float
        The regularisation that was used.
    target_sigma_ : float or None
        The width of the kernel of the target; None unless this kernel is "rbf".
    classes_ : ndarray of shape (n_classes,)
        The class labels, if the target is classes.

    References
    ----------
    .. [1] K. Fukumizu and C. Leng, "Gradient-based kernel dimension reduction for regression",
       Journal of the American Statistical Association 109 (2014), 359-370.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from discrimap import GradientKDR
    >>> X, y = load_wine(return_X_y=True)
    >>> GradientKDR(n_components=2).fit_transform(scale(X), y).shape
    (178, 2)
    """

    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "mode": [StrOptions({"plain", "v"})],
        "n_parts": [Interval(Integral, 1, None, closed="left")],
        "sigma": [Interval(Real, 0, np.inf, closed="neither"), None],
        "ridge": [Interval(Real, 0, np.inf, closed="neither")],
        **RESPONSE_CONSTRAINTS,
        "cv": [Interval(Integral, 2, None, closed="left"), None],
        "max_rank": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        mode: Literal["plain", "v"] = "plain",
        n_parts: int = 50,
        sigma: float | None = None,
        ridge: float = 1e-5,
        target: Literal["auto", "classes", "continuous"] = "auto",
        target_kernel: Literal["auto", "delta", "linear", "rbf"] = "auto",
        target_sigma: float | None = None,
        cv: int | None = None,
        max_rank: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_components = n_components
        self.mode = mode
        self.n_parts = n_parts
        self.sigma = sigma
        self.ridge = ridge
        self.target = target
        self.target_kernel = target_kernel
        self.target_sigma = target_sigma
        self.cv = cv
        self.max_rank = max_rank
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Class labels, or a continuous target.

        Returns
        -------
        self : GradientKDR
            The fitted estimator.
        """
        X, response = validate_response(self, X, y)
        check_n_components(self.n_components, X.shape[1])
        random_state = check_random_state(self.random_state)
        centred, mean = centre(X)
        reduction = row_space(centred)
        coordinates = reduction.coordinates
        check_n_components(self.n_components, coordinates.shape[1], "rank(X)")

        settings = self._default_settings(coordinates, response, random_state)
        if self.cv is not None:
            settings = self._search(coordinates, response, settings, random_state)
        self.sigma_, self.target_sigma_, self.ridge_ = settings
        directions, self.eigenvalues_ = self._solve(coordinates, response, settings, random_state)

        self.mean_ = mean.astype(X.dtype)
        lifted = orient(reduction.lift(directions))
        self.components_ = np.ascontiguousarray(lifted.T, dtype=X.dtype)
        return self

    def _default_settings(self, X: Any, response: Any, random_state: np.random.RandomState) -> Any:
        """Return the width of the kernel of the samples, that of the target or None, and the ridge."""
        kernel = check_response_kernel(
            response.labels is not None, self.target_kernel, self.target_sigma
        )
        sigma = median_distance(X, random_state) if self.sigma is None else self.sigma
        target_sigma = self.target_sigma
        if kernel == "rbf" and target_sigma is None:
            target_sigma = median_distance(response.values, random_state)
        return sigma, target_sigma, self.ridge

    def _solve(
        self, X: Any, response: Any, settings: Any, random_state: np.random.RandomState
    ) -> Any:
        sigma, target_sigma, ridge = settings
        factor = response_factor(response, self.target_kernel, target_sigma)
        coefficients = regression_coefficients(X, factor, sigma, ridge, self.max_rank)
        n_samples = len(X)
        if self.mode == "plain":
            scatter = scatter_of_gradients(X, coefficients, sigma, np.arange(n_samples))
            return leading_eigenvectors(scatter / n_samples, self.n_components)
        n_parts = min(self.n_parts, n_samples)
        projector = np.zeros((X.shape[1], X.shape[1]))
        for rows in np.array_split(random_state.permutation(n_samples), n_parts):
            scatter = scatter_of_gradients(X, coefficients, sigma, rows)
            axes, _ = leading_eigenvectors(scatter, self.n_components)
            projector += axes @ axes.T / n_parts
        return leading_eigenvectors(projector, self.n_components)

    def _search(
        self, X: Any, response: Any, settings: Any, random_state: np.random.RandomState
    ) -> Any:
        """Return the settings with the smallest error of k-NN regression on held-out folds."""
        sigma, target_sigma, _ = settings
        widths = [sigma] if self.sigma is not None else [f * sigma for f in WIDTH_FACTORS]
        target_widths = [target_sigma]
        if target_sigma is not None and self.target_sigma is None:
            target_widths = [f * target_sigma for f in TARGET_WIDTH_FACTORS]
        folds = self._folds(X, response, random_state)
        candidates = list(product(widths, target_widths, RIDGES))
        errors = [
            np.mean([self._fold_error(X, response, candidate, fold) for fold in folds])
            for candidate in candidates
        ]
        return candidates[int(np.argmin(errors))]

    def _folds(self, X: Any, response: Any, random_state: np.random.RandomState) -> Any:
        smallest = len(X) if response.labels is None else np.bincount(response.labels).min()
        if self.cv > smallest:  # type: ignore[operator]
            what = "n_samples" if response.labels is None else "the samples of the smallest class"
            raise ValueError(
                f"cv={self.cv} exceeds {what}={smallest}; pass at most {smallest}, or None."
            )
        splitter = KFold if response.labels is None else StratifiedKFold
        folds = splitter(self.cv, shuffle=True, random_state=random_state)
        return list(folds.split(X, response.labels))

    def _fold_error(self, X: Any, response: Any, settings: Any, fold: Any) -> Any:
        train, test = fold
        directions, _ = self._solve(X[train], response[train], settings, check_random_state(0))
        neighbors = KNeighborsRegressor(min(CV_NEIGHBORS, len(train)))
        codes = response.codes
        neighbors.fit(X[train] @ directions, codes[train])
        return np.mean((neighbors.predict(X[test] @ directions) - codes[test]) ** 2)


def regression_coefficients(
    X: Any, factor: Array, sigma: float, ridge: float, max_rank: int | None = None
) -> Any:
    """Return ``T = (G_X + n ridge I)^-1 F`` for the Gaussian Gram matrix G_X of the samples.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The samples.
    factor : ndarray of shape (n_samples, rank)
        F, a factor of the kernel matrix of the target.
    sigma, ridge : float
        Width of the kernel and regularisation, both positive.
    max_rank : int or None
        Replace G_X by a pivoted Cholesky factor of at most this rank.

    Returns
    -------
    coefficients : ndarray of shape (n_samples, rank)
    """
    n_samples = len(X)
    shift = n_samples * ridge
    if max_rank is not None:
        thin = gaussian_factor(X, sigma, max_rank=max_rank)  # (n_samples, m)
        small = thin.T @ thin
        small.flat[:: len(small) + 1] += shift
        inner = linalg.cho_solve(linalg.cho_factor(small), thin.T @ factor)
        return (factor - thin @ inner) / shift  # Woodbury's identity
    gram = np.empty((n_samples, n_samples), order="F")
    for columns in blocks(np.arange(n_samples)):
        # The Cholesky factorisation reads the lower triangle only.
        below = slice(columns[0], n_samples)
        gram[below, columns[0] : columns[-1] + 1] = gaussian_rows(
            X[below], np.arange(len(columns)), sigma
        ).T
    gram.flat[:: n_samples + 1] += shift
    try:
        # In place, so that only one n x n array is needed.
        held = linalg.cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)
    except linalg.LinAlgError as error:
        raise ValueError(
            f"the kernel matrix of {n_samples} samples with ridge={ridge:.1e} is singular in "
            "working precision; raise ridge."
        ) from error
    # The upper triangle was never written; memory may hold NaN there.
    return linalg.cho_solve(held, factor, check_finite=False)


def scatter_of_gradients(X: Any, coefficients: Array, sigma: float, rows: Array) -> Any:
    """Return ``sum_i D_i' T T' D_i`` over the samples in rows, shape (n_features, n_features).

    Column c of ``D_i' T`` is the gradient at x_i of ``sum_j T_jc k(x_j, x)``, which is
    ``sum_j k_ij T_jc (x_j - x_i) / sigma^2``: a product of k_ij with (T_jc x_j), minus a multiple of
    x_i. Costs O(n_rows n p r), and O(n (BLOCK_ROWS + p)) memory in addition to the result.
    """
    n_samples, n_features = X.shape
    n_together = max(WIDE_PRODUCT // n_features, 1)
    groups = [
        coefficients[:, first : first + n_together]
        for first in range(0, coefficients.shape[1], n_together)
    ]
    scatter = np.zeros((n_features, n_features))
    # In units of the width, because its fourth power could overflow or underflow.
    X, sigma, unit = X / sigma, 1.0, sigma
    for block in blocks(rows):
        kernel = gaussian_rows(X, block, sigma)  # (n_block, n_samples)
        for columns in groups:
            # The columns of X are weighted, not those of the kernel, which has more.
            weighted = (columns[:, :, None] * X[:, None, :]).reshape(n_samples, -1)
            gradients = (kernel @ weighted).reshape(-1, n_features)  # a row for each i and c
            gradients -= ((kernel @ columns)[:, :, None] * X[block][:, None, :]).reshape(
                gradients.shape
            )
            scatter += gradients.T @ gradients
    return scatter / unit**2


def leading_eigenvectors(matrix: Array, n_leading: int) -> Any:
    """Return eigenvectors (columns) and eigenvalues of a symmetric matrix, largest first."""
    size = len(matrix)
    values, vectors = linalg.eigh(matrix, subset_by_index=[size - n_leading, size - 1])
    return vectors[:, ::-1], values[::-1]


def blocks(rows: Array) -> Any:
    """Divide indices into blocks of at most BLOCK_ROWS."""
    return (rows[start : start + BLOCK_ROWS] for start in range(0, len(rows), BLOCK_ROWS))
