from dataclasses import replace

import numpy as np
import pytest

from discrimap.comparison import Comparison, MethodResult, Protocol, SplitMap
from discrimap.inspection import maps as maps_module
from discrimap.inspection.maps import collect_maps


def result(name, train, test, train_rows, test_rows):
    split = SplitMap(np.array(train), np.array(test), np.array(train_rows), np.array(test_rows))
    return MethodResult(name, name.upper(), "done", first_map=split)


@pytest.fixture
def samples(make_samples):
    X = np.arange(15.0).reshape(5, 3)
    return make_samples(X, [0, 1, 0, 1, -1], "ab")


@pytest.fixture
def comparison():
    """The second method was fitted to fewer rows, in another order."""
    full = result("m", [[0.0], [1.0], [3.0]], [[2.0]], [0, 1, 3], [2])
    fewer = result("n", [[30.0, 0.5], [0.0, 0.5]], [[20.0, 0.5]], [3, 0], [2])
    without = MethodResult("o", "O", "done")
    failed = MethodResult("p", "P", "failed")
    return Comparison("", 5, 3, {}, 0.5, Protocol(), (full, fewer, without, failed))


def test_points_are_the_same_rows_in_every_map(samples, comparison):
    found = collect_maps(comparison, samples, np.array([2, 0, 1]))
    assert found.rows.tolist() == [0, 1, 3, 2]
    assert found.is_held_out.tolist() == [False, False, False, True]
    assert found.target.tolist() == [0, 1, 1, 0]
    assert (found.n_rows, found.n_methods) == (4, 2)
    first, second = found.methods
    assert (first.name, first.label) == ("m", "M")
    np.testing.assert_array_equal(first.coordinates, [[0], [1], [3], [2]])
    nan = np.nan
    expected = [[0, 0.5], [nan, nan], [30, 0.5], [20, 0.5]]
    np.testing.assert_array_equal(second.coordinates, expected)


def test_values_are_those_of_the_leading_features(samples, comparison, monkeypatch):
    monkeypatch.setattr(maps_module, "N_VALUES", (1, 2))
    found = collect_maps(comparison, samples, np.array([2, 0, 1]))
    assert found.value_names == ("f2", "f0")
    np.testing.assert_array_equal(found.values, samples.X[[0, 1, 3, 2]][:, [2, 0]])


def test_a_sample_is_drawn_where_there_are_too_many_points(samples, comparison, monkeypatch):
    monkeypatch.setattr(maps_module, "MOST_POINTS", 2)
    monkeypatch.setattr(maps_module, "MOST_COORDINATES", 5)  # for the first method only
    found = collect_maps(comparison, samples, np.array([0, 1, 2]))
    assert (len(found.rows), found.n_rows) == (2, 4)
    assert ([one.name for one in found.methods], found.n_methods) == (["m"], 2)
    # The coordinate of a point in the first map is its row.
    np.testing.assert_array_equal(found.methods[0].coordinates[:, 0], found.rows)
    np.testing.assert_array_equal(found.values, samples.X[found.rows])
    assert found.is_held_out.tolist() == (found.rows == 2).tolist()


def test_without_maps_there_are_none(samples, comparison):
    nothing = Comparison("", 5, 3, {}, 0.5, Protocol(), comparison.results[2:])
    assert collect_maps(nothing, samples, np.arange(3)) is None


def test_the_method_that_is_shown_comes_first(corners, compared):
    comparison = compared(corners, ["pca", "lda", "plsda"])
    for name in ("pca", "lda", "plsda"):
        shown = replace(comparison, shown=name)
        assert collect_maps(shown, corners, np.arange(6)).methods[0].name == name
