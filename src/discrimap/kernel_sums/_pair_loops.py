"""Compiled loops over all pairs: totals by class pair, and their gradients.

Each query point is one row, and each row is computed by one thread, so results do not depend on the
number of threads. A call computes the rows ``begin .. end - 1``, and several calls may run in
parallel. Using the symmetry of the pairs would halve the arithmetic, but each pair would then write
to two rows, and every thread would need a separate gradient array.

Within a row, the centres are processed in tiles that fit in the first-level cache. Each step over a
tile is a simple loop over contiguous numbers, which the compiler vectorises. Loops count from zero
over slices: numba lets a negative index count from the end, and where the compiler cannot exclude
one, it reads the numbers one by one. In two dimensions, one pass computes all sums; in others, there is
a pass for each dimension. Classes that follow each other and have the same factors are one range,
because short loops are slow.
"""

import math

import numpy as np

from discrimap.kernel_sums.kernels import CAUCHY, GAUSSIAN, LOG
from discrimap.linalg._vector_math import FAST, compiled, vector_exp, vector_log

TILE = 512


@compiled(fastmath=FAST, forceinline=True)
def squared_distances(queries, i, centres, start, stop, out):
    """Squared distances from query i to centres start .. stop - 1."""
    n_dims = centres.shape[0]
    size = stop - start
    if n_dims == 2:
        # One pass for two dimensions; the general case makes one pass per dimension.
        x, y = queries[0, i], queries[1, i]
        xs, ys = centres[0, start:stop], centres[1, start:stop]
        for t in range(size):
            out[t] = (x - xs[t]) ** 2 + (y - ys[t]) ** 2
        return
    x = queries[0, i]
    xs = centres[0, start:stop]
    for t in range(size):
        out[t] = (x - xs[t]) ** 2
    for dim in range(1, n_dims):
        x = queries[dim, i]
        xs = centres[dim, start:stop]
        for t in range(size):
            out[t] += (x - xs[t]) ** 2


@compiled(fastmath=FAST, forceinline=True)
def add_differences(queries, i, centres, start, stop, slopes, factor, out):
    """Add ``factor * sum_j slopes_j (q_i - c_j)`` to ``out``."""
    size = stop - start
    for dim in range(centres.shape[0]):
        x = queries[dim, i]
        xs = centres[dim, start:stop]
        total = 0.0
        for t in range(size):
            total += slopes[t] * (x - xs[t])
        out[dim] += factor * total


@compiled(fastmath=FAST)
def _cauchy_sums_in_plane(queries, i, centres, start, stop, weights, per_log, sums):
    """Add the sums of ``log(1 + r^2)``, of ``w k``, and of the slopes of both times differences.

    With ``k = 1 / (1 + r^2)``, the slopes are ``w k`` and, without its sign, ``w k^2``. One logarithm
    is taken of a product of up to ``per_log`` factors ``1 + r^2``, which cannot overflow.
    """
    x, y = queries[0, i], queries[1, i]
    for first in range(start, stop, per_log):
        w = weights[first : min(first + per_log, stop)]
        xs, ys = centres[0, first : first + len(w)], centres[1, first : first + len(w)]
        product = 1.0
        total, x_log, y_log, x_cauchy, y_cauchy = 0.0, 0.0, 0.0, 0.0, 0.0
        for t in range(len(w)):
            x_gap, y_gap = x - xs[t], y - ys[t]
            square = 1.0 + (x_gap * x_gap + y_gap * y_gap)
            product *= square
            kernel = 1.0 / square
            weighted = w[t] * kernel
            x_slope, y_slope = weighted * x_gap, weighted * y_gap
            total += weighted
            x_log += x_slope
            y_log += y_slope
            x_cauchy += kernel * x_slope
            y_cauchy += kernel * y_slope
        sums[0] += math.log(product)
        sums[1] += total
        sums[2] += x_log
        sums[3] += y_log
        sums[4] += x_cauchy
        sums[5] += y_cauchy


@compiled(fastmath=FAST)
def _cauchy_sums(queries, i, centres, start, stop, weights, per_log, scratch, sums):
    """The same in any dimension, with a pass over the centres for each."""
    n_dims = centres.shape[0]
    for first in range(start, stop, per_log):
        w = weights[first : min(first + per_log, stop)]
        log_slopes, cauchy_slopes = scratch[0, : len(w)], scratch[1, : len(w)]
        squared_distances(queries, i, centres, first, first + len(w), log_slopes)
        product, total = 1.0, 0.0
        for t in range(len(w)):
            square = 1.0 + log_slopes[t]
            product *= square
            kernel = 1.0 / square
            log_slopes[t] = w[t] * kernel
            cauchy_slopes[t] = w[t] * kernel * kernel
            total += w[t] * kernel
        sums[0] += math.log(product)
        sums[1] += total
        for dim in range(n_dims):
            x, xs = queries[dim, i], centres[dim, first : first + len(w)]
            of_log, of_cauchy = 0.0, 0.0
            for t in range(len(w)):
                gap = x - xs[t]
                of_log += log_slopes[t] * gap
                of_cauchy += cauchy_slopes[t] * gap
            sums[2 + dim] += of_log
            sums[2 + n_dims + dim] += of_cauchy


@compiled(fastmath=FAST)
def _weighted_logs(queries, i, centres, start, stop, weights, squared):
    """``sum_j w_j log(1 + r_j^2)``."""
    total = 0.0
    for first in range(start, stop, TILE):
        w = weights[first : min(first + TILE, stop)]
        squared_distances(queries, i, centres, first, first + len(w), squared)
        for t in range(len(w)):
            total += w[t] * vector_log(1.0 + squared[t])
    return total


@compiled(fastmath=FAST)
def _gaussian_sums(queries, i, centres, start, stop, weights, scale, squared, sums):
    """Add the sum of ``w k`` and its derivatives in the query, with ``k = exp(-scale r^2)``."""
    for first in range(start, stop, TILE):
        w = weights[first : min(first + TILE, stop)]
        size = len(w)
        squared_distances(queries, i, centres, first, first + size, squared)
        total = 0.0
        for t in range(size):
            squared[t] = w[t] * vector_exp(-scale * squared[t])
            total += squared[t]
        sums[0] += total
        add_differences(queries, i, centres, first, first + size, squared, -2.0 * scale, sums[1:])


@compiled()
def _end_of_range(first, label, mixings):
    """First class after ``first`` with other factors than the classes from ``first`` on."""
    n_terms, _, n_classes = mixings.shape
    for c in range(first + 1, n_classes):
        for k in range(n_terms):
            if mixings[k, label, c] != mixings[k, label, first]:
                return c
    return n_classes


@compiled(fastmath=FAST)
def pair_sums(
    begin, end, queries, query_labels, query_weights, centres, starts, weights, has_weights,
    codes, scales, mixings, per_log, values, gradients,
):  # fmt: skip
    """Sum every term over all centres, at the queries ``begin .. end - 1``.

    Parameters
    ----------
    queries, centres : (n_dims, n_queries) and (n_dims, n_centres), float64
        The centres are sorted by class.
    query_labels, query_weights : (n_queries,)
    starts, weights, has_weights
        Attributes of the centres, as in ClassLayout.
    codes, scales : (n_terms,)
        Kernel of each term.
    mixings : (n_terms, n_classes, n_classes)
    per_log : int
        Number of factors ``1 + r^2`` that may be multiplied without overflow, at most ``TILE``.
    values : (n_queries, n_terms)
        ``w_i sum_j w_j M[c_i, c_j] k(r_ij^2)`` is added to this array.
    gradients : (n_terms, n_queries, n_dims)
        Twice the derivative of the value with respect to the query is added to this array, because
        each pair counts in both orders.
    """
    n_terms, n_dims, n_classes = len(codes), len(centres), len(starts) - 1
    has_cauchy, has_log = (codes != GAUSSIAN).any(), (codes == LOG).any()
    scratch, sums, gaussian = np.empty((2, TILE)), np.empty(2 + 2 * n_dims), np.empty(1 + n_dims)
    for i in range(begin, end):
        label, c = query_labels[i], 0
        while c < n_classes:
            first, c = c, _end_of_range(c, label, mixings)
            start, stop = starts[first], starts[c]
            is_needed = False
            for k in range(n_terms):
                is_needed |= mixings[k, label, first] != 0.0
            if start == stop or not is_needed:
                continue
            if has_cauchy:
                sums[:] = 0.0
                if n_dims == 2:
                    _cauchy_sums_in_plane(queries, i, centres, start, stop, weights, per_log, sums)
                else:
                    _cauchy_sums(queries, i, centres, start, stop, weights, per_log, scratch, sums)
                if has_log and has_weights:
                    sums[0] = _weighted_logs(queries, i, centres, start, stop, weights, scratch[0])
            for k in range(n_terms):
                factor = query_weights[i] * mixings[k, label, first]
                # Factors 2 and 4: both orders of the pair, and d r^2 / d z_i = 2 (z_i - z_j).
                if codes[k] == LOG:
                    values[i, k] += factor * sums[0]
                    for dim in range(n_dims):
                        gradients[k, i, dim] += 4.0 * factor * sums[2 + dim]
                elif codes[k] == CAUCHY:
                    values[i, k] += factor * sums[1]
                    for dim in range(n_dims):
                        gradients[k, i, dim] -= 4.0 * factor * sums[2 + n_dims + dim]
                elif factor != 0.0:
                    gaussian[:] = 0.0
                    _gaussian_sums(
                        queries, i, centres, start, stop, weights, scales[k], scratch[0], gaussian
                    )
                    values[i, k] += factor * gaussian[0]
                    for dim in range(n_dims):
                        gradients[k, i, dim] += 2.0 * factor * gaussian[1 + dim]


@compiled(fastmath=FAST)
def pair_sums_of_each(
    begin, end, points, labels, weights, starts, has_weights, codes, scales, mixings, per_log,
    values, gradients,
):  # fmt: skip
    """The same for several maps (n_maps, n_dims, n), with all points as queries and centres.

    ``begin .. end - 1`` counts the rows of all maps, and there is one ``per_log`` for each map.
    Values are (n_maps, n, n_terms), gradients (n_maps, n_terms, n, n_dims).
    """
    n = points.shape[2]
    for k in range(begin // n, -(-end // n)):
        pair_sums(
            max(begin - k * n, 0), min(end - k * n, n), points[k], labels, weights, points[k], starts,
            weights, has_weights, codes, scales, mixings, per_log[k], values[k], gradients[k],
        )  # fmt: skip
