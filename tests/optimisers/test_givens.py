import numpy as np
from numpy.testing import assert_allclose
from scipy.linalg import qr, subspace_angles

from discrimap.optimisers._givens_loops import rotate_columns
from discrimap.optimisers.givens import minimise_by_rotations


class MinusVariance:
    """Minus the variance of the projected samples: the minimiser is the principal subspace."""

    def __init__(self, X):
        self.X, self.n_terms = X, len(X)

    def value_and_grad(self, W):
        Z = self.X @ W
        return -np.sum(Z**2) / len(Z), -2 * self.X.T @ Z / len(Z)

    def sample_grad(self, W, i):
        return -2 * np.outer(self.X[i], self.X[i] @ W)


def test_rotations_are_the_product_of_givens_matrices(rng):
    angles = rng.standard_normal((2, 3))
    expected = qr(rng.standard_normal((5, 5)))[0]
    basis = expected.copy(order="C")
    rotate_columns(basis, angles)
    for i in range(2):
        for j in range(2, 5):
            G = np.eye(5)
            G[i, i] = G[j, j] = np.cos(angles[i, j - 2])
            G[i, j], G[j, i] = np.sin(angles[i, j - 2]), -np.sin(angles[i, j - 2])
            expected = expected @ G
    assert_allclose(basis, expected, atol=1e-13)


def test_stochastic_rotations_find_the_principal_subspace(rng):
    X = rng.standard_normal((500, 6)) * [3.0, 2.5, 1.0, 1.0, 0.5, 0.5]
    principal = np.linalg.eigh(X.T @ X)[1][:, -2:]
    start = qr(rng.standard_normal((6, 2)), mode="economic")[0]
    solution = minimise_by_rotations(
        MinusVariance(X), start, n_steps=6000, random_state=np.random.RandomState(0)
    )
    assert np.degrees(subspace_angles(solution.params, principal).max()) < 5
    assert_allclose(solution.params.T @ solution.params, np.eye(2), atol=1e-12)
    assert solution.value < solution.loss_curve[0]
    assert solution.n_iter == 6000


def test_a_start_without_slope_stays(rng):
    X = np.zeros((10, 3))
    start = np.eye(3)[:, :1]
    solution = minimise_by_rotations(
        MinusVariance(X), start, n_steps=40, random_state=np.random.RandomState(0)
    )
    assert_allclose(np.abs(solution.params), start, atol=1e-12)


def test_the_first_step_size_may_be_given():
    # One sample, two steps of sizes 1/4 and 0 of the first: a turn by (1/4) 0.1 times the slope 2.
    solution = minimise_by_rotations(
        MinusVariance(np.array([[1.0, 1.0]])),
        np.array([[1.0], [0.0]]),
        n_steps=2,
        first_step=0.1,
        random_state=np.random.RandomState(0),
    )
    assert_allclose(np.arctan2(*solution.params[::-1, 0]), 0.05, rtol=1e-12)
