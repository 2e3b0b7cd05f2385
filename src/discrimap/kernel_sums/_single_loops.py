"""Compiled loops for Gaussian sums at each point in single precision, for searches.

Twice as many numbers are processed at a time as in double precision, and ``exp2`` needs half as many
terms. The number of points is small, so one call computes all sums. Each pair is visited once and
added to the sums at both points. Its kernel is kept for the gradient.
"""

import numpy as np

from discrimap.linalg._vector_math import FAST, compiled, single_exp2

ZERO = np.float32(0.0)
# Kernels below 2^LEAST_EXPONENT are zero. Their products with slopes would be so small that they are not
# normal numbers, with which processors calculate a hundred times more slowly.
LEAST_EXPONENT = np.float32(-100.0)


@compiled(fastmath={"contract"}, forceinline=True)
def _kernel(exponent):
    return single_exp2(exponent) if exponent > LEAST_EXPONENT else ZERO


@compiled(fastmath=FAST)
def _add_both_ways(points, i, start, stop, kernels, sums):
    """Add the kernels between point i and points start .. stop - 1 to the sums at both."""
    total = ZERO
    there = sums[start:stop]
    if points.shape[0] == 2:
        # One pass for two dimensions; the general case makes one pass per dimension.
        x, y = points[0, i], points[1, i]
        xs, ys = points[0, start:stop], points[1, start:stop]
        for t in range(stop - start):
            kernel = _kernel(-((x - xs[t]) ** 2 + (y - ys[t]) ** 2))
            kernels[t] = kernel
            total += kernel
            there[t] += kernel
        sums[i] += total
        return
    kernels[: stop - start] = ZERO
    for dim in range(points.shape[0]):
        x, xs = points[dim, i], points[dim, start:stop]
        for t in range(stop - start):
            kernels[t] -= (x - xs[t]) ** 2
    for t in range(stop - start):
        kernel = _kernel(kernels[t])
        kernels[t] = kernel
        total += kernel
        there[t] += kernel
    sums[i] += total


@compiled(fastmath=FAST)
def all_sums(points, labels, starts, own, other, kernels):
    """Add the sums over the own class and over the other classes, excluding the point itself.

    ``points`` (n_dims, n) are float32, sorted by class, in units in which the kernel is
    ``2^(-|z|^2)``. ``kernels`` (n (n - 1) / 2,) receives the kernels of the pairs i < j, by rows.
    """
    n = points.shape[1]
    place = 0
    for i in range(n):
        end = starts[labels[i] + 1]
        _add_both_ways(points, i, i + 1, end, kernels[place:], own)
        place += end - i - 1
        _add_both_ways(points, i, end, n, kernels[place:], other)
        place += n - end


@compiled(fastmath=FAST)
def _pull_both_ways(points, i, start, stop, slopes, kernels, gradient):
    """Add the pulls between point i and points start .. stop - 1 to the gradients of both."""
    here, there = slopes[i], slopes[start:stop]
    if points.shape[0] == 2:
        x, y = points[0, i], points[1, i]
        xs, ys = points[0, start:stop], points[1, start:stop]
        x_gradient, y_gradient = gradient[0, start:stop], gradient[1, start:stop]
        x_total, y_total = ZERO, ZERO
        for t in range(stop - start):
            pull = kernels[t] * (here + there[t])
            x_pull, y_pull = pull * (x - xs[t]), pull * (y - ys[t])
            x_total += x_pull
            y_total += y_pull
            x_gradient[t] -= x_pull
            y_gradient[t] -= y_pull
        gradient[0, i] += x_total
        gradient[1, i] += y_total
        return
    for dim in range(points.shape[0]):
        x, xs = points[dim, i], points[dim, start:stop]
        partners = gradient[dim, start:stop]
        total = ZERO
        for t in range(stop - start):
            pull = kernels[t] * (here + there[t]) * (x - xs[t])
            total += pull
            partners[t] -= pull
        gradient[dim, i] += total


@compiled(fastmath=FAST)
def all_pulls(points, labels, starts, both_slopes, all_slopes, kernels, gradient):
    """Add ``sum_j (s_i + s_j) 2^(-|z_i - z_j|^2) (z_i - z_j)`` to the gradient (n_dims, n).

    The slopes s are ``both_slopes`` for pairs of the same class and ``all_slopes`` for other pairs.
    ``kernels`` is what :func:`all_sums` has filled.
    """
    n = points.shape[1]
    place = 0
    for i in range(n):
        end = starts[labels[i] + 1]
        _pull_both_ways(points, i, i + 1, end, both_slopes, kernels[place:], gradient)
        place += end - i - 1
        _pull_both_ways(points, i, end, n, all_slopes, kernels[place:], gradient)
        place += n - end
