"""Compiled loops that find points far from the rest, and sum their pairs with these."""

import numpy as np

from discrimap.kernel_sums._pair_loops import TILE, squared_distances
from discrimap.kernel_sums.kernels import LOG
from discrimap.linalg._vector_math import FAST, compiled


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


@compiled(fastmath=FAST)
def gradients_at_points(
    begin, end, points, weights, starts, far, far_labels, far_weights, codes, mixings, gradients
):  # fmt: skip
    """Add the derivatives of the sums over pairs with far points, at the points ``begin .. end - 1``.

    Each far point is compared with long ranges of points, which the compiler vectorises. This is for few
    far points, over which the sums at one point after the other, as in ``pair_sums``, are short loops.

    Parameters
    ----------
    points, far : (n_dims, n) and (n_dims, n_far), float64
        The points are sorted by class.
    weights, starts
        Attributes of the points, as in ClassLayout.
    far_labels, far_weights : (n_far,)
    codes : (n_terms,)
        Kernel of each term, logarithmic or Cauchy.
    mixings : (n_terms, n_classes, n_classes)
    gradients : (n_terms, n_dims, n)
        Twice the derivative of each term is added to this array, because each pair counts in both
        orders.
    """
    n_dims, n_terms = len(points), len(codes)
    kernel = np.empty(TILE)
    for c in range(len(starts) - 1):
        last = min(starts[c + 1], end)
        for first in range(max(starts[c], begin), last, TILE):
            stop = min(first + TILE, last)
            w, k = weights[first:stop], kernel[: stop - first]
            for i in range(len(far_labels)):
                squared_distances(far, i, points, first, stop, k)
                for t in range(len(k)):
                    k[t] = 1.0 / (1.0 + k[t])
                for term in range(n_terms):
                    factor = 4.0 * far_weights[i] * mixings[term, far_labels[i], c]
                    if factor == 0.0:
                        continue
                    for dim in range(n_dims):
                        x, xs = far[dim, i], points[dim, first:stop]
                        out = gradients[term, dim, first:stop]
                        if codes[term] == LOG:
                            for t in range(len(k)):
                                out[t] += factor * (w[t] * k[t]) * (xs[t] - x)
                        else:
                            for t in range(len(k)):
                                out[t] -= factor * (w[t] * k[t] * k[t]) * (xs[t] - x)
