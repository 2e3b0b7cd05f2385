"""Samples in memory: labels, extents, and few rows that represent many samples."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from discrimap import PLSDA, StochasticDiscriminantAnalysis
from discrimap.samples import in_memory
from discrimap.samples.in_memory import ArraySamples
from discrimap.samples.validation import validate_labelled


@pytest.fixture(params=[np.float64, np.float32])
def many(request, rng):
    y = rng.integers(0, 4, 3000)
    X = rng.standard_normal((4, 6))[y] + rng.standard_normal((3000, 6)) * [5, 1, 1, 1, 1, 0.01]
    return (X + 100).astype(request.param), y


class TestFewRows:
    @pytest.fixture
    def stand_for_many(self, monkeypatch):
        monkeypatch.setattr(in_memory, "MANY_SAMPLES", 1000)

    def test_their_map_is_that_of_all(self, many, request):
        X, y = many
        expected = PLSDA(3).fit(X, y)
        request.getfixturevalue("stand_for_many")
        assert len(ArraySamples(X, y).centred_with_codes()[0]) == 20
        pls = PLSDA(3).fit(X, y)
        tolerance = 1e-4 if X.dtype == np.float32 else 1e-7
        for name in ("components_", "mean_", "coef_", "intercept_", "vip_"):
            got, known = getattr(pls, name), getattr(expected, name)
            assert got.dtype == known.dtype
            assert_allclose(got, known, rtol=0, atol=tolerance * np.abs(known).max(), err_msg=name)

    @pytest.mark.usefixtures("stand_for_many")
    def test_more_components_than_directions_are_refused(self, rng):
        y = rng.integers(0, 4, 3000)
        X = rng.standard_normal((3000, 2)) + rng.standard_normal((4, 2))[y]
        with pytest.raises(ValueError, match="exceeds the"):
            PLSDA(3).fit(X @ rng.standard_normal((2, 5)), y)

    @pytest.mark.usefixtures("stand_for_many")
    def test_classes_of_equal_means_are_refused(self, rng):
        half = rng.standard_normal((1500, 5)) + 10
        X, y = np.vstack([half, rng.permutation(half)]), np.repeat([0, 1], 1500)
        with pytest.raises(ValueError, match="same mean"):
            PLSDA().fit(X, y)

    @pytest.mark.usefixtures("stand_for_many")
    def test_wide_samples_are_taken_as_they_are(self, rng):
        samples = ArraySamples(rng.standard_normal((1200, 25)), np.arange(1200) % 3)
        assert len(samples.centred_with_codes()[0]) == 1200


def test_the_extents_that_validation_found_are_remembered(rng, monkeypatch):
    X, y = rng.standard_normal((30, 2)), np.arange(30) % 2
    samples = validate_labelled(StochasticDiscriminantAnalysis(), X, y)
    monkeypatch.setattr(in_memory, "value_range", None)
    assert_array_equal(samples.value_range(), [X.min(axis=0), X.max(axis=0)])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_of_a_class_are_seen_from_the_origin(dtype, rng):
    X, y = rng.standard_normal((30_000, 20)).astype(dtype), rng.integers(0, 2, 30_000)
    origin = rng.standard_normal(20)
    rows = ArraySamples(X, y).class_rows(1, origin)
    assert rows.dtype == np.float64
    assert_array_equal(rows, X[y == 1] - origin)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_few_rows_have_the_products_of_a_large_class(dtype, rng):
    scales = np.logspace(-3, 3, 6)
    X = ((rng.standard_normal((20_000, 6)) + 1e3) * scales).astype(dtype)
    y, origin = rng.integers(0, 2, 20_000), 1e3 * scales
    rows = ArraySamples(X, y).class_rows(1, origin, only_products=True)
    about_origin = X[y == 1] - origin
    assert rows.shape == (6, 6)
    size = np.linalg.norm(about_origin, axis=0)
    difference = rows.T @ rows - about_origin.T @ about_origin
    assert np.abs(difference / np.outer(size, size)).max() < 1e-12


def test_small_classes_keep_their_samples(rng):
    X, y = rng.standard_normal((60, 3)), rng.integers(0, 2, 60)
    rows = ArraySamples(X, y).class_rows(1, np.zeros(3), only_products=True)
    assert_array_equal(rows, X[y == 1])


@pytest.mark.parametrize(
    "y",
    [
        np.array([3, -1, 3, 7, -1] * 5),
        np.array([127, -128, 0] * 300, dtype=np.int8),
        np.array([5, 5, 6, 6], dtype=np.uint8),
        np.array([2**63 + 5, 2**63 + 6] * 3, dtype=np.uint64),
        np.array([-(2**62), 2**62, 0] * 2),
    ],
)
def test_whole_numbers_are_encoded_as_by_sorting(y, rng):
    samples = validate_labelled(PLSDA(), rng.standard_normal((len(y), 2)), y)
    classes, labels = np.unique(y, return_inverse=True)
    assert_array_equal(samples.classes, classes)
    assert_array_equal(samples.labels, labels)
    assert samples.classes.dtype == y.dtype
    assert samples.labels.dtype == np.intp


def test_whole_numbers_that_are_hardly_classes_are_warned_of(rng):
    with pytest.warns(UserWarning, match="unique classes"):
        validate_labelled(PLSDA(), rng.standard_normal((30, 2)), np.arange(30))


def test_different_samples_are_counted_among_the_first_or_among_all():
    X = np.zeros((1000, 3))
    samples = ArraySamples(X, np.zeros(1000, dtype=int))
    assert samples.count_distinct(6) == 1
    X[-7:] = np.arange(21).reshape(7, 3)
    assert samples.count_distinct(6) == 7 + (X[-7] != 0).any()
    X[:20] = np.arange(60).reshape(20, 3)
    assert samples.count_distinct(6) >= 6
