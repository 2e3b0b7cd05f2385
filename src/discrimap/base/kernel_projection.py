"""Base class of kernel methods: the kernel, its landmarks, and the map from kernel rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import linalg
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels, rbf_kernel
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from discrimap._sklearn import CallbackSupportMixin, Interval, StrOptions
from discrimap._typing import Array, MappedSamples, MatrixLike, RandomState
from discrimap.linalg.gaussian_factors import median_distance
from discrimap.samples.validation import FLOAT_TYPES, validate_data

# Eigenvalues of a Gram matrix below this fraction of the largest are rounding errors of its entries
# and belong to its null space. Entries are float64 unless they were given as float32.
NULL_SPACE = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 1e-6}
# An eigenvalue below minus this fraction is not a rounding error: the kernel is indefinite.
INDEFINITE = 1e-8
# Largest error of the exponents of a Gaussian kernel that does not make it look indefinite.
MOST_ROUNDING = 1e-10

KERNEL_CONSTRAINTS = {
    "kernel": [StrOptions({*PAIRWISE_KERNEL_FUNCTIONS, "precomputed"}), callable],
    "gamma": [Interval(Real, 0, None, closed="left"), None],
    "sigma": [Interval(Real, 0, None, closed="neither"), None],
    "degree": [Interval(Real, 0, None, closed="left")],
    "coef0": [Interval(Real, None, None, closed="neither")],
    "n_landmarks": [Interval(Integral, 1, None, closed="left"), None],
    "random_state": ["random_state"],
}


class KernelProjection(
    CallbackSupportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """Base class of kernel methods: ``transform(X) == K(X, landmarks) @ dual_coef_.T - offset_``.

    A subclass has the parameters in ``KERNEL_CONSTRAINTS``; its ``fit`` calls ``_check_kernel`` and
    ``_training_rows``, which sets ``landmarks_``, ``landmark_indices_`` and ``sigma_``, and stores
    ``dual_coef_`` and ``offset_``, in float64 if float32 would lose accuracy.
    """

    kernel: str | Callable[..., Any]
    gamma: float | None
    sigma: float | None
    degree: float
    coef0: float
    n_landmarks: int | None
    random_state: RandomState
    dual_coef_: Array
    offset_: Array

    # Whether sigma is the median distance if kernel="rbf" and neither sigma nor gamma is given.
    _median_width = False
    # Whether the map of the linear kernel does not depend on an offset of the samples.
    _ignores_offset = False

    def transform(self, X: MatrixLike) -> MappedSamples:
        """Map samples by their kernel with the landmarks, in O(n m (p + d)) for m landmarks.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples; with ``kernel="precomputed"``, their kernel with all training samples.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            Coordinates in the map.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOAT_TYPES, reset=False)
        # Terms of opposite sign cancel in the sum, so it is computed in float64.
        Z = self._kernel_rows(X.astype(np.float64, copy=False)) @ self.dual_coef_.T - self.offset_
        return Z.astype(X.dtype, copy=False)

    def _check_kernel(self, X: Any) -> None:
        if self.sigma is not None and (self.gamma is not None or self.kernel != "rbf"):
            raise ValueError(
                "sigma is the width of kernel='rbf' and excludes gamma; got "
                f"sigma={self.sigma!r} with kernel={self.kernel!r} and gamma={self.gamma!r}."
            )
        if self.n_landmarks is not None and self.n_landmarks > len(X):
            raise ValueError(
                f"n_landmarks={self.n_landmarks} exceeds n_samples={len(X)}; pass at most "
                f"{len(X)}, or None for all."
            )
        if self.kernel != "precomputed":
            return
        if X.shape[0] != X.shape[1]:
            raise ValueError(
                "kernel='precomputed' needs the square Gram matrix of the training samples; X has "
                f"shape {X.shape}."
            )
        largest, asymmetry = np.abs(X).max(), np.abs(X - X.T).max()
        if asymmetry > 1e-5 * largest:
            raise ValueError(
                "kernel='precomputed' needs a symmetric Gram matrix; entries differ from those "
                f"across the diagonal by up to {asymmetry:.3g} (largest entry {largest:.3g}). "
                "Pass (X + X.T) / 2."
            )

    def _training_rows(self, X: Any) -> Any:
        """Choose the landmarks and return the kernel between all samples and the landmarks."""
        self._choose_landmarks(X)
        # A precomputed kernel keeps its dtype; any other kernel is computed in float64.
        samples = X if self.kernel == "precomputed" else X.astype(np.float64, copy=False)
        self._resolve_width(samples)
        return self._kernel_rows(samples)

    def _resolve_width(self, X: Any) -> None:
        """Set the width to the median distance if the method does so and no width is given."""
        self.sigma_ = self.sigma
        is_free = self.sigma is None and self.gamma is None
        if self._median_width and self.kernel == "rbf" and is_free:
            self.sigma_ = median_distance(X, self.random_state)

    def _choose_landmarks(self, X: Any) -> None:
        indices = np.arange(len(X))
        if self.n_landmarks is not None and self.n_landmarks < len(X):
            chosen = check_random_state(self.random_state).permutation(len(X))[: self.n_landmarks]
            indices = np.sort(chosen)
        self.landmark_indices_ = indices
        self.landmarks_ = None if self.kernel == "precomputed" else X[indices]

    def _kernel_rows(self, X: Any) -> Any:
        """Return the kernel between samples and landmarks, in the dtype of X."""
        if self.kernel == "precomputed":
            return X if self.n_landmarks is None else X[:, self.landmark_indices_]
        gamma = self.gamma if self.sigma_ is None else 1.0 / (2.0 * self.sigma_**2)
        if self.kernel == "rbf":
            return gaussian_kernel(X, self.landmarks_, gamma).astype(X.dtype, copy=False)
        if self.kernel == "linear" and self._ignores_offset:
            # Products of samples that are far from the origin lose the digits in which they differ.
            landmarks = np.asarray(self.landmarks_)
            centre = landmarks.mean(axis=0)
            return ((X - centre) @ (landmarks - centre).T).astype(X.dtype, copy=False)
        options = {}
        if not callable(self.kernel):
            options = {"gamma": gamma, "degree": self.degree, "coef0": self.coef0}
        rows = pairwise_kernels(
            X, self.landmarks_, metric=self.kernel, filter_params=True, **options
        )
        return rows.astype(X.dtype, copy=False)

    @property
    def _n_features_out(self) -> int:
        return len(self.dual_coef_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def gaussian_kernel(X: Any, landmarks: Any, gamma: float | None = None) -> Any:
    """Return ``exp(-gamma |x - l|^2)``, accurate for any offset; gamma=None is 1 / n_features.

    Distances computed from products are fast, but lose digits if the samples are far from the origin.
    Therefore the median of the landmarks is subtracted first, which is robust to outliers; if that is
    not enough, distances are computed from differences.
    """
    gamma = 1.0 / X.shape[1] if gamma is None else gamma
    origin = np.median(landmarks, axis=0).astype(np.float64)
    X, landmarks = X - origin, landmarks - origin
    largest = max(np.einsum("ij,ij->i", points, points).max() for points in (X, landmarks))
    if gamma * largest * np.finfo(np.float64).eps > MOST_ROUNDING:
        return np.exp(-gamma * cdist(X, landmarks, "sqeuclidean"))
    return rbf_kernel(X, landmarks, gamma=gamma)


def gram_whitening(gram: Array) -> Any:
    """Return the map from kernel rows to orthonormal coordinates: ``G^(-1/2)`` without its null space.

    Parameters
    ----------
    gram : ndarray of shape (n_landmarks, n_landmarks)
        Kernel between the landmarks.

    Returns
    -------
    whitening : ndarray of shape (n_landmarks, rank)
        ``whitening' gram whitening = I``.
    """
    null_space = NULL_SPACE[gram.dtype]
    gram = 0.5 * (gram + gram.T).astype(np.float64)
    try:
        # LAPACK's default driver fails on some Gram matrices close to the identity.
        values, vectors = linalg.eigh(gram, driver="evd")
    except linalg.LinAlgError:
        ridge = 1e-8 * np.trace(gram) / len(gram)
        values, vectors = linalg.eigh(gram + ridge * np.eye(len(gram)), driver="ev")
    if values[0] < -INDEFINITE * np.abs(values).max():
        warnings.warn(
            f"the kernel is indefinite: {np.sum(values < 0)} of {len(values)} eigenvalues of the "
            f"Gram matrix are negative (down to {values[0]:.3g}, largest {values[-1]:.3g}). They "
            "are set to zero; pass a positive semidefinite kernel to avoid this.",
            stacklevel=3,
        )
    kept = values > null_space * max(values[-1], 0.0)
    if values[-1] <= 0.0:
        kept[:] = False
    return vectors[:, kept] / np.sqrt(values[kept])
