"""Approximate nearest neighbours: points are sorted into cells, and only near cells are searched.

A query is compared with the points of the cells whose centres are nearest to it, with one matrix
product for each cell. No code is compiled, and the same index is used for the points and for later
queries.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_random_state

# Each cell has about as many points as there are cells.
_SAMPLES_PER_CELL = 40  # number of samples per cell from which k-means finds the centres
_CENTRE_STEPS = 8
N_PROBES = 16
_ROWS_PER_BLOCK = 4096


@dataclass(frozen=True)
class CellSearch:
    """Index of points that are sorted into cells.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_coordinates)
        The points, cell by cell.
    order : ndarray of shape (n_points,)
        Index of each point in the original order.
    starts : ndarray of shape (n_cells + 1,)
        Position of the first point of each cell.
    centres : ndarray of shape (n_cells, n_coordinates)
        Centres of the cells.
    """

    points: np.ndarray
    order: np.ndarray
    starts: np.ndarray
    centres: np.ndarray

    def nearest(self, queries, n_neighbors, n_probes=N_PROBES):
        """Return the indices of the approximately nearest points of each query, nearest first.

        The result of a query does not depend on the other queries, apart from rounding.

        Parameters
        ----------
        queries : ndarray of shape (n_queries, n_coordinates)
            Points whose neighbours are searched.
        n_neighbors : int
            Number of neighbours of each query.
        n_probes : int
            Number of cells to search for each query; if it is the number of cells, the search is exact.

        Returns
        -------
        indices : ndarray of shape (n_queries, n_neighbors)
        """
        found = np.empty((len(queries), n_neighbors), dtype=np.intp)
        for start in range(0, len(queries), _ROWS_PER_BLOCK):
            rows = slice(start, start + _ROWS_PER_BLOCK)
            found[rows] = self._nearest(queries[rows], n_neighbors, n_probes)
        return found

    def nearest_others(self, n_neighbors, n_probes=N_PROBES):
        """Return the indices of the approximately nearest other points of each point, nearest first."""
        found = np.empty((len(self.points), n_neighbors), dtype=np.intp)
        for start in range(0, len(self.points), _ROWS_PER_BLOCK):
            rows = slice(start, start + _ROWS_PER_BLOCK)
            own = self.order[rows]
            # One more than requested, because the point itself is usually among them.
            near = self._nearest(self.points[rows], n_neighbors + 1, n_probes)
            is_own = near == own[:, None]
            # Among duplicates it may be missing; then the farthest point is dropped.
            is_own[~is_own.any(axis=1), -1] = True
            found[own] = near[~is_own].reshape(len(own), n_neighbors)
        return found

    def _nearest(self, queries, n_neighbors, n_probes):
        n_probes = min(n_probes, len(self.centres))
        to_centres = _partial_squares(queries, self.centres)
        probes = np.argpartition(to_centres, n_probes - 1, axis=1)[:, :n_probes]
        squares = np.full((len(queries), n_probes, n_neighbors), np.inf, queries.dtype)
        indices = np.zeros((len(queries), n_probes, n_neighbors), dtype=np.int32)
        by_cell = np.argsort(probes, axis=None, kind="stable")
        visits = np.searchsorted(probes.ravel()[by_cell], np.arange(len(self.centres) + 1))
        for cell in range(len(self.centres)):
            rows, probe = divmod(by_cell[visits[cell] : visits[cell + 1]], n_probes)
            begin, end = self.starts[cell], self.starts[cell + 1]
            if not len(rows) or begin == end:
                continue
            block = _partial_squares(queries[rows], self.points[begin:end])
            count = min(n_neighbors, end - begin)
            near = np.argpartition(block, count - 1, axis=1)[:, :count]
            squares[rows, probe, :count] = np.take_along_axis(block, near, axis=1)
            indices[rows, probe, :count] = self.order[begin + near]
        squares, indices = (a.reshape(len(queries), -1) for a in (squares, indices))
        nearest = np.argpartition(squares, n_neighbors - 1, axis=1)[:, :n_neighbors]
        squares, indices = (np.take_along_axis(a, nearest, axis=1) for a in (squares, indices))
        ascending = np.lexsort((indices, squares), axis=1)
        indices = np.take_along_axis(indices, ascending, axis=1)
        too_few = np.flatnonzero(np.isinf(squares).any(axis=1))
        if len(too_few):  # small cells far from all others
            indices[too_few] = self._nearest(queries[too_few], n_neighbors, 2 * n_probes)
        return indices


class ExactSearch:
    """Exact search with the same interface, by all pairs or by a tree in few coordinates."""

    def __init__(self, points):
        self._search = NearestNeighbors().fit(points)

    def nearest(self, queries, n_neighbors):
        """Return the indices of the nearest points of each query, nearest first."""
        return self._search.kneighbors(queries, n_neighbors, return_distance=False)

    def nearest_others(self, n_neighbors):
        """Return the indices of the nearest other points of each point, nearest first."""
        return self._search.kneighbors(n_neighbors=n_neighbors, return_distance=False)


def make_cells(points, random_state=0):
    """Sort points into about sqrt(n) cells, whose centres are found by k-means on a part of the points.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_coordinates)
        The points.
    random_state : int or RandomState
        Seed of the part of the points, and of the first centres.

    Returns
    -------
    cells : CellSearch
    """
    random_state = check_random_state(random_state)
    n_cells = max(1, round(np.sqrt(len(points))))
    some = points[random_state.permutation(len(points))[: _SAMPLES_PER_CELL * n_cells]]
    means = KMeans(
        n_cells, init="random", n_init=1, max_iter=_CENTRE_STEPS, tol=0, random_state=random_state
    )
    with warnings.catch_warnings():
        # Among duplicates some cells stay empty.
        warnings.simplefilter("ignore", ConvergenceWarning)
        centres = means.fit(some).cluster_centers_.astype(points.dtype)
    cells = np.empty(len(points), dtype=np.intp)
    for start in range(0, len(points), _ROWS_PER_BLOCK):
        rows = slice(start, start + _ROWS_PER_BLOCK)
        cells[rows] = _partial_squares(points[rows], centres).argmin(axis=1)
    order = np.argsort(cells, kind="stable")
    starts = np.searchsorted(cells[order], np.arange(n_cells + 1))
    return CellSearch(points[order], order, starts, centres)


def _partial_squares(queries, points):
    """Return squared distances minus the square of each query, which is the same for all points."""
    squares = queries @ points.T
    squares *= -2
    squares += np.einsum("ij,ij->i", points, points)
    return squares
