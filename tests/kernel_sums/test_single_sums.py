import numpy as np
import pytest
from numpy.testing import assert_allclose

from discrimap.kernel_sums import _single_loops, make_point_engine
from discrimap.kernel_sums._single_loops import LEAST_EXPONENT
from discrimap.kernel_sums.single import EXACT_TOL, LEAST_SUM, MANY, MOST_POINTS, SINGLE_TOL

by_dimension = pytest.mark.parametrize("d", [1, 2, 3, 5])


def both_engines(labels, bandwidth, d):
    single = make_point_engine(labels, bandwidth, d, tol=SINGLE_TOL)
    assert single.name == "single"
    return single, make_point_engine(labels, bandwidth, d, engine="exact")


@by_dimension
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_single_sums_equal_exact_ones(d, offset, blobs, rng):
    # More points than a tile holds, one far from all others and one alone in its class.
    Z, labels = blobs(700, d)
    Z[3] += 100.0
    labels[5] = labels.max() + 1
    single, exact = both_engines(labels, 0.4, d)
    found, expected = single.evaluate(Z + offset), exact.evaluate(Z + offset)
    assert_allclose(found.own, expected.own, atol=SINGLE_TOL)
    assert_allclose(found.all, expected.all, atol=SINGLE_TOL)
    a, b = rng.standard_normal((2, len(Z)))
    error = found.pullback(a, b) - expected.pullback(a, b)
    assert np.linalg.norm(error) < SINGLE_TOL * np.linalg.norm(expected.pullback(a, b))


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_cotangents_of_any_size_neither_vanish_nor_overflow(scale, blobs):
    Z, labels = blobs(200, 2)
    single, exact = both_engines(labels, 0.4, 2)
    found = single.evaluate(Z).log_ratio_gradient(scale)
    expected = exact.evaluate(Z).log_ratio_gradient(scale)
    assert_allclose(found, expected, atol=SINGLE_TOL * np.abs(expected).max())


def test_where_single_precision_would_fail_the_sums_are_exact(blobs):
    Z, labels = blobs(200, 2)
    # Coordinates without enough digits, and too many points whose sums underflow.
    for points, bandwidth in ((Z + 1e4 * (labels == 0)[:, None], 0.3), (Z, 1e-3)):
        single, exact = both_engines(labels, bandwidth, 2)
        found, expected = single.evaluate(points), exact.evaluate(points)
        assert_allclose(found.own, expected.own, rtol=1e-12, atol=EXACT_TOL)
        gradient = expected.log_ratio_gradient(1.0)
        # Pairs far apart are left out, so that tiny entries of the gradient may become zero.
        atol = EXACT_TOL * np.abs(gradient).max()
        assert_allclose(found.log_ratio_gradient(1.0), gradient, atol=atol)
    assert (expected.own < np.log(LEAST_SUM)).mean() > MANY


def test_kernels_are_zero_or_so_large_that_their_products_are_normal_numbers(blobs, monkeypatch):
    stored = []

    def keep(*arguments):
        all_pulls(*arguments)
        stored.append(arguments[-2])

    all_pulls = _single_loops.all_pulls
    monkeypatch.setattr(_single_loops, "all_pulls", keep)
    Z, labels = blobs(700, 2)
    single, _ = both_engines(labels, 0.15, 2)
    single.evaluate(Z).log_ratio_gradient(1.0)
    (kernels,) = stored
    assert 0.01 < (kernels == 0).mean() < 1
    assert kernels[kernels > 0].min() >= 2.0**LEAST_EXPONENT
    # What is left out of a sum does not change its logarithm by the tolerance.
    assert MOST_POINTS * 2.0**LEAST_EXPONENT < SINGLE_TOL * LEAST_SUM


def test_single_precision_is_for_few_points_without_weights_and_low_accuracy(blobs):
    Z, labels = blobs(100, 2)
    assert make_point_engine(labels, 1.0, 2).name != "single"
    assert make_point_engine(labels, 1.0, 2, engine="exact", tol=1e-3).name == "exact"
    weighted = make_point_engine(labels, 1.0, 2, np.full(len(Z), 2.0), tol=1e-3)
    assert weighted.name != "single"
    many = np.tile(labels, 30)
    assert make_point_engine(many, 1.0, 2, tol=1e-3).name != "single"
