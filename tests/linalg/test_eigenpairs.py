import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

from discrimap.linalg.eigenpairs import dense_eigenpairs, iterative_eigenpairs


@pytest.fixture
def pair(rng):
    roots = rng.standard_normal((2, 60, 60))
    return roots[0] @ roots[0].T, roots[1] @ roots[1].T + np.eye(60)


def iterate(numerator, denominator, rng, **options):
    settings = {
        "precondition": lambda v: linalg.solve(denominator, v),
        "max_iter": 200,
        "tol": 1e-8,
    }
    start = rng.standard_normal((len(numerator), 8))
    return iterative_eigenpairs(
        lambda v: numerator @ v, lambda v: denominator @ v, start, 4, **(settings | options)
    )


def test_dense_pairs_are_those_of_lapack(pair):
    values, vectors = dense_eigenpairs(*pair, 5)
    assert_allclose(values, linalg.eigh(*pair, eigvals_only=True)[::-1][:5], rtol=1e-9)
    assert_allclose(pair[0] @ vectors, pair[1] @ vectors * values, atol=1e-6)
    assert_allclose(vectors.T @ pair[1] @ vectors, np.eye(5), atol=1e-9)


def test_iterative_pairs_are_the_dense_ones(pair, rng):
    values, vectors, n_iter = iterate(*pair, rng)
    expected_values, expected = dense_eigenpairs(*pair, 4)
    assert_allclose(values, expected_values, rtol=1e-9)
    assert linalg.subspace_angles(vectors, expected)[0] < 1e-6
    assert n_iter > 1


def test_forms_too_small_for_the_library_are_solved_directly(pair, rng):
    """The library refuses blocks of more than a fifth of the rows."""
    small = [form[:20, :20] for form in pair]
    values, vectors, n_iter = iterate(*small, rng)
    expected_values, expected = dense_eigenpairs(*small, 4)
    assert_allclose(values, expected_values)
    assert linalg.subspace_angles(vectors, expected)[0] < 1e-6
    assert n_iter == 1


def test_too_few_iterations_warn_with_a_remedy(pair, rng):
    with pytest.warns(ConvergenceWarning, match=r"after \d iterations.*increase max_iter=2"):
        iterate(*pair, rng, max_iter=2, precondition=lambda v: v)


def test_a_common_null_space_is_left_out(pair, rng):
    lift = linalg.qr(rng.standard_normal((64, 60)), mode="economic")[0]
    # Units that differ by a factor of a million must not look like a null space.
    units = np.diag(10.0 ** rng.uniform(-3, 3, 64))
    forms = [units @ lift @ form @ lift.T @ units for form in pair]
    values, vectors = dense_eigenpairs(*forms, 64)
    assert_allclose(values[:10], linalg.eigh(*pair, eigvals_only=True)[::-1][:10], rtol=1e-5)
    assert vectors.shape[1] == 60


def test_an_unbounded_ratio_is_refused(pair):
    cost = np.diag(np.append(np.ones(59), 0.0))
    with pytest.raises(ValueError, match=r"1 of 60 directions have no cost.*ridge greater than 0"):
        dense_eigenpairs(pair[0], cost, 3)
