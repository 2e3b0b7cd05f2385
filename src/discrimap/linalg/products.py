"""Products of samples with few columns, and other passes over them, in blocks that threads share.

The two products of an evaluation, ``X W`` and ``X' G``, read all samples once each. Linear algebra
has one thread inside the loops of optimisers (:mod:`~discrimap.threads`), so the blocks are shared
out here. Blocks depend on the shape alone: results do not depend on the number of threads.
"""

import numpy as np
from scipy import sparse

from discrimap.threads import one_thread, run_tasks

# Nanoseconds for a number of X, which is read from memory, and for each column that it meets.
PER_NUMBER = 0.3
PER_NUMBER_AND_COLUMN = 0.07
# Numbers of X in a block, and rows at least. Products with few columns take twice as long in blocks
# that do not fit the caches; those of few rows and many columns leave many results to be added.
BLOCK_NUMBERS = 1 << 18
LEAST_ROWS = 1024
# Numbers in the results of blocks that wait to be added: 32 MB.
HELD_NUMBERS = 1 << 22
# Blocks at a time; with fewer than the least, threads would mostly wait for the slowest of them.
LEAST_HELD, MOST_HELD = 4, 64


def project(X, W):
    """``X @ W`` in the type of X; W follows, because the other way round X would be copied."""
    if isinstance(X, np.ndarray) or sparse.issparse(X):
        W = W.astype(X.dtype, copy=False)
    if _is_one_product(X):
        return X @ W
    result = np.empty((X.shape[0], W.shape[1]), dtype=X.dtype)

    def product(rows):
        np.dot(X[rows], W, out=result[rows])  # not the operator, see inner

    with one_thread():
        run_tasks(product, row_blocks(X), _nanoseconds(X, W))
    return result


def pull_back(X, gradient):
    """``X.T @ gradient`` in float64, with products in the type of X."""
    gradient = gradient.astype(X.dtype, copy=False)
    if _is_one_product(X):
        return np.asarray(X.T @ gradient, dtype=np.float64)
    total = np.zeros((X.shape[1], gradient.shape[1]))
    for part in in_order(
        lambda rows: inner(X[rows], gradient[rows]),
        row_blocks(X),
        _nanoseconds(X, gradient),
        total.size,
    ):
        total += part
    return total


def inner(a, b):
    """``a.T @ b`` of dense samples, for threads side by side.

    The operator keeps the interpreter lock where the result has fewer than 500 numbers, however
    many samples it comes from; this function of numpy always lets go of it.
    """
    return np.dot(a.T, b)


def row_blocks(X):
    """Slices of rows that cover X, each small enough for the caches where rows are short."""
    n_rows = max(BLOCK_NUMBERS // max(X.shape[1], 1), LEAST_ROWS)
    return [slice(first, first + n_rows) for first in range(0, X.shape[0], n_rows)]


def in_order(task, blocks, nanoseconds, result_numbers):
    """Yield ``task(block)`` for blocks of samples, one after the other; threads share the work.

    What the caller adds up in this order does not depend on the number of threads.

    Parameters
    ----------
    task : callable
        Must release the interpreter lock for most of its time.
    blocks : sequence
        What it is called with, about the same work in each.
    nanoseconds : float
        Time that all of them take one core, about.
    result_numbers : int
        Numbers in a result. Few large results wait to be added; where they are so large that only
        one may wait, linear algebra has work enough for threads of its own.

    Yields
    ------
    result
        In the order of the blocks.
    """
    n_held = min(HELD_NUMBERS // max(result_numbers, 1), MOST_HELD)
    if len(blocks) < 2 or n_held < LEAST_HELD:
        yield from map(task, blocks)
        return
    for first in range(0, len(blocks), n_held):
        held = blocks[first : first + n_held]
        with one_thread():
            results = run_tasks(task, held, nanoseconds * len(held) / len(blocks))
        yield from results


def scatter_nanoseconds(n_rows, n_columns):
    """Time to centre so many samples and to multiply each with itself."""
    return n_rows * n_columns * (1.0 + PER_NUMBER_AND_COLUMN * n_columns)


def _is_one_product(X):
    """Few samples, sparse ones, and those elsewhere."""
    return not isinstance(X, np.ndarray) or X.size <= BLOCK_NUMBERS


def _nanoseconds(X, columns):
    return (PER_NUMBER + PER_NUMBER_AND_COLUMN * columns.shape[1]) * X.size
