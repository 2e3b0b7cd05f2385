import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import ortho_group

from discrimap.kernel_sums import CauchyKernel, GaussianKernel, LogKernel, PairTerm, make_engine
from discrimap.kernel_sums._pair_loops import TILE
from discrimap.kernel_sums.exact import MOST_FACTORS, ExactEvaluation, factors_per_log
from discrimap.kernel_sums.fourier import FourierEvaluation
from discrimap.kernel_sums.small_classes import SmallClassesPairSums

KERNELS = [LogKernel(), CauchyKernel(), GaussianKernel(0.8)]
# Each engine with the relative accuracy that it promises at the tolerance used here.
ENGINES = [("exact", 1e-10), ("fourier", 1e-7), ("auto", 1e-7)]
by_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: type(k).__name__)
by_engine = pytest.mark.parametrize(("engine", "accuracy"), ENGINES, ids=[e[0] for e in ENGINES])
by_dimension = pytest.mark.parametrize("d", [1, 2, 3])


def naive_totals(Z, labels, terms, weights=None):
    weights = np.ones(len(Z)) if weights is None else weights
    totals = np.zeros(len(terms))
    for k, term in enumerate(terms):
        for i in range(len(Z)):
            for j in range(len(Z)):
                value = term.kernel.value(((Z[i] - Z[j]) ** 2).sum())
                totals[k] += weights[i] * weights[j] * term.mixing[labels[i], labels[j]] * value
    return totals


def naive_gradient(Z, labels, terms, coefficients, weights=None):
    weights = np.ones(len(Z)) if weights is None else weights
    gradient = np.zeros_like(Z)
    for coefficient, term in zip(coefficients, terms, strict=True):
        for i in range(len(Z)):
            for j in range(len(Z)):
                slope = term.kernel.derivative(((Z[i] - Z[j]) ** 2).sum())
                factor = weights[i] * weights[j] * term.mixing[labels[i], labels[j]]
                gradient[i] += 4 * coefficient * factor * slope * (Z[i] - Z[j])
    return gradient


def general_mixing(rng, n_classes):
    mixing = rng.random((n_classes, n_classes))
    return mixing + mixing.T


def sda_terms(n_classes, epsilon=0.1):
    same = (1 - epsilon) * np.eye(n_classes) + epsilon
    return [PairTerm(LogKernel(), same), PairTerm(CauchyKernel(), np.ones((n_classes, n_classes)))]


def relative_error(found, expected):
    return np.linalg.norm(found - expected) / np.linalg.norm(expected)


@pytest.mark.parametrize("d", [1, 2, 3, 6])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_exact_equals_a_naive_loop(d, is_weighted, blobs, rng):
    Z, labels = blobs(60, d)
    terms = [PairTerm(kernel, general_mixing(rng, 4)) for kernel in KERNELS]
    weights = rng.random(60) if is_weighted else None
    evaluation = make_engine(labels, terms, d, weights, "exact").evaluate(Z)
    assert_allclose(evaluation.totals, naive_totals(Z, labels, terms, weights), rtol=1e-10)
    coefficients = [0.3, -1.0, 2.0]
    expected = naive_gradient(Z, labels, terms, coefficients, weights)
    assert relative_error(evaluation.gradient(coefficients), expected) < 1e-10


def test_exact_crosses_tile_boundaries(rng):
    # More points of one class than a tile holds, against plain matrices.
    labels = np.repeat([0, 1], [1100, 3])
    Z = rng.standard_normal((1103, 2))
    squared = ((Z[:, None] - Z[None]) ** 2).sum(axis=2)
    terms = [PairTerm(kernel, np.ones((2, 2))) for kernel in KERNELS]
    totals = make_engine(labels, terms, 2, engine="exact").evaluate(Z).totals
    assert_allclose(totals, [kernel.value(squared).sum() for kernel in KERNELS], rtol=1e-11)


@by_kernel
@by_engine
@by_dimension
@pytest.mark.parametrize("mixing", ["own", "all", "general"])
def test_gradient_is_the_derivative_of_the_totals(
    kernel, engine, accuracy, d, mixing, blobs, rng, central_difference
):
    Z, labels = blobs(80, d)
    matrix = {"own": np.eye(4), "all": np.ones((4, 4)), "general": general_mixing(rng, 4)}[mixing]
    tol = min(accuracy, 1e-9)
    sums = make_engine(labels, [PairTerm(kernel, matrix)], d, engine=engine, tol=tol)
    gradient = sums.evaluate(Z).gradient([1.0])
    # A random direction, tilted so that the slope is not a small difference of large numbers.
    direction = rng.standard_normal(Z.shape) + 10 * gradient / np.linalg.norm(gradient)
    slope = central_difference(lambda t: sums.evaluate(Z + t * direction).totals[0], 1e-3)
    assert_allclose(np.vdot(gradient, direction), slope, rtol=1e-6)


@by_kernel
@by_dimension
@pytest.mark.parametrize("tol", [1e-3, 1e-5, 1e-7, 1e-9])
def test_fourier_equals_exact_to_the_tolerance(kernel, d, tol, blobs, rng):
    Z, labels = blobs(200, d, spread=5.0)
    terms = [PairTerm(kernel, np.eye(4)), PairTerm(kernel, general_mixing(rng, 4))]
    exact = make_engine(labels, terms, d, engine="exact").evaluate(Z)
    fourier = make_engine(labels, terms, d, engine="fourier", tol=tol).evaluate(Z)
    assert isinstance(fourier, FourierEvaluation)
    assert_allclose(fourier.totals, exact.totals, rtol=tol)
    for coefficients in ([1, 0], [0, 1], [0.5, -2]):
        expected = exact.gradient(coefficients)
        assert relative_error(fourier.gradient(coefficients), expected) < tol


@by_kernel
@by_engine
def test_a_weight_equals_repetition(kernel, engine, accuracy, blobs, rng):
    Z, labels = blobs(60)
    times = rng.integers(0, 4, 60)
    terms = [PairTerm(kernel, general_mixing(rng, 4))]
    weighted = make_engine(labels, terms, 2, times, engine, 1e-7).evaluate(Z)
    repeated = make_engine(np.repeat(labels, times), terms, 2, engine=engine, tol=1e-7).evaluate(
        np.repeat(Z, times, axis=0)
    )
    assert_allclose(weighted.totals, repeated.totals, rtol=2 * accuracy)
    gathered = np.zeros_like(Z)
    np.add.at(gathered, np.repeat(np.arange(60), times), repeated.gradient([1.0]))
    assert relative_error(weighted.gradient([1.0]), gathered) < 4 * accuracy


@by_kernel
@by_engine
@by_dimension
def test_motions_change_nothing(kernel, engine, accuracy, d, blobs, rng):
    Z, labels = blobs(100, d, spread=1.0)
    sums = make_engine(labels, [PairTerm(kernel, np.eye(4) + 0.2)], d, engine=engine, tol=1e-7)
    rotation = ortho_group.rvs(d, random_state=1) if d > 1 else -np.eye(1)
    here, there = sums.evaluate(Z), sums.evaluate(Z @ rotation + 7.0)
    assert_allclose(there.totals, here.totals, rtol=2 * accuracy)
    assert relative_error(there.gradient([1.0]), here.gradient([1.0]) @ rotation) < 4 * accuracy


@by_kernel
@by_engine
def test_the_order_of_the_points_changes_nothing(kernel, engine, accuracy, blobs, rng):
    Z, labels = blobs(100)
    order = rng.permutation(100)
    terms = [PairTerm(kernel, np.eye(4) + 0.2)]
    here = make_engine(labels, terms, 2, engine=engine, tol=1e-7).evaluate(Z)
    there = make_engine(labels[order], terms, 2, engine=engine, tol=1e-7).evaluate(Z[order])
    assert_allclose(there.totals, here.totals, rtol=2 * accuracy)
    assert relative_error(there.gradient([1.0]), here.gradient([1.0])[order]) < 4 * accuracy


@by_engine
@pytest.mark.parametrize("distance", [1e3, 1e8])
@by_dimension
def test_a_lone_far_point_is_no_trouble(engine, accuracy, distance, d, blobs):
    Z, labels = blobs(300, d, spread=0.5)
    Z[7] += distance
    terms = sda_terms(4)
    exact = make_engine(labels, terms, d, engine="exact").evaluate(Z)
    found = make_engine(labels, terms, d, engine=engine, tol=1e-7).evaluate(Z)
    if engine == "fourier":
        assert isinstance(found, FourierEvaluation)
    assert_allclose(found.totals, exact.totals, rtol=1e-7)
    for coefficients in np.eye(2):
        expected = exact.gradient(coefficients)
        assert relative_error(found.gradient(coefficients), expected) < 1e-7


def test_a_grid_too_large_falls_back_to_exact(rng):
    Z = 1e6 * rng.standard_normal((50, 3))
    sums = make_engine(rng.integers(0, 2, 50), sda_terms(2), 3, engine="fourier")
    assert isinstance(sums.evaluate(Z), ExactEvaluation)


@by_kernel
@by_engine
@pytest.mark.parametrize("n_samples", [1, 2, 40])
def test_coinciding_points_have_no_gradient(kernel, engine, accuracy, n_samples):
    labels = np.arange(n_samples) % 2
    Z = np.full((n_samples, 2), 3.7)
    terms = [PairTerm(kernel, np.ones((2, 2)))]
    evaluation = make_engine(labels, terms, 2, engine=engine).evaluate(Z)
    assert_allclose(evaluation.totals, n_samples**2 * kernel.value(0.0), atol=1e-5 * n_samples**2)
    assert_allclose(evaluation.gradient([1.0]), 0.0, atol=1e-4 * n_samples)


@pytest.mark.parametrize("n_classes", [2, 3, 200])
@pytest.mark.parametrize("mixing", ["shared", "general"])
def test_few_and_many_classes(n_classes, mixing, blobs, rng):
    Z, labels = blobs(400, 2, n_classes, spread=3.0)
    terms = sda_terms(n_classes)
    if mixing == "general":
        terms[0] = PairTerm(LogKernel(), general_mixing(rng, n_classes))
    exact = make_engine(labels, terms, 2, engine="exact").evaluate(Z)
    fourier = make_engine(labels, terms, 2, engine="fourier").evaluate(Z)
    assert_allclose(fourier.totals, exact.totals, rtol=1e-6)
    assert relative_error(fourier.gradient([1, 3]), exact.gradient([1, 3])) < 1e-6


@by_dimension
@pytest.mark.parametrize("is_weighted", [False, True])
def test_many_small_classes_are_taken_apart(d, is_weighted, blobs, rng):
    Z, labels = blobs(2500, d, 90, spread=3.0)
    weights = rng.random(2500) if is_weighted else None
    auto = make_engine(labels, sda_terms(90), d, weights)
    assert isinstance(auto, SmallClassesPairSums)
    found = auto.evaluate(Z)
    exact = make_engine(labels, sda_terms(90), d, weights, engine="exact").evaluate(Z)
    assert_allclose(found.totals, exact.totals, rtol=1e-6)
    assert relative_error(found.gradient([1, 3]), exact.gradient([1, 3])) < 1e-6


def test_small_classes_that_mix_generally_stay_together(blobs, rng):
    _, labels = blobs(2500, 2, 90)
    terms = [PairTerm(LogKernel(), general_mixing(rng, 90)), *sda_terms(90)[1:]]
    assert not isinstance(make_engine(labels, terms, 2), SmallClassesPairSums)


def test_classes_in_batches_equal_classes_together(blobs, monkeypatch):
    Z, labels = blobs(300, 2, 7)
    sums = make_engine(labels, sda_terms(7), 2, engine="fourier")
    together = sums.evaluate(Z)
    monkeypatch.setattr("discrimap.kernel_sums.fourier.SPECTRA_BYTES", 1)
    batched = sums.evaluate(Z)
    assert len(batched._batches) == 4
    assert_allclose(batched.totals, together.totals, rtol=1e-12)
    assert_allclose(batched.gradient([1, 2]), together.gradient([1, 2]), atol=1e-9)


def test_factors_of_one_logarithm_fit_in_a_tile(rng):
    # The compiled loops write that many numbers into an array of the size of a tile.
    near, far = 1e-9 * rng.standard_normal((2, 50)), 1e60 * rng.standard_normal((2, 50))
    assert factors_per_log(near, near) == MOST_FACTORS <= TILE
    assert 1 <= factors_per_log(near, far) <= 3


def test_empty_classes_are_allowed(blobs):
    Z, labels = blobs(100, 2, 2)
    full = make_engine(labels, sda_terms(2), 2, engine="fourier").evaluate(Z)
    gaps = make_engine(3 * labels + 1, sda_terms(6), 2, engine="fourier").evaluate(Z)
    assert_allclose(gaps.totals, full.totals, rtol=1e-9)
    assert_allclose(gaps.gradient([1, 1]), full.gradient([1, 1]), atol=1e-8)


@by_engine
def test_float32_in_float32_out_and_the_input_is_not_touched(engine, accuracy, blobs):
    Z, labels = blobs(90)
    single = Z.astype(np.float32)
    before = single.copy()
    sums = make_engine(labels, sda_terms(4), 2, engine=engine)
    found, expected = sums.evaluate(single), sums.evaluate(single.astype(np.float64))
    assert found.totals.dtype == np.float64
    assert found.gradient([1, 1]).dtype == np.float32
    assert_allclose(found.totals, expected.totals, rtol=1e-12)
    assert_allclose(found.gradient([1, 1]), expected.gradient([1, 1]), rtol=1e-6, atol=1e-4)
    np.testing.assert_array_equal(single, before)


def test_one_engine_serves_boxes_of_any_size(blobs):
    Z, labels = blobs(120)
    sums = make_engine(labels, sda_terms(4), 2, engine="fourier")
    for scale in (1e-8, 1e-3, 1.0, 1.01, 10.0, 0.5):
        exact = make_engine(labels, sda_terms(4), 2, engine="exact").evaluate(scale * Z)
        assert_allclose(sums.evaluate(scale * Z).totals[1], exact.totals[1], rtol=1e-6)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 30), st.integers(1, 3), st.integers(1, 5), st.floats(-3, 1.5), st.integers(0, 99)
)
def test_fourier_equals_exact_on_any_small_problem(n_samples, d, n_classes, log_scale, seed):
    rng = np.random.default_rng(seed)
    Z = 10**log_scale * rng.standard_normal((n_samples, d)) / d
    labels = rng.integers(0, n_classes, n_samples)
    terms = [PairTerm(kernel, general_mixing(rng, n_classes)) for kernel in KERNELS]
    exact = make_engine(labels, terms, d, engine="exact").evaluate(Z)
    fourier = make_engine(labels, terms, d, engine="fourier", tol=1e-5).evaluate(Z)
    # Few points do not average errors out: the bound is that of a single pair.
    assert_allclose(fourier.totals, exact.totals, atol=1e-5 * 2 * n_samples**2)
    assert_allclose(
        fourier.gradient([1, 1, 1]), exact.gradient([1, 1, 1]), atol=1e-4 * 2 * n_samples
    )


def test_auto_is_exact_where_fourier_cannot_be(blobs):
    Z, labels = blobs(50, 5)
    evaluation = make_engine(labels, sda_terms(4), 5).evaluate(Z)
    assert isinstance(evaluation, ExactEvaluation)


def test_auto_is_fourier_for_many_points_in_the_plane(rng):
    Z = rng.standard_normal((30000, 2))
    evaluation = make_engine(rng.integers(0, 3, 30000), sda_terms(3), 2).evaluate(Z)
    assert isinstance(evaluation, FourierEvaluation)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"engine": "fast"}, "engine='fast' is not known"),
        ({"engine": "fourier", "n_components": 4}, "1 to 3 dimensions, but n_components=4"),
        ({"tol": 0.0}, "tol=0.0"),
        ({"tol": float("nan")}, "tol=nan"),
        ({"labels": [0, -1, 1]}, "labels runs from -1 to 1"),
        ({"labels": [0, 1, 2]}, "there are 2 classes"),
        ({"labels": [0.0, 1.0, 1.0]}, "type float64"),
        ({"weights": [1.0, 2.0]}, r"weights has shape \(2,\)"),
        ({"weights": [1.0, 2.0, -1.0]}, "not negative"),
        ({"terms": []}, "at least one term"),
    ],
)
def test_bad_arguments_are_refused(change, message):
    arguments = {"labels": [0, 1, 1], "terms": sda_terms(2), "n_components": 2} | change
    with pytest.raises(ValueError, match=message):
        make_engine(**arguments)


@by_engine
def test_bad_points_are_refused(engine, accuracy):
    sums = make_engine([0, 1, 1], sda_terms(2), 2, engine=engine)
    with pytest.raises(ValueError, match=r"shape \(3, 3\)"):
        sums.evaluate(np.zeros((3, 3)))
    with pytest.raises(ValueError, match="NaN or infinity"):
        sums.evaluate(np.array([[0, 0], [np.nan, 0], [1, 1.0]]))


@pytest.mark.parametrize(
    ("mixing", "message"),
    [
        (np.ones((2, 3)), r"shape \(2, 3\)"),
        ([[1.0, 2.0], [3.0, 1.0]], "not symmetric"),
        ([[1.0, np.nan], [np.nan, 1.0]], "NaN"),
    ],
)
def test_bad_mixing_is_refused(mixing, message):
    with pytest.raises(ValueError, match=message):
        PairTerm(LogKernel(), mixing)


@pytest.mark.parametrize("bandwidth", [0.0, -1.0, np.nan, np.inf, 1e-200])
def test_bad_bandwidths_are_refused(bandwidth):
    with pytest.raises(ValueError, match="bandwidth"):
        GaussianKernel(bandwidth)
