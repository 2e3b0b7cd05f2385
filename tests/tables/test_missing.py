import numpy as np
import pytest

from discrimap.errors import InputError
from discrimap.tables.missing import (
    check_impute,
    count_nan,
    fill_nan,
    refuse_infinite,
    refuse_missing,
)

nan, inf = np.nan, np.inf


# Column by column: nothing missing; 1, 2, 9 known; one value known.
@pytest.mark.parametrize(
    ("impute", "filled"), [("median", [2.0, 2.0, 5.0]), ("mean", [2.0, 4.0, 5.0])]
)
def test_gaps_are_filled_with_the_centre_of_their_column(impute, filled):
    X = np.array([[1, 1, 5], [2, 2, nan], [3, 9, nan], [2, nan, nan]])
    fill_nan(X, impute)
    np.testing.assert_array_equal(X[:3, :2], [[1, 1], [2, 2], [3, 9]])
    np.testing.assert_array_equal(X[3], filled)


def test_missing_values_are_counted_by_column():
    X = np.array([[nan, 1, nan], [nan, 2, 3]])
    assert count_nan(X, ["a", "b", "c"]) == {"a": 2, "c": 1}


def test_the_refusal_names_columns_and_counts():
    refuse_missing("t.csv", {}, 9)
    with pytest.raises(
        InputError, match=r"t.csv: missing values \(5 in 9 rows\), by column: a \(3\), b \(2\);"
    ):
        refuse_missing("t.csv", {"a": 3, "b": 2}, 9)


def test_a_long_refusal_stays_short():
    counts = {f"c{j}": 1 for j in range(100)}
    with pytest.raises(InputError, match=r"c7 \(1\) and 92 more; fill them in"):
        refuse_missing("t.csv", counts, 9)


def test_infinite_values_are_refused_by_column():
    refuse_infinite("t.csv", np.array([[nan, 1.0]]), ["a", "b"])
    with pytest.raises(InputError, match=r"t.csv: infinite values \(2\), by column: b \(2\);"):
        refuse_infinite("t.csv", np.array([[1, inf], [2, -inf], [3, 4]]), ["a", "b"])


def test_an_unknown_imputation_is_refused():
    with pytest.raises(
        InputError, match="impute='zero' is not known; pass one of 'median', 'mean'"
    ):
        check_impute("zero")
