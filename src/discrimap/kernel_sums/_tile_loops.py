"""Compiled loops for Gaussian sums over pairs of near points, which are ordered in tiles.

A tile is a short range of neighbouring points with a bounding box. Each pair is visited once and
added to the sums at both points. A call computes one part of the tiles and writes to the given
arrays, so that several calls may run in parallel. Each part has separate sums, which are added in a
fixed order, so that results do not depend on the number of threads.
"""

import math

import numpy as np

from discrimap.kernel_sums._pair_loops import TILE
from discrimap.kernel_sums._point_loops import LARGEST_EXPONENT, log_add
from discrimap.linalg._vector_math import FAST, compiled, vector_exp2

N_PARTS = 16
LOG_2 = math.log(2.0)


@compiled()
def interleaved_bits(coordinates, low, scales, n_bits, codes):
    """Number of the cell of each point along a Z-curve, with ``2^n_bits`` cells per dimension.

    Points whose numbers are close are close in space. ``scales`` are cells per unit of length.
    """
    n_dims = len(low)
    most = (1 << n_bits) - 1
    for i in range(coordinates.shape[1]):
        code = 0
        for dim in range(n_dims):
            cell = min(int((coordinates[dim, i] - low[dim]) * scales[dim]), most)
            for bit in range(n_bits):
                code |= ((cell >> bit) & 1) << (bit * n_dims + dim)
        codes[i] = code


@compiled()
def bounding_boxes(coordinates, bounds, low, high):
    """Smallest and largest coordinates (n_tiles, n_dims) of the points of each tile."""
    for tile in range(len(bounds) - 1):
        for dim in range(coordinates.shape[0]):
            points = coordinates[dim, bounds[tile] : bounds[tile + 1]]
            low[tile, dim] = points.min()
            high[tile, dim] = points.max()


@compiled()
def near_points(tile, bounds, low, high, most_squared, near):
    """Fill ``near`` with the points of the tiles ``tile, tile + 1, ...`` near the box of ``tile``.

    Returns their number. The first of them are the points of ``tile``.
    """
    n_near = 0
    for other in range(tile, len(bounds) - 1):
        squared = 0.0
        for dim in range(low.shape[1]):
            gap = max(low[other, dim] - high[tile, dim], low[tile, dim] - high[other, dim])
            if gap > 0.0:
                squared += gap * gap
        if squared <= most_squared:
            for j in range(bounds[other], bounds[other + 1]):
                near[n_near] = j
                n_near += 1
    return n_near


@compiled(fastmath=FAST, forceinline=True)
def _minus_squared(points, i, start, stop, out):
    """Minus the squared distances from point i to points start .. stop - 1."""
    x, xs = points[0, i], points[0, start:stop]
    for t in range(stop - start):
        out[t] = -((x - xs[t]) ** 2)
    for dim in range(1, points.shape[0]):
        x, xs = points[dim, i], points[dim, start:stop]
        for t in range(stop - start):
            out[t] -= (x - xs[t]) ** 2


@compiled(fastmath=FAST)
def _add_both_ways(points, labels, weights, i, n, squared, own, other):
    """Add the kernels between point i and points i + 1 .. n - 1 to the sums at both."""
    label, weight = labels[i], weights[i]
    for start in range(i + 1, n, TILE):
        stop = min(start + TILE, n)
        _minus_squared(points, i, start, stop, squared)
        own_there, other_there = own[start:stop], other[start:stop]
        labels_there, weights_there = labels[start:stop], weights[start:stop]
        own_total, other_total = 0.0, 0.0
        for t in range(stop - start):
            kernel = vector_exp2(squared[t])
            own_kernel = kernel if labels_there[t] == label else 0.0
            other_kernel = kernel - own_kernel
            own_total += weights_there[t] * own_kernel
            other_total += weights_there[t] * other_kernel
            own_there[t] += weight * own_kernel
            other_there[t] += weight * other_kernel
        own[i] += own_total
        other[i] += other_total


@compiled(fastmath=FAST)
def _add_both_ways_in_plane(points, labels, weights, i, n, own, other):
    """The same in two dimensions, in a single pass."""
    label, weight = labels[i], weights[i]
    x, y = points[0, i], points[1, i]
    xs, ys = points[0, i + 1 : n], points[1, i + 1 : n]
    own_there, other_there = own[i + 1 : n], other[i + 1 : n]
    labels_there, weights_there = labels[i + 1 : n], weights[i + 1 : n]
    own_total, other_total = 0.0, 0.0
    for t in range(n - i - 1):
        kernel = vector_exp2(-((x - xs[t]) ** 2 + (y - ys[t]) ** 2))
        own_kernel = kernel if labels_there[t] == label else 0.0
        other_kernel = kernel - own_kernel
        own_total += weights_there[t] * own_kernel
        other_total += weights_there[t] * other_kernel
        own_there[t] += weight * own_kernel
        other_there[t] += weight * other_kernel
    own[i] += own_total
    other[i] += other_total


@compiled(fastmath=FAST)
def sums_of_part(
    part, coordinates, labels, weights, bounds, low, high, most_squared, own, other
):  # fmt: skip
    """Add one part of the pairs to the sums over the own class and over the other classes.

    Each pair is visited once. The kernel is ``2^(-|z|^2)``. Pairs of tiles at a squared distance
    above ``most_squared`` are skipped.
    """
    n_dims, n = coordinates.shape
    squared, near = np.empty(TILE), np.empty(n, dtype=np.int64)
    points, near_labels, near_weights = np.empty((n_dims, n)), np.empty(n), np.empty(n)
    near_own, near_other = np.empty(n), np.empty(n)
    for tile in range(part, len(bounds) - 1, N_PARTS):
        n_near = near_points(tile, bounds, low, high, most_squared, near)
        # Copies of the near points, so that the loops over them are long.
        for k in range(n_near):
            j = near[k]
            for dim in range(n_dims):
                points[dim, k] = coordinates[dim, j]
            near_labels[k], near_weights[k] = labels[j], weights[j]
            near_own[k], near_other[k] = 0.0, 0.0
        for i in range(bounds[tile + 1] - bounds[tile]):
            if n_dims == 2:
                _add_both_ways_in_plane(
                    points, near_labels, near_weights, i, n_near, near_own, near_other
                )
            else:
                _add_both_ways(
                    points, near_labels, near_weights, i, n_near, squared, near_own, near_other
                )
        for k in range(n_near):
            own[near[k]] += near_own[k]
            other[near[k]] += near_other[k]


@compiled(fastmath=FAST)
def _pull_both_ways(
    points, labels, weights, own_slopes, all_slopes, i, n, pulls, gradient
):  # fmt: skip
    """Add the pulls between point i and points i + 1 .. n - 1 to the gradients of both."""
    label, weight, own_slope, all_slope = labels[i], weights[i], own_slopes[i], all_slopes[i]
    for start in range(i + 1, n, TILE):
        stop = min(start + TILE, n)
        _minus_squared(points, i, start, stop, pulls)
        labels_there, weights_there = labels[start:stop], weights[start:stop]
        own_there, all_there = own_slopes[start:stop], all_slopes[start:stop]
        for t in range(stop - start):
            is_own = labels_there[t] == label
            here = all_slope + (own_slope if is_own else 0.0)
            there = all_there[t] + (own_there[t] if is_own else 0.0)
            pulls[t] = vector_exp2(pulls[t]) * (weights_there[t] * here + weight * there)
        for dim in range(points.shape[0]):
            x, xs = points[dim, i], points[dim, start:stop]
            partners = gradient[dim, start:stop]
            total = 0.0
            for t in range(stop - start):
                pull = pulls[t] * (x - xs[t])
                total += pull
                partners[t] -= pull
            gradient[dim, i] += total


@compiled(fastmath=FAST)
def _pull_both_ways_in_plane(
    points, labels, weights, own_slopes, all_slopes, i, n, gradient
):  # fmt: skip
    """The same in two dimensions, in a single pass."""
    label, weight, own_slope, all_slope = labels[i], weights[i], own_slopes[i], all_slopes[i]
    x, y = points[0, i], points[1, i]
    xs, ys = points[0, i + 1 : n], points[1, i + 1 : n]
    labels_there, weights_there = labels[i + 1 : n], weights[i + 1 : n]
    own_there, all_there = own_slopes[i + 1 : n], all_slopes[i + 1 : n]
    x_gradient, y_gradient = gradient[0, i + 1 : n], gradient[1, i + 1 : n]
    x_total, y_total = 0.0, 0.0
    for t in range(n - i - 1):
        x_gap, y_gap = x - xs[t], y - ys[t]
        is_own = labels_there[t] == label
        here = all_slope + (own_slope if is_own else 0.0)
        there = all_there[t] + (own_there[t] if is_own else 0.0)
        pull = vector_exp2(-(x_gap**2 + y_gap**2)) * (weights_there[t] * here + weight * there)
        x_total += pull * x_gap
        y_total += pull * y_gap
        x_gradient[t] -= pull * x_gap
        y_gradient[t] -= pull * y_gap
    gradient[0, i] += x_total
    gradient[1, i] += y_total


@compiled(fastmath=FAST)
def pullback_of_part(
    part, coordinates, labels, weights, bounds, low, high, most_squared, own_slopes, all_slopes,
    gradient,
):  # fmt: skip
    """Add ``sum_j (w_j s_i + w_i s_j) kernel_ij (z_i - z_j)`` of one part to the gradient (n_dims, n).

    The slopes s are ``own_slopes + all_slopes`` for pairs of the same class and ``all_slopes`` for
    other pairs. The pairs are those of :func:`sums_of_part`.
    """
    n_dims, n = coordinates.shape
    pulls, near = np.empty(TILE), np.empty(n, dtype=np.int64)
    points, near_labels, near_weights = np.empty((n_dims, n)), np.empty(n), np.empty(n)
    near_own, near_all, near_gradient = np.empty(n), np.empty(n), np.empty((n_dims, n))
    for tile in range(part, len(bounds) - 1, N_PARTS):
        n_near = near_points(tile, bounds, low, high, most_squared, near)
        for k in range(n_near):
            j = near[k]
            for dim in range(n_dims):
                points[dim, k], near_gradient[dim, k] = coordinates[dim, j], 0.0
            near_labels[k], near_weights[k] = labels[j], weights[j]
            near_own[k], near_all[k] = own_slopes[j], all_slopes[j]
        for i in range(bounds[tile + 1] - bounds[tile]):
            if n_dims == 2:
                _pull_both_ways_in_plane(
                    points, near_labels, near_weights, near_own, near_all, i, n_near, near_gradient
                )
            else:
                _pull_both_ways(
                    points, near_labels, near_weights, near_own, near_all, i, n_near, pulls,
                    near_gradient,
                )  # fmt: skip
        for k in range(n_near):
            for dim in range(n_dims):
                gradient[dim, near[k]] += near_gradient[dim, k]


@compiled(fastmath=FAST)
def _squared_gaps(points, i, low, high, gaps):
    """Squared distances from point i to the boxes of all tiles."""
    gaps[:] = 0.0
    for dim in range(points.shape[0]):
        x = points[dim, i]
        for tile in range(len(gaps)):
            gap = max(low[tile, dim] - x, x - high[tile, dim], 0.0)
            gaps[tile] += gap * gap


@compiled(forceinline=True)
def _squared_distance(points, i, j):
    squared = 0.0
    for dim in range(points.shape[0]):
        squared += (points[dim, i] - points[dim, j]) ** 2
    return squared


@compiled()
def _far_log_sums(points, labels, weights, bounds, gaps, most_squared, i):
    """Logs of the sums at point i over its class and over the others, relative to their largest terms."""
    n_tiles = len(gaps)
    own_nearest, other_nearest = math.inf, math.inf
    here = np.searchsorted(bounds, i, side="right") - 1
    for step in range(n_tiles):  # from the tile of the point on, so that most others are farther
        tile = (here + step) % n_tiles
        if gaps[tile] >= max(own_nearest, other_nearest):
            continue
        for j in range(bounds[tile], bounds[tile + 1]):
            if j == i or weights[j] == 0.0:
                continue
            squared = _squared_distance(points, i, j)
            if labels[j] == labels[i]:
                own_nearest = min(own_nearest, squared)
            else:
                other_nearest = min(other_nearest, squared)
    own, other = 0.0, 0.0
    for tile in range(n_tiles):
        if gaps[tile] > max(own_nearest, other_nearest) + most_squared:
            continue
        for j in range(bounds[tile], bounds[tile + 1]):
            if j == i or weights[j] == 0.0:
                continue
            squared = _squared_distance(points, i, j)
            if labels[j] == labels[i]:
                if squared <= own_nearest + most_squared:
                    own += weights[j] * 2.0 ** (own_nearest - squared)
            elif squared <= other_nearest + most_squared:
                other += weights[j] * 2.0 ** (other_nearest - squared)
    # An empty sum has a log of minus infinity.
    log_own = math.log(own) - LOG_2 * own_nearest if own > 0.0 else -math.inf
    log_other = math.log(other) - LOG_2 * other_nearest if other > 0.0 else -math.inf
    return log_own, log_other


@compiled()
def log_sums(
    begin, end, points, labels, weights, bounds, low, high, most_squared, own, other, least,
    log_own, log_all,
):  # fmt: skip
    """Log-sums over the own class and over all points, from the sums at the points begin .. end - 1.

    Sums below ``least``, from which terms are missing, are computed again.
    """
    gaps = np.empty(len(bounds) - 1)
    for i in range(begin, end):
        if own[i] >= least:
            log_own[i], log_all[i] = math.log(own[i]), math.log(own[i] + other[i])
            continue
        _squared_gaps(points, i, low, high, gaps)
        log_own[i], log_other = _far_log_sums(
            points, labels, weights, bounds, gaps, most_squared, i
        )
        log_all[i] = log_add(log_own[i], log_other)


@compiled()
def isolated_pullback_of_part(
    part, points, labels, weights, bounds, low, high, most_squared, isolated, log_own, log_all,
    cot_own, cot_all, gradient,
):  # fmt: skip
    """Add the contribution of the sums at every ``N_PARTS``-th isolated point to ``gradient``.

    The sums are computed in log space. Terms below ``2^-most_squared`` of a sum are left out.
    """
    gaps = np.empty(len(bounds) - 1)
    for k in range(part, len(isolated), N_PARTS):
        i = isolated[k]
        _squared_gaps(points, i, low, high, gaps)
        own, everyone = log_own[k] / LOG_2, log_all[k] / LOG_2
        reach = most_squared - (min(own, everyone) if cot_own[k] != 0.0 else everyone)
        for tile in range(len(gaps)):
            if gaps[tile] > reach:
                continue
            for j in range(bounds[tile], bounds[tile + 1]):
                squared = _squared_distance(points, i, j)
                pull = cot_all[k] * 2.0 ** min(-squared - everyone, LARGEST_EXPONENT)
                if labels[j] == labels[i]:
                    pull += cot_own[k] * 2.0 ** min(-squared - own, LARGEST_EXPONENT)
                pull *= weights[j]
                for dim in range(points.shape[0]):
                    gap = points[dim, i] - points[dim, j]
                    gradient[dim, i] += pull * gap
                    gradient[dim, j] -= pull * gap
