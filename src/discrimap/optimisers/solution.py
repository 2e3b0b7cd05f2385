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
    steps : tuple of pairs of ndarray
        The last steps of ``"lbfgs"``, each with the change of the gradient, flattened.

    Examples
    --------
    >>> import numpy as np
    >>> from discrimap.optimisers import minimise
    >>> class Bowl:
    ...     def value_and_grad(self, params):
    ...         return ((params - 3.0) ** 2).sum(), 2 * (params - 3.0)
    >>> solution = minimise(Bowl(), np.zeros(2))
    >>> solution.converged, round(solution.value, 6)
    (True, 0.0)
    >>> len(solution.loss_curve) == solution.n_iter + 1
    True
    """

    params: np.ndarray
    value: float
    n_iter: int
    n_evaluations: int
    converged: bool
    message: str
    loss_curve: np.ndarray
    steps: tuple[tuple[np.ndarray, np.ndarray], ...] = ()


def warn_unless_converged(solution: Solution, estimator_name: str) -> None:
    """Warn if a minimisation did not converge, and say what to change.

    Parameters
    ----------
    solution : Solution
        Result of :func:`~discrimap.optimisers.minimise`.
    estimator_name : str
        Name of the estimator in the warning.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from discrimap.optimisers import minimise, warn_unless_converged
    >>> class Bowl:
    ...     def value_and_grad(self, params):
    ...         return ((params - 3.0) ** 2).sum(), 2 * (params - 3.0)
    >>> solution = minimise(Bowl(), np.zeros(2), max_iter=0)
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     warn_unless_converged(solution, "Bowl")
    >>> found[0].category.__name__
    'ConvergenceWarning'
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
