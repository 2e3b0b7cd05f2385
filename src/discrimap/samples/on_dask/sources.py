"""Where the rows of a block come from: memory, or a file that is read again each time."""

from __future__ import annotations

import itertools

import numpy as np

# Chunks of fewer bytes are put together: a piece costs a few calls at each evaluation.
SMALL_CHUNK = 1 << 22


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

    @property
    def n_rows(self):
        return sum(chunk.shape[0] for chunk in self.chunks)

    def read(self):
        """All rows, as one C-contiguous array."""
        import dask

        # The task that reads is already on the core it shall use; the graphs were optimised when
        # the source was made.
        return _stack(dask.compute(*self.chunks, scheduler="synchronous", optimize_graph=False))

    def place_of(self, row):
        """Number of the chunk that holds a row of the block, and the row in the collection."""
        sizes = np.array([chunk.shape[0] for chunk in self.chunks])
        ends = np.cumsum(sizes)
        which = int(np.searchsorted(ends, row, side="right"))
        return self.numbers[which], self.starts[which] + int(row - (ends[which] - sizes[which]))


class Rows:
    """The rows of a block in pieces, of which some stay in memory and the others are read again.

    Parameters
    ----------
    pieces : list of ndarray or Source
        Neighbouring rows.
    n_features, dtype
        Of all of them.
    """

    def __init__(self, pieces, n_features, dtype):
        self.pieces = pieces
        sizes = [len(p) if isinstance(p, np.ndarray) else p.n_rows for p in pieces]
        self.offsets = np.concatenate([[0], np.cumsum(sizes)])
        self.shape, self.dtype = (int(self.offsets[-1]), n_features), np.dtype(dtype)

    def __len__(self):
        return self.shape[0]

    def parts(self, needed=None):
        """Each piece as an array, with the rows of the block that it is; one at a time.

        With the positions of the rows that are needed, only the pieces that hold any.
        """
        for piece, (first, stop) in zip(self.pieces, itertools.pairwise(self.offsets), strict=True):
            if needed is not None and not ((needed >= first) & (needed < stop)).any():
                continue
            yield slice(first, stop), piece if isinstance(piece, np.ndarray) else piece.read()

    def __sizeof__(self):
        # What the worker's memory manager counts, and the scheduler, before it moves something.
        held = (piece.nbytes for piece in self.pieces if isinstance(piece, np.ndarray))
        return object.__sizeof__(self) + sum(held)


def hold(sources, n_held, n_features, dtype):
    """The rows of several sources, of which the first few are read once and kept."""
    pieces = [source.read() for source in sources[:n_held]]
    return Rows([*pieces, *sources[n_held:]], n_features, dtype)


def hold_parts(parts, n_features, dtype):
    """Keep chunks that the cluster has computed already: large ones as they are."""
    pieces = []
    for is_small, group in itertools.groupby(parts, lambda part: part.nbytes < SMALL_CHUNK):
        chunks = list(group)
        pieces += [_stack(chunks)] if is_small else [_stack([chunk]) for chunk in chunks]
    return Rows(pieces, n_features, dtype)


def hold_labels(parts, numbers, starts):
    """A source of labels that the cluster has computed already."""
    return Source([np.asarray(part) for part in parts], numbers, starts)


def _stack(parts):
    parts = [np.asarray(part) for part in parts]
    return np.ascontiguousarray(parts[0] if len(parts) == 1 else np.concatenate(parts))
