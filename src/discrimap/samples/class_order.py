"""Rows sorted by class."""

import itertools

import numpy as np

from discrimap.threads import run_tasks

# Rows that a thread sorts at a time, most classes of which it copies the rows, and nanoseconds to
# sort a row.
BLOCK_ROWS = 1 << 17
FEW_CLASSES = 64
PER_ROW = 15.0


def rows_by_class(labels, n_classes):
    """Sort rows by class, in their order within each class.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)
        Class indices.
    n_classes : int
        Number of classes.

    Returns
    -------
    rows : ndarray of shape (n_samples,)
        Class c has the rows ``rows[starts[c]:starts[c + 1]]``.
    starts : ndarray of shape (n_classes + 1,)
    """
    # Small integers are sorted by counting.
    code = np.min_scalar_type(max(n_classes - 1, 0))
    blocks = range(0, len(labels), BLOCK_ROWS)
    if n_classes > FEW_CLASSES:
        blocks = range(0, len(labels), max(len(labels), 1))

    def sort(first):
        part = labels[first : first + blocks.step]
        return np.argsort(part.astype(code), kind="stable"), np.bincount(part, minlength=n_classes)

    sorted_blocks = run_tasks(sort, blocks, PER_ROW * len(labels))
    counts = np.array([count for _, count in sorted_blocks]).reshape(-1, n_classes)
    starts = np.concatenate([[0], np.cumsum(counts.sum(axis=0))])
    if len(sorted_blocks) == 1:
        return sorted_blocks[0][0], starts
    rows = np.empty(len(labels), dtype=np.intp)
    places = starts[:-1] + np.cumsum(counts, axis=0) - counts  # (n_blocks, n_classes)

    def write(number):
        order, count = sorted_blocks[number]
        ends = itertools.pairwise(np.concatenate([[0], np.cumsum(count)]))
        for place, (begin, end) in zip(places[number], ends, strict=True):
            np.add(order[begin:end], blocks[number], out=rows[place : place + end - begin])

    run_tasks(write, range(len(blocks)), PER_ROW / 5 * len(labels))
    return rows, starts
