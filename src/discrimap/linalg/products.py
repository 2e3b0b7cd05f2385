"""Products of samples with few columns, and other passes over them, in blocks that threads share.

The two products of an evaluation, ``X W`` and ``X' G``, read all samples once each. Linear algebra
uses one thread inside the loops of optimisers (:mod:`~discrimap.threads`), so the blocks are
distributed over threads here. Blocks depend only on the shape, so that results do not depend on the
number of threads.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from discrimap._typing import Matrix
from discrimap.threads import one_thread, run_tasks

# Nanoseconds to read one value of X from memory, and to multiply it with one column.
PER_NUMBER = 0.3
PER_NUMBER_AND_COLUMN = 0.07
# Numbers of X in a block, and fewest rows. Products with few columns take twice as long in blocks
# that do not fit into the caches; blocks of few rows and many columns have many results to add.
BLOCK_NUMBERS = 1 << 18
LEAST_ROWS = 1024
# With at least this many features and at most this many columns, one product with a vector for each
# column takes half the time of a product with a matrix.
MANY_FEATURES, FEW_COLUMNS = 400, 4
# Most numbers in the results of blocks that are not added yet: 32 MB.
HELD_NUMBERS = 1 << 22
# Up to this many classes, sums are a product with one-hot codes; for more, sorting is faster.
FEW_CLASSES = 64
# Fewest and most blocks at a time; with fewer, threads would mostly wait for the slowest one.
LEAST_HELD, MOST_HELD = 4, 64


def project(X: Matrix, W: np.ndarray) -> np.ndarray:
    """Return ``X @ W`` in the dtype of X; W is converted to this dtype, so that X is not copied."""
    if isinstance(X, np.ndarray) or sparse.issparse(X):
        W = W.astype(X.dtype, copy=False)
    if _is_one_product(X):
        return X @ W
    result = np.empty((X.shape[0], W.shape[1]), dtype=X.dtype)
    columns = np.ascontiguousarray(W.T) if _goes_by_column(X, W) else None

    def product(rows):
        if columns is None:
            np.dot(X[rows], W, out=result[rows])  # not the operator, see inner
            return
        for k, column in enumerate(columns):
            result[rows, k] = np.dot(X[rows], column)

    with one_thread():
        run_tasks(product, row_blocks(X), _nanoseconds(X, W))
    return result


def pull_back(X: Matrix, gradient: np.ndarray) -> np.ndarray:
    """Return ``X.T @ gradient`` in float64, with products in the dtype of X."""
    gradient = gradient.astype(X.dtype, copy=False)
    if _is_one_product(X):
        return np.asarray(X.T @ gradient, dtype=np.float64)
    total = np.zeros((X.shape[1], gradient.shape[1]))
    columns = np.ascontiguousarray(gradient.T) if _goes_by_column(X, gradient) else None

    def product(rows):
        if columns is None:
            return inner(X[rows], gradient[rows])
        return np.column_stack([np.dot(column[rows], X[rows]) for column in columns])

    for part in in_order(
        product,
        row_blocks(X),
        _nanoseconds(X, gradient),
        total.size,
    ):
        total += part
    return total


def inner(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return ``a.T @ b`` of dense samples, for use in parallel threads.

    The operator holds the interpreter lock if the result has fewer than 500 numbers, however many
    samples there are; ``np.dot`` always releases it.
    """
    return np.dot(a.T, b)


def column_sums(block):
    """Return the sum of each column of a block of dense samples, for use in parallel threads.

    ``block.sum(axis=0)`` adds row by row, which takes several times as long for short rows.
    """
    return np.dot(np.ones(len(block), dtype=block.dtype), block)


def class_sums(block, labels, n_classes):
    """Return the sum of each class of a block of dense samples, (n_classes, n_features).

    Parameters
    ----------
    block : ndarray of shape (n_rows, n_features)
        The samples.
    labels : ndarray of shape (n_rows,)
        Class indices.
    n_classes : int
        Number of classes, of which some may have no sample in the block.
    """
    if n_classes <= FEW_CLASSES:
        codes = np.zeros((len(block), n_classes), dtype=block.dtype)
        codes[np.arange(len(block)), labels] = 1.0
        return inner(codes, block)
    sums = np.zeros((n_classes, block.shape[1]), dtype=block.dtype)
    order = np.argsort(labels, kind="stable")
    present, starts = np.unique(labels[order], return_index=True)
    sums[present] = np.add.reduceat(block.take(order, axis=0), starts, axis=0)
    return sums


def row_blocks(X):
    """Return slices of rows that cover X, each small enough for the caches if rows are short."""
    n_rows = max(BLOCK_NUMBERS // max(X.shape[1], 1), LEAST_ROWS)
    return [slice(first, first + n_rows) for first in range(0, X.shape[0], n_rows)]


def in_order(
    task: Callable[[Any], Any],
    blocks: Sequence[Any],
    nanoseconds: float,
    result_numbers: int,
) -> Iterator[Any]:
    """Yield ``task(block)`` for blocks of samples, one after the other; threads share the work.

    A sum of the results in this order does not depend on the number of threads.

    Parameters
    ----------
    task : callable
        Must release the interpreter lock for most of its time.
    blocks : sequence
        Arguments of the task, with about the same work in each.
    nanoseconds : float
        Approximate time of all blocks on one core.
    result_numbers : int
        Numbers in a result. The larger the results, the fewer are kept at a time; if they are very
        large, blocks run one by one, with enough work for the threads of linear algebra.

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


def scatter_nanoseconds(n_rows: int, n_columns: int) -> float:
    """Estimate the time to centre samples and to compute their scatter matrix."""
    return n_rows * n_columns * (1.0 + PER_NUMBER_AND_COLUMN * n_columns)


def _goes_by_column(X, columns):
    return X.shape[1] >= MANY_FEATURES and columns.shape[1] <= FEW_COLUMNS


def _is_one_product(X):
    """Return whether X is small, sparse or not a numpy array."""
    return not isinstance(X, np.ndarray) or X.size <= BLOCK_NUMBERS


def _nanoseconds(X, columns):
    return (PER_NUMBER + PER_NUMBER_AND_COLUMN * columns.shape[1]) * X.size
