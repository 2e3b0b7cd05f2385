"""Reduce sparse samples to a few dense coordinates, without a dense copy of the samples."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.decomposition import TruncatedSVD

from discrimap._typing import Matrix

N_COORDINATES = 200


@dataclass(frozen=True)
class SparseReduction:
    """The first right singular vectors of the training samples, not centred."""

    axes: np.ndarray  # (n_features, n_coordinates)

    def apply(self, X: Matrix) -> np.ndarray:
        """Coordinates of samples, (n_samples, n_coordinates)."""
        return np.asarray(X @ self.axes.astype(X.dtype, copy=False))


def fit_sparse_reduction(X: Matrix, random_state: np.random.RandomState) -> SparseReduction | None:
    """Return the reduction for sparse X by randomised SVD, or None for dense X."""
    if not sparse.issparse(X):
        return None
    if min(X.shape) <= N_COORDINATES:
        # Few samples or features: nothing has to be lost.
        square = (X.T @ X if X.shape[1] <= X.shape[0] else X @ X.T).toarray().astype(np.float64)
        values, vectors = np.linalg.eigh(square)
        keep = values > len(values) * np.finfo(X.dtype).eps * max(values[-1], 1e-300)
        vectors = vectors[:, keep][:, ::-1]
        axes = vectors if X.shape[1] <= X.shape[0] else X.T @ vectors
        axes = np.asarray(axes) / np.linalg.norm(axes, axis=0)
        return SparseReduction(axes.astype(X.dtype))
    svd = TruncatedSVD(N_COORDINATES, random_state=random_state).fit(X)
    return SparseReduction(np.ascontiguousarray(svd.components_.T.astype(X.dtype)))
