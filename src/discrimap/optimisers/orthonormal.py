"""Maximisation of a convex function of a matrix with orthonormal columns."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from discrimap.optimisers.monitor import Step
from discrimap.optimisers.solution import Solution

if TYPE_CHECKING:
    from discrimap.optimisers.minimise import Objective


def nearest_orthonormal(matrix: np.ndarray) -> np.ndarray:
    """Polar factor ``U V'`` of ``matrix = U S V'``: the closest matrix with W'W = I.

    If the matrix does not have full rank, the factor is not unique. The SVD then gives one of the
    possible factors, so that the columns are always orthonormal.
    """
    U, _, Vt = np.linalg.svd(matrix, full_matrices=False)
    return U @ Vt


def maximise_orthonormal(
    objective: Objective,
    start: np.ndarray,
    *,
    max_iter: int = 1000,
    tol: float = 1e-8,
    callback: Callable[[Step], object] | None = None,
) -> Solution:
    """Maximise a convex, differentiable function over the matrices with ``W'W = I``.

    A convex function lies above its tangent at W, and the polar factor of the gradient maximises
    the tangent, so the step ``W <- polar(gradient)`` never decreases the value [1]_. Near the
    solution these steps converge linearly. To accelerate them, the gradient is extrapolated,
    ``polar(G + b (G - G_previous))``, where b increases as in Nesterov's method. If an extrapolated
    step would decrease the value, it is repeated without extrapolation and b restarts from zero.
    Therefore the value never decreases, neither in exact arithmetic nor in the recorded curve.

    Parameters
    ----------
    objective : object
        ``objective.value_and_grad(W)`` returns the value and the gradient.
    start : ndarray of shape (n_rows, n_columns)
        Initial W, with orthonormal columns.
    max_iter : int, default=1000
        Maximum number of iterations; each takes one evaluation, rarely two.
    tol : float, default=1e-8
        Stop when ``|G - W sym(W'G)| <= tol |G|`` and the step without extrapolation increases the
        value by at most the same fraction.
    callback : callable, default=None
        Called after each iteration with a :class:`~discrimap.optimisers.Step`; a true return
        value stops the maximisation.

    Returns
    -------
    solution : Solution
        ``loss_curve`` holds the values, in increasing order.

    References
    ----------
    .. [1] M. Bolla, G. Michaletzky, G. Tusnady and M. Ziermann, "Extrema of sums of heterogeneous
       quadratic forms", Linear Algebra and its Applications 269 (1998), 331-365.

    Examples
    --------
    >>> import numpy as np
    >>> from discrimap.optimisers.orthonormal import maximise_orthonormal
    >>> class SumOfSquares:
    ...     def value_and_grad(self, W):
    ...         scatter = np.diag([3.0, 2.0, 1.0])
    ...         return 0.5 * np.sum(W * (scatter @ W)), scatter @ W
    >>> start = np.array([[2.0, 2.0], [1.0, -2.0], [2.0, -1.0]]) / 3.0
    >>> print(maximise_orthonormal(SumOfSquares(), start).value.round(9))
    2.5
    """
    W, previous_grad, momentum = start, None, 1.0
    value, grad = objective.value_and_grad(W)
    curve, n_evaluations = [value], 1
    converged, message = False, f"max_iter={max_iter} iterations were reached"
    for n_iter in range(1, max_iter + 1):
        residual = stationarity_residual(W, grad)
        at_rest = np.vdot(residual, residual) <= tol**2 * np.vdot(grad, grad)
        next_momentum = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * momentum**2))
        factor = (momentum - 1.0) / next_momentum
        # At a stationary point, only the plain step can distinguish a maximum from a saddle point.
        plain = at_rest or previous_grad is None or factor == 0.0
        target = grad if plain else grad + factor * (grad - previous_grad)
        candidate = nearest_orthonormal(target)
        new_value, new_grad = objective.value_and_grad(candidate)
        n_evaluations += 1
        momentum = next_momentum
        if new_value < value and not plain:
            momentum = 1.0
            candidate = nearest_orthonormal(grad)
            new_value, new_grad = objective.value_and_grad(candidate)
            n_evaluations += 1
        if new_value < value or (at_rest and new_value - value <= tol * abs(value)):
            # A plain step cannot decrease the value, except by rounding.
            converged = True
            message = f"the point is stationary to tol={tol:g} or to working precision"
            break
        W, previous_grad, value, grad = candidate, grad, new_value, new_grad
        curve.append(value)
        if callback is not None and callback(
            Step(n_iter, value, np.abs(stationarity_residual(W, grad)).max(), W, n_evaluations)
        ):
            converged, message = True, f"the callback asked to stop after {n_iter} iterations"
            break
    return Solution(
        params=W,
        value=value,
        n_iter=len(curve) - 1,
        n_evaluations=n_evaluations,
        converged=converged,
        message=message,
        loss_curve=np.array(curve),
    )


def stationarity_residual(W, grad):
    """Gradient without its component normal to the constraint; zero at a stationary point."""
    multipliers = W.T @ grad
    return grad - W @ (0.5 * (multipliers + multipliers.T))
