"""The formulas behind the directions, each against the textbook."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from discrimap.optimisers.rules_of_sda_paper import (
    BarzilaiBorwein,
    ConjugateGradient,
    LimitedMemory,
    PreconditionedConjugateGradient,
    SpectralDirection,
    hestenes_stiefel,
    polak_ribiere,
)


def positive_definite(rng, size):
    root = rng.standard_normal((size, size))
    return root @ root.T + np.eye(size)


@pytest.mark.parametrize(
    "make_rule",
    [
        lambda: ConjugateGradient(hestenes_stiefel),
        lambda: ConjugateGradient(polak_ribiere),
        PreconditionedConjugateGradient,
    ],
    ids=["hestenes_stiefel", "polak_ribiere", "preconditioned"],
)
def test_conjugate_gradients_end_after_as_many_exact_steps_as_dimensions(make_rule, rng):
    hessian = positive_definite(rng, 5)
    linear = rng.standard_normal(5)
    point, rule, directions = np.zeros(5), make_rule(), []
    for _ in range(5):
        grad = hessian @ point - linear
        direction, _ = rule.propose(point, grad)
        directions.append(direction)
        exact = -(grad @ direction) / (direction @ hessian @ direction)
        rule.learn(exact * direction, exact * hessian @ direction)
        point = point + exact * direction
    assert_allclose(hessian @ point, linear, atol=1e-7)
    products = np.array(directions) @ hessian @ np.array(directions).T
    assert_allclose(products - np.diag(np.diag(products)), 0, atol=1e-6 * np.abs(products).max())


def test_limited_memory_is_the_bfgs_inverse(rng):
    hessian = positive_definite(rng, 6)
    memory = LimitedMemory(memory=10)
    steps = rng.standard_normal((4, 6))
    for step in steps:
        memory.add(step, hessian @ step)
    # The dense update H+ = (I - s y'/s'y) H (I - y s'/s'y) + s s'/s'y, from the same first scale.
    last = hessian @ steps[-1]
    inverse = np.eye(6) * (steps[-1] @ last) / (last @ last)
    for step in steps:
        change = hessian @ step
        rho = 1 / (step @ change)
        left = np.eye(6) - rho * np.outer(step, change)
        inverse = left @ inverse @ left.T + rho * np.outer(step, step)
    grad = rng.standard_normal(6)
    assert_allclose(memory.solve(grad), inverse @ grad, rtol=1e-9)


def test_limited_memory_ignores_negative_curvature(rng):
    memory = LimitedMemory()
    memory.add(np.ones(3), -np.ones(3))
    assert not memory
    grad = rng.standard_normal(3)
    assert_allclose(memory.solve(grad), grad)


def test_barzilai_borwein_steps_are_inverse_rayleigh_quotients(rng):
    hessian = positive_definite(rng, 4)
    rule, step = BarzilaiBorwein(), rng.standard_normal(4)
    rule.learn(step, hessian @ step)
    direction, length = rule.propose(step, np.ones(4))
    assert_allclose(direction, -1.0)
    assert length == pytest.approx((step @ step) / (step @ hessian @ step))


def test_the_spectral_direction_is_rebuilt_only_now_and_then():
    built = []

    def preconditioner(params):
        built.append(params)
        return lambda grad: grad / 2

    rule = SpectralDirection(preconditioner, refresh=3)
    for k in range(7):
        direction, length = rule.propose(k, np.ones(2))
        assert_allclose(direction, -0.5)
        assert length == 1.0
    assert built == [0, 3, 6]
