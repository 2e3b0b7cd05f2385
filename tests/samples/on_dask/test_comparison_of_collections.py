import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from discrimap.comparison import Protocol, collections, compare
from discrimap.comparison.collections import numbers_of_rows
from discrimap.errors import InputError
from discrimap.registry import METHODS

TWO = Protocol(n_repeats=2)


@pytest.fixture
def overlapping(rng):
    """Four overlapping classes, 6,000 samples of unequal scales."""
    labels = rng.choice(4, 6000, p=[0.4, 0.3, 0.2, 0.1])
    X = rng.standard_normal((6000, 6)) + 1.3 * rng.standard_normal((4, 6))[labels]
    return X * np.logspace(0, 2, 6), np.array(list("abcd"))[labels]


def in_chunks(X, y, chunks):
    return da.from_array(X, chunks=(chunks, X.shape[1])), da.from_array(y, chunks=(chunks,))


def test_errors_are_those_of_a_comparison_in_memory(overlapping, client):
    names = ["plsda", "category"]
    here = compare(*overlapping, names, protocol=TWO)
    there = compare(*in_chunks(*overlapping, (2500, 0, 3500)), names, protocol=TWO)
    assert there.class_counts == here.class_counts
    assert (there.n_samples, there.n_features) == (6000, 6)
    assert there.chance_error == pytest.approx(here.chance_error)
    found = {result.name: result for result in there.results}
    for expected in here.results:
        result = found[expected.name]
        assert (result.status, result.n_fitted) == ("done", expected.n_fitted), result.reason
        # Other splits of the same kind: 2,000 held-out points each.
        assert result.test_error == pytest.approx(expected.test_error, abs=0.025)
        assert np.mean(result.train_errors) == pytest.approx(
            np.mean(expected.train_errors), abs=0.025
        )
        assert np.mean(result.permuted_errors) == pytest.approx(
            np.mean(expected.permuted_errors), abs=0.03
        )
        assert result.first_map.train.shape == (len(result.first_map.train_rows), 2)
        assert result.n_components_in_full == (4 if expected.name == "category" else 2)


def test_every_method_of_the_list_is_compared_on_the_workers(classes, client):
    X, y = classes
    names = [method.name for method in METHODS if method.distributed]
    comparison = compare(*in_chunks(X, y, 400), protocol=Protocol(n_repeats=1))
    assert {result.name: result.status for result in comparison.results} == dict.fromkeys(
        names, "done"
    ), "\n".join(result.reason for result in comparison.results)
    for result in comparison.results:
        assert result.test_error < 0.4 < min(result.permuted_errors)


def test_chunks_change_nothing(overlapping):
    results = [
        compare(*in_chunks(*overlapping, chunks), ["plsda"], protocol=TWO).results[0]
        for chunks in ((6000,), (1, 2999, 3000))
    ]
    assert results[0].test_errors == results[1].test_errors
    assert results[0].permuted_errors == results[1].permuted_errors
    rows = [result.first_map.test_rows for result in results]
    np.testing.assert_array_equal(*rows)


def test_only_a_part_of_the_map_is_gathered(overlapping, monkeypatch, client):
    monkeypatch.setattr(collections, "MOST_VOTERS", 500)
    monkeypatch.setattr(collections, "MOST_JUDGED", 200)

    def gather(*args, **kwargs):
        raise AssertionError("a dask collection was gathered")

    monkeypatch.setattr(da.Array, "__array__", gather)
    monkeypatch.setattr(da.Array, "compute", gather)
    blocks = in_chunks(*overlapping, 1000)
    result = compare(*blocks, ["plsda"], protocol=TWO).results[0]
    assert result.status == "done", result.reason
    assert 400 < len(result.first_map.train) < 600
    assert 140 < len(result.first_map.test) < 260
    assert any("about 200 held-out points" in notice for notice in result.notices)
    assert result.test_error < 0.3 < min(result.permuted_errors)


def test_held_out_rows_are_no_training_rows(overlapping):
    result = compare(*in_chunks(*overlapping, 1000), ["plsda"], protocol=TWO).results[0]
    train, test = result.first_map.train_rows, result.first_map.test_rows
    assert not set(train.tolist()) & set(test.tolist())
    assert len(train) + len(test) == 6000
    assert len(test) == pytest.approx(2000, abs=150)


def test_numbers_of_rows_are_uniform_and_belong_to_the_row():
    numbers = numbers_of_rows(0, 100_000, 7)
    np.testing.assert_array_equal(numbers[500:600], numbers_of_rows(500, 100, 7))
    counts = np.histogram(numbers, bins=20, range=(0, 1))[0]
    assert np.abs(counts - 5000).max() < 5 * np.sqrt(5000)
    others = numbers_of_rows(0, 100_000, 8)
    assert abs(np.corrcoef(numbers, others)[0, 1]) < 0.02
    assert abs(np.corrcoef(numbers[1:], numbers[:-1])[0, 1]) < 0.02


def test_dataframes_are_compared_too(overlapping):
    X, y = overlapping
    table = dd.from_pandas(pd.DataFrame(X, columns=list("uvwxyz")), npartitions=3)
    result = compare(table, y, ["lslda"], protocol=TWO).results[0]
    assert result.status == "done"


def test_what_needs_one_memory_is_skipped_with_the_reason(overlapping):
    comparison = compare(*in_chunks(*overlapping, 3000), ["plsda", "nca"], protocol=TWO)
    assert [result.status for result in comparison.results] == ["done", "skipped"]
    assert "the methods for Dask are plsda" in comparison.results[1].reason


def test_a_method_that_fails_says_where(overlapping):
    X, y = overlapping
    X = X.copy()
    X[3500, 2] = np.nan
    result = compare(*in_chunks(X, y, 3000), ["plsda"], protocol=TWO).results[0]
    assert result.status == "failed"
    assert "NaN in chunk 1, column 2" in result.reason


@pytest.mark.parametrize(
    ("change", "options", "word"),
    [
        (lambda y: y, {"budget": 10.0}, "samples in memory"),
        (lambda y: y, {"n_jobs": 2}, "samples in memory"),
        (lambda y: y, {"is_labelled": [True]}, "leave out is_labelled"),
        (lambda y: y, {"task": "regression"}, "leave out is_labelled"),
        (lambda y: y, {"protocol": Protocol(n_components=7)}, "exceeds the 6 features"),
        (lambda y: y[:-1], {}, "inconsistent numbers of samples"),
        (lambda y: np.zeros(6000), {}, "one class only"),
        (lambda y: np.linspace(0, 1, 6000), {}, "continuous"),
        (lambda y: np.where(np.arange(6000) < 4, "e", y), {}, "class 'e' has 4 samples"),
    ],
)
def test_bad_input_is_refused_before_any_fit(overlapping, change, options, word):
    X, y = overlapping
    X = da.from_array(X, chunks=(3000, 6))
    with pytest.raises(InputError, match=word):
        compare(X, change(y), ["plsda"], **options)
