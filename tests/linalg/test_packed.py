"""Packed symmetric matrices, beside full ones."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import LinAlgError

from discrimap.linalg.packed import (
    diagonal_places,
    packed_gram,
    packed_product,
    packed_size,
    solve_packed,
)


@pytest.fixture(params=[1, 2, 3, 8, 9])
def rows(request, rng):
    return rng.standard_normal((request.param + 3, request.param))


def test_the_numbers_and_the_diagonal(rows):
    matrix, found = rows.T @ rows, packed_gram(rows)
    assert found.shape == (packed_size(len(matrix)),)
    assert_allclose(np.sort(found), np.sort(matrix[np.tril_indices(len(matrix))]), atol=1e-12)
    assert_allclose(found[diagonal_places(len(matrix))], np.diag(matrix), atol=1e-12)
    assert packed_gram(rows.astype(np.float32)).dtype == np.float32


def test_the_rows_are_not_changed(rows):
    before = rows.copy()
    packed_gram(rows)
    assert_array_equal(rows, before)


def test_products_and_solutions(rows, rng):
    matrix, columns = rows.T @ rows, rng.standard_normal((rows.shape[1], 3))
    assert_allclose(packed_product(packed_gram(rows), columns), matrix @ columns, atol=1e-12)
    solution = solve_packed(packed_gram(rows), columns)
    assert_allclose(matrix @ solution, columns, atol=1e-8 * np.linalg.cond(matrix))


def test_a_matrix_that_is_not_positive_definite_is_refused(rows):
    with pytest.raises(LinAlgError, match="not positive"):
        solve_packed(-packed_gram(rows), np.ones((rows.shape[1], 1)))
