"""Points in an order in which neighbours follow each other, so that distant pairs can be skipped."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from discrimap._typing import Array

# Points of a tile. Boxes of fewer points are smaller, but there are more of them to compare.
TILE_POINTS = 16
# Bits of the number of a cell along one dimension, bits in all, and the most dimensions that
# determine the order.
MOST_BITS, ALL_BITS, MOST_ORDERED = 10, 60, 10
# If more than this share of the pairs is within reach, the points keep their order.
MOST_PAIRS = 0.7


class Tiles:
    """Points in tiles of neighbouring points; see :mod:`~discrimap.kernel_sums._tile_loops`.

    The order affects the time only, because the boxes of the tiles are computed from their points.

    Parameters
    ----------
    coordinates : ndarray of shape (n_dims, n_samples)
        The points.
    labels, weights : ndarray of shape (n_samples,)
        Class and weight of each point.
    scale : float
        The kernel is ``exp(-scale r^2)``.
    largest : float
        Pairs of tiles may be skipped if ``scale r^2`` exceeds this number.

    Attributes
    ----------
    order : ndarray of shape (n_samples,) or slice
        Position of each point of the tiles in ``coordinates``.
    unit : float
        Unit of length in which the kernel is ``2^(-r^2)``.
    arrays : tuple
        Coordinates in this unit, labels, weights, bounds of the tiles (tile t has the points
        ``bounds[t]:bounds[t + 1]``), lowest and highest coordinates (n_tiles, n_dims) of their
        points, and the largest squared distance: arguments of the loops.
    """

    def __init__(
        self, coordinates: Array, labels: Array, weights: Array, scale: float, largest: float
    ) -> None:
        from discrimap.kernel_sums._tile_loops import bounding_boxes

        self.unit = math.sqrt(math.log(2.0) / scale)
        self.order: Any = slice(None)
        if share_within(coordinates, math.sqrt(largest / scale)) < MOST_PAIRS:
            self.order = neighbours_order(coordinates)
        points = np.ascontiguousarray(coordinates[:, self.order]) / self.unit
        n_dims, n = points.shape
        bounds = np.append(np.arange(0, n, TILE_POINTS), n)
        low, high = np.empty((2, len(bounds) - 1, n_dims))
        bounding_boxes(points, bounds, low, high)
        codes = labels[self.order].astype(np.float64)  # as wide as coordinates, for the compiler
        weights = weights[self.order]
        self.arrays = (points, codes, weights, bounds, low, high, largest / math.log(2.0))


def share_within(coordinates: Array, reach: float) -> float:
    """Approximate share of the pairs that are closer than ``reach`` in every dimension."""
    share = 1.0
    for spread in coordinates.std(axis=1):
        if spread > 0:  # of normally distributed points
            share *= math.erf(min(0.5 * reach / spread, 10.0))
    return share


def neighbours_order(coordinates: Array) -> Array:
    """Order along a Z-curve through the points."""
    from discrimap.kernel_sums._tile_loops import interleaved_bits

    ordered = coordinates[:MOST_ORDERED]
    n_bits = min(MOST_BITS, ALL_BITS // len(ordered))
    low, extents = ordered.min(axis=1), np.ptp(ordered, axis=1)
    scales = np.divide(2.0**n_bits, extents, out=np.zeros(len(ordered)), where=extents > 0)
    codes = np.empty(coordinates.shape[1], dtype=np.int64)
    interleaved_bits(ordered, low, scales, n_bits, codes)
    return np.argsort(codes, kind="stable")
