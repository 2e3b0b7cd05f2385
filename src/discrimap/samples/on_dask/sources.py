"""Sources of the rows of a block: memory, or chunks that are read again each time."""

from __future__ import annotations

import itertools

import numpy as np

# Smaller chunks are combined, because each piece costs a few calls in every evaluation.
SMALL_CHUNK = 1 << 22


class Source:
    """A few neighbouring chunks, which are read on request and not kept.

    Parameters
    ----------
    chunks : list of dask arrays
        Each has one chunk, with only the part of the graph that it needs.
    numbers, starts : list of int
        Index of each chunk in the collection of the user, and its first row.
    """

    def __init__(self, chunks, numbers, starts):
        self.chunks, self.numbers, self.starts = chunks, numbers, starts

    @property
    def n_rows(self):
        return sum(chunk.shape[0] for chunk in self.chunks)

    def read(self):
        """Read all rows into one C-contiguous array."""
        import dask

        # The reading task already occupies its core, and the graphs were optimised when the source
        # was made.
        return _stack(dask.compute(*self.chunks, scheduler="synchronous", optimize_graph=False))

    def place_of(self, row):
        """Return the index of the chunk that holds a row of the block, and the row in the collection."""
        sizes = np.array([chunk.shape[0] for chunk in self.chunks])
        ends = np.cumsum(sizes)
        which = int(np.searchsorted(ends, row, side="right"))
        return self.numbers[which], self.starts[which] + int(row - (ends[which] - sizes[which]))


class Rows:
    """The rows of a block in pieces, some kept in memory and the others read again.

    Parameters
    ----------
    pieces : list of ndarray or Source
        Neighbouring rows.
    n_features, dtype
        Number of features, and their dtype.
    """

    def __init__(self, pieces, n_features, dtype):
        self.pieces = pieces
        sizes = [len(p) if isinstance(p, np.ndarray) else p.n_rows for p in pieces]
        self.offsets = np.concatenate([[0], np.cumsum(sizes)])
        self.shape, self.dtype = (int(self.offsets[-1]), n_features), np.dtype(dtype)

    def __len__(self):
        return self.shape[0]

    def parts(self, needed=None):
        """Yield each piece as an array, with its range of rows of the block.

        If the positions of needed rows are given, yield only pieces that hold any of them.
        """
        for piece, (first, stop) in zip(self.pieces, itertools.pairwise(self.offsets), strict=True):
            if needed is not None and not ((needed >= first) & (needed < stop)).any():
                continue
            yield slice(first, stop), piece if isinstance(piece, np.ndarray) else piece.read()

    def __sizeof__(self):
        # Used by the worker's memory manager, and by the scheduler before it moves data.
        held = (piece.nbytes for piece in self.pieces if isinstance(piece, np.ndarray))
        return object.__sizeof__(self) + sum(held)


def hold(sources, n_held, n_features, dtype):
    """Return the rows of several sources; the first ``n_held`` sources are read once and kept."""
    pieces = [source.read() for source in sources[:n_held]]
    return Rows([*pieces, *sources[n_held:]], n_features, dtype)


def hold_parts(parts, n_features, dtype):
    """Return the rows of chunks that the cluster has already computed; small chunks are combined."""
    pieces = []
    for is_small, group in itertools.groupby(parts, lambda part: part.nbytes < SMALL_CHUNK):
        chunks = list(group)
        pieces += [_stack(chunks)] if is_small else [_stack([chunk]) for chunk in chunks]
    return Rows(pieces, n_features, dtype)


def hold_labels(parts, numbers, starts):
    """Return a source of labels that the cluster has already computed."""
    return Source([np.asarray(part) for part in parts], numbers, starts)


def _stack(parts):
    parts = [np.asarray(part) for part in parts]
    return np.ascontiguousarray(parts[0] if len(parts) == 1 else np.concatenate(parts))
