"""Limited-memory BFGS of scipy, with the stopping rules that all methods share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import optimize

if TYPE_CHECKING:
    from discrimap.optimisers.monitor import Monitor
    from discrimap.optimisers.solution import Solution


def minimise_lbfgs(
    monitor: Monitor, start: np.ndarray, memory: int = 10, is_near: bool = False
) -> Solution:
    """Minimise with scipy's L-BFGS-B without bounds; see :func:`minimise` for ``is_near``."""
    start = np.array(start, dtype=np.float64)
    value, grad, reason = monitor.start(start)
    if reason is not None:
        return monitor.solution(start, value, reason)
    # scipy's first step has length one, in units of its variables.
    unit = min(1.0, np.linalg.norm(grad)) if is_near else 1.0

    # Cache of evaluations: scipy evaluates the start again, and its callback receives the point
    # without the gradient.
    known = {(start.ravel() / unit).tobytes(): (value, grad)}
    best = (start, value, grad)

    def bowl_about_best(flat):
        # scipy's line search interpolates and would fail with an infinite value. A large finite
        # value with a steep gradient makes it shorten the step.
        away = unit * flat.reshape(start.shape) - best[0]
        height = 1e3 * (1.0 + abs(best[1]))
        return best[1] + height, 2 * height * away / np.vdot(away, away)

    def flat_value_and_grad(flat):
        key = flat.tobytes()
        if key not in known:
            value, grad = monitor.evaluate(unit * flat.reshape(start.shape))
            known[key] = (value, grad) if np.isfinite(value) else bowl_about_best(flat)
        value, grad = known[key]
        return value, unit * grad.ravel()

    def after_step(intermediate_result):
        nonlocal best, reason
        flat = intermediate_result.x
        value, grad = known[flat.tobytes()]
        best = (unit * flat.reshape(start.shape), value, grad)
        known.clear()
        known[flat.tobytes()] = (value, grad)
        reason = monitor.after_step(*best)
        if reason is not None:
            raise StopIteration

    optimize.minimize(
        flat_value_and_grad,
        start.ravel() / unit,
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
    return monitor.solution(params, value, reason)
