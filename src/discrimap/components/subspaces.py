"""Minimisation over subspaces, with the projection as the polar factor of a free matrix."""

import numpy as np
from scipy import linalg


class OnSubspaces:
    """An objective of an orthonormal W, as a function of an unconstrained V with W = polar(V).

    The objective must not change when the components are rotated, ``f(W R) = f(W)``; then only
    the subspace counts, and the gradient in V is ``(I - W W') G (V'V)^(-1/2)`` with the gradient G
    in W (no Sylvester equation is needed, as it would be without the invariance).

    Parameters
    ----------
    objective : object
        ``objective.value_and_grad(W)`` for W of shape (n_features, n_components), and
        ``objective.flat``: the slope per radian that counts as zero.
    """

    def __init__(self, objective):
        self.objective = objective

    def value_and_grad(self, V):
        W, inverse_root = polar(V)
        value, grad = self.objective.value_and_grad(W)
        grad = tangent(W, grad) @ inverse_root
        # Per radian of rotation of the subspace, so that the threshold does not depend on the
        # scale.
        is_flat = linalg.norm(grad) <= self.objective.flat
        return value, np.zeros_like(grad) if is_flat else grad


def polar(V):
    """The orthonormal factor ``W = V (V'V)^(-1/2)``, and ``(V'V)^(-1/2)``."""
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
