from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discrimap.errors import InputError
from discrimap.tables.encoding import encode_features


def encode(columns, impute=None):
    return encode_features("t.csv", pl.DataFrame(columns), impute)


def notice_about(features, words):
    (notice,) = [notice for notice in features.notices if words in notice]
    return notice


def test_columns_keep_their_order_and_categories_become_indicators():
    features = encode({"a": [1.5, 2.5, 2.5], "t": ["v", "u", "v"], "b": [True, False, True]})
    assert features.names == ["a", "t=u", "t=v", "b"]
    np.testing.assert_array_equal(
        features.X, [[1.5, 0, 1, 1], [2.5, 1, 0, 0], [2.5, 0, 1, 1]], strict=True
    )
    assert features.notices == (
        "encoded text as one 0/1 column for each category (their number): t (2).",
    )


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from("uvw"), min_size=4, max_size=30))
def test_each_row_has_one_indicator_and_it_is_its_own(values):
    if len(set(values)) < 2:
        return
    features = encode({"t": values, "a": [0.0] * len(values)})
    indicators = features.X[:, :-1]
    np.testing.assert_array_equal(indicators.sum(axis=1), 1)
    assert [features.names[j] for j in indicators.argmax(axis=1)] == [f"t={v}" for v in values]


def test_categorical_types_are_text():
    column = pl.Series(["v", "u", "v"], dtype=pl.Categorical)
    features = encode({"t": column, "e": column.cast(pl.Enum(["u", "v", "never"]))})
    assert features.names == ["t=u", "t=v", "e=u", "e=v"]


@pytest.mark.parametrize(
    ("dtypes", "expected"),
    [
        ((pl.Float32, pl.Float32), np.float32),
        ((pl.Float32, pl.Float64), np.float64),
        ((pl.Float32, pl.Int8), np.float64),
        ((pl.UInt8, pl.Decimal(10, 2)), np.float64),
    ],
)
def test_the_matrix_is_double_unless_all_columns_are_single(dtypes, expected):
    columns = {f"c{j}": pl.Series([1, 1, 4], dtype=dtype) for j, dtype in enumerate(dtypes)}
    features = encode(columns)
    assert features.X.dtype == expected
    np.testing.assert_array_equal(features.X, [[1, 1], [1, 1], [4, 4]])


def test_the_table_is_never_written_to():
    # One column of the wanted type is where a view instead of a copy would come from.
    frame = pl.DataFrame({"a": [1.0, np.nan, 3.0]})
    features = encode_features("t.csv", frame, "median")
    features.X[0] = 99
    assert frame["a"].to_list()[0] == 1.0
    assert np.isnan(frame["a"][1])


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("id", [5, 3, 9]),
        ("Patient_ID", [5, 3, 9]),
        ("customerId", [5, 3, 9]),
        ("", [0, 1, 2]),
        ("Unnamed: 0", [0, 1, 2]),
        ("measured", list(range(100, 112))),
    ],
)
def test_whole_numbers_that_name_or_count_rows_are_dropped(name, values):
    features = encode({name: values, "a": [0.5, 1.5] + [2.0] * (len(values) - 2)})
    assert features.names == ["a"]
    assert repr(name) in notice_about(features, "identifies or counts the rows")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("width", [5, 3, 9]),  # distinct, as a measurement may well be
        ("solid", [5, 3, 9]),  # ends in "id", as many words do
        ("age", [1, 2, 3]),  # too short to count rows
        ("step", [*range(10, 0, -1), 0]),  # counts down
    ],
)
def test_other_distinct_whole_numbers_are_kept_and_reported(name, values):
    features = encode({name: values, "a": [0.5] * len(values)})
    assert features.names == [name, "a"]
    assert f"'{name}'; kept" in notice_about(features, "a different whole number in every row of")


def test_an_id_that_repeats_is_a_number():
    features = encode({"id": [1, 1, 2]})
    assert features.names == ["id"]
    assert features.notices == ()


def test_text_that_differs_in_every_row_is_dropped():
    features = encode({"name": ["ann", "bob", "cid"], "a": [1.5, 2.5, 2.5]})
    assert features.names == ["a"]
    assert "column 'name'" in notice_about(features, "a different text in every row")


COUNTER, CODES, NOTES = (
    list(range(12)),
    [f"p{i}" for i in range(12)],
    [f"note {i}" for i in range(12)],
)
ID_COLUMNS = {
    "none": ({}, None),
    "text": ({"sample": CODES}, "sample"),
    "a counter": ({"nr": COUNTER}, "nr"),
    "named like an id, before notes": ({"notes": NOTES, "patient_id": COUNTER}, "patient_id"),
    "notes, before the index of pandas": ({"Unnamed: 0": COUNTER, "sample": CODES}, "sample"),
    "the index of pandas": ({"": COUNTER}, ""),
    "text with gaps": ({"sample": [None, *CODES[1:]]}, None),
    "text that repeats": ({"patient_id": ["p1", "p2"] * 6}, None),
}


@pytest.mark.parametrize("case", ID_COLUMNS)
def test_the_column_that_names_the_rows_is_kept_beside_the_features(case):
    columns, name = ID_COLUMNS[case]
    features = encode({**columns, "a": [0.5, 1.5] * 6})
    assert features.id_name == name
    if name is None:
        assert features.ids is None
    else:
        assert features.ids.tolist() == [str(value) for value in columns[name]]
        assert features.names == ["a"]


@pytest.mark.parametrize(
    ("n_categories", "n_rows", "limit"),
    [(10, 11, None), (11, 12, 10), (100, 300, None), (101, 300, 100)],
)
def test_text_with_too_many_categories_is_dropped(n_categories, n_rows, limit):
    text = [f"t{i % n_categories}" for i in range(n_rows)]
    features = encode({"t": text, "a": [0.5] * n_rows})
    if limit is None:
        assert len(features.names) == n_categories + 1
    else:
        assert features.names == ["a"]
        assert "column 't'" in notice_about(features, f"more than {limit} categories")


def test_columns_that_cannot_be_used_are_dropped_with_the_reason():
    features = encode(
        {
            "a": [1.5, 2.5, 2.5],
            "empty": [None, None, None],
            "same": ["x", "x", "x"],
            "day": [date(2020, 1, 1)] * 3,
            "list": [[1], [2], [3]],
        }
    )
    assert features.names == ["a"]
    assert "'empty'" in notice_about(features, "they are empty")
    assert "'same'" in notice_about(features, "the same text in every row")
    assert "'list'" in notice_about(features, "neither numbers nor text")
    assert "'day'" in notice_about(features, "to use them, add columns of numbers")


def test_constant_numbers_are_kept_and_reported():
    features = encode({"a": [1.5, 2.5, 2.5], "c": [7, 7, 7]})
    assert features.names == ["a", "c"]
    assert "column 'c'" in notice_about(features, "constant")


def test_a_number_mistyped_as_text_is_not_lost_silently():
    with pytest.raises(
        InputError, match=r"'a' holds numbers in 3 rows but text in 1, the first '1\.5x'"
    ):
        encode({"a": ["1", "2", "1.5x", "3"], "b": [1.5, 2.5, 2.5, 2.5]})


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"t": ["a", "b", "c"]}, "dropped column 't': a different text in every row"),
        ({"id": [3, 1, 2], "e": [None] * 3}, "dropped column 'id': .*; dropped column 'e'"),
    ],
)
def test_a_table_without_a_usable_column_is_refused_with_the_reasons(columns, reason):
    with pytest.raises(InputError, match=f"t.csv has no usable feature column.*{reason}"):
        encode(columns)


def test_a_table_with_the_target_only_is_refused():
    frame = pl.DataFrame({"y": [1, 2]}).drop("y")
    with pytest.raises(InputError, match=r"no usable feature column .*add columns of numbers"):
        encode_features("t.csv", frame, None)


GAPS = {
    "a": [1.0, None, float("nan"), 4.0, 10.0],
    "n": [1, 1, None, 2, 2],
    "t": ["u", "v", None, "v", None],
}


def test_missing_values_are_refused_with_their_columns():
    with pytest.raises(
        InputError, match=r"missing values \(5 in 5 rows\), by column: a \(2\), n \(1\), t \(2\);"
    ):
        encode(GAPS)


def test_missing_values_are_filled_in_when_asked():
    features = encode(GAPS, "median")
    assert features.names == ["a", "n", "t=u", "t=v"]
    np.testing.assert_array_equal(features.X[:, 0], [1, 4, 4, 4, 10])
    np.testing.assert_array_equal(features.X[:, 1], [1, 1, 1.5, 2, 2])
    np.testing.assert_array_equal(features.X[:, 3], [0, 1, 1, 1, 1])
    assert "5 missing values in columns 'a', 'n', 't'" in notice_about(features, "imputed")
    assert encode(GAPS, "mean").X[1, 0] == 5.0


def test_infinite_values_are_refused_even_with_imputation():
    with pytest.raises(InputError, match=r"infinite values \(1\), by column: a \(1\)"):
        encode({"a": [1.0, float("inf")]}, "median")


def test_an_indicator_may_not_take_the_name_of_a_column():
    with pytest.raises(InputError, match="would have the same names as other columns: 't=u'"):
        encode({"t=u": [0.5, 1.5, 1.5], "t": ["u", "v", "v"]})


def test_missing_values_are_listed_in_the_order_of_the_table():
    with pytest.raises(InputError, match=r"by column: t \(1\), a \(1\);"):
        encode({"t": ["u", "v", None, "v"], "a": [0.5, None, 1.5, 1.5]})
