import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp

from discrimap.kernel_sums import class_log_sums, make_point_engine

# Each engine with the accuracy that it promises at the tolerance used here.
ENGINES = [("exact", 1e-10), ("fourier", 1e-7), ("auto", 1e-7)]
by_engine = pytest.mark.parametrize(("engine", "accuracy"), ENGINES, ids=[e[0] for e in ENGINES])
by_dimension = pytest.mark.parametrize("d", [1, 2, 3])


def naive_log_sums(Z, labels, bandwidth, weights=None):
    weights = np.ones(len(Z)) if weights is None else weights
    own, everyone = np.full((2, len(Z)), -np.inf)
    for i in range(len(Z)):
        exponents = -((Z - Z[i]) ** 2).sum(axis=1) / (2 * bandwidth**2)
        others = np.arange(len(Z)) != i
        same = others & (labels == labels[i])
        everyone[i] = logsumexp(exponents[others], b=weights[others])
        if same.any():
            own[i] = logsumexp(exponents[same], b=weights[same])
    return own, everyone


def relative_error(found, expected):
    return np.linalg.norm(found - expected) / np.linalg.norm(expected)


@by_engine
@by_dimension
@pytest.mark.parametrize("is_weighted", [False, True])
def test_log_sums_equal_a_naive_loop(engine, accuracy, d, is_weighted, blobs, rng):
    Z, labels = blobs(120, d)
    weights = rng.random(120) if is_weighted else None
    evaluation = make_point_engine(labels, 0.6, d, weights, engine, 1e-7).evaluate(Z)
    own, everyone = naive_log_sums(Z, labels, 0.6, weights)
    assert_allclose(evaluation.own, own, atol=accuracy, rtol=1e-12)
    assert_allclose(evaluation.all, everyone, atol=accuracy, rtol=1e-12)


@by_engine
@by_dimension
@pytest.mark.parametrize("is_weighted", [False, True])
def test_pullback_is_the_derivative(
    engine, accuracy, d, is_weighted, blobs, rng, central_difference
):
    Z, labels = blobs(80, d)
    Z[3] += 40.0  # a lone point: its density underflows
    weights = 0.5 + rng.random(80) if is_weighted else None
    sums = make_point_engine(labels, 0.6, d, weights, engine, 1e-9)
    a, b = rng.standard_normal((2, 80))

    def value(points):
        evaluation = sums.evaluate(points)
        return a @ evaluation.own + b @ evaluation.all

    gradient = sums.evaluate(Z).pullback(a, b)
    direction = rng.standard_normal(Z.shape) + 10 * gradient / np.linalg.norm(gradient)
    slope = central_difference(lambda t: value(Z + t * direction), 1e-4)
    assert_allclose(np.vdot(gradient, direction), slope, rtol=1e-6)


@by_dimension
@pytest.mark.parametrize("tol", [1e-3, 1e-5, 1e-7, 1e-9])
def test_fourier_equals_exact_with_far_outliers(d, tol, blobs, rng):
    Z, labels = blobs(600, d)
    is_far = rng.random(600) < 0.01
    is_far[0] = True
    Z[is_far] += 50 * rng.standard_normal((is_far.sum(), d))
    exact = make_point_engine(labels, 0.5, d, engine="exact").evaluate(Z)
    fourier = make_point_engine(labels, 0.5, d, engine="fourier", tol=tol).evaluate(Z)
    assert_allclose(fourier.own, exact.own, atol=tol, rtol=1e-12)
    assert_allclose(fourier.all, exact.all, atol=tol, rtol=1e-12)
    a, b = rng.standard_normal((2, 600))
    assert relative_error(fourier.pullback(a, b), exact.pullback(a, b)) < tol


@by_engine
def test_a_class_with_one_point_has_an_empty_sum_and_no_pull(engine, accuracy, rng):
    labels = np.array([0] * 30 + [1])
    Z = rng.standard_normal((31, 2))
    evaluation = make_point_engine(labels, 0.7, 2, engine=engine).evaluate(Z)
    assert np.isneginf(evaluation.own[30])
    assert np.isfinite(evaluation.own[:30]).all()
    only_empty = np.zeros(31)
    only_empty[30] = 1.0
    assert_allclose(evaluation.pullback(only_empty, np.zeros(31)), 0.0, atol=1e-12)


@by_engine
@pytest.mark.parametrize("bandwidth", [1e-4, 1e-9])
def test_every_point_alone_stays_finite(engine, accuracy, bandwidth, blobs):
    Z, labels = blobs(50)
    evaluation = make_point_engine(labels, bandwidth, 2, engine=engine).evaluate(Z)
    own, everyone = naive_log_sums(Z, labels, bandwidth)
    assert_allclose(evaluation.own, own, rtol=1e-9)
    assert_allclose(evaluation.all, everyone, rtol=1e-9)
    gradient = evaluation.pullback(np.ones(50), -np.ones(50))
    assert np.isfinite(gradient).all()
    assert np.abs(gradient).max() > 0


@by_engine
def test_coinciding_points(engine, accuracy):
    labels = np.arange(20) % 2
    evaluation = make_point_engine(labels, 0.5, 2, engine=engine).evaluate(np.ones((20, 2)))
    assert_allclose(evaluation.own, np.log(9), atol=1e-6)
    assert_allclose(evaluation.all, np.log(19), atol=1e-6)
    assert_allclose(evaluation.pullback(np.ones(20), np.ones(20)), 0.0, atol=1e-6)


@by_engine
def test_float32_in_float32_out(engine, accuracy, blobs):
    Z, labels = blobs(70)
    evaluation = make_point_engine(labels, 0.5, 2, engine=engine).evaluate(Z.astype(np.float32))
    assert evaluation.pullback(np.ones(70), np.ones(70)).dtype == np.float32


@by_engine
def test_the_order_of_the_points_changes_nothing(engine, accuracy, blobs, rng):
    Z, labels = blobs(100)
    order = rng.permutation(100)
    a, b = rng.standard_normal((2, 100))
    here = make_point_engine(labels, 0.5, 2, engine=engine, tol=1e-7).evaluate(Z)
    there = make_point_engine(labels[order], 0.5, 2, engine=engine, tol=1e-7).evaluate(Z[order])
    assert_allclose(there.own, here.own[order], atol=2 * accuracy)
    assert relative_error(there.pullback(a[order], b[order]), here.pullback(a, b)[order]) < 1e-6


def test_weights_count_as_repeated_centres(blobs, rng):
    # The point itself is left out, so a repeated point would count its own copies: compare the
    # sums at points of weight one.
    Z, labels = blobs(60)
    times = rng.integers(1, 4, 60)
    weighted = make_point_engine(labels, 0.5, 2, times).evaluate(Z)
    repeated = make_point_engine(np.repeat(labels, times), 0.5, 2).evaluate(
        np.repeat(Z, times, axis=0)
    )
    first = np.concatenate([[0], np.cumsum(times)[:-1]])
    once = times == 1
    assert once.any()
    assert_allclose(weighted.own[once], repeated.own[first][once], atol=1e-6)
    assert_allclose(weighted.all[once], repeated.all[first][once], atol=1e-6)


def test_class_log_sums_equal_logsumexp(rng):
    queries, centres = rng.standard_normal((30, 3)), rng.standard_normal((40, 3))
    queries[0] += 500.0
    labels, weights = rng.integers(0, 3, 40), rng.random(40)
    found = class_log_sums(queries, centres, labels, 0.4, n_classes=4, weights=weights)
    exponents = -((queries[:, None] - centres) ** 2).sum(axis=2) / (2 * 0.4**2)
    for c in range(3):
        expected = logsumexp(exponents[:, labels == c], b=weights[labels == c], axis=1)
        assert_allclose(found[:, c], expected, rtol=1e-10)
    assert np.isneginf(found[:, 3]).all()
