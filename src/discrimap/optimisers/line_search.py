"""Strong-Wolfe line search shared by the descent methods."""

from dataclasses import dataclass

import numpy as np

SUFFICIENT_DECREASE = 1e-4
MAX_EVALUATIONS = 30


@dataclass(frozen=True)
class Point:
    """A point on the line, with its value and slope."""

    step: float
    value: float
    slope: float
    params: np.ndarray
    grad: np.ndarray


def strong_wolfe(evaluate, params, value, grad, direction, first_step, curvature):
    """Find a step that satisfies the strong Wolfe conditions (Nocedal and Wright, Alg. 3.5-3.6).

    Parameters
    ----------
    evaluate : callable
        ``params -> (value, grad)``; an infinite value means that the step was too long.
    params, value, grad
        The current point.
    direction : ndarray
        A descent direction.
    first_step : float
        First step to try.
    curvature : float
        The absolute slope must decrease to this fraction of its value at the current point.

    Returns
    -------
    point : Point or None
        The accepted point. If rounding errors prevent the curvature condition from being met, the
        best point with sufficient decrease; None if no such point exists.
    """
    start = Point(0.0, value, float(np.vdot(grad, direction)), params, grad)
    # Differences due to rounding must not count as an increase.
    slack = 4 * np.finfo(float).eps * abs(value)
    low, high, step = start, None, first_step
    for _ in range(MAX_EVALUATIONS):
        trial_params = params + step * direction
        trial_value, trial_grad = evaluate(trial_params)
        slope = float(np.vdot(trial_grad, direction))
        trial = Point(step, trial_value, slope, trial_params, trial_grad)

        too_high = trial_value > value + SUFFICIENT_DECREASE * step * start.slope + slack
        if too_high or (low is not start and trial_value >= low.value + slack):
            high = trial
        else:
            if abs(slope) <= -curvature * start.slope:
                return trial
            ahead = 1.0 if high is None else high.step - low.step
            if slope * ahead >= 0:
                high = low
            low = trial

        if high is None:
            step = _beyond(low, start)
        elif abs(high.step - low.step) <= 1e-12 * max(high.step, low.step):
            break
        else:
            step = _between(low, high)
    return low if low.value < value else None


def _beyond(low, start):
    """Extrapolate linearly to the zero of the slope, limited to 2 to 10 times the step."""
    bend = (low.slope - start.slope) / low.step
    wanted = -start.slope / bend if bend > 0 else np.inf
    return float(np.clip(wanted, 2.0 * low.step, 10.0 * low.step))


def _between(low, high):
    """Minimum of the cubic interpolant, not closer to the ends than a tenth of the interval."""
    width = high.step - low.step
    if not np.isfinite(high.value):
        return low.step + 0.1 * width
    theta = low.slope + high.slope - 3 * (high.value - low.value) / width
    radicand = theta**2 - low.slope * high.slope
    fraction = 0.5
    if radicand >= 0:
        root = np.sign(width) * np.sqrt(radicand)
        denominator = high.slope - low.slope + 2 * root
        if denominator != 0:
            fraction = 1 - (high.slope + root - theta) / denominator
    if not np.isfinite(fraction):
        fraction = 0.5
    return low.step + float(np.clip(fraction, 0.1, 0.9)) * width
