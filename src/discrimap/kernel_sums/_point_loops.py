"""Compiled loops for Gaussian sums at each point, in log space.

A call computes the rows ``begin .. end - 1`` and writes to the given arrays, so that several calls
may run in parallel.
"""

import math

import numpy as np

from discrimap.kernel_sums._pair_loops import TILE, add_differences, squared_distances
from discrimap.linalg._vector_math import FAST, compiled, vector_exp

# A sum below TINY is computed again relative to its largest term.
TINY = 1e-250
# Gradients at all points from the sums at few points are computed in this number of parts. Each
# part has a separate gradient, and they are added in a fixed order.
N_PARTS = 8


@compiled(fastmath=FAST)
def _plain_sum(queries, i, centres, start, stop, weights, scale, squared):
    total = 0.0
    for begin in range(start, stop, TILE):
        end = min(begin + TILE, stop)
        w = weights[begin:end]
        squared_distances(queries, i, centres, begin, end, squared)
        for t in range(end - begin):
            total += w[t] * vector_exp(-scale * squared[t])
    return total


@compiled(fastmath=FAST)
def _nearest(queries, i, centres, start, stop, weights, squared):
    """Smallest squared distance to a centre of positive weight."""
    least = math.inf
    for begin in range(start, stop, TILE):
        end = min(begin + TILE, stop)
        squared_distances(queries, i, centres, begin, end, squared)
        for t in range(end - begin):
            if weights[begin + t] > 0.0 and squared[t] < least:
                least = squared[t]
    return least


@compiled(fastmath=FAST)
def _shifted_sum(queries, i, centres, start, stop, weights, scale, shift, squared):
    total = 0.0
    for begin in range(start, stop, TILE):
        end = min(begin + TILE, stop)
        w = weights[begin:end]
        squared_distances(queries, i, centres, begin, end, squared)
        for t in range(end - begin):
            total += w[t] * vector_exp(min(-scale * (squared[t] - shift), 0.0))
    return total


@compiled(fastmath=FAST)
def _log_of_two_ranges(queries, i, centres, first, second, weights, scale, squared):
    """Log of the sum over two ranges of centres, relative to the largest term."""
    shift = min(
        _nearest(queries, i, centres, first[0], first[1], weights, squared),
        _nearest(queries, i, centres, second[0], second[1], weights, squared),
    )
    if shift == math.inf:
        return -math.inf
    total = _shifted_sum(
        queries, i, centres, first[0], first[1], weights, scale, shift, squared
    ) + _shifted_sum(queries, i, centres, second[0], second[1], weights, scale, shift, squared)
    return math.log(total) - scale * shift


@compiled()
def log_add(a, b):
    high, low = max(a, b), min(a, b)
    if low == -math.inf:
        return high
    return high + math.log1p(math.exp(low - high))


@compiled(fastmath=FAST)
def row_sums(begin_row, end_row, coordinates, labels, starts, weights, scale, rows, own, other):
    """Sums over the own class and the other classes at ``rows``, excluding the point itself."""
    n = coordinates.shape[1]
    for position in range(begin_row, end_row):
        i = rows[position]
        squared = np.empty(TILE)
        begin, end = starts[labels[i]], starts[labels[i] + 1]
        own[position] = _plain_sum(
            coordinates, i, coordinates, begin, i, weights, scale, squared
        ) + _plain_sum(coordinates, i, coordinates, i + 1, end, weights, scale, squared)
        other[position] = _plain_sum(
            coordinates, i, coordinates, 0, begin, weights, scale, squared
        ) + _plain_sum(coordinates, i, coordinates, end, n, weights, scale, squared)


@compiled()
def log_sums(
    begin_row, end_row, coordinates, labels, starts, weights, scale, rows, own_plain, other_plain,
    least, own, everyone,
):  # fmt: skip
    """Log-sums over the own class and over all points, from sums that may have underflowed.

    Sums below ``least`` are computed again.
    """
    n = coordinates.shape[1]
    for position in range(begin_row, end_row):
        i = rows[position]
        own_sum, other_sum = own_plain[position], other_plain[position]
        if own_sum >= least:
            own[position] = math.log(own_sum)
            everyone[position] = math.log(own_sum + other_sum)
            continue
        squared = np.empty(TILE)
        begin, end = starts[labels[i]], starts[labels[i] + 1]
        own[position] = _log_of_two_ranges(
            coordinates, i, coordinates, (begin, i), (i + 1, end), weights, scale, squared
        )
        if other_sum >= least:
            other = math.log(other_sum)
        else:
            other = _log_of_two_ranges(
                coordinates, i, coordinates, (0, begin), (end, n), weights, scale, squared
            )
        everyone[position] = log_add(own[position], other)


@compiled()
def class_log_sums(begin_row, end_row, queries, centres, starts, weights, scale, result):
    """Log-sum over the centres of each class at each query: (n_queries, n_classes)."""
    for i in range(begin_row, end_row):
        squared = np.empty(TILE)
        for c in range(len(starts) - 1):
            begin, end = starts[c], starts[c + 1]
            plain = _plain_sum(queries, i, centres, begin, end, weights, scale, squared)
            if plain >= TINY:
                result[i, c] = math.log(plain)
                continue
            result[i, c] = _log_of_two_ranges(
                queries, i, centres, (begin, end), (end, end), weights, scale, squared
            )


@compiled(fastmath=FAST)
def plain_point_sums(
    begin_row, end_row, queries, query_labels, centres, starts, weights, scale, own, everyone
):
    """Plain sums (not logarithms) over the centres of the query's class and over all centres."""
    for i in range(begin_row, end_row):
        squared = np.empty(TILE)
        for c in range(len(starts) - 1):
            total = _plain_sum(
                queries, i, centres, starts[c], starts[c + 1], weights, scale, squared
            )
            everyone[i] += total
            if c == query_labels[i]:
                own[i] = total


@compiled(fastmath=FAST)
def regular_pullback(
    begin_row, end_row, queries, query_labels, query_weights, query_own, query_all,
    centres, starts, weights, own_slopes, all_slopes, scale, gradient,
):  # fmt: skip
    """Gradient of ``sum_i cot_own_i log A_i + cot_all_i log B_i`` at the queries.

    The ``own`` slopes are ``cot_own / A``, the ``all`` slopes are ``cot_all / B``. Both are zero
    for points whose A or B underflows; :func:`isolated_pullback_of_queries` and
    :func:`isolated_pullback_of_members` handle these points. Each query contributes through its own
    sums and through its terms in the sums at the centres.
    """
    both_slopes = own_slopes + all_slopes
    for k in range(begin_row, end_row):
        squared = np.empty(TILE)
        slopes = np.empty(TILE)
        for c in range(len(starts) - 1):
            is_own = c == query_labels[k]
            here = query_own[k] + query_all[k] if is_own else query_all[k]
            for start in range(starts[c], starts[c + 1], TILE):
                stop = min(start + TILE, starts[c + 1])
                w = weights[start:stop]
                there = both_slopes[start:stop] if is_own else all_slopes[start:stop]
                squared_distances(queries, k, centres, start, stop, squared)
                for t in range(stop - start):
                    g = vector_exp(-scale * squared[t])
                    slopes[t] = g * (w[t] * here + query_weights[k] * there[t])
                add_differences(queries, k, centres, start, stop, slopes, -2.0 * scale, gradient[k])


# Upper bound of exponents. Ratios are computed in log space. The ratio of a point with itself, at
# distance zero, may overflow, but its difference vector is zero, so any finite number is correct.
LARGEST_EXPONENT = 600.0


@compiled(fastmath=FAST)
def isolated_pullback_of_part(
    part, isolated, labels, log_own, log_all, cot_own, cot_all, points, starts, weights, scale,
    gradient,
):  # fmt: skip
    """Add the contribution of the sums at every ``N_PARTS``-th isolated point to ``gradient``.

    ``isolated`` are positions in ``points``. The pull of a pair is added to the gradient (n_dims, n)
    of the isolated point and subtracted from that of the other, without the factor ``-2 scale``,
    which the caller applies.
    """
    n_dims, n = points.shape
    pulls = np.empty(n)
    for k in range(part, len(isolated), N_PARTS):
        i = isolated[k]
        pulls[:] = 0.0
        for dim in range(n_dims):
            x, xs = points[dim, i], points[dim]
            for j in range(n):
                pulls[j] -= scale * (x - xs[j]) ** 2
        begin, end = starts[labels[k]], starts[labels[k] + 1]
        _pulls_of_logs(pulls, 0, begin, log_all[k], cot_all[k], 0.0, 0.0, weights)
        _pulls_of_logs(pulls, begin, end, log_all[k], cot_all[k], log_own[k], cot_own[k], weights)
        _pulls_of_logs(pulls, end, n, log_all[k], cot_all[k], 0.0, 0.0, weights)
        for dim in range(n_dims):
            x, xs, partners = points[dim, i], points[dim], gradient[dim]
            total = 0.0
            for j in range(n):
                pull = pulls[j] * (x - xs[j])
                total += pull
                partners[j] -= pull
            gradient[dim, i] += total


@compiled(fastmath=FAST)
def _pulls_of_logs(exponents, begin, end, log_all, cot_all, log_own, cot_own, weights):
    """Replace exponents by the derivatives of the log-sums with respect to them."""
    for j in range(begin, end):
        exponent = exponents[j]
        pull = cot_all * vector_exp(min(exponent - log_all, LARGEST_EXPONENT))
        if cot_own != 0.0:
            pull += cot_own * vector_exp(min(exponent - log_own, LARGEST_EXPONENT))
        exponents[j] = weights[j] * pull


@compiled(fastmath=FAST)
def isolated_pullback_of_queries(
    begin_row, end_row, isolated, isolated_labels, log_own, log_all, cot_own, cot_all,
    centres, starts, weights, scale, gradient,
):  # fmt: skip
    """Gradient at isolated points, from their own sums over all centres."""
    for i in range(begin_row, end_row):
        squared = np.empty(TILE)
        slopes = np.empty(TILE)
        for c in range(len(starts) - 1):
            is_own = c == isolated_labels[i]
            for start in range(starts[c], starts[c + 1], TILE):
                stop = min(start + TILE, starts[c + 1])
                w = weights[start:stop]
                squared_distances(isolated, i, centres, start, stop, squared)
                for t in range(stop - start):
                    exponent = min(-scale * squared[t] - log_all[i], LARGEST_EXPONENT)
                    slopes[t] = w[t] * cot_all[i] * vector_exp(exponent)
                if is_own:
                    for t in range(stop - start):
                        exponent = min(-scale * squared[t] - log_own[i], LARGEST_EXPONENT)
                        slopes[t] += w[t] * cot_own[i] * vector_exp(exponent)
                add_differences(
                    isolated, i, centres, start, stop, slopes, -2.0 * scale, gradient[i]
                )


@compiled(fastmath=FAST)
def isolated_pullback_of_members(
    begin_row, end_row, queries, query_labels, query_weights, isolated, starts,
    log_own, log_all, cot_own, cot_all, scale, gradient,
):  # fmt: skip
    """Gradient at every point, from its terms in the sums at the isolated points."""
    for k in range(begin_row, end_row):
        squared = np.empty(TILE)
        slopes = np.empty(TILE)
        for c in range(len(starts) - 1):
            is_own = c == query_labels[k]
            for start in range(starts[c], starts[c + 1], TILE):
                stop = min(start + TILE, starts[c + 1])
                squared_distances(queries, k, isolated, start, stop, squared)
                for t in range(stop - start):
                    exponent = min(-scale * squared[t] - log_all[start + t], LARGEST_EXPONENT)
                    slopes[t] = cot_all[start + t] * vector_exp(exponent)
                if is_own:
                    for t in range(stop - start):
                        exponent = min(-scale * squared[t] - log_own[start + t], LARGEST_EXPONENT)
                        slopes[t] += cot_own[start + t] * vector_exp(exponent)
                add_differences(
                    queries, k, isolated, start, stop, slopes, -2.0 * scale * query_weights[k],
                    gradient[k],
                )  # fmt: skip
