"""Products of samples with few columns, in blocks of rows that threads share.

The two products of an evaluation, ``X W`` and ``X' G``, read all samples once each. Linear algebra
has one thread inside the loops of optimisers (:mod:`~discrimap.threads`), so the blocks are shared
out here. Blocks depend on the shape alone: results do not depend on the number of threads.
"""

import numpy as np
from scipy import sparse

from discrimap.threads import run_tasks

# Nanoseconds for a number of X, which is read from memory and multiplied a few times.
PER_NUMBER = 0.5
# Numbers of X in a block: some milliseconds of work.
BLOCK_NUMBERS = 1 << 21


def project(X, W):
    """``X @ W`` in the type of X; W follows, because the other way round X would be copied."""
    blocks = _blocks(X)
    if isinstance(X, np.ndarray) or sparse.issparse(X):
        W = W.astype(X.dtype, copy=False)
    if blocks is None:
        return X @ W
    result = np.empty((X.shape[0], W.shape[1]), dtype=X.dtype)

    def product(rows):
        np.matmul(X[rows], W, out=result[rows])

    run_tasks(product, blocks, PER_NUMBER * X.size)
    return result


def pull_back(X, gradient):
    """``X.T @ gradient`` in float64, with products in the type of X."""
    blocks = _blocks(X)
    gradient = gradient.astype(X.dtype, copy=False)
    if blocks is None:
        return np.asarray(X.T @ gradient, dtype=np.float64)
    parts = run_tasks(lambda rows: X[rows].T @ gradient[rows], blocks, PER_NUMBER * X.size)
    return np.sum(parts, axis=0, dtype=np.float64)


def _blocks(X):
    """Slices of rows, or None for one product: few samples, sparse ones, and those elsewhere."""
    if not isinstance(X, np.ndarray) or X.size <= BLOCK_NUMBERS:
        return None
    n_rows = -(-X.shape[0] * BLOCK_NUMBERS // X.size)
    return [slice(begin, begin + n_rows) for begin in range(0, X.shape[0], n_rows)]
