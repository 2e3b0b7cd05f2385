"""Lengths of shortest paths in the graph of nearest neighbours."""

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import shortest_path


class GraphPaths:
    """Lengths of paths through neighbours, with the interface of ``Assembly``. Needs O(n^2) memory.

    Parameters
    ----------
    assembly : Assembly
        The lengths of straight segments in a fitted metric.
    geometry : object
        Geometry of the points; its squared distances determine the neighbours.
    n_neighbors : int
        Number of neighbours of each point.
    """

    def __init__(self, assembly: Any, geometry: Any, n_neighbors: int) -> None:
        self._assembly, self._geometry = assembly, geometry
        self._n_neighbors = min(n_neighbors, len(assembly.points) - 1)
        self._shortest = None

    def among(self) -> np.ndarray:
        """Lengths between training points, (n_samples, n_samples)."""
        return self._among().copy()

    def to(self, new_points: np.ndarray) -> np.ndarray:
        """Lengths from new points to the training points, (n_new, n_samples)."""
        straight = self._assembly.to(new_points)
        return shortest_lengths_to(straight, self._among(), self._neighbors(new_points))

    def nearest_among(self, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the nearest other training points of each training point."""
        lengths = self.among()
        np.fill_diagonal(lengths, np.inf)
        return _nearest(lengths, n_neighbors)

    def nearest_to(self, new_points: np.ndarray, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the nearest training points of each new point."""
        return _nearest(self.to(new_points), n_neighbors)

    def _among(self):
        if self._shortest is None:
            neighbors = self._neighbors(self._assembly.points, is_training=True)
            self._shortest = shortest_lengths(self._assembly.among(), neighbors)
        return self._shortest

    def _neighbors(self, points, *, is_training=False):
        training = self._assembly.points
        centres = self._geometry.at(training, np.arange(len(training)))
        squared = np.array(self._geometry.squared(points, centres))
        if is_training:
            np.fill_diagonal(squared, np.inf)  # a point is not its own neighbour
        return np.argpartition(squared, self._n_neighbors - 1, axis=1)[:, : self._n_neighbors]


def _nearest(lengths: np.ndarray, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
    indices = np.argsort(lengths, axis=1, kind="stable")[:, :n_neighbors]
    return np.take_along_axis(lengths, indices, axis=1), indices


def shortest_lengths(straight, neighbors):
    """Lengths of the shortest paths, either straight or from neighbour to neighbour.

    These lengths are upper bounds of the infimum over all paths in Eq. (2) of Schulz and Hammer
    (2016), and are tighter than the length of the straight segment. Costs O(n^2 (k + log n)).

    Parameters
    ----------
    straight : ndarray of shape (n, n)
        Lengths of the straight segments.
    neighbors : ndarray of shape (n, k)
        Indices of the k nearest neighbours in the original space.
    """
    n_samples, n_neighbors = neighbors.shape
    sources = np.repeat(np.arange(n_samples), n_neighbors)
    targets = neighbors.ravel()
    # csgraph treats a stored zero as an edge only in sparse input, and only if it is not pruned.
    # Zeros are therefore replaced by the smallest normal number.
    lengths = np.maximum(straight[sources, targets], np.finfo(straight.dtype).tiny)
    graph = csr_matrix((lengths, (sources, targets)), shape=(n_samples, n_samples))
    paths = shortest_path(graph, method="D", directed=False).astype(straight.dtype)
    shortest = np.minimum(straight, paths)
    return np.minimum(shortest, shortest.T)


def shortest_lengths_to(straight, among, neighbors):
    """Lengths of the shortest paths from new points, either straight or through a neighbour.

    Parameters
    ----------
    straight : ndarray of shape (n_new, n)
        Lengths of the straight segments from the new points to the training points.
    among : ndarray of shape (n, n)
        Lengths of the shortest paths between training points.
    neighbors : ndarray of shape (n_new, k)
        Indices of the k nearest training points of each new point in the original space.
    """
    shortest = straight.copy()
    for step in neighbors.T:
        first = np.take_along_axis(straight, step[:, None], axis=1)
        np.minimum(shortest, first + among[step], out=shortest)
    return shortest
