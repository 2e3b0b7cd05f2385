"""Compiled loops for Gaussian sums at each point in single precision, for searches.

Twice as many numbers are processed at a time as in double precision, and ``exp`` needs half as many
terms. The number of points is small, so one call computes all sums. Each pair is visited once and
added to the sums at both points.
"""

import numpy as np

from discrimap.kernel_sums._pair_loops import TILE
from discrimap.linalg._vector_math import FAST, compiled, single_exp

ZERO = np.float32(0.0)


@compiled(fastmath=FAST, forceinline=True)
def _kernels(points, i, begin, end, out):
    """``exp(-|z_i - z_j|^2)`` for point i and points j = begin .. end - 1."""
    size = end - begin
    if points.shape[0] == 2:
        # One pass for two dimensions; the general case makes one pass per dimension.
        x, y = points[0, i], points[1, i]
        xs, ys = points[0, begin:end], points[1, begin:end]
        for t in range(size):
            out[t] = single_exp(-((x - xs[t]) ** 2 + (y - ys[t]) ** 2))
        return
    out[:size] = ZERO
    for dim in range(points.shape[0]):
        x, xs = points[dim, i], points[dim, begin:end]
        for t in range(size):
            out[t] += (x - xs[t]) ** 2
    for t in range(size):
        out[t] = single_exp(-out[t])


@compiled(fastmath=FAST)
def _add_both_ways(points, i, start, stop, kernels, sums):
    """Add the kernels between point i and points start .. stop - 1 to the sums at both."""
    total = ZERO
    for begin in range(start, stop, TILE):
        end = min(begin + TILE, stop)
        there = sums[begin:end]
        _kernels(points, i, begin, end, kernels)
        for t in range(end - begin):
            total += kernels[t]
            there[t] += kernels[t]
    sums[i] += total


@compiled(fastmath=FAST)
def all_sums(points, labels, starts, own, other):
    """Add the sums over the own class and over the other classes, excluding the point itself.

    ``points`` (n_dims, n) are float32, sorted by class, in units of ``sqrt(2)`` bandwidths.
    """
    n = points.shape[1]
    kernels = np.empty(TILE, dtype=np.float32)
    for i in range(n):
        end = starts[labels[i] + 1]
        _add_both_ways(points, i, i + 1, end, kernels, own)
        _add_both_ways(points, i, end, n, kernels, other)


@compiled(fastmath=FAST)
def _pull_both_ways(points, i, start, stop, slopes, pulls, gradient):
    """Add the pulls between point i and points start .. stop - 1 to the gradients of both."""
    here = slopes[i]
    for begin in range(start, stop, TILE):
        end = min(begin + TILE, stop)
        there = slopes[begin:end]
        _kernels(points, i, begin, end, pulls)
        for t in range(end - begin):
            pulls[t] *= here + there[t]
        for dim in range(points.shape[0]):
            x, xs = points[dim, i], points[dim, begin:end]
            partners = gradient[dim, begin:end]
            total = ZERO
            for t in range(end - begin):
                pull = pulls[t] * (x - xs[t])
                total += pull
                partners[t] -= pull
            gradient[dim, i] += total


@compiled(fastmath=FAST)
def all_pulls(points, labels, starts, both_slopes, all_slopes, gradient):
    """Add ``sum_j (s_i + s_j) exp(-|z_i - z_j|^2) (z_i - z_j)`` to the gradient (n_dims, n).

    The slopes s are ``both_slopes`` for pairs of the same class and ``all_slopes`` for other pairs.
    """
    n = points.shape[1]
    pulls = np.empty(TILE, dtype=np.float32)
    for i in range(n):
        end = starts[labels[i] + 1]
        _pull_both_ways(points, i, i + 1, end, both_slopes, pulls, gradient)
        _pull_both_ways(points, i, end, n, all_slopes, pulls, gradient)
