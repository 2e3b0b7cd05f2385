"""Limited-memory BFGS from several starts at once, with one evaluation of all of them at a time.

Where an evaluation takes a tenth of a millisecond, a search spends most of its time in the interpreter.
Searches in lockstep share it: an objective computes the values of all searches in one call, which can
use all cores, and the directions are found for all of them together.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from discrimap._typing import Array
from discrimap.optimisers.monitor import Monitor
from discrimap.optimisers.solution import Solution
from discrimap.threads import one_thread

# Number of earlier steps that give the curvature, as in minimise_lbfgs.
MEMORY = 10
# Constants of the Wolfe conditions: the least decrease, and the most slope, relative to the first.
LEAST_DECREASE, MOST_SLOPE = 1e-4, 0.9
# Most evaluations of a line search, and the shortest step that it tries next, relative to the last.
MAX_TRIALS, SHORTENED = 30, 0.1


class Objectives(Protocol):
    """Function to minimise from several starts."""

    def values_and_grads(self, params: Array) -> tuple[Array, Array]: ...


def minimise_in_lockstep(
    objective: Objectives,
    starts: list[Array],
    *,
    max_iter: int = 1000,
    tol: float = 1e-6,
    grad_tol: float = 1e-8,
) -> list[Solution]:
    """Minimise from several starts in lockstep.

    Parameters
    ----------
    objective : object
        ``objective.values_and_grads(params)`` returns the values (n,) and the gradients, in the shape
        of ``params``, of several parameters, the first axis of ``params``.
    starts : list of ndarray
        Initial parameters, all of the same shape.
    max_iter, tol, grad_tol
        As for :func:`~discrimap.optimisers.minimise`.

    Returns
    -------
    solutions : list of Solution
        One solution for each start, in the same order. A search does not depend on the others.

    Notes
    -----
    Line searches bisect for a step that satisfies the weak Wolfe conditions (Lewis and Overton,
    "Nonsmooth optimization via quasi-Newton methods", Mathematical Programming 141, 2013, Alg. 2.6),
    with interpolation instead of the first bisections.

    Examples
    --------
    >>> import numpy as np
    >>> from discrimap.optimisers import minimise_in_lockstep
    >>> class TwoMinima:
    ...     def values_and_grads(self, params):
    ...         return ((params**2 - 1) ** 2).sum(axis=1), 4 * params * (params**2 - 1)
    >>> solutions = minimise_in_lockstep(TwoMinima(), [np.array([-2.0]), np.array([2.0])])
    >>> [solution.params.round(3).tolist() for solution in solutions]
    [[-1.0], [1.0]]
    """
    with one_thread():
        searches = _Searches(objective, starts, max_iter, tol, grad_tol)
        while len(searches.number):
            searches.advance()
    return searches.solutions


class _Searches:
    """State of the searches that have not ended: the first axis of most arrays is the search.

    Each is in a line search from ``point`` along ``direction``. Steps up to ``short`` are too short,
    steps from ``long`` on too long, and ``step`` is tried next.
    """

    def __init__(
        self, objective: Objectives, starts: list[Array], max_iter: int, tol: float, grad_tol: float
    ) -> None:
        self.objective, self.shape = objective, np.shape(starts[0])
        limits: Any = {"max_iter": max_iter, "tol": tol, "grad_tol": grad_tol, "callback": None}
        self.monitors = [Monitor(None, **limits) for _ in starts]
        self.solutions: list[Any] = [None] * len(starts)

        n_searches = len(starts)
        self.number = np.arange(n_searches)
        self.point = np.array(starts, dtype=np.float64).reshape(n_searches, -1)
        self.value, self.grad = self._evaluate(self.point)
        # Moves and changes of the gradient, the newest last. Those that are not known yet are zero.
        self.moves = np.zeros((MEMORY, *self.point.shape))
        self.changes = np.zeros_like(self.moves)
        self.direction = np.zeros_like(self.point)
        self.slope, self.step, self.short, self.long = np.zeros((4, n_searches))
        self.n_trials = np.zeros(n_searches, dtype=int)
        reasons = [
            monitor.begin(value, grad)
            for monitor, value, grad in zip(self.monitors, self.value, self.grad, strict=True)
        ]
        self._begin_line(np.arange(n_searches))
        self._end(np.arange(n_searches), reasons)

    def _evaluate(self, points: Array) -> tuple[Array, Array]:
        values, grads = self.objective.values_and_grads(points.reshape(len(points), *self.shape))
        values, grads = np.array(values, dtype=np.float64), grads.reshape(points.shape)
        is_finite = np.isfinite(values) & np.isfinite(grads).all(axis=1)
        values[~is_finite] = np.inf  # such a step is too long, and its gradient is not used
        for number in self.number:
            self.monitors[number].n_evaluations += 1
        return values, grads

    def advance(self) -> None:
        """Evaluate the next trial of every line search."""
        trial = self.point + self.step[:, None] * self.direction
        value, grad = self._evaluate(trial)
        slope = _products(grad, self.direction)
        # Differences due to rounding must not count as an increase.
        slack = 4 * np.finfo(float).eps * np.abs(self.value)
        is_long = ~(value <= self.value + LEAST_DECREASE * self.step * self.slope + slack)
        is_short = ~is_long & (slope < MOST_SLOPE * self.slope)
        self.n_trials += 1
        is_last = (self.n_trials == MAX_TRIALS) & (is_long | is_short)
        accepted = np.flatnonzero(~is_long & ~is_short | is_last & (value < self.value))
        failed = np.flatnonzero(is_last & ~(value < self.value))

        if is_long.any():
            self._shorten(np.flatnonzero(is_long), value)
        if is_short.any():
            self._lengthen(np.flatnonzero(is_short))
        if len(accepted):
            self._accept(accepted, trial, value, grad)
        reasons = [
            self.monitors[number].after_step(*state)
            for number, *state in zip(
                self.number[accepted], trial[accepted], value[accepted], grad[accepted], strict=True
            )
        ]
        reasons += [
            self.monitors[number].no_descent(at)
            for number, at in zip(self.number[failed], self.grad[failed], strict=True)
        ]
        self._end(np.concatenate([accepted, failed]), reasons)

    def _shorten(self, rows: Array, value: Array) -> None:
        step, slope = self.step[rows], self.slope[rows]
        self.long[rows] = step
        # Minimum of the parabola through both values with the slope at the first.
        with np.errstate(invalid="ignore", over="ignore"):
            parabola = -0.5 * slope * step**2 / (value[rows] - self.value[rows] - slope * step)
        parabola = np.clip(np.nan_to_num(parabola), SHORTENED * step, 0.5 * step)
        middle = (self.short[rows] + step) / 2
        self.step[rows] = np.where(self.short[rows] > 0, middle, parabola)

    def _lengthen(self, rows: Array) -> None:
        step = self.step[rows]
        self.short[rows] = step
        has_end = np.isfinite(self.long[rows])
        self.step[rows] = np.where(has_end, (step + self.long[rows]) / 2, 2 * step)

    def _accept(self, rows: Array, trial: Array, value: Array, grad: Array) -> None:
        move, change = trial[rows] - self.point[rows], grad[rows] - self.grad[rows]
        # Without positive curvature, as after a line search that reached its limit, nothing is learned.
        bends = _products(move, change) > 0
        learning = rows[bends]
        for known, new in ((self.moves, move), (self.changes, change)):
            known[:-1, learning] = known[1:, learning]
            known[-1, learning] = new[bends]
        self.point[rows], self.value[rows], self.grad[rows] = trial[rows], value[rows], grad[rows]
        self._begin_line(rows)

    def _begin_line(self, rows: Array) -> None:
        grad, moves, changes = self.grad[rows], self.moves[:, rows], self.changes[:, rows]
        direction = _newton_direction(grad, moves, changes)
        slope = _products(grad, direction)
        is_first = ~moves[-1].any(axis=1)
        self.direction[rows], self.slope[rows] = direction, slope
        norm = np.maximum(np.sqrt(_products(grad, grad)), np.finfo(float).tiny)
        self.step[rows] = np.where(is_first, np.minimum(1.0, 1.0 / norm), 1.0)
        self.short[rows], self.long[rows], self.n_trials[rows] = 0.0, np.inf, 0

    def _end(self, rows: Array, reasons: list[Any]) -> None:
        """End those of the searches that have a reason to."""
        ended = []
        for row, reason in zip(rows, reasons, strict=True):
            if reason is not None:
                number = self.number[row]
                params = self.point[row].reshape(self.shape).copy()
                self.solutions[number] = self.monitors[number].solution(
                    params, float(self.value[row]), reason
                )
                ended.append(row)
        if not ended:
            return
        for name in (
            *("number", "point", "value", "grad", "direction"),
            *("slope", "step", "short", "long", "n_trials"),
        ):
            setattr(self, name, np.delete(getattr(self, name), ended, axis=0))
        self.moves = np.delete(self.moves, ended, axis=1)
        self.changes = np.delete(self.changes, ended, axis=1)


def _newton_direction(grad: Array, moves: Array, changes: Array) -> Array:
    """Minus the gradients times the inverse Hessians of L-BFGS (Nocedal and Wright, Alg. 7.4).

    The arrays are (n_searches, n_params) and (memory, n_searches, n_params).
    """
    curvature = np.einsum("ksp,ksp->ks", moves, changes)
    inverse = np.divide(1.0, curvature, out=np.zeros_like(curvature), where=curvature > 0)
    direction, weights = -grad, []
    # Pairs that are not known yet are zero, for all searches if there have been few steps.
    known = [k for k in range(len(moves)) if inverse[k].any()]
    for k in reversed(known):
        weights.append(inverse[k] * _products(moves[k], direction))
        direction -= weights[-1][:, None] * changes[k]
    sizes = _products(changes[-1], changes[-1])
    direction *= np.divide(curvature[-1], sizes, out=np.ones_like(sizes), where=sizes > 0)[:, None]
    for k in known:
        weight = weights.pop() - inverse[k] * _products(changes[k], direction)
        direction += weight[:, None] * moves[k]
    return direction


def _products(a: Array, b: Array) -> Array:
    """Inner product of each row."""
    products: Array = np.einsum("sp,sp->s", a, b)
    return products
