"""Packed symmetric matrices, beside full ones."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import LinAlgError

from discrimap.linalg.packed import (
    diagonal_places,
    packed,
    packed_product,
    packed_size,
    solve_packed,
)


@pytest.fixture(params=[1, 2, 3, 8, 9])
def matrix(request, rng):
    root = rng.standard_normal((request.param, request.param + 3))
    return root @ root.T


def test_the_numbers_and_the_diagonal(matrix):
    found = packed(matrix)
    assert found.shape == (packed_size(len(matrix)),)
    assert_array_equal(np.sort(found), np.sort(matrix[np.tril_indices(len(matrix))]))
    assert_array_equal(found[diagonal_places(len(matrix))], np.diag(matrix))
    assert packed(matrix.astype(np.float32)).dtype == np.float32


def test_products_and_solutions(matrix, rng):
    columns = rng.standard_normal((len(matrix), 3))
    assert_allclose(packed_product(packed(matrix), columns), matrix @ columns, atol=1e-12)
    solution = solve_packed(packed(matrix), columns)
    assert_allclose(matrix @ solution, columns, atol=1e-8 * np.linalg.cond(matrix))


def test_a_matrix_that_is_not_positive_definite_is_refused(matrix):
    with pytest.raises(LinAlgError, match="not positive"):
        solve_packed(packed(-matrix), np.ones((len(matrix), 1)))
