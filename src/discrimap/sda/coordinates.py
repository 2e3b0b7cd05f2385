"""An objective seen in other coordinates of its parameters: the same minimum, another path."""

import numpy as np
from scipy import linalg


class InCoordinates:
    """``V -> objective(W)`` with W the parameters at coordinates V.

    Coordinates change the parameters, never the data, so that no transformed copy is held.
    """

    def __init__(self, objective, coordinates):
        self.objective = objective
        self.coordinates = coordinates

    def value_and_grad(self, V):
        value, grad = self.objective.value_and_grad(self.coordinates.to_params(V))
        return value, self.coordinates.pull_back(grad)


class Scaling:
    """``W = factor V``: takes the units out of the parameters."""

    def __init__(self, factor):
        self.factor = factor

    def to_params(self, V):
        return self.factor * V

    def from_params(self, W):
        return W / self.factor

    def pull_back(self, grad):
        return self.factor * grad


class Whitening:
    """``W = T V`` with ``T' B T = 1``: where B is the curvature, the valley becomes round.

    Parameters
    ----------
    curvature : ndarray of shape (n_features, n_features)
        B, symmetric and positive semi-definite; overwritten. Eigenvalues below ``floor`` times
        the largest are lifted to it, so that directions without curvature stay reachable.
    floor : float
        Relative.
    """

    def __init__(self, curvature, floor=1e-6):
        eigenvalues, vectors = linalg.eigh(curvature, overwrite_a=True, check_finite=False)
        self._eigenvalues = np.maximum(eigenvalues, floor * eigenvalues[-1])[:, None]
        self._T = vectors / np.sqrt(self._eigenvalues.T)

    def to_params(self, V):
        return self._T @ V

    def from_params(self, W):
        return self._eigenvalues * (self._T.T @ W)

    def pull_back(self, grad):
        return self._T.T @ grad


class Subspace:
    """``W = basis V``: only parameters in the span of the columns of a basis."""

    def __init__(self, basis):
        self.basis = basis

    def to_params(self, V):
        return self.basis @ V

    def pull_back(self, grad):
        return self.basis.T @ grad
