"""Starting point of the search for category axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import linalg

if TYPE_CHECKING:
    from discrimap.category.objective import SquareAxes


def greedy_axes(objective: SquareAxes) -> np.ndarray:
    """Return orthonormal axes by deflation, the starting point of the square objective.

    Repeatedly, the class with the largest leading eigenvalue in the remaining space is assigned its
    leading eigenvector. This is deterministic, and renaming the classes only reorders the columns.
    A leading eigenvalue cannot grow when the space shrinks, so a class is evaluated again only if
    its old value is the largest.

    Parameters
    ----------
    objective : SquareAxes
        Provides products with the scatter matrices.

    Returns
    -------
    W : ndarray of shape (n_features, n_classes)
    """
    n_features, n_classes = objective.n_features, objective.n_classes
    taken = np.empty((n_features, 0))
    W = np.empty((n_features, n_classes))
    leading = [leading_eigenpair(objective, k, taken) for k in range(n_classes)]
    bounds = np.array([value for value, _ in leading])
    fresh = np.ones(n_classes, dtype=bool)
    for _ in range(n_classes):
        while not fresh[k := int(np.argmax(bounds))]:
            leading[k] = leading_eigenpair(objective, k, taken)
            bounds[k], fresh[k] = leading[k][0], True
        W[:, k] = leading[k][1]
        taken = np.column_stack([taken, W[:, k]])
        bounds[k], fresh[:] = -np.inf, False
    return W


def leading_eigenpair(objective, k, taken, max_steps=40):
    """Return the largest eigenvalue of ``R_k`` on the complement of ``taken``, and its vector.

    LAPACK is used for small matrices, Lanczos otherwise. Every Lanczos vector is orthogonalised
    against all previous ones, so a few steps suffice and convergence is certain; with as many steps
    as dimensions the result is exact.
    """
    if objective.scatters is not None and objective.n_features <= max_steps:
        left = np.linalg.qr(taken, mode="complete")[0][:, taken.shape[1] :]
        values, vectors = np.linalg.eigh(left.T @ objective.scatters[k] @ left)
        return values[-1], left @ vectors[:, -1]
    n_left = objective.n_features - taken.shape[1]
    # A random vector has a part along every eigenvector; one step removes its part in the null space.
    generic = np.random.default_rng(0).standard_normal(objective.n_features)
    image = objective.apply(k, orthogonalise(generic, taken))
    first = orthogonalise(image, taken)
    norm = np.linalg.norm(first)
    if norm <= 1e-12 * np.linalg.norm(objective.apply(k, generic)):
        # The class has no scatter left, so any direction of the complement will do. It is drawn with
        # another seed, because the vector above may have been assigned to a previous class.
        another = np.random.default_rng(taken.shape[1]).standard_normal(objective.n_features)
        first = orthogonalise(another, taken)
        return 0.0, first / np.linalg.norm(first)
    basis = np.column_stack([taken, first / norm])
    n_taken = taken.shape[1]
    diagonal, off_diagonal = [], []
    for _ in range(min(max_steps, n_left)):
        image = objective.apply(k, basis[:, -1])
        diagonal.append(basis[:, -1] @ image)
        rest = orthogonalise(image, basis)
        norm = np.linalg.norm(rest)
        if norm <= 1e-12 * max(diagonal) or len(diagonal) == min(max_steps, n_left):
            break
        off_diagonal.append(norm)
        basis = np.column_stack([basis, rest / norm])
    values, vectors = linalg.eigh_tridiagonal(diagonal, off_diagonal)
    vector = basis[:, n_taken:] @ vectors[:, -1]
    return values[-1], vector / np.linalg.norm(vector)


def orthogonalise(vector, basis):
    """Remove the part of a vector in the span of orthonormal columns, twice to limit rounding errors."""
    for _ in range(2):
        vector = vector - basis @ (basis.T @ vector)
    return vector
