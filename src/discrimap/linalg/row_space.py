"""Lossless rank reduction of more features than samples to the span of the samples."""

from typing import Any

import numpy as np
from scipy import linalg, sparse

from discrimap.linalg.signs import orient

BLOCK_COLUMNS = 4096


class RowSpace:
    """Coordinates of samples in an orthonormal basis of the span of their centred rows.

    With ``X - mean = U S V'``, a part of W outside the span of V only changes the norm of W, so a
    minimum lies inside: ``W = V w``, ``(X - mean) W = (U S) w`` and ``|W| = |w|``. Singular values
    whose square is below the rounding error of the largest are dropped.

    Costs O(n^2 p + n^3) once; stores two n x n arrays, smaller than X, but not V.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The samples; a reference is kept.
    mean : ndarray of shape (n_features,), optional
        The mean to subtract from each sample; by default zero.

    Attributes
    ----------
    coordinates : ndarray of shape (n_samples, rank)
        ``U S`` in the dtype of X, with columns in decreasing order of singular values.
    """

    def __init__(self, X: Any, mean: Any = None) -> None:
        self.X, self.mean = X, mean
        eigenvalues, vectors = linalg.eigh(_centred_gram(X, mean), overwrite_a=True)
        keep = eigenvalues > len(vectors) * np.finfo(np.float64).eps * eigenvalues[-1]
        singular_values = np.sqrt(eigenvalues[keep][::-1])
        # Random starts are drawn in these coordinates, so their signs must be reproducible.
        left = orient(vectors)[:, keep][:, ::-1]
        self.coordinates = (left * singular_values).astype(X.dtype)
        self._dual = left / singular_values  # (X - mean)' @ _dual is V

    def to_features(self, w: np.ndarray) -> Any:
        """Return ``V w``, which maps (rank, d) to (n_features, d)."""
        dual = self._dual @ w
        W = self.X.T @ dual
        return W if self.mean is None else W - np.outer(self.mean, dual.sum(axis=0))

    def from_features(self, W: np.ndarray) -> Any:
        """Return ``V' W``, which maps (n_features, d) to (rank, d)."""
        points = self.X @ W
        return self._dual.T @ (points if self.mean is None else points - self.mean @ W)


def _centred_gram(X, mean):
    if mean is None:
        gram = X @ X.T
        return (gram.toarray() if sparse.issparse(gram) else gram).astype(np.float64, copy=False)
    n_samples, n_features = X.shape
    gram = np.zeros((n_samples, n_samples))
    for first in range(0, n_features, BLOCK_COLUMNS):
        columns = slice(first, first + BLOCK_COLUMNS)
        block = X[:, columns].toarray() if sparse.issparse(X) else X[:, columns]
        block = block - mean[columns]  # in float64
        gram += block @ block.T
    return gram
