"""Generalised symmetric eigenproblems: the largest ratios of two quadratic forms.

``maximise v'Nv / v'Dv``: eigenvectors of ``N v = nu D v``, the largest nu first, normalised so
that ``v'Dv = 1``.
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, lobpcg
from sklearn.exceptions import ConvergenceWarning


def dense_eigenpairs(
    numerator: np.ndarray, denominator: np.ndarray, n_pairs: int
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the largest eigenpairs of two dense symmetric matrices, in O(k^3) for k rows.

    The denominator is positive semidefinite. Its null space is left out if the numerator vanishes
    there too (a constant feature); otherwise the ratio is unbounded, which is an error.

    Parameters
    ----------
    numerator, denominator : ndarrays of shape (k, k)
        The two forms, which are not modified.
    n_pairs : int
        Number of pairs. Fewer are returned if the rank of the denominator is smaller.

    Returns
    -------
    values : ndarray of shape (n_pairs,)
        In decreasing order.
    vectors : ndarray of shape (k, n_pairs)
        ``vectors.T @ denominator @ vectors`` is the identity.
    """
    # Features in different units must not make a matrix look singular.
    scale = np.sqrt(np.diag(denominator))
    scale = np.where(scale > 0, scale, 1.0)
    numerator = numerator / np.outer(scale, scale)
    denominator = denominator / np.outer(scale, scale)

    factor = _cholesky_factor(denominator)
    if factor is not None:
        half = linalg.solve_triangular(factor, numerator, lower=True)
        whitened = linalg.solve_triangular(factor, half.T, lower=True)
    else:
        whitener = _null_space_whitener(numerator, denominator)
        whitened = whitener.T @ numerator @ whitener
    n_kept = len(whitened)
    n_pairs = min(n_pairs, n_kept)
    values, vectors = linalg.eigh(
        (whitened + whitened.T) / 2, subset_by_index=[n_kept - n_pairs, n_kept - 1]
    )
    if factor is not None:
        vectors = linalg.solve_triangular(factor, vectors, lower=True, trans="T")
    else:
        vectors = whitener @ vectors
    return values[::-1], vectors[:, ::-1] / scale[:, None]


def _cholesky_factor(matrix):
    """Return the lower Cholesky factor, or None if the matrix is numerically singular."""
    try:
        factor = linalg.cholesky(matrix, lower=True)
    except linalg.LinAlgError:
        return None
    return factor if np.diag(factor).min() ** 2 > _null_threshold(matrix) else None


def _null_threshold(matrix):
    return 10 * len(matrix) * np.finfo(float).eps


def _null_space_whitener(numerator, denominator):
    """Return T with ``T' denominator T = I``, from the eigenvectors outside the null space."""
    roots, axes = linalg.eigh(denominator)
    is_null = roots <= _null_threshold(denominator) * roots[-1]
    null = axes[:, is_null]
    lost = np.abs(np.einsum("ij,ij->j", null, numerator @ null)).max(initial=0.0)
    if lost > 1e-8 * max(np.abs(np.diag(numerator)).max(), np.finfo(float).tiny):
        raise ValueError(
            f"the ratio to maximise is unbounded: {is_null.sum()} of {len(roots)} directions have no cost, "
            "but some of them a gain (few labelled samples that separate perfectly, or a graph that is not "
            "connected); pass a ridge greater than 0."
        )
    return axes[:, ~is_null] / np.sqrt(roots[~is_null])


def iterative_eigenpairs(
    apply_numerator, apply_denominator, start, n_pairs, *, precondition, max_iter, tol
):
    """Compute the largest eigenpairs by LOBPCG, from products with the two forms.

    Parameters
    ----------
    apply_numerator, apply_denominator : callables
        Multiply a block of shape (k, m).
    start : ndarray of shape (k, n_start)
        Start vectors, a few more than n_pairs, because the last vectors of a block converge slowly.
    n_pairs : int
        Number of pairs to return.
    precondition : callable
        Approximate inverse of the denominator.
    max_iter : int
        Maximum number of iterations; a warning is issued if it is reached.
    tol : float
        Residual ``|N v - nu D v|`` at which to stop, relative to ``nu |D v|``.

    Returns
    -------
    values, vectors
        As in :func:`dense_eigenpairs`.
    n_iter : int
        Number of iterations.
    """
    size = len(start)
    if size < 5 * start.shape[1]:
        # scipy raises an error for blocks that are large relative to the forms; these are small here.
        identity = np.eye(size)
        numerator, denominator = apply_numerator(identity), apply_denominator(identity)
        return *dense_eigenpairs(numerator, denominator, n_pairs), 1

    def operator(apply):
        return LinearOperator((size, size), matvec=apply, matmat=apply, dtype=np.float64)

    # scipy has one absolute tolerance for all vectors: the smallest is used.
    gains, costs = apply_numerator(start), apply_denominator(start)
    scales = linalg.norm(gains, axis=0) / np.sqrt(np.einsum("ij,ij->j", start, costs))
    with warnings.catch_warnings():
        # scipy warns about single residuals; they are checked below, with a more helpful warning.
        warnings.simplefilter("ignore", UserWarning)
        values, vectors, history = lobpcg(
            operator(apply_numerator),
            start,
            B=operator(apply_denominator),
            M=operator(precondition),
            largest=True,
            maxiter=max_iter,
            tol=tol * scales.min(),
            retResidualNormsHistory=True,
        )
    order = np.argsort(values)[::-1][:n_pairs]
    values, vectors = values[order], vectors[:, order]
    scaled_costs = values * apply_denominator(vectors)
    residuals = linalg.norm(apply_numerator(vectors) - scaled_costs, axis=0)
    worst = (residuals / linalg.norm(scaled_costs, axis=0)).max()
    n_iter = len(history) - 1
    if worst > 10 * tol:
        warnings.warn(
            f"lobpcg stopped after {n_iter} iterations with a relative residual of {worst:.1e}, "
            f"above tol={tol:.1e}; increase max_iter={max_iter}, increase ridge, or use "
            'solver="dense".',
            ConvergenceWarning,
            stacklevel=2,
        )
    return values, vectors, n_iter
