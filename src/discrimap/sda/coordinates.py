"""Changes of coordinates of the parameters, which affect the descent but not the minimum."""

import numpy as np
from scipy import linalg


class InCoordinates:
    """Objective as a function of coordinates V of its parameters W.

    Only the parameters are transformed, not the data, so no transformed copy of the data is made.
    """

    def __init__(self, objective, coordinates):
        self.objective = objective
        self.coordinates = coordinates

    def value_and_grad(self, V):
        value, grad = self.objective.value_and_grad(self.coordinates.to_params(V))
        return value, self.coordinates.pull_back(grad)


class Scaling:
    """Coordinates ``W = factor V``, which make the parameters independent of the units."""

    def __init__(self, factor):
        self.factor = factor

    def to_params(self, V):
        return self.factor * V

    def from_params(self, W):
        return W / self.factor

    def pull_back(self, grad):
        return self.factor * grad


class Whitening:
    """Coordinates ``W = T V`` with ``T' B T = 1``, in which the curvature B is the identity.

    Parameters
    ----------
    curvature : ndarray of shape (n_features, n_features)
        B, symmetric and positive semi-definite; overwritten. Eigenvalues below ``floor`` times the
        largest are raised to that value, so that directions without curvature stay reachable.
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
    """Coordinates ``W = basis V`` of parameters in the span of the columns of a basis."""

    def __init__(self, basis):
        self.basis = basis

    def to_params(self, V):
        return self.basis @ V

    def pull_back(self, grad):
        return self.basis.T @ grad
