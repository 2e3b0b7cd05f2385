"""Stochastic approximation over orthonormal projections by Givens rotations."""

import numpy as np
from scipy import linalg

from discrimap.optimisers.monitor import Step
from discrimap.optimisers.solution import Solution

# Piecewise-linear step size: fractions of the number of steps, and of the initial step size.
SCHEDULE_SHARES, SCHEDULE_SIZES = (0.0, 0.5, 1.0), (1.0, 0.25, 0.0)
N_TRIALS = 200  # number of samples at the start that determine the scale of the steps
N_CHECKS = 20  # number of evaluations of the whole objective, for loss curve and callback


def minimise_by_rotations(
    objective,
    start,
    *,
    n_steps=20_000,
    learning_rate=0.1,
    first_step=None,
    random_state=None,
    callback=None,
) -> Solution:
    """Minimise a mean over samples with respect to orthonormal W, by stochastic steps.

    The algorithm of Fig. 1 and Eqs. (7)-(8) of [1]_. Each step computes the gradient of one random
    sample with respect to the ``d (p - d)`` angles between the d components and the other vectors
    of a basis, and rotates the basis against this gradient. The paper keeps the sum of all angles
    since the start; here every step begins at zero angles from the current basis, where Eq. (7)
    reduces to ``-q_j' G_i`` (column i of the gradient, basis vector j). The step size decreases
    piecewise linearly to zero.

    Parameters
    ----------
    objective : object
        ``sample_grad(W, i)`` returns the gradient of the term of sample i, ``value_and_grad(W)``
        returns the value and the gradient of the mean of all terms, and ``n_terms`` is the number
        of terms.
    start : ndarray of shape (n_features, n_components)
        Initial W, with orthonormal columns.
    n_steps : int, default=20000
        Number of steps.
    learning_rate : float, default=0.1
        Length of a typical first step in radians. The paper chooses the step size by validation on
        one data set; here the mean gradient norm of the first samples determines its scale.
    first_step : float, default=None
        Initial step size ``alpha(0)`` of Eq. (8). If given, it replaces ``learning_rate``.
    random_state : RandomState
        Random number generator that draws the samples.
    callback : callable, default=None
        Called at each check with a :class:`~discrimap.optimisers.Step`; a true return value stops
        the minimisation.

    Returns
    -------
    solution : Solution
        ``loss_curve`` holds the values at the start and at the checks.

    References
    ----------
    .. [1] J. Peltonen and S. Kaski, "Discriminative components of data", IEEE Transactions on
       Neural Networks 16 (2005), 68-83.
    """
    from discrimap.optimisers._givens_loops import rotate_columns

    n_components = start.shape[1]
    basis = np.ascontiguousarray(np.hstack([start, linalg.null_space(start.T)]))

    def angle_grad(sample):
        W = np.ascontiguousarray(basis[:, :n_components])
        return -objective.sample_grad(W, sample).T @ basis[:, n_components:]

    if first_step is None:
        trials = random_state.randint(objective.n_terms, size=min(N_TRIALS, objective.n_terms))
        typical = np.mean([np.linalg.norm(angle_grad(sample)) for sample in trials])
        first_step = learning_rate / typical if typical > 0 else 0.0

    value, grad = objective.value_and_grad(start)
    curve = [value]
    message = f"all {n_steps} steps of the schedule were taken"
    samples = random_state.randint(objective.n_terms, size=n_steps)
    checks = set(np.linspace(0, n_steps, N_CHECKS + 1).astype(int)[1:])
    taken = n_steps
    for step, sample in enumerate(samples, start=1):
        size = first_step * np.interp(step / n_steps, SCHEDULE_SHARES, SCHEDULE_SIZES)
        rotate_columns(basis, -size * angle_grad(sample))
        if step in checks:
            # Remove the rounding errors of many rotations; a QR factorisation keeps the subspace.
            basis, signs = linalg.qr(basis)
            basis = np.ascontiguousarray(basis * np.where(np.diag(signs) < 0, -1.0, 1.0))
            W = basis[:, :n_components].copy()
            value, grad = objective.value_and_grad(W)
            curve.append(value)
            record = Step(step, value, float(np.abs(grad).max()), W, len(curve))
            if callback is not None and callback(record):
                taken, message = step, f"the callback asked to stop after {step} steps"
                break
    return Solution(
        params=basis[:, :n_components].copy(),
        value=float(curve[-1]),
        n_iter=taken,
        n_evaluations=len(curve),
        converged=True,
        message=message,
        loss_curve=np.array(curve),
    )
