"""Loop shared by all methods that choose a direction and search along it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from discrimap.optimisers.line_search import strong_wolfe

if TYPE_CHECKING:
    from discrimap.optimisers.monitor import Monitor
    from discrimap.optimisers.solution import Solution


def descend(monitor: Monitor, start: np.ndarray, rule: Any) -> Solution:
    """Minimise by repeated line searches along the directions of a rule.

    A rule has an attribute ``curvature`` (the constant of the Wolfe curvature condition) and three
    methods. ``propose(params, grad)`` returns a direction and the first step to try (None for the
    default). ``learn(displacement, grad_change)`` is called after each step. ``forget()`` discards
    what the rule has learned.
    """
    params = np.array(start, dtype=np.float64)
    value, grad, reason = monitor.start(params)
    last_decrease = None  # slope times step of the last accepted step
    while reason is None:
        direction, first_step = rule.propose(params, grad)
        slope = np.vdot(grad, direction)
        if not slope < 0:
            rule.forget()
            direction, first_step = -grad, None
            slope = np.vdot(grad, direction)
        if first_step is None:
            first_step = _first_step(grad, slope, last_decrease)

        point = strong_wolfe(
            monitor.evaluate, params, value, grad, direction, first_step, rule.curvature
        )
        if point is None:
            # The state of the rule may be the cause: try the negative gradient once.
            rule.forget()
            steepest = -grad
            first_step = _first_step(grad, -np.vdot(grad, grad), None)
            point = strong_wolfe(
                monitor.evaluate, params, value, grad, steepest, first_step, rule.curvature
            )
        if point is None:
            reason = monitor.no_descent(grad)
            break

        rule.learn(point.params - params, point.grad - grad)
        last_decrease = point.step * slope
        params, value, grad = point.params, point.value, point.grad
        reason = monitor.after_step(params, value, grad)
    return monitor.solution(params, value, reason)


def _first_step(grad, slope, last_decrease):
    """First step: same first-order decrease as the last step; at the start, at most one."""
    if last_decrease is None or last_decrease >= 0:
        return min(1.0, 1.0 / np.linalg.norm(grad))
    return last_decrease / slope
