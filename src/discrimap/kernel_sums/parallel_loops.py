"""Calls of the compiled loops on several threads.

The number of threads depends on the amount of work. Each function allocates its result arrays. Each
thread fills separate rows, or computes separate parts of the pairs, which are then added in a fixed
order. Results do not depend on the number of threads.
"""

import math

import numpy as np

from discrimap.kernel_sums import _far_loops, _pair_loops, _point_loops, _tile_loops
from discrimap.kernel_sums.costs import exact_cost, gaussian_cost
from discrimap.kernel_sums.kernels import GAUSSIAN
from discrimap.kernel_sums.tiles import Tiles
from discrimap.threads import run_ranges, run_tasks

N_PARTS = _tile_loops.N_PARTS
# Number of points in a task with few far points.
POINTS_TOGETHER = 1 << 12


def pair_sums(
    queries: np.ndarray, query_labels: np.ndarray, query_weights: np.ndarray, centres: np.ndarray, starts: np.ndarray, weights: np.ndarray, has_weights: bool,
    codes: np.ndarray, scales: np.ndarray, mixings: np.ndarray, per_log: int,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Values (n_queries, n_terms) and gradients (n_terms, n_queries, n_dims) of all terms."""
    n_dims, n_queries = queries.shape
    values = np.zeros((n_queries, len(codes)))
    gradients = np.zeros((len(codes), n_queries, n_dims))

    def rows(begin, end):
        _pair_loops.pair_sums(
            begin, end, queries, query_labels, query_weights, centres, starts, weights,
            has_weights, codes, scales, mixings, per_log, values, gradients,
        )  # fmt: skip

    cost = gaussian_cost if (codes == GAUSSIAN).any() else exact_cost
    run_ranges(rows, n_queries, cost(n_queries, centres.shape[1], n_dims))
    return values, gradients


def pair_sums_of_each(
    points: np.ndarray, labels: np.ndarray, weights: np.ndarray, starts: np.ndarray, has_weights: bool,
    codes: np.ndarray, scales: np.ndarray, mixings: np.ndarray, per_log: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """The same for several maps (n_maps, n_dims, n), with all points as queries and centres.

    Values are (n_maps, n, n_terms), gradients (n_maps, n_terms, n, n_dims).
    """
    n_maps, n_dims, n = points.shape
    values = np.zeros((n_maps, n, len(codes)))
    gradients = np.zeros((n_maps, len(codes), n, n_dims))

    def rows(begin, end):
        _pair_loops.pair_sums_of_each(
            begin, end, points, labels, weights, starts, has_weights, codes, scales, mixings, per_log,
            values, gradients,
        )  # fmt: skip

    run_ranges(rows, n_maps * n, n_maps * exact_cost(n, n, n_dims))
    return values, gradients


def far_gradients(
    points: np.ndarray, weights: np.ndarray, starts: np.ndarray, far: np.ndarray, far_labels: np.ndarray,
    far_weights: np.ndarray, codes: np.ndarray, mixings: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Gradients (n_terms, n_dims, n) at all points, of sums over pairs with far points."""
    n_dims, n = points.shape
    gradients = np.zeros((len(codes), n_dims, n))

    def at_points(begin):
        _far_loops.gradients_at_points(
            begin, min(begin + POINTS_TOGETHER, n), points, weights, starts, far, far_labels, far_weights,
            codes, mixings, gradients,
        )  # fmt: skip

    run_tasks(at_points, range(0, n, POINTS_TOGETHER), exact_cost(n, far.shape[1], n_dims))
    return gradients


def row_sums(
    coordinates: np.ndarray,
    labels: np.ndarray,
    starts: np.ndarray,
    weights: np.ndarray,
    scale: float,
    rows: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Sums over the own class and the other classes at ``rows``, excluding the point itself."""
    own, other = np.empty((2, len(rows)))

    def sums(begin, end):
        _point_loops.row_sums(
            begin, end, coordinates, labels, starts, weights, scale, rows, own, other
        )

    run_ranges(sums, len(rows), _nanoseconds(rows[None], coordinates))
    return own, other


def near_sums(tiles: Tiles) -> tuple[np.ndarray, np.ndarray]:
    """Sums of :func:`row_sums` for all points of the tiles, without distant pairs."""
    points = tiles.arrays[0]
    parts = np.zeros((N_PARTS, 2, points.shape[1]))

    def sums(part):
        _tile_loops.sums_of_part(part, *tiles.arrays, *parts[part])

    run_tasks(sums, range(N_PARTS), _nanoseconds(points, points) / 2)
    result = np.empty((2, points.shape[1]))
    result[:, tiles.order] = parts.sum(axis=0)
    return result[0], result[1]


def log_sums(
    coordinates: np.ndarray,
    labels: np.ndarray,
    starts: np.ndarray,
    weights: np.ndarray,
    scale: float,
    rows: np.ndarray,
    own_plain: np.ndarray,
    other_plain: np.ndarray,
    least: float = _point_loops.TINY,
) -> tuple[np.ndarray, np.ndarray]:
    """Log-sums over the own class and over all points; sums below ``least`` are computed again."""
    own, everyone = np.empty((2, len(rows)))

    def logs(begin, end):
        _point_loops.log_sums(
            begin, end, coordinates, labels, starts, weights, scale, rows, own_plain, other_plain,
            least, own, everyone,
        )  # fmt: skip

    # Most sums have not underflowed and only need a logarithm.
    n_again = int((own_plain < least).sum())
    run_ranges(logs, len(rows), 50.0 * len(rows) + gaussian_cost(n_again, *coordinates.shape[::-1]))
    return own, everyone


def class_log_sums(
    queries: np.ndarray, centres: np.ndarray, starts: np.ndarray, weights: np.ndarray, scale: float
) -> np.ndarray:
    """Log-sum over the centres of each class at each query: (n_queries, n_classes)."""
    result = np.empty((queries.shape[1], len(starts) - 1))

    def rows(begin, end):
        _point_loops.class_log_sums(begin, end, queries, centres, starts, weights, scale, result)

    run_ranges(rows, queries.shape[1], _nanoseconds(queries, centres))
    return result


def plain_point_sums(
    queries: np.ndarray,
    query_labels: np.ndarray,
    centres: np.ndarray,
    starts: np.ndarray,
    weights: np.ndarray,
    scale: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Plain sums (not logarithms) over the centres of the query's class and over all centres."""
    own, everyone = np.zeros((2, queries.shape[1]))

    def rows(begin, end):
        _point_loops.plain_point_sums(
            begin, end, queries, query_labels, centres, starts, weights, scale, own, everyone
        )

    run_ranges(rows, queries.shape[1], _nanoseconds(queries, centres))
    return own, everyone


def regular_pullback(
    queries: np.ndarray, query_labels: np.ndarray, query_weights: np.ndarray, query_own: np.ndarray, query_all: np.ndarray,
    centres: np.ndarray, starts: np.ndarray, weights: np.ndarray, own_slopes: np.ndarray, all_slopes: np.ndarray, scale: float,
) -> np.ndarray:  # fmt: skip
    """Gradient (n_queries, n_dims) from the pairs of queries and centres."""
    gradient = np.zeros(queries.T.shape)

    def rows(begin, end):
        _point_loops.regular_pullback(
            begin, end, queries, query_labels, query_weights, query_own, query_all,
            centres, starts, weights, own_slopes, all_slopes, scale, gradient,
        )  # fmt: skip

    run_ranges(rows, len(gradient), _nanoseconds(queries, centres))
    return gradient


def near_log_sums(
    tiles: Tiles, own_plain: np.ndarray, other_plain: np.ndarray, least: float
) -> tuple[np.ndarray, np.ndarray]:
    """Log-sums at all points of the tiles; sums below ``least`` are computed again."""
    n_dims, n = tiles.arrays[0].shape
    plain = own_plain[tiles.order], other_plain[tiles.order]
    logs = np.empty((2, n))

    def rows(begin, end):
        _tile_loops.log_sums(begin, end, *tiles.arrays, *plain, least, *logs)

    # A sum is computed again from its nearest tiles, after a look at the boxes of all.
    n_again = int((own_plain < least).sum())
    n_tiles = len(tiles.arrays[3]) - 1
    run_ranges(rows, n, 50.0 * n + gaussian_cost(n_again, n_tiles, n_dims))
    result = np.empty((2, n))
    result[:, tiles.order] = logs
    return result[0], result[1]


def near_isolated_pullback(
    tiles: Tiles, isolated: np.ndarray, slopes: tuple[np.ndarray, ...]
) -> np.ndarray:
    """Result of :func:`isolated_pullback`, without terms that are negligible in their sums."""
    points = tiles.arrays[0]
    n_dims, n = points.shape
    position = np.empty(n, dtype=np.int64)
    position[tiles.order] = np.arange(n)
    parts = np.zeros((N_PARTS, n_dims, n))

    def pulls(part):
        _tile_loops.isolated_pullback_of_part(
            part, *tiles.arrays, position[isolated], *slopes, parts[part]
        )

    n_tiles = len(tiles.arrays[3]) - 1
    run_tasks(pulls, range(N_PARTS), gaussian_cost(len(isolated), n_tiles, n_dims))
    gradient = np.empty((n, n_dims))
    gradient[tiles.order] = -2.0 * math.log(2.0) / tiles.unit * parts.sum(axis=0).T
    return gradient


def near_pullback(tiles: Tiles, own_slopes: np.ndarray, all_slopes: np.ndarray) -> np.ndarray:
    """Result of :func:`regular_pullback` for all points of the tiles, without distant pairs."""
    points = tiles.arrays[0]
    parts = np.zeros((N_PARTS, *points.shape))
    slopes = own_slopes[tiles.order], all_slopes[tiles.order]

    def pairs(part):
        _tile_loops.pullback_of_part(part, *tiles.arrays, *slopes, parts[part])

    run_tasks(pairs, range(N_PARTS), _nanoseconds(points, points) / 2)
    gradient = np.empty(points.T.shape)
    # d/dz 2^(-|z / unit|^2) = -2 log(2) 2^(...) z / unit^2.
    gradient[tiles.order] = -2.0 * math.log(2.0) / tiles.unit * parts.sum(axis=0).T
    return gradient


def isolated_pullback(
    isolated: np.ndarray,
    labels: np.ndarray,
    slopes: tuple[np.ndarray, ...],
    coordinates: np.ndarray,
    starts: np.ndarray,
    weights: np.ndarray,
    scale: float,
) -> np.ndarray:
    """Gradient (n, n_dims) at all points from the sums at the points at positions ``isolated``.

    ``slopes`` holds the logarithms and cotangents of the sums over the own class and over all
    points.
    """
    n_parts = min(_point_loops.N_PARTS, len(isolated))
    gradient = np.zeros((n_parts, *coordinates.shape))

    def pulls(part):
        _point_loops.isolated_pullback_of_part(
            part, isolated, labels, *slopes, coordinates, starts, weights, scale, gradient[part]
        )

    run_tasks(pulls, range(n_parts), _nanoseconds(isolated[None], coordinates))
    return -2.0 * scale * gradient.sum(axis=0).T


def isolated_pullback_of_queries(
    isolated: np.ndarray,
    labels: np.ndarray,
    slopes: tuple[np.ndarray, ...],
    centres: np.ndarray,
    starts: np.ndarray,
    weights: np.ndarray,
    scale: float,
) -> np.ndarray:
    """Gradient at isolated points, from their own sums over all centres (of one block).

    ``slopes`` holds the logarithms and cotangents of the sums over the own class and over all
    points.
    """
    gradient = np.zeros(isolated.T.shape)

    def rows(begin, end):
        _point_loops.isolated_pullback_of_queries(
            begin, end, isolated, labels, *slopes, centres, starts, weights, scale, gradient
        )

    run_ranges(rows, len(gradient), _nanoseconds(isolated, centres))
    return gradient


def isolated_pullback_of_members(
    queries: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    isolated: np.ndarray,
    starts: np.ndarray,
    slopes: tuple[np.ndarray, ...],
    scale: float,
) -> np.ndarray:
    """Gradient at every point, from its terms in the sums at the isolated points."""
    gradient = np.zeros(queries.T.shape)

    def rows(begin, end):
        _point_loops.isolated_pullback_of_members(
            begin, end, queries, labels, weights, isolated, starts, *slopes, scale, gradient
        )

    run_ranges(rows, len(gradient), _nanoseconds(queries, isolated))
    return gradient


def _nanoseconds(queries, centres) -> float:
    return gaussian_cost(queries.shape[1], centres.shape[1], len(centres))
