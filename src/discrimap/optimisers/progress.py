"""Callback that prints progress to stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from discrimap.optimisers.monitor import Step


def with_progress(
    callback: Callable[[Step], object] | None, verbose: int, name: str
) -> Callable[[Step], object] | None:
    """Combine a user's callback with the printing of progress.

    Parameters
    ----------
    callback : callable or None
        Called with each :class:`~discrimap.optimisers.Step`; a true return value stops
        the minimisation.
    verbose : int
        0 prints nothing, 1 every tenth iteration, 2 and more every iteration.
    name : str
        Prefix of each line.

    Returns
    -------
    callback : callable or None
        None if there is no callback and nothing is printed.

    Examples
    --------
    >>> import numpy as np
    >>> from discrimap.optimisers import minimise, with_progress
    >>> class Bowl:
    ...     def value_and_grad(self, params):
    ...         return ((params - 3.0) ** 2).sum(), 2 * (params - 3.0)
    >>> values = []
    >>> callback = with_progress(lambda step: values.append(step.value), verbose=0, name="Bowl")
    >>> solution = minimise(Bowl(), np.zeros(2), callback=callback)
    >>> len(values) == solution.n_iter
    True
    """
    if not verbose:
        return callback
    every = 10 if verbose == 1 else 1

    def print_and_call(step: Any) -> Any:
        if step.n_iter % every == 0 or step.n_iter == 1:
            print(
                f"{name}: iteration {step.n_iter}, value {step.value:.8g}, "
                f"gradient {step.grad_norm:.3g}",
                file=sys.stderr,
            )
        return callback(step) if callback is not None else False

    return print_and_call
