"""Sums over the pairs within the reach of a narrow kernel."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from discrimap.kernel_sums import make_point_engine
from discrimap.kernel_sums._tile_loops import near_points
from discrimap.kernel_sums.exact import ExactPointSums
from discrimap.kernel_sums.layout import ClassLayout
from discrimap.kernel_sums.tiles import TILE_POINTS, Tiles

TOL = 1e-6
by_dimension = pytest.mark.parametrize("d", [1, 2, 3, 5, 12])


def wide_points(rng, n_samples, d):
    """Points of three classes that spread over many bandwidths, and one far from all others."""
    labels = rng.integers(0, 3, n_samples)
    Z = 30.0 * rng.standard_normal((n_samples, d))
    Z[:20] = Z[20:40] + 0.1 * rng.standard_normal((20, d))
    Z[0] += 300.0
    return Z, labels


def tiles_of(Z, scale=0.5, largest=90.0):
    n = len(Z)
    return Tiles(np.ascontiguousarray(Z.T), np.zeros(n, dtype=int), np.ones(n), scale, largest)


@by_dimension
@pytest.mark.parametrize("is_weighted", [False, True])
def test_sums_without_distant_pairs_equal_those_of_all_pairs(d, is_weighted, rng):
    Z, labels = wide_points(rng, 300, d)
    weights = rng.random(300) if is_weighted else None
    layout = ClassLayout(labels, d, weights)
    near = ExactPointSums(layout, 1.0, TOL).evaluate(Z)
    full = make_point_engine(labels, 1.0, d, weights, "exact").evaluate(Z)
    assert_allclose(near.own, full.own, atol=TOL, rtol=1e-12)
    assert_allclose(near.all, full.all, atol=TOL, rtol=1e-12)
    a, b = rng.standard_normal((2, 300))
    expected = full.pullback(a, b)
    assert np.linalg.norm(near.pullback(a, b) - expected) < TOL * np.linalg.norm(expected)


@by_dimension
def test_all_pairs_within_reach_are_in_near_tiles(d, rng):
    Z, _ = wide_points(rng, 200, d)
    tiles = tiles_of(Z)
    points, _, _, bounds, low, high, most_squared = tiles.arrays
    assert_allclose(points.T * tiles.unit, Z[tiles.order])
    is_visited = np.zeros((200, 200), dtype=bool)
    near = np.empty(200, dtype=np.int64)
    for tile in range(len(bounds) - 1):
        n_near = near_points(tile, bounds, low, high, most_squared, near)
        is_visited[bounds[tile] : bounds[tile + 1], near[:n_near]] = True
    squared = ((Z[tiles.order][:, None] - Z[tiles.order]) ** 2).sum(axis=-1)
    is_within = 0.5 * squared <= 90.0
    assert (is_visited | is_visited.T)[is_within].all()


def test_points_keep_their_order_within_the_reach_of_a_wide_kernel(rng):
    Z = rng.standard_normal((100, 2))
    assert tiles_of(Z).order == slice(None)
    assert len(tiles_of(Z).arrays[3]) == math.ceil(100 / TILE_POINTS) + 1


def test_tiles_of_neighbours_are_small(rng):
    Z = 100.0 * rng.standard_normal((2000, 2))
    tiles = tiles_of(Z)
    sizes = (tiles.arrays[5] - tiles.arrays[4]) * tiles.unit
    # Tiles of points in random order would span most of the points.
    assert np.median(sizes) < 0.2 * np.ptp(Z, axis=0).min()


@pytest.mark.parametrize("d", [2, 4])
def test_auto_uses_near_pairs_for_narrow_kernels(d, rng):
    Z, labels = wide_points(rng, 1500, d)
    auto = make_point_engine(labels, 0.5, d, tol=TOL).evaluate(Z)
    full = make_point_engine(labels, 0.5, d, engine="exact").evaluate(Z)
    assert_allclose(auto.own, full.own, atol=TOL, rtol=1e-12)
    assert_allclose(auto.all, full.all, atol=TOL, rtol=1e-12)
