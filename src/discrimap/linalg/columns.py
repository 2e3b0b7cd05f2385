"""Remove columns of a large array."""

from __future__ import annotations

import numpy as np

MOVED_ROWS = 256


def keep_columns(X: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return the given columns of X. They may take the memory of X, which is then overwritten.

    The first use of the memory of a second large array takes several times as long as moving the
    numbers.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        An array of the caller's own that it does not need afterwards.
    columns : ndarray of shape (n_kept,)
        Indices of the columns, ascending.

    Returns
    -------
    kept : ndarray of shape (n_samples, n_kept)
    """
    if not X.flags.c_contiguous:
        return X[:, columns]
    numbers, n_kept = X.reshape(-1), len(columns)
    # Numbers move towards the beginning, so that every row is read before it is overwritten.
    for first in range(0, len(X), MOVED_ROWS):
        rows = np.take(X[first : first + MOVED_ROWS], columns, axis=1)
        numbers[first * n_kept : first * n_kept + rows.size] = rows.reshape(-1)
    return numbers[: len(X) * n_kept].reshape(len(X), n_kept)
