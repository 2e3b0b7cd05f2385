"""A data frame is read like a file with the same columns."""

import datetime
import decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

from discrimap.datasets import read_table
from discrimap.errors import InputError
from discrimap.tables.frames import add_columns, frame_as_table, is_frame, series_of_objects


@pytest.fixture
def mixed(rng):
    """A table with numbers, categories, codes, dates, ids, truth, missing values of all kinds."""
    n = 40
    kind = np.arange(n) % 2
    frame = pd.DataFrame(
        {
            " name ": [f"P{i:05d}" for i in range(n)],
            "size": 3.0 * kind + rng.standard_normal(n).round(3),
            "count": rng.integers(0, 5, n),
            "colour": pd.Categorical(np.where(rng.random(n) < 0.5, "red", " blue ")),
            "code": [f"{i % 3:03d}" for i in range(n)],
            "when": pd.date_range("2024-01-01", periods=n, freq="D"),
            "price": [f"1,{i:03d}.50" for i in range(n)],
            "tall": rng.random(n) < 0.5,
            "gap": np.where(np.arange(n) % 7 == 0, np.nan, rng.standard_normal(n).round(3)),
            "whole": pd.array([None if i % 9 == 0 else i % 4 for i in range(n)], dtype="Int64"),
            "mark": np.where(np.arange(n) % 5 == 0, "NA", np.where(kind, "u", "v")),
            "empty": np.full(n, np.nan),
            "pet": np.where(kind, "cat", "dog"),
        }
    )
    frame.loc[3, "pet"] = None
    return frame


def _facts(dataset):
    return (
        dataset.feature_names,
        dataset.target_names,
        dataset.y.tolist(),
        dataset.is_labelled.tolist(),
        dataset.id_name,
        dataset.ids.tolist(),
        dataset.columns,
    )


HOW = {"target": "pet", "keep_missing": True, "unlabelled": "keep", "task": "auto"}


@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy", "arrow"])
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_frame_is_what_its_file_is(mixed, tmp_path, kind, ending):
    path = tmp_path / f"data{ending}"
    if ending == ".csv":
        mixed.to_csv(path, index=False)
    else:
        pl.from_pandas(mixed).write_parquet(path)
    frame = {
        "pandas": lambda: mixed,
        "polars": lambda: pl.from_pandas(mixed),
        "lazy": lambda: pl.from_pandas(mixed).lazy(),
        "arrow": lambda: pl.from_pandas(mixed).to_arrow(),
    }[kind]()
    from_frame, from_file = read_table(frame, **HOW), read_table(path, **HOW)
    np.testing.assert_array_equal(from_frame.X, from_file.X)
    assert _facts(from_frame) == _facts(from_file)
    assert from_frame.id_name == "name"
    assert "price" in from_frame.feature_names
    assert {"when", "empty"}.isdisjoint(from_frame.feature_names)
    assert from_frame.notices == from_file.notices


@pytest.mark.parametrize("convert", [lambda frame: frame, pl.from_pandas], ids=["pandas", "polars"])
def test_the_frame_of_the_user_stays_as_it_is(mixed, convert):
    frame = convert(mixed)
    before = frame.copy() if isinstance(frame, pd.DataFrame) else frame.clone()
    read_table(frame, **HOW)
    assert list(frame.columns) == list(before.columns)
    assert frame.equals(before)


def test_an_index_that_names_the_rows_gives_the_ids_and_is_no_feature(mixed):
    frame = mixed.drop(columns=" name ")
    assert read_table(frame, **HOW).ids is None  # a range only counts the rows
    named = frame.set_index(pd.Index([f"row {i}" for i in range(len(frame))], name="sample"))
    dataset = read_table(named, **HOW)
    assert dataset.id_name == "sample"
    assert dataset.ids[7] == "row 7"
    assert "sample" not in dataset.feature_names
    filtered = frame[frame["count"] > 1]
    dataset = read_table(filtered, **HOW)
    assert (dataset.id_name, dataset.ids.tolist()) == ("index", [str(i) for i in filtered.index])
    numbers = named[["size", "pet"]].copy()
    numbers.iloc[5] = np.nan  # a row without any value is skipped, and so is its name
    assert read_table(numbers, **HOW).ids[4:6].tolist() == ["row 4", "row 6"]
    twice = pd.concat([frame, frame])
    assert read_table(twice, **HOW).ids is None


def test_an_id_column_that_is_named_is_no_feature_and_need_not_differ(mixed):
    dataset = read_table(mixed, ids="count", **HOW)
    assert dataset.id_name == "count"
    assert dataset.ids.tolist() == mixed["count"].astype(str).tolist()
    assert "count" not in dataset.feature_names
    with pytest.raises(InputError, match=r"no column 'nam' \(--id\)"):
        read_table(mixed, ids="nam", **HOW)


@pytest.mark.parametrize(
    ("values", "dtype", "expected"),
    [
        (["a", None], pl.String, ["a", None]),
        ([True, None, False], pl.Boolean, [True, None, False]),
        ([np.int64(1), 2, None], pl.Int64, [1, 2, None]),
        ([1, 2.5, float("nan")], pl.Float64, [1.0, 2.5, None]),
        ([decimal.Decimal("1.5"), Fraction(1, 2)], pl.Float64, [1.5, 0.5]),
        ([2**70, 1], pl.String, [str(2**70), "1"]),
        (["a", 1, 2.5], pl.String, ["a", "1", "2.5"]),
        ([True, 1.5], pl.String, ["True", "1.5"]),
        ([datetime.date(2024, 1, 2)], pl.Date, [datetime.date(2024, 1, 2)]),
        ([datetime.date(2024, 1, 2), "soon"], pl.String, ["2024-01-02", "soon"]),
        ([[1], [2]], pl.Object, [[1], [2]]),
    ],
)
def test_objects_become_what_a_file_of_them_would_hold(values, dtype, expected):
    column = series_of_objects("c", values)
    assert column.dtype == dtype
    assert column.to_list() == expected


def test_odd_columns_of_pandas(rng):
    n = 12
    frame = pd.DataFrame(
        {
            ("a", "mean"): rng.standard_normal(n).astype(np.float16),
            ("a", "zone"): pd.date_range("2024-01-01", periods=n, tz="Europe/Paris"),
            ("b", 1): pd.Categorical(np.arange(n) % 3),
            ("b", "nested"): [[i] for i in range(n)],
            ("b", "sparse"): pd.arrays.SparseArray(np.arange(n) % 2 * 1.0),
            ("c", ""): np.where(np.arange(n) % 2, "x", "y"),
        }
    )
    dataset = read_table(frame, target="c")
    assert dataset.feature_names == ["a mean", "b 1", "b sparse"]
    np.testing.assert_array_equal(dataset.X[:, 1], np.arange(n) % 3)
    np.testing.assert_array_equal(dataset.X[:, 2], np.arange(n) % 2)
    np.testing.assert_allclose(dataset.X[:, 0], frame[("a", "mean")].to_numpy())
    assert any("'a zone'" in notice and "dates" in notice for notice in dataset.notices)
    assert any("'b nested'" in notice and "nested" in notice for notice in dataset.notices)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "columns of the same name: 'a'"),
        (pd.DataFrame({"a": [], "b": []}), "no rows"),
        (pl.DataFrame(), "no columns"),
        (pd.DataFrame({"a": [1j, 2j], "b": ["x", "y"]}), "'a' holds complex numbers"),
        (pd.DataFrame({"a": [1, 2], "c": ["x", "y"]}), "no column 'b' .target."),
    ],
)
def test_frames_that_cannot_be_used_are_refused_in_words(frame, message):
    with pytest.raises(InputError, match=message):
        read_table(frame, target="b")


def test_series_and_arrays_are_no_frames():
    assert not is_frame(pd.Series([1]))
    assert not is_frame(pl.Series([1]))
    assert not is_frame(np.ones((2, 2)))
    assert is_frame(pl.DataFrame({"a": [1]}))

    class Derived(pd.DataFrame):
        """A subclass of a data frame, as in other packages."""

    assert is_frame(Derived({"a": [1]}))


def test_columns_beside_a_frame_go_by_position_and_need_its_length():
    frame = pd.DataFrame({"a": [1.0, 2.0]}, index=[5, 6])
    table = frame_as_table(add_columns(frame, {"y": pd.Series(["u", "v"], index=[6, 5])}))
    assert table.frame["y"].to_list() == ["u", "v"]
    with pytest.raises(InputError, match="y must have one value for each of the 2 rows"):
        add_columns(frame, {"y": ["u"]})
    with pytest.raises(InputError, match="already has a column 'a'"):
        add_columns(frame, {"a": ["u", "v"]})


def test_a_layer_of_a_table_is_refused(mixed):
    with pytest.raises(InputError, match=r"is for \.h5ad files"):
        read_table(mixed, layer="X_pca", **HOW)
