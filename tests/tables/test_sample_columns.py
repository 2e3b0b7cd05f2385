import numpy as np
import polars as pl
import pytest

from discrimap.errors import InputError
from discrimap.tables.sample_columns import column_as_array, warn_of_groups

N = 60


@pytest.mark.parametrize(
    ("name", "values", "is_warned_of"),
    [
        ("patient", np.arange(N) // 6, True),
        ("patientId", [f"x{i // 3}" for i in range(N)], True),
        ("sample", [f"P{i // 3:03d}" for i in range(N)], True),  # by its values
        ("patient", np.arange(N), False),  # a name of each row
        ("patient", np.arange(N) // 30, False),  # too few to be held out
        ("colour", ["red", "green", "blue"] * (N // 3), False),
        ("size", np.arange(N) // 6, False),
        ("weight", np.linspace(0, 1, N), False),
    ],
)
def test_columns_that_name_groups_are_warned_of(name, values, is_warned_of):
    told = warn_of_groups(pl.DataFrame({name: values}))
    assert bool(told) == is_warned_of
    assert all(f"--groups {name!r}" in words for words in told)


@pytest.mark.parametrize(
    "values", [[3, 1, 2], ["3", "1", "2"], ["2024-03-01", "2024-01-01", "2024-02-01"]]
)
def test_an_order_is_of_numbers_or_dates(values):
    found = column_as_array("t.csv", pl.DataFrame({"when": values}), "when", "order")
    assert np.argsort(found).tolist() == [1, 2, 0]


@pytest.mark.parametrize(
    ("values", "name", "words"),
    [
        (["a", "b", "c"], "when", "must hold numbers or dates"),
        ([1, None, 2], "when", "1 rows have no value in the column 'when'"),
        ([1, 2, 3], "then", "no column 'then'"),
    ],
)
def test_an_order_that_cannot_be_used_is_refused(values, name, words):
    with pytest.raises(InputError, match=words):
        column_as_array("t.csv", pl.DataFrame({"when": values}), name, "order")
