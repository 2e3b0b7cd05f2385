"""Exact nearest neighbours with ties, independent of the order of the points.

A nearest-neighbour search returns k points even if the k-th and the next have the same distance, and
which of them it returns depends on the order of the samples. Embeddings of discrete data, and maps in
which classes collapse, have many such ties. Here each neighbour is returned with the number of points
that are nearer and the number of points at the same distance, so that a metric can treat tied points
alike.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.neighbors import NearestNeighbors

from discrimap._typing import Matrix

# Number of entries of the largest temporary array: 32 MB in double precision.
BLOCK_ENTRIES = 2**22
# Number of candidates beyond the k-th, which show where the ties end. Rows for which the first number is
# not enough are searched again with the second, and then compared with all points.
SPARE_CANDIDATES = (4, 40)


@dataclass(frozen=True)
class TiedNeighbors:
    """The neighbours of query points; arrays other than ``rows`` have shape (n_rows, n_candidates).

    Each row has all neighbours with ``n_nearer < n_neighbors``, nearest first.
    """

    rows: np.ndarray  # (n_rows,) indices of the query points
    index: np.ndarray  # index of the reference point
    n_nearer: np.ndarray  # number of reference points that are nearer
    n_tied: np.ndarray  # number of reference points at this distance, including this one

    def weights(self, n_neighbors: int) -> np.ndarray:
        """Return the share of each neighbour in the places 1..n_neighbors; ties share equally."""
        return np.clip((n_neighbors - self.n_nearer) / self.n_tied, 0.0, 1.0)


class TiedNeighborSearch:
    """Exact Euclidean neighbours among reference points, with ties.

    Distances that differ by less than the rounding errors of the coordinates count as equal, so that a
    rotation of the map does not break a tie. A tree (few dimensions) or blocked matrix products (many)
    propose candidates, whose distances are then computed from differences. Only rows with ties beyond
    the candidates are compared with all points, in blocks. Each such row costs O(n p) in addition to
    the search; memory is linear in n.

    Parameters
    ----------
    reference : ndarray or CSR matrix of shape (n_reference, n_dimensions)
        The points among which neighbours are searched.
    """

    def __init__(self, reference: Matrix) -> None:
        self.is_sparse = sparse.issparse(reference)
        self.epsilon = np.finfo(reference.dtype).eps
        self.largest_norm = _largest_norm(reference)
        # Products lose digits if all points are far from the origin.
        self.origin = None if self.is_sparse else reference.mean(axis=0, dtype=np.float64)
        self.reference = self._moved(reference)
        self.search = NearestNeighbors(algorithm="brute" if self.is_sparse else "auto")
        self.search.fit(self.reference)

    def blocks(
        self, query: Matrix, n_neighbors: int, *, own: np.ndarray | None = None
    ) -> Iterator[TiedNeighbors]:
        """Yield the neighbours of all query points, as blocks of rows in any order.

        Parameters
        ----------
        query : ndarray or CSR matrix of shape (n_query, n_dimensions)
            The points whose neighbours are searched.
        n_neighbors : int
            Number of neighbours.
        own : ndarray of shape (n_query,), optional
            Index of each query point among the reference points; it is excluded from its neighbours.

        Yields
        ------
        TiedNeighbors
        """
        epsilon = max(self.epsilon, np.finfo(query.dtype).eps)
        norm = max(self.largest_norm, _largest_norm(query))
        # The error of a coordinate after a product with a rotation matrix.
        rounding = 8.0 * np.sqrt(query.shape[1]) * epsilon * norm
        query = self._moved(query)
        n_reference = self.reference.shape[0]
        n_terms = self._largest_n_terms(query)
        # Error bound of a difference of squared distances that are computed from products.
        moved_norm = max(_largest_norm(query), _largest_norm(self.reference))
        product_error = 8.0 * (n_terms + 2) * np.finfo(np.float64).eps * moved_norm**2

        def tolerance(squared):
            if self.is_sparse:
                return np.full_like(squared, max(product_error, epsilon * norm**2))
            return rounding * (2.0 * np.sqrt(squared) + rounding)

        def finish(rows, index, squared):
            if own is not None:
                squared = np.where(index == own[rows, None], np.inf, squared)
            order = np.argsort(squared, axis=1, kind="stable")
            index = np.take_along_axis(index, order, axis=1)
            squared = np.take_along_axis(squared, order, axis=1)
            if own is not None:  # the point itself is now last if it was among the candidates
                keep = slice(None, -1)
                index, squared = index[:, keep], squared[:, keep]
            n_nearer, end = _tied_groups(squared, tolerance)
            return TiedNeighbors(rows, index, n_nearer, end - n_nearer), squared, end

        rows_left = np.arange(query.shape[0])
        for n_spare in SPARE_CANDIDATES:
            n_fetched = min(n_reference, n_neighbors + (own is not None) + n_spare)
            is_finished = np.zeros(query.shape[0], dtype=bool)
            for rows in _row_blocks(rows_left, n_fetched * max(1, n_terms)):
                index = self.search.kneighbors(query[rows], n_fetched, return_distance=False)
                squared = self._squared_distances(query[rows], index)
                found, squared, end = finish(rows, index, squared)
                # A point that is not a candidate is at least as far as the last candidate, up to the error.
                kth_end = end[:, n_neighbors - 1]
                last_tied = np.take_along_axis(squared, kth_end[:, None] - 1, axis=1)[:, 0]
                ties_ended = squared[:, -1] > last_tied + tolerance(last_tied) + product_error
                ties_ended |= n_fetched == n_reference  # all points are candidates
                is_finished[rows] = ties_ended
                if ties_ended.any():
                    yield _select(found, ties_ended)
            rows_left = rows_left[~is_finished[rows_left]]

        for rows in _row_blocks(rows_left, n_reference):
            squared = self._all_squared_distances(query[rows])
            # One more place is needed if the point itself is a reference point.
            place = n_neighbors - 1 + (own is not None)
            kth = np.partition(squared, place, axis=1)[:, place]
            limit = kth + 2.0 * tolerance(kth)
            n_kept = (squared <= limit[:, None]).sum(axis=1).max()
            if own is not None:
                # The point itself is then always kept, and all other candidates are neighbours.
                squared[np.arange(len(rows)), own[rows]] = -1.0
            index = np.argpartition(squared, n_kept - 1, axis=1)[:, :n_kept]
            squared = np.maximum(np.take_along_axis(squared, index, axis=1), 0.0)
            yield finish(rows, index, squared)[0]

    def _moved(self, points):
        points = points.astype(np.float64)  # a copy, so that the caller's array is not modified
        return points if self.origin is None else points - self.origin

    def _largest_n_terms(self, query):
        if not self.is_sparse:
            return query.shape[1]
        return max(int(np.diff(query.indptr).max()), int(np.diff(self.reference.indptr).max()))

    def _squared_distances(self, query, index):
        if not self.is_sparse:
            difference = query[:, None, :] - self.reference[index]
            return np.einsum("ijk,ijk->ij", difference, difference)
        repeated = query[np.repeat(np.arange(query.shape[0]), index.shape[1])]
        difference = repeated - self.reference[index.ravel()]
        squared = np.asarray(difference.multiply(difference).sum(axis=1))
        return squared.reshape(index.shape)

    def _all_squared_distances(self, query):
        if self.is_sparse:
            return euclidean_distances(query, self.reference, squared=True)
        return cdist(query, self.reference, "sqeuclidean")


def _tied_groups(squared, tolerance):
    """Return the start and the end (exclusive) of each group of ties, in sorted rows."""
    n_places = squared.shape[1]
    place = np.arange(n_places)
    with np.errstate(invalid="ignore"):  # inf - inf in padded rows
        gap = np.diff(squared, axis=1) > tolerance(squared[:, :-1])
    is_first = np.column_stack([np.ones(len(squared), dtype=bool), gap])
    is_last = np.column_stack([gap, np.ones(len(squared), dtype=bool)])
    start = np.maximum.accumulate(np.where(is_first, place, 0), axis=1)
    end = np.where(is_last, place + 1, n_places)[:, ::-1]
    return start, np.minimum.accumulate(end, axis=1)[:, ::-1]


def _row_blocks(rows, n_entries_per_row):
    n_rows = max(1, BLOCK_ENTRIES // n_entries_per_row)
    return (rows[start : start + n_rows] for start in range(0, len(rows), n_rows))


def _largest_norm(points):
    if sparse.issparse(points):
        return float(np.sqrt(points.multiply(points).sum(axis=1).max()))
    return float(np.sqrt(np.einsum("ij,ij->i", points, points, dtype=np.float64).max()))


def _select(found, mask):
    return TiedNeighbors(
        found.rows[mask], found.index[mask], found.n_nearer[mask], found.n_tied[mask]
    )
