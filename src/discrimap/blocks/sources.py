"""Where the rows of a block come from: memory, or a file that is read again each time."""

from __future__ import annotations

import sys

import numpy as np


class Source:
    """A few neighbouring chunks, read when asked for and held by nobody.

    Parameters
    ----------
    chunks : list of dask arrays
        Each of one chunk, with only the part of the graph that it needs.
    numbers, starts : list of int
        Number of each chunk in the user's collection, and its first row.
    """

    def __init__(self, chunks, numbers, starts):
        self.chunks, self.numbers, self.starts = chunks, numbers, starts

    def read(self):
        """All rows, as one C-contiguous array."""
        import dask

        # The task that reads is already on the core it shall use.
        return _stack(dask.compute(*self.chunks, scheduler="synchronous"))

    def place_of(self, row):
        """Number of the chunk that holds a row of the block, and the row in the collection."""
        sizes = np.array([chunk.shape[0] for chunk in self.chunks])
        ends = np.cumsum(sizes)
        which = int(np.searchsorted(ends, row, side="right"))
        return self.numbers[which], self.starts[which] + int(row - (ends[which] - sizes[which]))


class Held:
    """Rows that stay in the memory of a worker."""

    def __init__(self, rows):
        self.rows = rows

    def read(self):
        return self.rows

    def __sizeof__(self):
        # What the worker's memory manager counts.
        return object.__sizeof__(self) + sys.getsizeof(self.rows)


def hold(source):
    """Read a source once and keep its rows."""
    return Held(source.read())


def hold_parts(parts):
    """Keep chunks that the cluster has computed already."""
    return Held(_stack(parts))


def hold_labels(parts, numbers, starts):
    """A source of labels that the cluster has computed already."""
    return Source([np.asarray(part) for part in parts], numbers, starts)


def _stack(parts):
    parts = [np.asarray(part) for part in parts]
    return np.ascontiguousarray(parts[0] if len(parts) == 1 else np.concatenate(parts))
