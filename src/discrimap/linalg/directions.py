"""Directions of largest variance, and of largest scatter between classes."""

import numpy as np
from scipy import linalg

from discrimap.linalg.signs import orient


def principal_directions(scatter: np.ndarray, n_directions: int | None = None) -> np.ndarray:
    """Return the directions of largest variance as columns, in decreasing order of variance.

    Parameters
    ----------
    scatter : ndarray of shape (n_features, n_features)
        Scatter about the mean.
    n_directions : int, optional
        Number of directions; all by default.

    Returns
    -------
    directions : ndarray of shape (n_features, n_directions)
        Orthonormal.
    """
    n_features = len(scatter)
    n_directions = n_features if n_directions is None else n_directions
    which = [n_features - n_directions, n_features - 1]
    return orient(linalg.eigh(scatter, subset_by_index=which)[1])[:, ::-1]


def discriminant_directions(
    within: np.ndarray, between: np.ndarray, n_directions: int, ridge: float
) -> np.ndarray:
    """Return the directions of largest scatter between classes per scatter within (LDA), as columns.

    Parameters
    ----------
    within, between : ndarray of shape (n_features, n_features)
        Scatter matrices.
    n_directions : int
        Number of directions, at most n_features.
    ridge : float
        Added to the diagonal of the within-class scatter, so that directions without scatter are finite.

    Returns
    -------
    directions : ndarray of shape (n_features, n_directions)
        Scaled such that ``directions' (within + ridge) directions = I``.
    """
    n_directions = min(n_directions, len(within))
    vectors = linalg.eigh(
        between,
        within + ridge * np.eye(len(within)),
        subset_by_index=[len(within) - n_directions, len(within) - 1],
    )[1]
    return orient(vectors)[:, ::-1]
