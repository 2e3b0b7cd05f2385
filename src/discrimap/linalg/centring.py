"""Centre samples, so that an offset of the data does not cost accuracy.

Products of samples square their offset: in sums of squares of values near 1e8, a variance of 1 is
lost to rounding. Methods that do not depend on an offset therefore subtract it first, with these
functions.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from discrimap._typing import Matrix
from discrimap.linalg.products import PER_NUMBER, in_order, row_blocks
from discrimap.threads import run_tasks


def centre(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the samples minus their mean, in float64, and the mean.

    The first sample is subtracted before the mean: differences of nearby numbers are exact, so that
    a constant feature becomes exactly zero. Minus its rounded mean it would be about 1e-17 in every
    sample, which a method that standardises features would scale up.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The samples.

    Returns
    -------
    centred : ndarray of shape (n_samples, n_features), float64
    mean : ndarray of shape (n_features,), float64
    """
    first = X[0].astype(np.float64)
    centred = np.empty_like(X, dtype=np.float64, subok=False)

    def without_first(rows):
        return np.subtract(X[rows], first, out=centred[rows]).sum(axis=0)

    def without_shift(rows):
        centred[rows] -= shift

    blocks, nanoseconds = row_blocks(X), 3 * PER_NUMBER * X.size
    shift = sum(in_order(without_first, blocks, nanoseconds, len(first))) / len(X)
    run_tasks(without_shift, blocks, nanoseconds)
    return centred, first + shift


def without_offset(X: Matrix) -> tuple[Matrix, np.ndarray]:
    """Return X in float64 minus its offset, and the offset.

    The offset is the mean; for sparse X only the mean of columns without zeros, so that X remains as
    sparse. Only such columns can have an offset that is large compared with their spread, because with
    a zero among the values the spread is as large as the offset.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The samples.

    Returns
    -------
    shifted : ndarray or CSR matrix of shape (n_samples, n_features), float64
    offset : ndarray of shape (n_features,), float64
    """
    if not sparse.issparse(X):
        return centre(X)
    n_samples, n_features = X.shape
    X = X.astype(np.float64, copy=False)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    is_full = np.bincount(X.indices, minlength=n_features) == n_samples
    offset = np.zeros(n_features)
    if is_full.any():
        columns = np.flatnonzero(is_full)
        offset[columns] = centre(X[:, columns].toarray())[1]
        X = X.copy()
        X.data -= offset[X.indices]
    return X, offset
