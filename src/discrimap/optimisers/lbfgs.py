"""Limited-memory BFGS of scipy, with the stopping rules that all methods share."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np
from scipy import linalg, optimize

if TYPE_CHECKING:
    from discrimap._typing import Array
    from discrimap.optimisers.monitor import Monitor
    from discrimap.optimisers.solution import Solution

# Most parameters for which the inverse Hessian of an earlier search is factorised.
MOST_PARAMETERS = 1000
# Smallest change of the gradient in a step, relative to the largest, and smallest curvature, relative to
# the sizes of the step and of the change, that are not rounding errors.
LEAST_CHANGE, LEAST_CURVATURE = 1e-5, 1e-8


def minimise_lbfgs(
    monitor: Monitor, start: np.ndarray, memory: int = 10, near: Solution | None = None
) -> Solution:
    """Minimise with scipy's L-BFGS-B without bounds; see :func:`minimise` for ``near``."""
    start = np.array(start, dtype=np.float64)
    value, grad, reason = monitor.start(start)
    if reason is not None:
        return monitor.solution(start, value, reason)
    variables = _variables(start, grad, near)

    # Cache of evaluations: scipy evaluates the start again, and its callback receives the point
    # without the gradient.
    known = {variables.start.tobytes(): (value, grad)}
    best = (start, value, grad)
    steps: deque[tuple[Array, Array]] = deque(maxlen=memory)

    def bowl_about_best(params):
        # scipy's line search interpolates and would fail with an infinite value. A large finite
        # value with a steep gradient makes it shorten the step.
        away = params - best[0]
        height = 1e3 * (1.0 + abs(best[1]))
        return best[1] + height, 2 * height * away / np.vdot(away, away)

    def flat_value_and_grad(flat):
        key = flat.tobytes()
        if key not in known:
            params = variables.to_params(flat)
            value, grad = monitor.evaluate(params)
            known[key] = (value, grad) if np.isfinite(value) else bowl_about_best(params)
        value, grad = known[key]
        return value, variables.pull_back(grad)

    def after_step(intermediate_result):
        nonlocal best, reason
        flat = intermediate_result.x
        value, grad = known[flat.tobytes()]
        params = variables.to_params(flat)
        steps.append(((params - best[0]).ravel(), (grad - best[2]).ravel()))
        best = (params, value, grad)
        known.clear()
        known[flat.tobytes()] = (value, grad)
        reason = monitor.after_step(*best)
        if reason is not None:
            raise StopIteration

    optimize.minimize(
        flat_value_and_grad,
        variables.start,
        jac=True,
        method="L-BFGS-B",
        callback=after_step,
        # The monitor stops the search; scipy's own tolerances are disabled.
        options={
            "maxiter": monitor.max_iter + 1,
            "maxfun": 100 * (monitor.max_iter + 10),
            "maxcor": memory,
            "ftol": 0.0,
            "gtol": 0.0,
        },
    )
    params, value, grad = best
    if reason is None:  # scipy's line search failed
        reason = monitor.no_descent(grad)
    return monitor.solution(params, value, reason, tuple(steps))


class _Plain:
    """scipy's variables: the parameters in units of ``unit``, the length of scipy's first step."""

    def __init__(self, start: Array, unit: float) -> None:
        self.start, self._shape, self._unit = start.ravel() / unit, start.shape, unit

    def to_params(self, flat: Array) -> Array:
        return self._unit * flat.reshape(self._shape)

    def pull_back(self, grad: Array) -> Array:
        return self._unit * grad.ravel()


class _Scaled:
    """Variables u of ``params = start + factor u``, in which the Hessian is about the identity."""

    def __init__(self, start: Array, factor: Array) -> None:
        self.start, self._origin, self._factor = np.zeros(start.size), start, factor

    def to_params(self, flat: Array) -> Array:
        return self._origin + (self._factor @ flat).reshape(self._origin.shape)

    def pull_back(self, grad: Array) -> Array:
        return self._factor.T @ grad.ravel()


def _variables(start: Array, grad: Array, near: Solution | None) -> _Plain | _Scaled:
    if near is None:
        return _Plain(start, 1.0)
    factor = _root_of_inverse_hessian(near.steps, start.size)
    if factor is None:
        return _Plain(start, min(1.0, float(np.linalg.norm(grad))))
    # scipy's first step is no longer than one, and the gradient is in these variables.
    return _Scaled(start, factor * min(1.0, float(np.linalg.norm(factor.T @ grad.ravel()))))


def _root_of_inverse_hessian(steps, n_parameters: int) -> Array | None:
    """L with ``L L'`` the inverse Hessian after the steps of an earlier search, or None."""
    largest = max((linalg.norm(change) for _, change in steps), default=0.0)
    curved = [
        (move, change)
        for move, change in steps
        if move @ change > LEAST_CURVATURE * linalg.norm(move) * linalg.norm(change)
        and linalg.norm(change) > LEAST_CHANGE * largest
    ]
    if not curved or n_parameters > MOST_PARAMETERS:
        return None
    moves, changes = (np.array(column) for column in zip(*curved, strict=True))
    # The first estimate is a multiple of the identity. The largest curvature seen makes the steps in
    # directions that were not visited short rather than too long.
    scale = min(move @ change / (change @ change) for move, change in curved)
    product = optimize.LbfgsInvHessProduct(moves / np.sqrt(scale), changes * np.sqrt(scale))
    inverse = scale * product.todense()
    try:
        return linalg.cholesky((inverse + inverse.T) / 2, lower=True)
    except linalg.LinAlgError:
        return None
