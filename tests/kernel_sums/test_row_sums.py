import numpy as np
import pytest
from numpy.testing import assert_allclose

from discrimap.kernel_sums import LogKernel, PairTerm, make_row_engine
from discrimap.kernel_sums.layout import ClassLayout
from discrimap.kernel_sums.row_sums import ExactRowEvaluation, FourierRowEvaluation
from discrimap.kernel_sums.small_row_classes import SmallClassesRowSums

ENGINES = ["exact", "fourier", "auto"]
by_engine = pytest.mark.parametrize("engine", ENGINES)
by_dimension = pytest.mark.parametrize("d", [1, 2, 3])


def naive_totals(Z, labels, mixing, weights):
    attraction = logs = 0.0
    for i in range(len(Z)):
        row = 0.0
        for j in range(len(Z)):
            squared = ((Z[i] - Z[j]) ** 2).sum()
            attraction += weights[i] * weights[j] * mixing[labels[i], labels[j]] * np.log1p(squared)
            row += weights[j] / (1 + squared)
        logs += weights[i] * np.log(row)
    return [attraction, logs]


def naive_gradient(Z, labels, mixing, coefficients, weights):
    n = len(Z)
    kernel = np.array([[1 / (1 + ((a - b) ** 2).sum()) for b in Z] for a in Z])
    rows = kernel @ weights
    gradient = np.zeros_like(Z)
    for i in range(n):
        for j in range(n):
            pair = weights[i] * weights[j] * (Z[i] - Z[j])
            gradient[i] += 4 * coefficients[0] * mixing[labels[i], labels[j]] * kernel[i, j] * pair
            both = 1 / rows[i] + 1 / rows[j]
            gradient[i] -= 2 * coefficients[1] * both * kernel[i, j] ** 2 * pair
    return gradient


def general_mixing(rng, n_classes=4):
    mixing = rng.random((n_classes, n_classes))
    return mixing + mixing.T


def relative_error(found, expected):
    return np.linalg.norm(found - expected) / np.linalg.norm(expected)


def evaluation(Z, labels, mixing, engine="exact", weights=None, tol=1e-7):
    term = PairTerm(LogKernel(), mixing)
    return make_row_engine(labels, term, Z.shape[1], weights, engine, tol).evaluate(Z)


@pytest.mark.parametrize("d", [1, 2, 3, 6])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_exact_equals_a_naive_loop(d, is_weighted, blobs, rng):
    Z, labels = blobs(60, d)
    mixing = general_mixing(rng)
    weights = rng.random(60) if is_weighted else np.ones(60)
    found = evaluation(Z, labels, mixing, weights=weights if is_weighted else None)
    assert_allclose(found.totals, naive_totals(Z, labels, mixing, weights), rtol=1e-10)
    for coefficients in ([0.3, 0.0], [0.0, 1.0], [0.3, -2.0]):
        expected = naive_gradient(Z, labels, mixing, coefficients, weights)
        assert relative_error(found.gradient(coefficients), expected) < 1e-10


@by_engine
@by_dimension
def test_gradient_is_the_derivative_of_the_totals(engine, d, blobs, rng, central_difference):
    Z, labels = blobs(80, d)
    mixing, coefficients = general_mixing(rng) / 80**2, np.array([1.0, 1 / 80])
    gradient = evaluation(Z, labels, mixing, engine, tol=1e-9).gradient(coefficients)
    # A random direction, tilted so that the slope is not a small difference of large numbers.
    direction = rng.standard_normal(Z.shape) + 10 * gradient / np.linalg.norm(gradient)

    def value(t):
        moved = Z + t * direction
        return coefficients @ evaluation(moved, labels, mixing, engine, tol=1e-9).totals

    assert_allclose(np.vdot(gradient, direction), central_difference(value, 1e-3), rtol=1e-6)


def assert_near_exact(Z, labels, mixing, tol, weights=None):
    """Compare the Fourier engine with the exact one, and return its evaluation."""
    exact = evaluation(Z, labels, mixing, weights=weights)
    fourier = evaluation(Z, labels, mixing, "fourier", weights, tol)
    total_weight = len(Z) if weights is None else weights.sum()
    assert_allclose(fourier.totals[0], exact.totals[0], rtol=tol)
    assert_allclose(fourier.totals[1], exact.totals[1], rtol=0, atol=tol * total_weight)
    for coefficients in ([1, 0], [0, 1], [0.5, -2]):
        assert relative_error(fourier.gradient(coefficients), exact.gradient(coefficients)) < tol
    return fourier


@by_dimension
@pytest.mark.parametrize("tol", [1e-3, 1e-5, 1e-7, 1e-9])
@pytest.mark.parametrize("shape", ["own and shared", "general"])
def test_fourier_equals_exact_to_the_tolerance(d, tol, shape, blobs, rng):
    Z, labels = blobs(200, d, spread=5.0)
    mixing = np.eye(4) + 0.1 if shape == "own and shared" else general_mixing(rng)
    fourier = assert_near_exact(Z, labels, mixing, tol, rng.uniform(0.1, 3.0, 200))
    assert isinstance(fourier, FourierRowEvaluation)


@by_dimension
def test_far_points_are_summed_exactly(d, blobs, rng):
    Z, labels = blobs(2000, d)
    Z[rng.choice(2000, 2, replace=False)] *= 30_000 if d == 1 else 300
    fourier = assert_near_exact(Z, labels, general_mixing(rng), 1e-6)
    assert isinstance(fourier, FourierRowEvaluation)
    assert not fourier._is_core.all()


def test_spectra_in_batches_give_the_same(blobs, monkeypatch):
    from discrimap.kernel_sums import fourier

    Z, labels = blobs(300, n_classes=5)
    mixing = np.eye(5) + 0.2
    whole = evaluation(Z, labels, mixing, "fourier")
    monkeypatch.setattr(fourier, "SPECTRA_BYTES", 1)
    parts = evaluation(Z, labels, mixing, "fourier")
    assert len(parts._batches) == 3
    assert_allclose(parts.totals, whole.totals, rtol=1e-12)
    assert_allclose(parts.gradient([1.0, 0.5]), whole.gradient([1.0, 0.5]), rtol=1e-9, atol=1e-9)


def test_points_too_far_apart_for_a_grid_are_summed_exactly(blobs):
    Z, labels = blobs(50)
    found = evaluation(1e6 * Z, labels, np.eye(4), "fourier")
    assert isinstance(found, ExactRowEvaluation)
    assert_allclose(found.totals[1], 0.0, atol=1e-3)  # every sum is that of the point itself


def test_auto_uses_a_series_for_many_points(blobs):
    Z, labels = blobs(20_000)
    assert isinstance(evaluation(Z, labels, np.eye(4), "auto", tol=1e-3), FourierRowEvaluation)


def mixing_of_sizes(sizes, epsilon=0.01):
    """Mixing matrix of normalised rows, for classes of given sizes."""
    targets = np.eye(len(sizes)) * (1 - epsilon) + epsilon
    conditional = targets / (targets @ sizes)[:, None]
    return conditional + conditional.T


@by_dimension
@pytest.mark.parametrize("kind", ["balanced", "unbalanced", "weighted"])
def test_many_small_classes_equal_exact(d, kind, rng):
    sizes = np.full(40, 12) if kind == "balanced" else rng.integers(3, 30, 40)
    labels = rng.permutation(np.repeat(np.arange(40), sizes))
    weights = rng.uniform(0.1, 2.0, len(labels)) if kind == "weighted" else None
    Z = (2 * rng.standard_normal((40, d)))[labels] + 0.3 * rng.standard_normal((len(labels), d))
    Z = Z / 3 if d == 3 else Z
    term = PairTerm(LogKernel(), mixing_of_sizes(sizes))
    assert SmallClassesRowSums.suits(term)
    exact = make_row_engine(labels, term, d, weights, "exact").evaluate(Z)
    small = SmallClassesRowSums(ClassLayout(labels, d, weights), term, 1e-7)
    assert small.is_divided == (kind != "balanced")
    found = small.evaluate(Z)
    assert_allclose(found.totals, exact.totals, rtol=1e-7)
    for coefficients in ([1, 0], [0, 1], [0.5, -2]):
        expected = exact.gradient(coefficients)
        assert relative_error(found.gradient(coefficients), expected) < 1e-7


def test_auto_visits_small_classes_only_where_the_matrix_allows_it(rng):
    labels = np.arange(20_000) % 200
    for mixing, expected in (
        (mixing_of_sizes(rng.uniform(90, 110, 200)), True),
        (general_mixing(rng, 200), False),
    ):
        engine = make_row_engine(labels, PairTerm(LogKernel(), mixing), 2)
        assert isinstance(engine, SmallClassesRowSums) == expected
    assert not SmallClassesRowSums.suits(PairTerm(LogKernel(), np.eye(2)))


@by_engine
def test_a_weight_equals_repetition(engine, blobs, rng):
    Z, labels = blobs(60)
    times = rng.integers(0, 4, 60)
    mixing = general_mixing(rng)
    weighted = evaluation(Z, labels, mixing, engine, times)
    repeated = evaluation(np.repeat(Z, times, axis=0), np.repeat(labels, times), mixing, engine)
    assert_allclose(weighted.totals, repeated.totals, rtol=1e-6)
    gathered = np.zeros_like(Z)
    np.add.at(gathered, np.repeat(np.arange(60), times), repeated.gradient([0.3, 1.0]))
    assert relative_error(weighted.gradient([0.3, 1.0]), gathered) < 1e-6


@by_engine
def test_the_order_of_points_is_kept_and_float32_too(engine, blobs, rng):
    Z, labels = blobs(100)
    order = rng.permutation(100)
    plain = evaluation(Z, labels, np.eye(4) + 0.1, engine)
    other = evaluation(Z[order].astype(np.float32), labels[order], np.eye(4) + 0.1, engine)
    assert_allclose(other.totals, plain.totals, rtol=1e-5)
    gradient = other.gradient([0.01, 1.0])
    assert gradient.dtype == np.float32
    assert relative_error(gradient, plain.gradient([0.01, 1.0])[order]) < 1e-5


def test_sums_below_the_error_of_a_series_have_logarithms(rng):
    # The sums at points of little weight, far from the others, would be negative by the error of the series.
    Z = np.r_[np.zeros(500), rng.uniform(100, 1000, 100)][:, None]
    labels, weights = np.zeros(600, dtype=int), np.repeat([1.0, 1e-9], [500, 100])
    found = evaluation(Z, labels, np.eye(1), "fourier", weights, tol=0.1)
    assert isinstance(found, FourierRowEvaluation)
    assert np.isfinite(found.totals).all()
    assert np.isfinite(found.gradient([1.0, 1.0])).all()
