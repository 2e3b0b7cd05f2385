import numpy as np
import pytest
from numpy.testing import assert_array_equal

from discrimap.linalg.columns import keep_columns


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("columns", [[0, 1, 2, 3], [3], [0, 1, 3], [1, 2]])
def test_the_columns_of_many_rows_are_kept(order, columns, rng):
    X = np.asarray(rng.standard_normal((700, 4)), order=order)
    expected = X.copy()[:, columns]
    kept = keep_columns(X, np.array(columns))
    assert_array_equal(kept, expected)
    if order == "C":
        assert np.shares_memory(kept, X)
        assert kept.flags.c_contiguous
