"""Gradients of a kernel regression, summed as a scatter matrix without an n x n x p array."""

import numpy as np
from scipy import linalg

from discrimap.linalg.gaussian_factors import gaussian_factor, gaussian_rows

BLOCK_ROWS = 256


def regression_coefficients(X, factor, sigma, ridge, max_rank=None):
    """``T = (G_X + n ridge I)^-1 F`` for the Gaussian Gram matrix G_X of the samples.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The samples.
    factor : ndarray of shape (n_samples, rank)
        F, a factor of the target's kernel matrix.
    sigma, ridge : float
        Width of the kernel and regularisation, both above 0.
    max_rank : int or None
        Work with a pivoted Cholesky factor of G_X of at most this rank.

    Returns
    -------
    coefficients : ndarray of shape (n_samples, rank)
    """
    n_samples = len(X)
    shift = n_samples * ridge
    if max_rank is not None:
        thin = gaussian_factor(X, sigma, max_rank=max_rank)  # (n_samples, m)
        small = thin.T @ thin
        small.flat[:: len(small) + 1] += shift
        inner = linalg.cho_solve(linalg.cho_factor(small), thin.T @ factor)
        return (factor - thin @ inner) / shift  # Woodbury's identity
    gram = np.empty((n_samples, n_samples), order="F")
    for rows in blocks(np.arange(n_samples)):
        # Columns, which are contiguous here; the matrix is symmetric.
        gram[:, rows] = gaussian_rows(X, rows, sigma).T
    gram.flat[:: n_samples + 1] += shift
    try:
        # In place: the one n x n array.
        held = linalg.cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)
    except linalg.LinAlgError as error:
        raise ValueError(
            f"the kernel matrix of {n_samples} samples with ridge={ridge:.1e} is singular in "
            "working precision; raise ridge."
        ) from error
    return linalg.cho_solve(held, factor)


def scatter_of_gradients(X, coefficients, sigma, rows):
    """``sum_i D_i' T T' D_i`` over the samples in rows, shape (n_features, n_features).

    Column c of ``D_i' T`` is the gradient at x_i of ``sum_j T_jc k(x_j, x)``, which is
    ``sum_j k_ij T_jc (x_j - x_i) / sigma^2``: a product of (k_ij T_jc) with X, less a multiple of
    x_i. Costs O(n_rows n p r); holds O(n BLOCK_ROWS) beside the result.
    """
    n_features = X.shape[1]
    scatter = np.zeros((n_features, n_features))
    # In units of the width, whose fourth power may leave the range of floats.
    X, sigma, unit = X / sigma, 1.0, sigma
    for block in blocks(rows):
        kernel = gaussian_rows(X, block, sigma)  # (n_block, n_samples)
        for column in coefficients.T:
            weights = kernel * column
            gradients = weights @ X
            gradients -= weights.sum(axis=1)[:, None] * X[block]
            scatter += gradients.T @ gradients
    return scatter / unit**2


def leading_eigenvectors(matrix, n_leading):
    """Eigenvectors (columns) and eigenvalues of a symmetric matrix, the largest first."""
    size = len(matrix)
    values, vectors = linalg.eigh(matrix, subset_by_index=[size - n_leading, size - 1])
    return vectors[:, ::-1], values[::-1]


def blocks(rows):
    """Cut indices into pieces of at most BLOCK_ROWS."""
    return (rows[start : start + BLOCK_ROWS] for start in range(0, len(rows), BLOCK_ROWS))
