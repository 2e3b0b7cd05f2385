"""Algorithm 1 of the SDA paper with dense NumPy arrays and scipy's L-BFGS, for comparison."""

import contextlib
import time

import numpy as np
from scipy import optimize


class OutOfTimeError(Exception):
    """The time limit was reached."""


def naive_sda(X, y, start, *, target=-np.inf, time_limit=np.inf):
    """Minimise the SDA objective with n x n arrays; stop at a target value or a time limit.

    Returns
    -------
    W : ndarray of shape (n_features, n_components)
    value : float
        The lowest objective seen.
    seconds : float
        Until that value, or until the target was reached.
    n_evaluations : int
    """
    epsilon = 1 / len(np.unique(y))
    P = np.where(y[:, None] == y[None, :], 1.0, epsilon)
    P /= P.sum()
    entropy = np.sum(P * np.log(P))
    began = time.perf_counter()
    best = {"value": np.inf, "W": start, "seconds": 0.0, "n_evaluations": 0}

    def value_and_grad(flat):
        W = flat.reshape(start.shape)
        Z = X @ W
        squares = (Z**2).sum(axis=1)
        D = np.maximum(squares[:, None] + squares[None, :] - 2 * Z @ Z.T, 0)
        Qbar = 1 / (1 + D)
        Q = Qbar / Qbar.sum()
        value = entropy - np.sum(P * np.log(Q))
        G = (P - Q) * Qbar
        symmetric = G + G.T
        laplacian = np.diag(symmetric.sum(axis=1)) - symmetric
        grad = 2 * X.T @ (laplacian @ (X @ W))
        best["n_evaluations"] += 1
        seconds = time.perf_counter() - began
        if value < best["value"]:
            best.update(value=value, W=W.copy(), seconds=seconds)
        if value <= target or seconds > time_limit:
            raise OutOfTimeError
        return value, grad.ravel()

    with contextlib.suppress(OutOfTimeError):
        optimize.minimize(
            value_and_grad, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 10_000}
        )
    return best["W"], best["value"], best["seconds"], best["n_evaluations"]
