"""Compiled loops that find points far from the rest."""

import numpy as np

from discrimap.linalg._vector_math import compiled


@compiled()
def largest_offsets(coordinates, centre):
    """Largest offset from the centre in any dimension, for points (n_dims, n)."""
    n_dims, n = coordinates.shape
    offsets = np.zeros(n)
    for dim in range(n_dims):
        x, middle = coordinates[dim], centre[dim]
        for i in range(n):
            offsets[i] = max(offsets[i], abs(x[i] - middle))
    return offsets


@compiled()
def boxes_within(coordinates, offsets, limits):
    """Number of points whose offset exceeds each limit, and the box of the others.

    The limits decrease. Counts are (n_limits,), extents (n_limits, n_dims).
    """
    n_dims, n = coordinates.shape
    lowest = np.full((len(limits), n_dims), np.inf)
    highest = np.full((len(limits), n_dims), -np.inf)
    n_far = np.zeros(len(limits), dtype=np.int64)
    for i in range(n):
        # The points within a limit are those within the next one and those between the two.
        k = len(limits) - 1
        while k >= 0 and offsets[i] > limits[k]:
            n_far[k] += 1
            k -= 1
        if k < 0:
            continue
        for dim in range(n_dims):
            x = coordinates[dim, i]
            lowest[k, dim] = min(lowest[k, dim], x)
            highest[k, dim] = max(highest[k, dim], x)
    for k in range(len(limits) - 2, -1, -1):
        for dim in range(n_dims):
            lowest[k, dim] = min(lowest[k, dim], lowest[k + 1, dim])
            highest[k, dim] = max(highest[k, dim], highest[k + 1, dim])
    return n_far, highest - lowest
