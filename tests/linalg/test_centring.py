import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from discrimap.linalg.centring import centre, without_offset


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_centring_loses_no_digits_to_an_offset(offset, rng):
    # Whole numbers, so that the offset itself rounds nothing.
    X = rng.integers(-1000, 1000, size=(500, 3)).astype(float)
    centred, mean = centre(X + offset)
    assert_allclose(centred, X - X.mean(axis=0), atol=1e-11)
    assert_allclose(mean, X.mean(axis=0) + offset, rtol=1e-15, atol=1e-11)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_constant_feature_is_exactly_zero(dtype):
    for value in (0.1, 1e8 + 0.1, -1 / 3):
        centred, mean = centre(np.full((77, 1), value, dtype=dtype))
        assert_array_equal(centred, 0.0)
        assert mean.astype(dtype) == dtype(value)


def test_only_full_columns_of_sparse_samples_are_shifted(rng):
    X = np.where(rng.random((40, 5)) < 0.3, rng.standard_normal((40, 5)), 0.0)
    X[:, [1, 3]] = 1e8 + rng.standard_normal((40, 2))
    given = sparse.csr_matrix(X)
    shifted, offset = without_offset(given)
    assert shifted.nnz == given.nnz
    assert_array_equal(given.toarray(), X)
    assert_array_equal(offset[[0, 2, 4]], 0.0)
    assert_allclose(shifted.toarray() + offset, X, rtol=1e-15)
    assert_allclose(shifted.toarray()[:, [1, 3]], centre(X[:, [1, 3]])[0], atol=1e-7)


def test_entries_that_are_stored_twice_make_no_column_full():
    # Two of three entries of the column are stored, one of them in two parts.
    X = sparse.csr_matrix((np.array([1.0, 2.0, 5.0]), np.array([0, 0, 0]), np.array([0, 2, 3, 3])))
    shifted, offset = without_offset(X)
    assert_array_equal(offset, 0.0)
    assert_array_equal(shifted.toarray().ravel(), [3.0, 5.0, 0.0])
