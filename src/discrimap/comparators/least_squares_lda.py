"""Linear discriminant analysis by least squares, for sparse samples and samples in batches."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse.linalg import LinearOperator, lsqr
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets

from discrimap._sklearn import Interval
from discrimap._typing import Array, MatrixLike
from discrimap.base.fit_context import fit_context
from discrimap.base.linear_projection import LinearProjection
from discrimap.linalg.centring import without_offset
from discrimap.linalg.discriminants import (
    class_offsets,
    rotate_to_discriminants,
    solve_scatter,
)
from discrimap.linalg.signs import orient
from discrimap.samples.in_memory import value_range
from discrimap.samples.running_moments import RunningMoments
from discrimap.samples.validation import (
    FLOAT_TYPES,
    check_n_components,
    check_scale,
    refuse_dask,
    validate_data,
    validate_labelled,
)

# Largest standard deviation of a constant feature due to rounding, relative to its mean.
CONSTANT = 1e-13


class LeastSquaresLDA(LinearProjection):
    """Linear discriminant analysis as multivariate least squares on class indicators.

    Regresses the class indicator matrix of [1]_ on the samples. For a sample of class k the matrix
    holds ``sqrt(n/n_k) - sqrt(n_k/n)`` in column k and ``-sqrt(n_j/n)`` in column j. The coefficients
    ``W = S^+ B`` span the space of linear discriminant analysis. We rotate them to uncorrelated
    components, the most discriminating first, which preserves distances between regression outputs;
    the variance along a component is its between-class part (``eigenvalues_``). If the samples are
    linearly independent, usually with more features than samples, all eigenvalues are 1 and the
    result is uncorrelated LDA, as shown in [1]_.

    Dense X costs O(n p min(n, p)); it is solved from the covariance, or in the row space if p > n.
    Sparse X stays sparse and costs O(nnz C) per iteration of LSQR. ``partial_fit`` stores a p x p
    covariance, so that batches give the same result as one fit.

    Parameters
    ----------
    n_components : int, default=2
        Number of components. There are at most C - 1 discriminants; further components are zero.
    ridge : float, default=0.0
        Penalty on the squared length of the coefficients, as a fraction of the total variance. With 0
        and linearly dependent features, the solution of least norm is used.
    max_iter : int, default=1000
        Maximum number of LSQR iterations for one class (sparse X only).
    tol : float, default=1e-8
        Relative residual at which LSQR stops.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The discriminants.
    mean_ : ndarray of shape (n_features,)
        Mean of the training samples.
    eigenvalues_ : ndarray of shape (n_components,)
        Between-class part of the variance along each component, from 0 to 1.
    classes_ : ndarray of shape (n_classes,)
        The class labels; with ``partial_fit``, the classes of all batches so far.
    n_iter_ : int
        Largest number of LSQR iterations for one class; 1 if the solution is direct.

    References
    ----------
    .. [1] J. Ye, "Least squares linear discriminant analysis", ICML 2007, 1087-1093.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from discrimap import LeastSquaresLDA
    >>> X, y = load_wine(return_X_y=True)
    >>> LeastSquaresLDA(n_components=2).fit_transform(X, y).shape
    (178, 2)

    In batches:

    >>> batches = LeastSquaresLDA(n_components=2)
    >>> for part in range(3):
    ...     batches = batches.partial_fit(X[part::3], y[part::3])
    >>> batches.transform(X).shape
    (178, 2)
    """

    _accepts_sparse = True
    _accepts_dask = True
    _pools_scatter = True
    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "ridge": [Interval(Real, 0, np.inf, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, np.inf, closed="left")],
    }

    def __init__(
        self, n_components: int = 2, *, ridge: float = 0.0, max_iter: int = 1000, tol: float = 1e-8
    ) -> None:
        self.n_components = n_components
        self.ridge = ridge
        self.max_iter = max_iter
        self.tol = tol

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Find the components.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : LeastSquaresLDA
            The fitted estimator.
        """
        samples = validate_labelled(self, X, y, accept_sparse=True)
        n_samples, n_features = samples.shape
        check_n_components(self.n_components, n_features)
        if not samples.is_sparse and n_features <= n_samples:
            self._moments: RunningMoments | None = samples.running_moments()
            return self._solve_moments(samples.dtype)

        self._moments = None  # partial_fit needs the p x p covariance, which is not computed here
        self.classes_ = samples.classes
        shifted, origin = without_offset(samples.array)
        counts, means = samples.with_array(shifted).class_means()
        offsets, mean = class_offsets(counts, means)
        targets = indicator_targets(samples.labels, counts)
        if samples.is_sparse:
            coefficients = self._iterate(shifted, mean, targets)
        else:
            coefficients, self.n_iter_ = self._solve_wide(shifted, targets), 1
        return self._store(coefficients, offsets, origin + mean, samples.dtype)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Add a batch of samples; the result is the same as that of one fit to all batches.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            More training samples.
        y : array-like of shape (n_samples,)
            Their class labels. New classes are allowed; ``transform`` needs at least two classes.

        Returns
        -------
        self : LeastSquaresLDA
            The fitted estimator.
        """
        refuse_dask(
            X,
            "partial_fit needs a batch in memory; call fit with the Dask collection, or pass its "
            "blocks one by one: partial_fit(X.blocks[i].compute(), y.blocks[i].compute()).",
        )
        is_first = not hasattr(self, "_moments")
        X, y = validate_data(self, X, y, dtype=FLOAT_TYPES, accept_sparse="csr", reset=is_first)
        check_scale(value_range(X), X.dtype)
        check_classification_targets(y)
        check_n_components(self.n_components, X.shape[1])
        if is_first:
            self._moments = RunningMoments(X.shape[1])
        if self._moments is None:
            raise ValueError(
                "partial_fit cannot continue after a fit to sparse or wide samples, which does not store "
                "the covariance; call partial_fit for all batches, on a new estimator."
            )
        # A copy, so that the estimator is unchanged if the batch raises an error.
        self._moments = self._moments.add(X, y)
        if len(self._moments.classes) < 2:
            return self
        return self._solve_moments(X.dtype)

    def __sklearn_is_fitted__(self) -> bool:
        # Batches of a single class set n_features_in_, but components_ need a second class.
        return hasattr(self, "components_")

    def _solve_moments(self, dtype: Any) -> Self:
        moments = self._moments
        assert moments is not None
        self.classes_, self.n_iter_ = moments.classes, 1
        offsets, mean = class_offsets(moments.counts, moments.class_means)
        covariance = moments.scatter / moments.counts.sum()
        # The variance of a constant feature is a rounding error and must not be a divisor.
        is_constant = np.diag(covariance) <= np.square(CONSTANT * mean)
        covariance[is_constant] = covariance[:, is_constant] = 0.0
        coefficients = solve_scatter(covariance, self.ridge * np.trace(covariance), offsets)
        return self._store(coefficients, offsets, mean, dtype)

    def _solve_wide(self, centred: Array, targets: Array) -> Any:
        """Solve for more features than samples, with the n x n Gram matrix."""
        gram = centred @ centred.T / len(centred)
        dual = solve_scatter(gram, self.ridge * np.trace(gram), targets / len(centred))
        return centred.T @ dual

    def _iterate(self, X: Any, mean: Array, targets: Array) -> Any:
        """Solve by LSQR on the centred samples, without forming them."""
        n_samples = X.shape[0]
        centred = LinearOperator(
            X.shape,
            matvec=lambda v: X @ v - mean @ v,
            rmatvec=lambda u: X.T @ u - mean * u.sum(),
            dtype=np.float64,
        )
        squares = X.multiply(X).sum() - n_samples * (mean @ mean)
        damp = np.sqrt(self.ridge * max(squares, 0.0))
        solutions = [
            lsqr(
                centred,
                column,
                damp,
                atol=self.tol,
                btol=self.tol,
                conlim=0,
                iter_lim=self.max_iter,
            )
            for column in targets.T
        ]
        self.n_iter_ = max(solution[2] for solution in solutions)
        n_stopped = sum(solution[1] == 7 for solution in solutions)
        if n_stopped:
            warnings.warn(
                f"LSQR reached max_iter={self.max_iter} for {n_stopped} of {len(solutions)} "
                f"classes before tol={self.tol:.1e}; raise max_iter, or raise ridge "
                f"({self.ridge:.1e}), which makes the problem better conditioned.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return np.column_stack([solution[0] for solution in solutions])

    def _store(self, coefficients: Array, offsets: Array, mean: Array, dtype: Any) -> Self:
        directions, self.eigenvalues_ = rotate_to_discriminants(
            coefficients, offsets, self.n_components
        )
        self.mean_ = mean.astype(dtype)
        self.components_ = np.ascontiguousarray(orient(directions).T, dtype=dtype)
        return self


def indicator_targets(labels: Array, counts: Any) -> Any:
    """Return the regression targets of Ye (2007), (n_samples, n_classes), whose columns sum to 0."""
    parts = counts / counts.sum()
    return np.diag(1.0 / np.sqrt(parts))[labels] - np.sqrt(parts)
