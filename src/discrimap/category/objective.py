"""Objectives of category space."""

from typing import Self

import numpy as np


class SquareAxes:
    """Half the weighted scatter of each class along its own axis, Eqs. (38)-(39) of [1]_.

        value(W) = 1/2 sum_k omega_k w_k' R_k w_k,    R_k = sum over class k of (x - o)(x - o)'

    An evaluation costs 2 C p^2 operations with the scatter matrices R_k and 4 n p with the samples
    themselves; the cheaper form is stored.

    Parameters
    ----------
    blocks : list of ndarray, each of shape (n_samples_k, n_features)
        The samples of each class about their origin.
    weights : ndarray of shape (n_classes,)
        Positive weights omega of the classes.

    References
    ----------
    .. [1] A. O. Smith and A. Rangarajan, "A category space approach to supervised dimensionality
       reduction", arXiv:1610.08838 (2016).
    """

    def __init__(self, blocks: list[np.ndarray], weights: np.ndarray) -> None:
        n_samples = sum(len(block) for block in blocks)
        self.n_classes, self.n_features = len(blocks), blocks[0].shape[1]
        pairs = list(zip(weights, blocks, strict=True))
        self.scatters: np.ndarray | None = None
        self.factors: list[np.ndarray] = []
        if 2 * n_samples > self.n_classes * self.n_features:
            self.scatters = np.stack([weight * (block.T @ block) for weight, block in pairs])
        else:
            self.factors = [np.sqrt(weight) * block for weight, block in pairs]

    @classmethod
    def from_scatters(cls, scatters: np.ndarray) -> Self:
        """Build the objective from weighted scatter matrices, (n_classes, n_features, n_features)."""
        objective = cls.__new__(cls)
        objective.n_classes, objective.n_features = scatters.shape[:2]
        objective.scatters, objective.factors = scatters, []
        return objective

    def apply(self, k, vector):
        """Return the product of ``R_k`` with a vector."""
        if self.scatters is not None:
            return self.scatters[k] @ vector
        return self.factors[k].T @ (self.factors[k] @ vector)

    def value_and_grad(self, W: np.ndarray) -> tuple[float, np.ndarray]:
        if self.scatters is not None:
            grad = (self.scatters @ W.T[:, :, None])[:, :, 0].T
        else:
            columns = [self.apply(k, W[:, k]) for k in range(self.n_classes)]
            grad = np.stack(columns, axis=1)
        return 0.5 * float(np.vdot(W, grad)), grad

    def total_scatter(self):
        """Return the sum of all ``R_k``, shape (n_features, n_features)."""
        if self.scatters is not None:
            return self.scatters.sum(axis=0)
        stacked = np.vstack(self.factors)
        return stacked.T @ stacked


class AbsoluteAxes:
    """Smoothed absolute coordinates of each class along its own axis, Eqs. (6)-(7) of [1]_.

        value(W) = sum_k omega_k sum over class k of sqrt((w_k'x - nu_k)^2 + e^2)

    With ``free_origin`` nu_k minimises the sum over its class, which is the exact solution of the
    paper's inner problem under ``sum z = 0``; the paper's solution, Eq. (26), is not a minimiser and
    may lower the objective. Otherwise nu_k = 0. In both cases the value is convex in W, because it is
    a maximum over z of functions that are linear in W. An evaluation costs 4 n p operations.

    Parameters
    ----------
    blocks : list of ndarray, each of shape (n_samples_k, n_features)
        The samples of each class about their origin.
    weights : ndarray of shape (n_classes,)
        Positive weights omega of the classes.
    smoothing : float
        The length e, in the units of the samples. (The paper writes e in one place and e^2 in
        another.)
    free_origin : bool
        Whether to solve for nu_k.

    References
    ----------
    .. [1] A. O. Smith and A. Rangarajan, "A category space approach to supervised dimensionality
       reduction", arXiv:1610.08838 (2016).
    """

    def __init__(
        self, blocks: list[np.ndarray], weights: np.ndarray, smoothing: float, free_origin: bool
    ) -> None:
        self.blocks, self.weights = blocks, weights
        self.smoothing, self.free_origin = smoothing, free_origin

    def value_and_grad(self, W: np.ndarray) -> tuple[float, np.ndarray]:
        value, grad = 0.0, np.empty_like(W)
        for k, (block, weight) in enumerate(zip(self.blocks, self.weights, strict=True)):
            coordinates = block @ W[:, k]
            if self.free_origin:
                coordinates -= balancing_origin(coordinates, self.smoothing)
            lengths = np.hypot(coordinates, self.smoothing)
            value += weight * float(lengths.sum())
            grad[:, k] = weight * (block.T @ (coordinates / lengths))
        return value, grad


def balancing_origin(coordinates, smoothing, max_iter=200):
    """Return the nu at which ``z = (a - nu) / sqrt((a - nu)^2 + e^2)`` sums to zero: a smoothed median.

    The sum decreases monotonically in nu, from positive at the smallest coordinate to negative at
    the largest, so Newton's method is safe inside a shrinking bracket; if a step leaves the
    bracket, the bracket is halved instead.

    Parameters
    ----------
    coordinates : ndarray of shape (n_samples,)
        The coordinates a of one class along its axis.
    smoothing : float
        The length e > 0.

    Returns
    -------
    nu : float
    """
    low, high = coordinates.min(), coordinates.max()
    nu = np.median(coordinates)
    for _ in range(max_iter):
        offsets = coordinates - nu
        lengths = np.hypot(offsets, smoothing)
        total = np.sum(offsets / lengths)
        if abs(total) <= 1e-13 * len(coordinates):
            break
        low, high = (nu, high) if total > 0 else (low, nu)
        slope = np.sum((smoothing / lengths) ** 2 / lengths)
        proposal = nu + total / slope if slope > 0 else np.inf
        proposal = proposal if low < proposal < high else 0.5 * (low + high)
        if proposal == nu:
            break
        nu = proposal
    return nu
