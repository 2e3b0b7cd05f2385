"""Evaluation counts, loss curve and stopping rules shared by all methods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from discrimap._typing import Array
from discrimap.optimisers.solution import Solution

# Iterations over which decreases are averaged, so that one short step does not end the search.
WINDOW = 5
# The same for a start that is close to a minimum.
WINDOW_WHEN_NEAR = 2


@dataclass(frozen=True)
class Step:
    """State after one iteration, passed to callbacks.

    Parameters
    ----------
    n_iter : int
        Number of iterations so far.
    value : float
        The value of the objective.
    grad_norm : float
        The largest absolute entry of the gradient.
    params : ndarray
        The parameters, in the shape of the start.
    n_evaluations : int
        Number of evaluations of the objective so far.

    Examples
    --------
    A callback receives a step and stops the minimisation by returning True:

    >>> import numpy as np
    >>> from discrimap.optimisers import minimise
    >>> class Valley:
    ...     def value_and_grad(self, params):
    ...         scale = np.array([1.0, 100.0])
    ...         return (scale * params**2).sum(), 2 * scale * params
    >>> def stop_early(step):
    ...     return step.n_iter == 2
    >>> minimise(Valley(), np.ones(2), callback=stop_early).message
    'the callback asked to stop after 2 iterations'
    """

    n_iter: int
    value: float
    grad_norm: float
    params: np.ndarray
    n_evaluations: int


class Monitor:
    """Evaluate the objective and record the progress of a minimisation.

    A minimisation has converged when the largest absolute entry of the gradient is at most
    ``grad_tol`` times its value at the start, or when the mean decrease per iteration, over the
    last ``window`` iterations, is at most ``tol`` times the scale of the value. The scale is the
    larger of the absolute value and of its decrease since the start, so that the rule does not
    depend on units and also works for values near zero.
    """

    def __init__(
        self,
        objective: Any,
        *,
        max_iter: int,
        tol: float,
        grad_tol: float,
        callback: Callable[[Step], object] | None,
        window: int = WINDOW,
    ) -> None:
        self.objective = objective
        self.max_iter = max_iter
        self.tol = tol
        self.grad_tol = grad_tol
        self.callback = callback
        self.window = window
        self.n_evaluations = 0
        self.loss_curve: list[float] = []

    def evaluate(self, params: Array) -> tuple[float, Array]:
        """Value and gradient in float64; the value is infinite if one of them is not finite."""
        self.n_evaluations += 1
        value, grad = self.objective.value_and_grad(params)
        value, grad = float(value), np.asarray(grad, dtype=np.float64)
        if not (np.isfinite(value) and np.isfinite(grad).all()):
            return np.inf, np.zeros_like(grad)
        return value, grad

    def start(self, params: Array) -> Any:
        """Evaluate the start; return value, gradient, and a reason to stop or None."""
        value, grad = self.evaluate(params)
        return value, grad, self.begin(value, grad)

    def begin(self, value: float, grad: Array) -> Any:
        """Record the value at the start; return the reason to stop as (converged, message), or None."""
        if not np.isfinite(value):
            raise ValueError(
                "the objective or its gradient is not finite at the start; pass another start, or "
                "data on a smaller scale."
            )
        self.loss_curve.append(value)
        self.start_grad_norm = np.abs(grad).max(initial=0.0)
        if self.start_grad_norm == 0.0:
            return True, "the gradient is zero at the start"
        if self.max_iter == 0:
            return False, "max_iter=0 iterations were asked for"
        return None

    def after_step(self, params: Array, value: float, grad: Array) -> Any:
        """Record an iteration; return the reason to stop as (converged, message), or None."""
        self.loss_curve.append(value)
        n_iter = len(self.loss_curve) - 1
        grad_norm = np.abs(grad).max()
        if self.callback is not None and self.callback(
            Step(n_iter, value, grad_norm, params, self.n_evaluations)
        ):
            return True, f"the callback asked to stop after {n_iter} iterations"
        if grad_norm <= self.grad_tol * self.start_grad_norm:
            return True, f"the gradient fell to {self.grad_tol:g} of its size at the start"
        if n_iter >= self.window and self.recent_decrease() <= self.tol:
            return True, f"the value falls by less than tol={self.tol:g} of its size per iteration"
        if n_iter >= self.max_iter:
            return False, f"max_iter={self.max_iter} iterations were reached"
        return None

    def recent_decrease(self) -> float:
        """Mean relative decrease per iteration over the last ``window`` iterations."""
        curve = self.loss_curve
        first = curve[-min(self.window + 1, len(curve))]
        return (first - curve[-1]) / (self.window * self.scale())

    def scale(self) -> float:
        """Scale of decreases: the larger of the absolute value and the total decrease."""
        curve = self.loss_curve
        return max(abs(curve[-1]), curve[0] - curve[-1], np.finfo(float).tiny)

    def no_descent(self, grad: Array) -> Any:
        """Reason to stop when no lower point was found along a descent direction."""
        norm = np.linalg.norm(grad)
        # Expected decrease of a first step along the negative gradient, with length at most one.
        at_the_floor = min(norm, norm**2) <= max(self.tol, 1e-10) * self.scale()
        if len(self.loss_curve) > self.window:
            at_the_floor |= self.recent_decrease() <= max(100 * self.tol, 1e-9)
        if at_the_floor:
            return True, "the value no longer falls at the accuracy of the objective"
        return False, "no lower value was found along a descent direction"

    def solution(
        self, params: Array, value: float, reason: Any, steps: tuple[tuple[Array, Array], ...] = ()
    ) -> Solution:
        converged, message = reason
        return Solution(
            params=params,
            value=value,
            n_iter=len(self.loss_curve) - 1,
            n_evaluations=self.n_evaluations,
            converged=converged,
            message=message,
            loss_curve=np.array(self.loss_curve),
            steps=steps,
        )
