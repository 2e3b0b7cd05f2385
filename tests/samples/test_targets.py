import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from discrimap.samples.targets import as_sortable_labels, encode_classes, is_continuous


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        ([0.5, 1.0, 2.0], True),
        ([1.0, np.nan, 2.0], True),
        ([1.0, np.inf, 2.0], False),
        ([0.5, np.inf, 2.0], True),
        ([1.0, 2.0, 1.0], False),
        ([1, 2, 3], False),
        (list(range(1000)), False),
        ([True, False], False),
        (["0.5", "1.5"], False),
        (np.array([0.5, 1.5], dtype=object), False),
        ([[1, 2], [3, 4]], True),
        ([[1], [3]], False),
        ([[1.5], [3]], True),
        ([["a", "b"], ["c", "d"]], False),
    ],
)
def test_fractions_gaps_and_several_columns_are_continuous(y, expected):
    assert is_continuous(y) is expected


@pytest.mark.parametrize(
    ("n_values", "n_samples", "expected"),
    [(30, 30, False), (31, 31, True), (31, 309, True), (31, 310, False), (100, 1000, False)],
)
@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32])
def test_many_whole_numbers_of_few_samples_each_are_continuous_where_they_are_counted(
    n_values, n_samples, expected, dtype
):
    y = (np.arange(n_samples) % n_values).astype(dtype)
    assert is_continuous(y, count_values=True) is expected
    assert is_continuous(y) is False


def test_counting_changes_nothing_else():
    names = np.array([f"name {k}" for k in range(100)])
    assert not is_continuous(names, count_values=True)
    assert is_continuous([0.5, 1.0], count_values=True)


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (["10", "2", "1"], ["1", "2", "10"]),
        (["10", "2", "3", "1"], ["1", "2", "3", "10"]),
        (["10", "-2", "0"], ["-2", "0", "10"]),
        (np.array(["10", "2"], dtype=object), ["2", "10"]),
        ([10, 2, 1], ["1", "2", "10"]),
        ([10.0, 2.0], ["2.0", "10.0"]),
        ([True, False], ["False", "True"]),
        # Not all of them are whole numbers as Python writes them.
        (["10", "2", "b"], ["10", "2", "b"]),
        (["10", "2.5"], ["10", "2.5"]),
        (["010", "2"], ["010", "2"]),
        (["²", "10"], ["10", "²"]),
        (["-0", "+2", "10"], ["+2", "-0", "10"]),
        (["9" * 5000, "10"], ["10", "9" * 5000]),
        (["9" * 18, "1" + "0" * 18], ["1" + "0" * 18, "9" * 18]),
    ],
)
def test_whole_numbers_are_ordered_by_value_and_text_as_text(values, names):
    found, codes = encode_classes(values)
    assert found == names
    assert [found[code] for code in codes] == [str(value) for value in values]


@settings(max_examples=50, deadline=None)
@given(st.one_of(st.lists(st.integers(-20, 20).map(str)), st.lists(st.text(max_size=3))))
def test_codes_give_the_labels_back_in_the_order_of_sorted_labels(values):
    names, codes = encode_classes(np.array(values, dtype=str))
    assert codes.dtype == np.int64
    assert [names[code] for code in codes] == np.array(values, dtype=str).tolist()
    labels = as_sortable_labels(np.array(values, dtype=str))
    assert_array_equal(np.unique(labels, return_inverse=True)[1], codes)
    assert np.unique(labels).astype(str).tolist() == names
