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

    def values_and_grads(self, Vs):
        """The same for several V, the first axis."""
        values, grads = self.objective.values_and_grads(self.coordinates.to_params(Vs))
        return values, self.coordinates.pull_back(grads)


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
    eigenvalues : ndarray of shape (n_features,)
        Of B, in increasing order and not negative. Those below ``floor`` times the largest are
        raised to that value, so that directions without curvature stay reachable.
    vectors : ndarray of shape (n_features, n_features)
        Eigenvectors of B, as columns.
    floor : float
        Relative.
    """

    def __init__(self, eigenvalues, vectors, floor=1e-6):
        self._roots = np.sqrt(np.maximum(eigenvalues, floor * eigenvalues[-1]))[:, None]
        self._vectors = vectors

    @classmethod
    def of(cls, curvature):
        """Coordinates for a curvature (n_features, n_features), which is overwritten."""
        return cls(*linalg.eigh(curvature, overwrite_a=True, check_finite=False))

    def to_params(self, V):
        return self._vectors @ (V / self._roots)

    def from_params(self, W):
        return self._roots * (self._vectors.T @ W)

    def pull_back(self, grad):
        return (self._vectors.T @ grad) / self._roots


class Subspace:
    """Coordinates ``W = basis V`` of parameters in the span of the columns of a basis."""

    def __init__(self, basis):
        self.basis = basis

    def to_params(self, V):
        return self.basis @ V

    def pull_back(self, grad):
        return self.basis.T @ grad
