"""Shorter ways than the straight one: through neighbouring samples."""

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import shortest_path


def shortest_lengths(straight, neighbors):
    """Lengths of the shortest paths that are straight or go from neighbour to neighbour.

    An upper bound, closer than the straight line, of the infimum over all paths in Eq. (2) of
    Schulz and Hammer (2016). Costs O(n^2 (k + log n)).

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
    # A stored zero is an edge for csgraph only in sparse input, and only if it is not pruned; the
    # smallest normal number is as good as zero and safe.
    lengths = np.maximum(straight[sources, targets], np.finfo(straight.dtype).tiny)
    graph = csr_matrix((lengths, (sources, targets)), shape=(n_samples, n_samples))
    paths = shortest_path(graph, method="D", directed=False).astype(straight.dtype)
    shortest = np.minimum(straight, paths)
    return np.minimum(shortest, shortest.T)


def shortest_lengths_to(straight, among, neighbors):
    """Lengths from new points: straight, or by way of one of their neighbours.

    Parameters
    ----------
    straight : ndarray of shape (n_new, n)
        Straight lengths from the new points to the training points.
    among : ndarray of shape (n, n)
        Shortest lengths among the training points.
    neighbors : ndarray of shape (n_new, k)
        Indices of the nearest training points of each new one in the original space.
    """
    shortest = straight.copy()
    for step in neighbors.T:
        first = np.take_along_axis(straight, step[:, None], axis=1)
        np.minimum(shortest, first + among[step], out=shortest)
    return shortest
