"""What a minimisation returns, and the warning when it did not finish."""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning


@dataclass(frozen=True)
class Solution:
    """The end of a minimisation, and why it ended there."""

    params: np.ndarray  # in the shape of the start
    value: float
    n_iter: int
    n_evaluations: int
    converged: bool
    message: str  # why it stopped, in words
    loss_curve: np.ndarray  # the value at the start and after each iteration


def warn_unless_converged(solution, estimator_name):
    """Warn, with a remedy, when a minimisation stopped before it converged.

    Parameters
    ----------
    solution : Solution
        What :func:`~discrimap.optimisers.minimise` returned.
    estimator_name : str
        Named in the warning.
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
