"""Interface to the seven methods of Table 2 of the SDA paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from discrimap._typing import Array
from discrimap.optimisers.descent import descend
from discrimap.optimisers.lbfgs import minimise_lbfgs
from discrimap.optimisers.monitor import WINDOW, WINDOW_WHEN_NEAR, Monitor, Step
from discrimap.optimisers.rules_of_sda_paper import (
    BarzilaiBorwein,
    ConjugateGradient,
    GradientDescent,
    PreconditionedConjugateGradient,
    SpectralDirection,
    hestenes_stiefel,
    polak_ribiere,
)
from discrimap.optimisers.solution import Solution
from discrimap.threads import one_thread, run_tasks


class Objective(Protocol):
    """Function to minimise; its data is given at construction."""

    def value_and_grad(self, params: np.ndarray) -> tuple[float, np.ndarray]: ...


_RULES: dict[str, Callable[[], Any]] = {
    "gd": GradientDescent,
    "bb": BarzilaiBorwein,
    "cg": lambda: ConjugateGradient(hestenes_stiefel),
    "pcg": PreconditionedConjugateGradient,
    "rcg": lambda: ConjugateGradient(polak_ribiere),
}

# If an evaluation takes less time than this, in nanoseconds, parallel searches mostly wait for the
# interpreter lock.
LONG_EVALUATION = 2e6

#: The methods by name, the default first.
METHODS = ("lbfgs", *_RULES, "sd")


def minimise(
    objective: Objective,
    start: np.ndarray,
    *,
    method: str = "lbfgs",
    max_iter: int = 1000,
    tol: float = 1e-6,
    grad_tol: float = 1e-8,
    callback: Callable[[Step], object] | None = None,
    preconditioner: Callable[[Array], Callable[[Array], Array]] | None = None,
    near: Solution | None = None,
) -> Solution:
    """Minimise a smooth function without constraints.

    Parameters
    ----------
    objective : object
        ``objective.value_and_grad(params)`` returns the value and the gradient, in the shape of
        ``params``.
    start : ndarray
        Initial parameters, of any shape.
    method : str, default="lbfgs"
        ``"lbfgs"`` (limited-memory BFGS), ``"gd"`` (gradient descent), ``"bb"``
        (Barzilai-Borwein steps), ``"cg"`` (conjugate gradients, Hestenes-Stiefel), ``"pcg"``
        (conjugate gradients with an L-BFGS preconditioner), ``"rcg"`` (Polak-Ribiere) or ``"sd"``
        (spectral direction, which needs ``preconditioner``).
    max_iter : int, default=1000
        Maximum number of iterations; each takes one or a few evaluations.
    tol : float, default=1e-6
        Stop when the mean decrease per iteration, over five iterations, is at most this fraction of
        the absolute value (or of the decrease since the start, if that is larger).
    grad_tol : float, default=1e-8
        Stop when the largest absolute entry of the gradient is at most this fraction of its value
        at the start.
    callback : callable, default=None
        Called after each iteration with a :class:`~discrimap.optimisers.Step`; a true return
        value stops the minimisation.
    preconditioner : callable, default=None
        For ``"sd"`` only: ``params -> solve``, where ``solve(grad)`` applies the inverse of the
        positive definite part of the Hessian at ``params``.
    near : Solution, default=None
        Solution of a similar problem, for example for a subset of the data, which says that the
        start is close to a minimum. Decreases are then averaged over two iterations instead of
        five, and ``"lbfgs"`` begins with the curvature along the last steps of that solution. If it
        has none, the first step is no longer than the gradient.

    Returns
    -------
    solution : Solution
        The best point; its ``message`` is the reason why the search ended.

    Examples
    --------
    >>> import numpy as np
    >>> from discrimap.optimisers import minimise
    >>> class Bowl:
    ...     def value_and_grad(self, params):
    ...         return ((params - 3.0) ** 2).sum(), 2 * (params - 3.0)
    >>> solution = minimise(Bowl(), np.zeros((2, 2)))
    >>> solution.params.round(6).tolist(), solution.converged
    ([[3.0, 3.0], [3.0, 3.0]], True)
    """
    if method not in METHODS:
        raise ValueError(f"method={method!r} is not known; use one of {', '.join(METHODS)}.")
    if method == "sd" and preconditioner is None:
        raise ValueError(
            "method='sd' needs a preconditioner (params -> solve); pass one, or use 'lbfgs'."
        )
    monitor = Monitor(
        objective,
        max_iter=max_iter,
        tol=tol,
        grad_tol=grad_tol,
        callback=callback,
        window=WINDOW if near is None else WINDOW_WHEN_NEAR,
    )
    # The objectives divide their work among threads.
    with one_thread():
        if method == "lbfgs":
            return minimise_lbfgs(monitor, start, near=near)
        if method == "sd":
            assert preconditioner is not None
            return descend(monitor, start, SpectralDirection(preconditioner))
        return descend(monitor, start, _RULES[method]())


def minimise_each(
    objective: Any, starts: list[Array], *, nanoseconds: float = 0.0, **options: Any
) -> list[Solution]:
    """Minimise from several starts, in parallel if evaluations are long enough.

    Parameters
    ----------
    objective : object
        As for :func:`minimise`; several threads may evaluate it at the same time.
    starts : list of ndarray
        Initial parameters.
    nanoseconds : float, default=0.0
        Time of one evaluation on one core, without the interpreter lock.
    **options
        Passed to :func:`minimise`.

    Returns
    -------
    solutions : list of Solution
        One solution for each start, in the same order. They do not depend on the number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> from discrimap.optimisers import minimise_each
    >>> class TwoMinima:
    ...     def value_and_grad(self, params):
    ...         return ((params**2 - 1) ** 2).sum(), 4 * params * (params**2 - 1)
    >>> solutions = minimise_each(TwoMinima(), [np.array([-2.0]), np.array([2.0])])
    >>> [solution.params.round(3).tolist() for solution in solutions]
    [[-1.0], [1.0]]
    """
    whole = len(starts) * nanoseconds if nanoseconds >= LONG_EVALUATION else 0.0
    return run_tasks(lambda start: minimise(objective, start, **options), starts, whole)
