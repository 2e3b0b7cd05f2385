"""Compiled loops over all pairs: totals by class pair, and their gradients.

Each query point is one row, and each row is computed by one thread, so results do not depend on the
number of threads. A call computes the rows ``begin .. end - 1``, and several calls may run in
parallel. Using the symmetry of the pairs would halve the arithmetic, but each pair would then write
to two rows, and every thread would need a separate gradient array.

Within a row, the centres are processed in tiles that fit in the first-level cache. Each step over a
tile is a simple loop over contiguous numbers, which the compiler vectorises in any dimension.
"""

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


@compiled(fastmath=FAST, forceinline=True)
def _sum_of_logs(squared, weights, has_weights, size, per_log):
    """``sum_j w_j log(1 + r_j^2)``."""
    total = 0.0
    if has_weights:
        for t in range(size):
            total += weights[t] * vector_log(1.0 + squared[t])
        return total
    # Take one logarithm of a product of up to ``per_log`` factors, which cannot overflow.
    begin = 0
    while begin < size:
        end = min(begin + per_log, size)
        product = 1.0
        for t in range(begin, end):
            product *= 1.0 + squared[t]
        total += np.log(product)
        begin = end
    return total


# Inlined, because a function call for each tile takes a seventh of the run time.
@compiled(fastmath=FAST, inline="always")
def _kernel_sum(code, scale, squared, inverse, w, has_weights, per_log, slopes):
    """Sum a kernel over a tile of centres and write its derivatives in ``r^2`` to ``slopes``."""
    size = len(w)
    value = 0.0
    if code == LOG:
        value = _sum_of_logs(squared, w, has_weights, size, per_log)
        for t in range(size):
            slopes[t] = w[t] * inverse[t]
    elif code == CAUCHY:
        for t in range(size):
            value += w[t] * inverse[t]
            slopes[t] = -w[t] * inverse[t] * inverse[t]
    else:
        for t in range(size):
            g = w[t] * vector_exp(-scale * squared[t])
            value += g
            slopes[t] = -scale * g
    return value


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
        Number of factors ``1 + r^2`` that may be multiplied without overflow.
    values : (n_queries, n_terms)
        ``w_i sum_j w_j M[c_i, c_j] k(r_ij^2)`` is added to this array.
    gradients : (n_terms, n_queries, n_dims)
        Twice the derivative of the value with respect to the query is added to this array, because
        each pair counts in both orders.
    """
    n_terms = len(codes)
    n_classes = len(starts) - 1
    needs_inverse = False
    for k in range(n_terms):
        needs_inverse |= codes[k] != GAUSSIAN
    for i in range(begin, end):
        squared = np.empty(TILE)
        inverse = np.empty(TILE)
        slopes = np.empty(TILE)
        for c in range(n_classes):
            is_needed = False
            for k in range(n_terms):
                is_needed |= mixings[k, query_labels[i], c] != 0.0
            if not is_needed:
                continue
            for start in range(starts[c], starts[c + 1], TILE):
                stop = min(start + TILE, starts[c + 1])
                size = stop - start
                w = weights[start:stop]
                squared_distances(queries, i, centres, start, stop, squared)
                if needs_inverse:
                    for t in range(size):
                        inverse[t] = 1.0 / (1.0 + squared[t])
                for k in range(n_terms):
                    mixing = query_weights[i] * mixings[k, query_labels[i], c]
                    if mixing == 0.0:
                        continue
                    value = _kernel_sum(
                        codes[k], scales[k], squared, inverse, w, has_weights, per_log, slopes
                    )
                    values[i, k] += mixing * value
                    # Factor 4: both orders of the pair, and d r^2 / d z_i = 2 (z_i - z_j).
                    add_differences(
                        queries, i, centres, start, stop, slopes, 4.0 * mixing, gradients[k, i]
                    )
