import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import optimize

from discrimap.optimisers import minimise, minimise_in_lockstep


class Each:
    """One objective, evaluated at several parameters."""

    def __init__(self, value_and_grad):
        self.value_and_grad = value_and_grad
        self.n_at_a_time = []

    def values_and_grads(self, params):
        self.n_at_a_time.append(len(params))
        values, grads = zip(*map(self.value_and_grad, params), strict=True)
        return np.array(values), np.array(grads)


def rosenbrock(point):
    return optimize.rosen(point), optimize.rosen_der(point)


def wavy(params):
    """Many minima, of different depths."""
    return (0.01 * params**2 + np.cos(params)).sum(), 0.02 * params - np.sin(params)


def test_all_searches_reach_the_optimum_of_a_quadratic(rng):
    basis = np.linalg.qr(rng.standard_normal((16, 16)))[0]
    hessian = basis * np.geomspace(1.0, 100.0, 16) @ basis.T
    linear = rng.standard_normal(16)

    def quadratic(params):
        image = hessian @ params.ravel()
        value = 0.5 * params.ravel() @ image - params.ravel() @ linear
        return value, (image - linear).reshape(params.shape)

    starts = list(rng.standard_normal((5, 8, 2)))
    copies = [start.copy() for start in starts]
    solutions = minimise_in_lockstep(Each(quadratic), starts, tol=0.0)
    for solution in solutions:
        assert solution.converged, solution.message
        assert solution.params.shape == (8, 2)
        # The gradient falls to 1e-8 of its size at the start, about 100; the least curvature is one.
        assert_allclose(solution.params.ravel(), np.linalg.solve(hessian, linear), atol=2e-5)
        assert len(solution.loss_curve) == solution.n_iter + 1
        assert (np.diff(solution.loss_curve) <= 0).all()
    assert_array_equal(starts, copies)


def test_all_searches_follow_rosenbrocks_valley(rng):
    starts = [np.array([-1.2, 1.0]), *rng.uniform(-2, 2, (6, 2))]
    solutions = minimise_in_lockstep(Each(rosenbrock), starts, tol=0.0)
    for start, solution in zip(starts, solutions, strict=True):
        assert solution.converged, solution.message
        assert_allclose(solution.params, 1.0, atol=1e-4)
        alone = minimise(Each(rosenbrock), start, tol=0.0)
        assert solution.n_evaluations < 2 * alone.n_evaluations + 20


def test_a_search_does_not_depend_on_the_others(rng):
    starts = list(rng.uniform(-20, 20, (12, 3)))
    together = minimise_in_lockstep(Each(wavy), starts)
    assert len({round(solution.value, 3) for solution in together}) > 3
    for start, solution in zip(starts, together, strict=True):
        (alone,) = minimise_in_lockstep(Each(wavy), [start])
        assert_allclose(solution.params, alone.params, rtol=1e-9)
        assert solution.n_iter == alone.n_iter
        assert solution.n_evaluations == alone.n_evaluations
        assert np.abs(wavy(solution.params)[1]).max() < 1e-2


def test_searches_that_have_ended_are_not_evaluated_again(rng):
    objective = Each(wavy)
    solutions = minimise_in_lockstep(objective, list(rng.uniform(-20, 20, (12, 3))))
    assert objective.n_at_a_time[0] == 12
    assert objective.n_at_a_time == sorted(objective.n_at_a_time, reverse=True)
    assert sum(objective.n_at_a_time) == sum(solution.n_evaluations for solution in solutions)
    assert len(objective.n_at_a_time) == max(solution.n_evaluations for solution in solutions)


@pytest.mark.parametrize("max_iter", [0, 1, 3])
def test_max_iter_ends_all_searches(max_iter):
    starts = [np.array([-1.2, 1.0]), np.array([2.0, 2.0])]
    for solution in minimise_in_lockstep(Each(rosenbrock), starts, max_iter=max_iter):
        assert solution.n_iter == max_iter
        assert not solution.converged
        assert f"max_iter={max_iter} iterations" in solution.message


def test_a_start_without_a_gradient_ends_and_others_go_on():
    starts = [np.ones(2), np.array([-1.2, 1.0])]
    at_rest, other = minimise_in_lockstep(Each(rosenbrock), starts, tol=0.0)
    assert at_rest.n_iter == 0
    assert at_rest.converged
    assert_allclose(other.params, 1.0, atol=1e-4)


def test_trials_where_the_objective_is_not_finite_are_shortened():
    # -log(x) - log(1 - x) + 20 x is infinite outside of (0, 1), where the first steps end.
    def barrier(params):
        with np.errstate(invalid="ignore", divide="ignore"):
            value = (-np.log(params) - np.log(1 - params) + 20 * params).sum()
            return value, -1 / params + 1 / (1 - params) + 20

    solutions = minimise_in_lockstep(Each(barrier), [np.array([0.9]), np.array([0.999])], tol=0.0)
    for solution in solutions:
        assert_allclose(barrier(solution.params)[1], 0.0, atol=1e-3)
        assert np.isfinite(solution.loss_curve).all()


def test_a_start_where_the_objective_is_not_finite_is_an_error():
    def log(params):
        with np.errstate(invalid="ignore"):
            return -np.log(params).sum(), -1 / params

    with pytest.raises(ValueError, match="not finite at the start"):
        minimise_in_lockstep(Each(log), [np.array([1.0]), np.array([-1.0])])


def test_an_unbounded_or_wrong_objective_ends():
    def wrong(params):  # the gradient has the wrong sign, so that no step is lower
        return (params**2).sum(), -2 * params

    (solution,) = minimise_in_lockstep(Each(wrong), [np.array([1.0, 2.0])])
    assert not solution.converged
    assert "no lower value" in solution.message
    assert_allclose(solution.params, [1.0, 2.0])


def test_a_long_way_is_covered_by_longer_steps():
    # The slope is one far from the minimum, and the first step has length one.
    def far(params):
        away = params - 1e6
        root = np.sqrt(1 + away @ away)
        return root, away / root

    (solution,) = minimise_in_lockstep(Each(far), [np.zeros(1)], tol=0.0)
    assert_allclose(solution.params, 1e6, rtol=1e-6)
    assert solution.n_evaluations < 100
