from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize
from sklearn.exceptions import ConvergenceWarning

from discrimap.optimisers import METHODS, minimise, warn_unless_converged, with_progress
from discrimap.optimisers.line_search import SUFFICIENT_DECREASE, strong_wolfe

by_method = pytest.mark.parametrize("method", METHODS)


class Quadratic:
    """``0.5 tr(W'AW) - tr(B'W)``, whose minimum is the solution of ``A W = B``."""

    def __init__(self, rng, n_rows=8, n_columns=2, condition=100.0):
        basis = np.linalg.qr(rng.standard_normal((n_rows, n_rows)))[0]
        self.hessian = basis * np.geomspace(1.0, condition, n_rows) @ basis.T
        self.linear = rng.standard_normal((n_rows, n_columns))
        self.optimum = np.linalg.solve(self.hessian, self.linear)

    def value_and_grad(self, W):
        image = self.hessian @ W
        return 0.5 * np.vdot(W, image) - np.vdot(self.linear, W), image - self.linear

    def preconditioner(self, W):
        # Half the curvature in every direction: close to Newton's step without being it.
        return lambda grad: np.linalg.solve(self.hessian + np.eye(len(W)), grad)


class Rosenbrock:
    def value_and_grad(self, point):
        return optimize.rosen(point), optimize.rosen_der(point)

    def preconditioner(self, point):
        # The Gauss-Newton part, which is positive definite, of a sum of squares.
        x = point[0]
        jacobian = np.array([[-20.0 * x, 10.0], [-1.0, 0.0]])
        return lambda grad: np.linalg.solve(2 * jacobian.T @ jacobian, grad)


@by_method
def test_reaches_the_optimum_of_a_quadratic(method, rng):
    objective = Quadratic(rng)
    start = np.zeros((8, 2))
    solution = minimise(
        objective,
        start,
        method=method,
        max_iter=5000,
        tol=0.0,
        preconditioner=objective.preconditioner,
    )
    assert solution.converged, solution.message
    assert_allclose(solution.params, objective.optimum, atol=1e-6)
    assert solution.params.shape == start.shape
    assert not start.any()


@by_method
def test_reaches_the_optimum_of_rosenbrocks_valley(method):
    objective = Rosenbrock()
    solution = minimise(
        objective,
        np.array([-1.2, 1.0]),
        method=method,
        max_iter=50_000,
        tol=0.0,
        preconditioner=objective.preconditioner,
    )
    assert solution.converged, solution.message
    assert_allclose(solution.params, 1.0, atol=1e-4)


@by_method
def test_reaches_an_optimum_worked_out_by_hand(method):
    # f(a, b) = log(cosh(a - 2)) + (b + 1)^2 + 5: both terms are convex and vanish at a = 2,
    # b = -1, so the minimum is 5.
    class Valley:
        def value_and_grad(self, point):
            a, b = point
            return (
                np.logaddexp(a - 2, 2 - a) - np.log(2) + (b + 1) ** 2 + 5,
                np.array([np.tanh(a - 2), 2 * (b + 1)]),
            )

    solution = minimise(
        Valley(),
        np.array([9.0, 4.0]),
        method=method,
        tol=0.0,
        preconditioner=lambda point: lambda grad: grad / 2,
    )
    assert_allclose(solution.params, [2.0, -1.0], atol=1e-6)
    assert solution.value == pytest.approx(5.0, abs=1e-12)


@by_method
def test_the_loss_curve_falls_from_the_start_to_the_value(method, rng):
    objective = Quadratic(rng)
    start = rng.standard_normal((8, 2))
    solution = minimise(
        objective, start, method=method, tol=1e-9, preconditioner=objective.preconditioner
    )
    assert len(solution.loss_curve) == solution.n_iter + 1
    assert solution.loss_curve[0] == pytest.approx(objective.value_and_grad(start)[0])
    assert solution.loss_curve[-1] == solution.value
    assert solution.value == pytest.approx(objective.value_and_grad(solution.params)[0])
    assert (np.diff(solution.loss_curve) <= 1e-12 * abs(solution.value)).all()


@by_method
def test_evaluations_are_counted(method, rng):
    objective = Quadratic(rng)
    calls = []

    class Counting:
        def value_and_grad(self, params):
            calls.append(params)
            return objective.value_and_grad(params)

    solution = minimise(
        Counting(), np.ones((8, 2)), method=method, preconditioner=objective.preconditioner
    )
    assert solution.n_evaluations == len(calls)


@by_method
def test_a_callback_sees_each_step_and_may_stop(method, rng):
    objective = Quadratic(rng)
    steps = []

    def stop_at_three(step):
        steps.append(step)
        return step.n_iter == 3

    solution = minimise(
        objective,
        np.zeros((8, 2)),
        method=method,
        tol=0.0,
        callback=stop_at_three,
        preconditioner=objective.preconditioner,
    )
    assert [step.n_iter for step in steps] == [1, 2, 3]
    assert solution.n_iter == 3
    assert "callback" in solution.message
    assert_allclose(steps[-1].params, solution.params)
    assert steps[-1].grad_norm == pytest.approx(
        np.abs(objective.value_and_grad(solution.params)[1]).max()
    )


@by_method
def test_too_few_iterations_are_said_and_warned_of(method, rng):
    objective = Quadratic(rng)
    solution = minimise(
        objective,
        np.zeros((8, 2)),
        method=method,
        max_iter=2,
        tol=0.0,
        preconditioner=objective.preconditioner,
    )
    assert (solution.n_iter, solution.converged) == (2, False)
    assert "max_iter=2" in solution.message
    with pytest.warns(ConvergenceWarning, match=r"Name did not converge: max_iter=2.*Increase max"):
        warn_unless_converged(solution, "Name")


@by_method
def test_the_optimum_as_a_start_stops_at_once(method):
    class Flat:
        def value_and_grad(self, params):
            return 1.0, np.zeros_like(params)

    solution = minimise(Flat(), np.ones(3), method=method, preconditioner=lambda p: lambda g: g)
    assert solution.converged
    assert (solution.n_iter, solution.n_evaluations) == (0, 1)
    warn_unless_converged(solution, "Flat")


@by_method
def test_a_wrong_gradient_is_not_called_convergence(method):
    class Uphill:
        def value_and_grad(self, params):
            return float((params**2).sum()), -2 * params

    solution = minimise(Uphill(), np.ones(3), method=method, preconditioner=lambda p: lambda g: g)
    assert not solution.converged
    assert "no lower value" in solution.message
    assert_allclose(solution.params, 1.0)


@by_method
def test_an_overflow_on_the_way_shortens_the_step(method):
    class Barrier:  # -log(1 - |x|^2) + 3 (x_0 + x_1), infinite outside the unit disc
        def value_and_grad(self, params):
            room = 1 - np.vdot(params, params)
            if room <= 0:
                return np.inf, np.full_like(params, np.nan)
            return -np.log(room) + 3 * params.sum(), 2 * params / room + 3

    solution = minimise(
        Barrier(), np.zeros(2), method=method, tol=0.0, preconditioner=lambda p: lambda g: g / 2
    )
    # Stationary where x = -t (1, 1) with 2t/(1 - 2t^2) = 3, so 3t^2 + t - 1.5 = 0.
    expected = -(-1 + np.sqrt(1 + 18)) / 6
    assert_allclose(solution.params, expected, atol=1e-5)


def test_the_result_does_not_depend_on_units(rng):
    objective = Quadratic(rng)

    class Scaled:
        def value_and_grad(self, params):
            value, grad = objective.value_and_grad(params)
            return 1e-6 * value, 1e-6 * grad

    plain = minimise(objective, np.zeros((8, 2)), method="cg", tol=1e-6)
    scaled = minimise(Scaled(), np.zeros((8, 2)), method="cg", tol=1e-6)
    assert_allclose(scaled.params, plain.params, atol=1e-2 * np.abs(plain.params).max())


def test_the_first_step_from_a_near_start_is_no_longer_than_the_gradient(rng):
    # The Hessian is the identity, so that the step along the gradient ends at the optimum.
    optimum, seen = rng.standard_normal((4, 2)), []

    class Bowl:
        def value_and_grad(self, params):
            seen.append(params.copy())
            return 1 + 0.5 * ((params - optimum) ** 2).sum(), params - optimum

    offset = rng.standard_normal((4, 2))
    offset *= 1e-3 / np.linalg.norm(offset)
    without_steps = minimise(Bowl(), optimum, max_iter=0)
    seen.clear()
    solution = minimise(Bowl(), optimum + offset, tol=1e-4, near=without_steps)
    assert_allclose(seen[1], optimum, atol=1e-12)
    assert_allclose(solution.params, optimum, atol=1e-12)
    assert solution.converged
    seen.clear()
    minimise(Bowl(), optimum + offset, tol=1e-4)
    assert_allclose(np.linalg.norm(seen[1] - seen[0]), 1.0)  # far beyond the optimum


def test_a_near_start_needs_two_small_decreases_not_five(rng):
    objective = Quadratic(rng)
    start = objective.optimum + 1e-3 * rng.standard_normal((8, 2))
    far = minimise(objective, start, tol=1e-2)
    near = minimise(objective, start, tol=1e-2, near=far)
    assert near.converged
    assert far.converged
    assert near.n_iter == 2
    assert far.n_iter == 5


def test_the_first_step_near_a_solution_uses_its_curvature(rng):
    objective, values = Quadratic(rng, n_rows=4, n_columns=1, condition=10.0), []
    known = minimise(objective, np.zeros((4, 1)), tol=1e-6)
    assert 0 < len(known.steps) <= 10

    class Seen:
        def value_and_grad(self, params):
            value, grad = objective.value_and_grad(params)
            values.append(value - objective.value_and_grad(objective.optimum)[0])
            return value, grad

    def first_decrease(near):
        values.clear()
        minimise(Seen(), start, near=near)
        return values[1] / values[0]

    # The curvature is between 1 and 10, so that a step along the gradient is too long.
    direction = rng.standard_normal((4, 1))
    start = objective.optimum + 1e-3 * direction / np.linalg.norm(direction)
    assert first_decrease(near=known) < 0.9
    assert first_decrease(near=replace(known, steps=())) > 1


def test_a_start_that_is_not_finite_is_refused():
    class Broken:
        def value_and_grad(self, params):
            return np.nan, params

    with pytest.raises(ValueError, match="not finite at the start"):
        minimise(Broken(), np.zeros(2))


def test_unknown_methods_are_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="method='newton' is not known; use one of lbfgs, gd"):
        minimise(Rosenbrock(), np.zeros(2), method="newton")
    with pytest.raises(ValueError, match="needs a preconditioner"):
        minimise(Rosenbrock(), np.zeros(2), method="sd")


@pytest.mark.parametrize("first_step", [1e-6, 1e-2, 1.0, 1e3])
@pytest.mark.parametrize("curvature", [0.1, 0.9])
def test_the_line_search_meets_both_wolfe_conditions(first_step, curvature):
    def evaluate(params):
        return optimize.rosen(params), optimize.rosen_der(params)

    params = np.array([-1.2, 1.0])
    value, grad = evaluate(params)
    point = strong_wolfe(evaluate, params, value, grad, -grad, first_step, curvature)
    slope = -np.vdot(grad, grad)
    assert point.value <= value + SUFFICIENT_DECREASE * point.step * slope
    assert abs(np.vdot(point.grad, -grad)) <= -curvature * slope
    assert_allclose(point.params, params - point.step * grad)


def test_progress_goes_to_stderr_and_passes_the_callback_on(capsys, rng):
    seen = []
    callback = with_progress(seen.append, verbose=2, name="Bowl")
    solution = minimise(Quadratic(rng), np.zeros((8, 2)), callback=callback)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("Bowl: iteration") == solution.n_iter == len(seen)
    assert with_progress(seen.append, verbose=0, name="Bowl") == seen.append
