import numpy as np
import pytest

from discrimap.comparison import Protocol
from discrimap.datasets import load
from discrimap.inspection import NamedProblem, cautions
from discrimap.inspection.cautions import ALIKE, likeness_of_neighbours


def test_independent_rows_are_as_far_from_the_next_as_from_others(rng, make_samples):
    y = np.sort(rng.integers(3, size=600))  # a table sorted by class is no table in an order
    samples = make_samples(rng.standard_normal((600, 5)) + 4 * y[:, None], y, "abc")
    assert likeness_of_neighbours(samples) == pytest.approx(1.0, abs=0.15)
    assert cautions(samples, Protocol()) == []


def test_rows_that_change_slowly_are_warned_of(rng, make_samples):
    walk = np.cumsum(rng.standard_normal((600, 5)), axis=0)
    samples = make_samples(walk, (np.arange(600) // 30) % 2, "ab")
    assert likeness_of_neighbours(samples) < 0.1
    (words,) = cautions(samples, Protocol())
    assert "--order" in words
    assert "--groups" in words


def test_missing_values_and_constant_features_do_not_matter(rng, make_samples):
    X = rng.standard_normal((300, 4))
    X[::7, 1], X[:, 2] = np.nan, 3.0
    samples = make_samples(X, np.arange(300) % 2, "ab")
    assert likeness_of_neighbours(samples) is None  # no row is followed by one of its class
    samples = make_samples(X, np.arange(300) // 150, "ab")
    assert likeness_of_neighbours(samples) == pytest.approx(1.0, abs=0.25)


@pytest.mark.parametrize("name", ["iris", "wine", "digits", "breast_cancer"])
def test_rows_of_well_known_tables_are_not_warned_of(name):
    samples = NamedProblem.from_dataset(load(name))
    assert likeness_of_neighbours(samples) > ALIKE


def test_classes_of_unequal_sizes_are_warned_of_unless_they_count_the_same(rng, make_samples):
    y = (np.arange(220) % 20 == 0).astype(int)
    samples = make_samples(rng.standard_normal((220, 3)), y, "ab")
    (words,) = cautions(samples, Protocol())
    assert "has an error of only 5.0 %" in words
    assert cautions(samples, Protocol(score="balanced")) == []
