import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discrimap.datasets import check_classes
from discrimap.errors import InputError
from discrimap.tables.targets import check_rows, encode_target


def encode(values, unlabelled="error"):
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return encode_target("t.csv", "kind", column, unlabelled)


@pytest.mark.parametrize(
    ("values", "expected", "dtype_kind", "names"),
    [
        (["b", "a", "b"], ["b", "a", "b"], "U", None),
        ([7, -1, 7], [7, -1, 7], "i", None),
        ([0.5, 1.0, 0.5], [0.5, 1.0, 0.5], "f", None),
        ([True, False, True], [1, 0, 1], "i", ["False", "True"]),
    ],
)
def test_values_stay_what_they_are(values, expected, dtype_kind, names):
    target = encode(values)
    assert target.y.tolist() == expected
    assert target.y.dtype.kind == dtype_kind
    assert target.names == names
    assert target.is_labelled.all()


@pytest.mark.parametrize("gap", [None, float("nan")])
@pytest.mark.parametrize(
    ("values", "expected", "names"),
    [
        (["b", "a", "b"], [1, 0, -1, 1], ["a", "b"]),
        ([7, -1, 7], [1, 0, -1, 1], ["-1", "7"]),
        ([True, False, True], [1, 0, -1, 1], ["False", "True"]),
    ],
)
def test_kept_rows_without_a_class_are_marked(values, expected, names, gap):
    target = encode([*values[:2], gap, values[2]], "keep")
    assert target.y.tolist() == expected
    assert target.names == names
    assert target.is_labelled.tolist() == [True, True, False, True]
    assert "1 of 4 rows without a 'kind' are kept" in target.notices[-1]


def test_kept_rows_without_a_number_are_nan():
    target = encode([0.5, None, 1.5], "keep")
    np.testing.assert_array_equal(target.y, [0.5, np.nan, 1.5])
    assert target.is_labelled.tolist() == [True, False, True]


def test_dropped_rows_are_said_and_the_values_stay():
    target = encode(["b", None, "a", "a"], "drop")
    assert target.y[target.is_labelled].tolist() == ["b", "a", "a"]
    assert "1 of 4 rows without a 'kind' are dropped" in target.notices[-1]


@pytest.mark.parametrize("values", [[10, 2, 1, 2], ["10", "2", "1", "2"]])
def test_classes_named_by_whole_numbers_are_coded_by_value(values):
    target = encode([*values, None], "keep")
    assert target.names == ["1", "2", "10"]
    assert target.y.tolist() == [2, 1, 0, 1, -1]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=2))
def test_codes_and_names_give_the_values_back(values):
    known = [value for value in values if value is not None]
    if len(set(known)) < 2 or len(set(known)) == len(known):
        with pytest.raises(InputError):
            encode(values, "keep")
        return
    target = encode(values, "keep")
    back = [None if code == -1 else target.names[code] for code in target.y]
    assert back == values


def test_missing_targets_are_refused_unless_said():
    with pytest.raises(
        InputError, match=r"target 'kind' is missing in 2 of 4 rows; .*'drop' or 'keep'"
    ):
        encode(["a", None, "b", None])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["a", "a"], r"'kind' holds one class only \('a' in all 2 rows\); at least 2"),
        ([3, 3, 3], r"'kind' holds one class only \(3 in all 3 rows\)"),
        ([0.5, 0.5], r"'kind' holds one class only \(0.5 in all 2 rows\)"),
        ([None, None], "'kind' has no values"),
        (["a", "b", "c"], "'kind' is a different text in each of 3 rows, so it identifies rows"),
        ([0.5, float("inf")], r"'kind' holds infinite values \(1\)"),
        ([object(), object()], "'kind' holds neither text nor numbers"),
    ],
)
def test_a_target_without_classes_is_refused(values, message):
    with pytest.raises(InputError, match=message):
        encode(values, "keep")


def test_a_class_with_one_sample_is_reported():
    (notice,) = encode(["a", "a", "b", "b", "c"]).notices
    assert "classes of 'kind' with one sample only (1 of 3): 'c'" in notice
    assert encode(["a", "a", "b", "b"]).notices == ()
    assert encode([1, 2, 3, 4, 5]).notices == ()  # a quantity


def test_classes_can_be_asked_to_have_a_size():
    y = np.array([0, 0, 1, 2])
    check_classes(y)
    check_classes(y[:3], min_per_class=1)
    with pytest.raises(
        InputError, match=r"2 of 3 classes have fewer than 2 samples: 1 \(1\), 2 \(1\)"
    ):
        check_classes(y, min_per_class=2)
    with pytest.raises(InputError, match="y holds no class; at least 2"):
        check_classes(y[:0])


@pytest.mark.parametrize(("n_rows", "words"), [(0, "no rows"), (1, "1 row")])
def test_a_table_needs_two_rows(n_rows, words):
    check_rows("t.csv", 2)
    with pytest.raises(InputError, match=f"t.csv has {words}; at least 2 are needed"):
        check_rows("t.csv", n_rows)
