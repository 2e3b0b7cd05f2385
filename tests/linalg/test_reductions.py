import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from discrimap.linalg.reductions import leading_space, row_space


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_row_space_keeps_products_and_lengths(rng, container):
    X = rng.standard_normal((12, 30))
    reduction = row_space(container(X))
    basis = reduction.lift(np.eye(12))
    assert_allclose(basis.T @ basis, np.eye(12), atol=1e-9)
    assert_allclose(X @ basis, reduction.coordinates, atol=1e-9)
    assert_allclose(reduction.coordinates @ basis.T, X, atol=1e-9)


def test_narrow_data_stays_as_it_is(rng):
    X = rng.standard_normal((12, 5))
    reduction = row_space(X)
    assert reduction.coordinates is X


def test_dependent_rows_add_no_dimension(rng):
    X = rng.standard_normal((6, 30))
    assert row_space(np.vstack([X, X])).coordinates.shape == (12, 6)


def test_leading_space_holds_the_leading_singular_vectors(rng):
    left, right = rng.standard_normal((40, 3)), rng.standard_normal((3, 80))
    X = left @ right + 1e-6 * rng.standard_normal((40, 80))
    reduction = leading_space(sparse.csr_array(X), 3, random_state=0)
    basis = reduction.lift(np.eye(3))
    assert_allclose(basis.T @ basis, np.eye(3), atol=1e-9)
    assert_allclose(X @ basis, reduction.coordinates, atol=1e-6)
    assert_allclose(reduction.coordinates @ basis.T, X, atol=1e-4)
