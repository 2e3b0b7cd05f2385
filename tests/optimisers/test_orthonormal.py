"""The polar fixed point: monotone, exact where the answer is known, faster with extrapolation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from discrimap.optimisers.orthonormal import (
    maximise_orthonormal,
    nearest_orthonormal,
    stationarity_residual,
)


class Quadratics:
    """1/2 sum_k w_k' R_k w_k, by a plain loop."""

    def __init__(self, scatters):
        self.scatters = scatters

    def value_and_grad(self, W):
        grad = np.column_stack([R @ w for R, w in zip(self.scatters, W.T, strict=True)])
        return 0.5 * np.sum(W * grad), grad


def random_scatters(rng, n_classes, n_features):
    factors = rng.standard_normal((n_classes, n_features + 2, n_features))
    factors *= np.geomspace(3.0, 0.3, n_features)
    return np.einsum("kij,kil->kjl", factors, factors)


def plain_iterations(objective, W, tol):
    """The fixed point without extrapolation, as the paper has it."""
    for n_iter in range(10_000):
        grad = objective.value_and_grad(W)[1]
        if np.linalg.norm(stationarity_residual(W, grad)) <= tol * np.linalg.norm(grad):
            return n_iter, W
        W = nearest_orthonormal(grad)
    raise AssertionError("the plain fixed point did not converge")


def test_nearest_orthonormal_beats_every_other_frame(rng):
    matrix = rng.standard_normal((6, 3))
    W = nearest_orthonormal(matrix)
    assert_allclose(W.T @ W, np.eye(3), atol=1e-14)
    others = [nearest_orthonormal(rng.standard_normal((6, 3))) for _ in range(200)]
    assert all(np.vdot(matrix, W) > np.vdot(matrix, other) for other in others)


def test_nearest_orthonormal_completes_a_deficient_matrix():
    matrix = np.outer([1.0, 2.0, 2.0], [1.0, 1.0])
    W = nearest_orthonormal(matrix)
    assert_allclose(W.T @ W, np.eye(2), atol=1e-14)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.integers(0, 4))
def test_the_value_never_falls_and_the_end_is_stationary(seed, n_classes, spare):
    rng = np.random.default_rng(seed)
    n_features = n_classes + spare
    objective = Quadratics(random_scatters(rng, n_classes, n_features))
    start = nearest_orthonormal(rng.standard_normal((n_features, n_classes)))
    solution = maximise_orthonormal(objective, start, max_iter=20_000)
    assert np.all(np.diff(solution.loss_curve) >= 0)
    assert solution.loss_curve[-1] == solution.value == objective.value_and_grad(solution.params)[0]
    assert_allclose(solution.params.T @ solution.params, np.eye(n_classes), atol=1e-12)
    grad = objective.value_and_grad(solution.params)[1]
    residual = np.linalg.norm(stationarity_residual(solution.params, grad))
    assert solution.converged
    # Where the value stops at working precision the residual is its square root.
    assert residual <= 1e-6 * np.linalg.norm(grad)


def test_equal_scatters_give_the_leading_eigenvalues(rng):
    scatter = random_scatters(rng, 1, 6)[0]
    start = nearest_orthonormal(rng.standard_normal((6, 3)))
    solution = maximise_orthonormal(Quadratics([scatter] * 3), start)
    assert_allclose(solution.value, 0.5 * np.linalg.eigvalsh(scatter)[-3:].sum(), rtol=1e-12)


def test_two_classes_in_the_plane_match_a_scan_of_all_angles(rng):
    objective = Quadratics(random_scatters(rng, 2, 2))
    angles = np.linspace(0, np.pi, 20_001)
    scan = max(
        objective.value_and_grad(np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]]))[0]
        for t in angles
    )
    solution = maximise_orthonormal(objective, nearest_orthonormal(rng.standard_normal((2, 2))))
    assert_allclose(solution.value, scan, rtol=1e-6)
    assert solution.value >= scan


def test_extrapolation_needs_fewer_iterations_for_the_same_point(rng):
    objective = Quadratics(random_scatters(rng, 4, 20))
    start = nearest_orthonormal(rng.standard_normal((20, 4)))
    n_plain, W = plain_iterations(objective, start, tol=1e-8)
    solution = maximise_orthonormal(objective, start, tol=1e-8)
    assert_allclose(solution.value, objective.value_and_grad(W)[0], rtol=1e-12)
    assert solution.n_iter < 0.6 * n_plain


def test_it_leaves_a_stationary_point_that_is_no_maximum():
    # Each class sits on the other's direction: stationary, and the multipliers are positive, but
    # nudged a little the search must find the exchange, worth (4 + 9) / 2 instead of (1 + 1) / 2.
    objective = Quadratics([np.diag([4.0, 1.0]), np.diag([1.0, 9.0])])
    t = 1e-3
    start = np.array([[np.sin(t), np.cos(t)], [np.cos(t), -np.sin(t)]])
    assert_allclose(maximise_orthonormal(objective, start).value, 6.5)


def test_max_iter_and_the_callback_stop_it(rng):
    objective = Quadratics(random_scatters(rng, 3, 8))
    start = nearest_orthonormal(rng.standard_normal((8, 3)))
    short = maximise_orthonormal(objective, start, max_iter=2)
    assert not short.converged
    assert short.n_iter == 2
    steps = []
    stopped = maximise_orthonormal(
        objective, start, callback=lambda step: steps.append(step) or step.n_iter == 3
    )
    assert stopped.n_iter == 3
    assert [step.value for step in steps] == pytest.approx(list(stopped.loss_curve[1:]))
