import numpy as np
import pytest
from numpy.testing import assert_allclose

from discrimap.kernel_sums import (
    CauchyKernel,
    GaussianKernel,
    LogKernel,
    PairTerm,
    evaluate_each,
    make_engine,
    make_row_engine,
)
from discrimap.kernel_sums.exact import ExactPairSums
from discrimap.kernel_sums.small_classes import SmallClassesPairSums


def sda_terms(n_classes):
    own = np.full((n_classes, n_classes), 0.1) + np.eye(n_classes)
    return [PairTerm(LogKernel(), own), PairTerm(CauchyKernel(), np.ones_like(own))]


def assert_each_equals_one(engine, Zs, coefficients, rtol=1e-10):
    evaluations = evaluate_each(engine, Zs)
    gradients = evaluations.gradient(coefficients)
    assert gradients.shape == Zs.shape
    assert gradients.dtype == Zs.dtype
    for k, Z in enumerate(Zs):
        alone = engine.evaluate(Z)
        assert_allclose(evaluations.totals[k], alone.totals, rtol=rtol)
        expected = alone.gradient(coefficients[k])
        assert_allclose(gradients[k], expected, rtol=1e-7, atol=rtol * np.abs(expected).max())


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("d", [1, 2, 3, 6])
def test_exact_sums_of_each_map_equal_those_of_one(d, is_weighted, blobs, rng):
    Z, labels = blobs(90, d)
    weights = rng.uniform(0.5, 2.0, 90) if is_weighted else None
    mixing = rng.random((4, 4))
    terms = [*sda_terms(4), PairTerm(GaussianKernel(0.7), mixing + mixing.T)]
    engine = make_engine(labels, terms, d, weights, "exact")
    # One map is so wide that one logarithm has few factors.
    Zs = np.array([Z, 1e6 * Z, -0.3 * Z[::-1], np.zeros_like(Z), rng.standard_normal(Z.shape)])
    assert_each_equals_one(engine, Zs, rng.standard_normal((5, 3)))


def test_ranges_of_rows_that_span_maps_change_nothing(blobs, monkeypatch, rng):
    from discrimap import threads

    Z, labels = blobs(50)
    engine = make_engine(labels, sda_terms(4), 2, engine="exact")
    Zs = Z + rng.standard_normal((7, *Z.shape))
    coefficients = rng.standard_normal((7, 2))
    serial = evaluate_each(engine, Zs)
    monkeypatch.setattr(threads, "available_threads", lambda: 3)
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 1.0)
    parallel = evaluate_each(engine, Zs)
    assert_allclose(parallel.totals, serial.totals, rtol=0)
    assert_allclose(parallel.gradient(coefficients), serial.gradient(coefficients), rtol=0)


@pytest.mark.parametrize("kind", ["fourier", "small classes", "rows"])
def test_other_engines_are_evaluated_map_by_map(kind, blobs, rng):
    n_classes = 30 if kind == "small classes" else 4
    Z, labels = blobs(900 if kind == "small classes" else 200, n_classes=n_classes)
    if kind == "rows":
        engine = make_row_engine(labels, sda_terms(n_classes)[0], 2, engine="exact")
    elif kind == "fourier":
        engine = make_engine(labels, sda_terms(n_classes), 2, engine="fourier")
    else:
        layout = make_engine(labels, sda_terms(n_classes), 2, engine="exact").layout
        engine = SmallClassesPairSums(layout, sda_terms(n_classes), 1e-6)
    assert not isinstance(engine, ExactPairSums)
    Zs = Z + rng.standard_normal((3, *Z.shape))
    assert_each_equals_one(engine, Zs, rng.standard_normal((3, 2)))


def test_float32_maps_have_float32_gradients(blobs, rng):
    Z, labels = blobs(60)
    engine = make_engine(labels, sda_terms(4), 2, engine="exact")
    Zs = np.array([Z, 2 * Z], dtype=np.float32)
    before = Zs.copy()
    assert_each_equals_one(engine, Zs, rng.standard_normal((2, 2)), rtol=1e-6)
    assert (Zs == before).all()


def test_a_map_that_has_diverged_is_refused(blobs):
    Z, labels = blobs(20)
    engine = make_engine(labels, sda_terms(4), 2, engine="exact")
    Zs = np.array([Z, np.where(np.arange(20)[:, None] == 3, np.inf, Z)])
    with pytest.raises(ValueError, match="the projection has diverged"):
        evaluate_each(engine, Zs)
