"""Placing new points into a map of a landmark metric, each independently of the others."""

import numpy as np
from scipy.spatial import cKDTree

from discrimap.fisher.embedding import new_affinities

# Chosen on training parts by benchmarks/fisher_settings.py.
PLACING_NEIGHBORS = 30
_PERPLEXITY = 20
_SURROUNDINGS = 12
_REACH = 0.4
_ROWS_PER_BLOCK = 1024


def place_among(
    positions: np.ndarray, distances: np.ndarray, indices: np.ndarray, *, n_jobs: int
) -> np.ndarray:
    """Place new points where most of their neighbours are, next to the nearest one there.

    The neighbours of a new point may lie in several parts of the map. The part is that around the
    neighbour j with the least attraction cost of t-SNE, ``sum_l p_l log(1 + |y_j - y_l|^2)`` over
    all neighbours l with their affinities p. Of the neighbours among the twelve samples nearest to
    j in the map, the new point is placed beside the one that is nearest in the metric: within 0.4
    of the distance from that sample to the next, on the side of the others.

    Training points are placed by all of their neighbours, too. With the nearest one alone, new
    points would show a larger error than training points.

    Parameters
    ----------
    positions : ndarray of shape (n, n_components)
        The map.
    distances, indices : ndarray of shape (n_new, k)
        Nearest points of the map to each new point, nearest first.
    n_jobs : int
        Threads of openTSNE.

    Returns
    -------
    new_positions : ndarray of shape (n_new, n_components)
    """
    n_neighbors = indices.shape[1]
    perplexity = min(_PERPLEXITY, max(1, 2 * n_neighbors / 3))
    affinities = new_affinities(distances, indices, perplexity, len(positions), n_jobs=n_jobs)
    tree = cKDTree(positions)
    placed = np.empty((len(indices), positions.shape[1]))
    for start in range(0, len(indices), _ROWS_PER_BLOCK):
        rows = slice(start, start + _ROWS_PER_BLOCK)
        placed[rows] = _place_block(tree, indices[rows], affinities[rows])
    return placed


def _place_block(tree, indices, affinities):
    positions = tree.data
    places = positions[indices]  # (n_new, k, n_components)
    rows = np.arange(len(indices))
    centre = indices[rows, _attraction_costs(places, affinities).argmin(axis=1)]

    n_around = min(_SURROUNDINGS + 1, len(positions))
    _, around = tree.query(positions[centre], k=range(1, n_around + 1))
    # A sample may coincide with more others than are asked for; it is in its own surroundings.
    around[:, -1] = np.where((around == centre[:, None]).any(axis=1), around[:, -1], centre)
    is_near = (indices[:, :, None] == around[:, None, :]).any(axis=2)

    nearest = indices[rows, is_near.argmax(axis=1)]
    weights = np.where(is_near, affinities, 0)
    weights /= weights.sum(axis=1, keepdims=True)
    way = np.einsum("ij,ijk->ik", weights, places) - positions[nearest]
    gaps, _ = tree.query(positions[nearest], k=range(1, min(2, len(positions)) + 1))
    reach = _REACH * gaps[:, -1]
    length = np.maximum(np.linalg.norm(way, axis=1), np.maximum(reach, np.finfo(np.float64).tiny))
    return positions[nearest] + way * (reach / length)[:, None]


def _attraction_costs(places, affinities):
    """Cost of each neighbour's place for a new point, (n_new, k)."""
    squared = np.zeros((*affinities.shape, affinities.shape[1]))
    for coordinate in np.moveaxis(places, 2, 0):
        squared += np.square(coordinate[:, :, None] - coordinate[:, None, :])
    return np.einsum("ijk,ik->ij", np.log1p(squared, out=squared), affinities)
