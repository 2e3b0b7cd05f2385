"""Linear discriminants by least squares, from a scatter and the class means.

With the total covariance S and ``B = [sqrt(n_k / n) (mean_k - mean)]_k`` (n_features, C), whose
product ``B B'`` is the between-class covariance, the coefficients of a regression on suitably
scaled class indicators are ``W = S^+ B``. If P holds the eigenvectors of the C x C matrix
``B' W``, the columns of ``W P`` are the discriminant directions, the eigenvectors of ``S^+ B B'``.
"""

import numpy as np
from scipy import linalg


def solve_scatter(scatter: np.ndarray, ridge: float, right_sides: np.ndarray) -> np.ndarray:
    """Return ``(S + ridge I)^+ R``, by Cholesky or by eigenvectors without the null space of S.

    Costs O(p^3). Both give the same matrix; the first keeps features of tiny scale, which the second
    would treat as rounding errors. Features without variance have coefficients of zero, and are left
    out so that they do not affect the choice between the two.
    """
    varies = np.diag(scatter) > 0
    if not varies.all():
        solution = np.zeros(right_sides.shape)
        if varies.any():
            part = scatter[np.ix_(varies, varies)]
            solution[varies] = solve_scatter(part, ridge, right_sides[varies])
        return solution
    size = len(scatter)
    regularised = scatter + ridge * np.eye(size)
    scale = np.sqrt(np.diag(regularised))
    threshold = 10 * size * np.finfo(np.float64).eps
    try:
        factor = linalg.cholesky(regularised / np.outer(scale, scale), lower=True)
    except linalg.LinAlgError:
        factor = None
    if factor is not None and np.diag(factor).min() ** 2 > threshold:
        scaled = linalg.cho_solve((factor, True), right_sides / scale[:, None])
        return scaled / scale[:, None]
    roots, axes = linalg.eigh(scatter, driver="evd")
    kept = roots > threshold * max(roots[-1], 0.0)
    axes = axes[:, kept]
    return axes @ ((axes.T @ right_sides) / (roots[kept] + ridge)[:, None])


def rotate_to_discriminants(
    coefficients: np.ndarray, offsets: np.ndarray, n_components: int
) -> tuple[np.ndarray, np.ndarray]:
    """Rotate regression coefficients W to uncorrelated discriminants ``W P``.

    Parameters
    ----------
    coefficients : ndarray of shape (n_features, n_classes)
        The coefficients W for the covariance S + ridge I.
    offsets : ndarray of shape (n_features, n_classes)
        The matrix B.
    n_components : int
        Number of directions. There are at most C - 1 discriminants; further directions are zero.

    Returns
    -------
    directions : ndarray of shape (n_features, n_components)
        ``directions' (S + ridge I) directions == diag(shares)``.
    shares : ndarray of shape (n_components,)
        Between-class part of the variance along each direction, from 0 to 1, in decreasing order.
    """
    explained = offsets.T @ coefficients
    roots, rotation = linalg.eigh((explained + explained.T) / 2)
    roots, rotation = roots[::-1], rotation[:, ::-1]
    n_classes = len(roots)
    n_kept = min(n_components, n_classes - 1, int(np.sum(roots > 1e-12)))
    directions = np.zeros((len(coefficients), n_components))
    directions[:, :n_kept] = coefficients @ rotation[:, :n_kept]
    shares = np.zeros(n_components)
    shares[:n_kept] = np.clip(roots[:n_kept], 0.0, 1.0)
    return directions, shares


def class_offsets(counts: np.ndarray, class_means: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the matrix B (n_features, n_classes) and the overall mean, from the class means."""
    parts = counts / counts.sum()
    mean = parts @ class_means
    return np.sqrt(parts) * (class_means - mean).T, mean
