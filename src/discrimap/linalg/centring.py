"""Samples about an origin of their own, so that an offset of the data costs no digits.

Products of samples square their offset: of values near 1e8 that differ by 1, squares keep nothing
of the difference. Every method whose mathematics does not depend on an offset therefore takes it
off first, here.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from discrimap.linalg.products import PER_NUMBER, in_order, row_blocks
from discrimap.threads import run_tasks


def centre(X):
    """Samples less their mean, in float64, and the mean.

    The first sample is taken off before the mean is: differences of nearby numbers are exact, so
    a constant feature becomes exactly zero. (Less its rounded mean it would be some 1e-17 in every
    sample, which a method that standardises features would blow up to full size.)

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


def without_offset(X):
    """X in float64, and what was taken off: the mean, of sparse X that of full columns.

    Sparse X stays as sparse as it was. An offset that is large beside the spread of a feature can
    only be in a column without zeros, because a zero among the values makes the spread as large.

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
