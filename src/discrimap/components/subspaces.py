"""Minimisation over subspaces, where the projection is the polar factor of a free matrix."""

from typing import Any

import numpy as np
from scipy import linalg

# Smallest ratio of the squared singular values of V at which eigenvectors of V'V are accurate.
WELL_CONDITIONED = 1e-4
LEAST_VARIANCE = 1e-3


class OnSubspaces:
    """An objective of an orthonormal W, as a function of an unconstrained V with W = polar(V).

    The objective must not change when the components are rotated, ``f(W R) = f(W)``, so that it
    depends only on the subspace. Then the gradient with respect to V is
    ``(I - W W') G (V'V)^(-1/2)``, where G is the gradient with respect to W. (Without the
    invariance, a Sylvester equation would have to be solved.)

    Parameters
    ----------
    objective : object
        ``objective.value_and_grad(W)`` for W of shape (n_features, n_components), and
        ``objective.flat``: the slope per radian that counts as zero.
    stretch : ndarray of shape (n_features, n_features), optional
        Symmetric matrix T. The parameters are then U with ``V = T U``; the minima are the same, and
        the search may need fewer iterations. See :func:`stretch_of`.
    """

    def __init__(self, objective: Any, stretch: np.ndarray | None = None) -> None:
        self.objective, self.stretch = objective, stretch

    def from_projection(self, W: np.ndarray) -> np.ndarray:
        """Parameters of a projection W."""
        return W if self.stretch is None else np.linalg.solve(self.stretch, W)

    def to_projection(self, params: np.ndarray) -> np.ndarray:
        """The orthonormal projection W of the parameters."""
        return polar(params if self.stretch is None else self.stretch @ params)[0]

    def value_and_grad(self, params: np.ndarray) -> tuple[float, np.ndarray]:
        if self.stretch is None:
            return self._value_and_grad(params)
        value, grad = self._value_and_grad(self.stretch @ params)
        return value, self.stretch @ grad

    def _value_and_grad(self, V):
        W, inverse_root = polar(V)
        value, grad = self.objective.value_and_grad(W)
        grad = tangent(W, grad) @ inverse_root
        # The gradient is per radian of rotation of the subspace, so that the threshold does not
        # depend on the scale.
        is_flat = linalg.norm(grad) <= self.objective.flat
        return value, np.zeros_like(grad) if is_flat else grad


def stretch_of(scatter: np.ndarray) -> np.ndarray:
    """A matrix T for :class:`OnSubspaces` from the scatter of the samples.

    A small rotation of W moves the projected samples in proportion to their standard deviation
    along the new direction. T scales each principal direction by the inverse square root of its
    standard deviation. Variances below a thousandth of the largest variance are replaced by this
    bound, because with full whitening directions of low variance, which are mostly noise, would
    dominate the first iterations.
    """
    variances, vectors = linalg.eigh(scatter)
    least = LEAST_VARIANCE * variances[-1]
    if least <= 0:
        return np.eye(len(scatter))
    return (vectors * (np.maximum(variances, least) / variances[-1]) ** -0.25) @ vectors.T


def polar(V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The orthonormal factor ``W = V (V'V)^(-1/2)``, and ``(V'V)^(-1/2)``."""
    # The eigenvectors of V'V take a tenth of the time of an SVD of V, but V'V has the squared
    # condition number.
    squares, vectors = np.linalg.eigh(V.T @ V)
    if squares[0] > WELL_CONDITIONED * squares[-1]:
        inverse_root = (vectors / np.sqrt(squares)) @ vectors.T
        return V @ inverse_root, inverse_root
    U, singular_values, Rt = linalg.svd(V, full_matrices=False, check_finite=False)
    return U @ Rt, (Rt.T / singular_values) @ Rt


def tangent(W, grad):
    """Part of the gradient that changes the subspace spanned by W."""
    return grad - W @ (W.T @ grad)


def outer_sums(X, i, pulls, differences):
    """``sum_m pulls_m (x_i - x_m) differences_m'`` over the samples with nonzero pulls."""
    active = np.flatnonzero(np.abs(pulls) > 1e-12 * np.abs(pulls).max())
    weighted = pulls[active, None] * differences[active]
    return np.outer(X[i], weighted.sum(axis=0)) - X[active].T @ weighted
