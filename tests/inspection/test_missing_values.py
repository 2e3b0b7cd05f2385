"""Missing values are filled in from training rows, in the closer look as in the comparison."""

import numpy as np
import pytest

from discrimap.comparison import Protocol, compare
from discrimap.datasets import Dataset
from discrimap.inspection import NamedProblem, describe_data
from discrimap.report import look_closer, summarise


@pytest.fixture
def gappy(rng):
    kind = np.arange(90) % 3
    X = rng.standard_normal((90, 4)) ** 3 + 2 * np.eye(4)[kind]
    X[rng.random(X.shape) < 0.4] = np.nan
    return Dataset("gappy", X, np.array(list("abc"))[kind])


def test_the_closer_look_repeats_the_errors_of_the_comparison(gappy):
    """The same splits, and medians of the same training rows: the same errors, to the last digit."""
    protocol = Protocol(n_components=2, n_repeats=5, impute="median")
    comparison = compare(gappy.X, gappy.y, ["pca"], protocol=protocol)
    summary = look_closer(summarise(comparison, gappy), gappy)
    curve = summary.inspection.dimensions
    assert curve.errors[curve.n_components.index(2)] == comparison.results[0].test_errors


def test_every_part_of_the_closer_look_takes_gaps(gappy):
    for names in (["lda", "plsda"], ["kda"]):  # the second has no linear method to rank features
        protocol = Protocol(n_repeats=2, impute="mean")
        comparison = compare(gappy.X, gappy.y, names, protocol=protocol)
        found = look_closer(summarise(comparison, gappy), gappy).inspection
        for part in (found.maps, found.suspects, found.confusion, found.dimensions):
            assert not isinstance(part, str)
        assert isinstance(found.features, str) == (names == ["kda"])
        # A point is shown as it was given, not with what was filled in.
        columns = [int(name.removeprefix("feature ")) for name in found.maps.value_names]
        given = gappy.X[found.maps.rows][:, columns].astype(np.float32)
        np.testing.assert_array_equal(found.maps.values, given)


def test_gaps_do_not_hide_a_constant_feature(gappy):
    X = gappy.X.copy()
    X[:, 1] = np.where(np.isnan(X[:, 1]), np.nan, 7.0)
    X[:, 2] = np.nan
    told = describe_data(NamedProblem.from_dataset(Dataset("gappy", X, gappy.y))).warnings
    assert [words for words in told if "feature 1" in words]
    assert not [words for words in told if "feature 2" in words]
