"""Result of a minimisation, and the warning if it did not converge."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning


@dataclass(frozen=True)
class Solution:
    """Result of a minimisation."""

    params: np.ndarray  # in the shape of the start
    value: float
    n_iter: int
    n_evaluations: int
    converged: bool
    message: str  # reason why it stopped
    loss_curve: np.ndarray  # the value at the start and after each iteration


def warn_unless_converged(solution: Solution, estimator_name: str) -> None:
    """Warn, with a remedy, when a minimisation stopped before it converged.

    Parameters
    ----------
    solution : Solution
        Result of :func:`~discrimap.optimisers.minimise`.
    estimator_name : str
        Name in the warning.
    """
    if solution.converged:
        return
    warnings.warn(
        f"{estimator_name} did not converge: {solution.message} (value {solution.value:.6g} after "
        f"{solution.n_iter} iterations). Increase max_iter, use a larger tol, or standardise the "
        "variables.",
        ConvergenceWarning,
        stacklevel=3,
    )
