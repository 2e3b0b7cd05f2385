"""Lengths of the segments between all pairs of points, computed in blocks."""

import numpy as np

# Largest number of array elements in the class posteriors of a block of pairs, and in the
# represented points.
_BLOCK_NUMBERS = 4_000_000
_CACHED_NUMBERS = 24_000_000
_LARGEST_BLOCK = 512


def block_size(n_classes):
    """Number of points per side of a block: large for fast matrix products, limited by memory."""
    return int(np.clip(np.sqrt(_BLOCK_NUMBERS / n_classes), 16, _LARGEST_BLOCK))


class Represented:
    """Points in the representation of a field, computed in slices and cached if memory allows."""

    def __init__(self, make, n_points, width):
        self._make, self.n_points = make, n_points
        self._kept = make(slice(None)) if n_points * width <= _CACHED_NUMBERS else None

    def __getitem__(self, rows):
        return self._make(rows) if self._kept is None else self._kept[rows]


def blocks_between(lengths, left, right, size):
    """Yield blocks ``(rows, columns, lengths)`` of all pairs of two sets of points.

    ``rows`` and ``columns`` are slices.
    """
    for start in range(0, left.n_points, size):
        rows = slice(start, min(start + size, left.n_points))
        represented = left[rows]
        for across in range(0, right.n_points, size):
            columns = slice(across, min(across + size, right.n_points))
            yield rows, columns, lengths(represented, right[columns])


def blocks_among(lengths, points, size):
    """Yield blocks ``(rows, columns, lengths)`` of all pairs within one set of points.

    Lengths are symmetric, so blocks below the diagonal are skipped. Blocks on the diagonal are made
    exactly symmetric, and the length from a point to itself is set to zero.
    """
    for start in range(0, points.n_points, size):
        rows = slice(start, min(start + size, points.n_points))
        represented = points[rows]
        own = lengths(represented, represented)
        own = (own + own.T) / 2
        np.fill_diagonal(own, 0)
        yield rows, rows, own
        for across in range(start + size, points.n_points, size):
            columns = slice(across, min(across + size, points.n_points))
            yield rows, columns, lengths(represented, points[columns])


class NearestSoFar:
    """The k nearest candidates added so far, for each of n points."""

    def __init__(self, n_points, n_neighbors, dtype):
        self.distances = np.full((n_points, n_neighbors), np.inf, dtype)
        self.indices = np.full((n_points, n_neighbors), -1, dtype=np.intp)

    def add(self, rows, candidates, distances):
        """Add candidates, given by index, with distances of shape (n_rows, n_candidates)."""
        k = self.distances.shape[1]
        both = np.concatenate([self.distances[rows], distances], axis=1)
        offered = np.broadcast_to(candidates, distances.shape)
        names = np.concatenate([self.indices[rows], offered], axis=1)
        nearest = np.argpartition(both, k - 1, axis=1)[:, :k]
        self.distances[rows] = np.take_along_axis(both, nearest, axis=1)
        self.indices[rows] = np.take_along_axis(names, nearest, axis=1)

    def sorted(self):
        """Return distances and indices, nearest first; ties in order of index."""
        order = np.lexsort((self.indices, self.distances), axis=1)
        return (
            np.take_along_axis(self.distances, order, axis=1),
            np.take_along_axis(self.indices, order, axis=1),
        )
