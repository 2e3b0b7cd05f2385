"""Result of a minimisation, and the warning if it did not converge."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning


@dataclass(frozen=True)
class Solution:
    """Result of a minimisation.

    Parameters
    ----------
    params : ndarray
        The best parameters, in the shape of the start.
    value : float
        The value of the objective at ``params``.
    n_iter : int
        Number of iterations.
    n_evaluations : int
        Number of evaluations of the objective.
    converged : bool
        Whether a tolerance was reached.
    message : str
        The reason for stopping.
    loss_curve : ndarray of shape (n_iter + 1,)
        The value at the start and after each iteration.
    """

    params: np.ndarray
    value: float
    n_iter: int
    n_evaluations: int
    converged: bool
    message: str
    loss_curve: np.ndarray


def warn_unless_converged(solution: Solution, estimator_name: str) -> None:
    """Warn, with a remedy, when a minimisation stopped before it converged.

    Parameters
    ----------
    solution : Solution
        Result of :func:`~discrimap.optimisers.minimise`.
    estimator_name : str
        Name of the estimator in the warning.
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
