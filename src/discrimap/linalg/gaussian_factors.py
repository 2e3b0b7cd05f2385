"""Median distance and thin factors of Gaussian kernels, without the whole kernel matrix."""

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.utils import check_random_state
from sklearn.utils.random import sample_without_replacement

from discrimap._typing import RandomState

# Number of samples whose pairwise distances give the median: half a million pairs, accurate to 0.1 %.
MEDIAN_SAMPLES = 1000
# More samples than this are not permuted, because the permutation needs too much memory.
MOST_PERMUTED = 10_000_000


def median_distance(X: np.ndarray, random_state: RandomState = None) -> float:
    """Return the median distance between different samples; 1 if all samples are equal.

    Costs O(m^2 p) for m = min(n, 1000) samples, drawn at random if there are more.
    """
    rows = median_rows(len(X), random_state)
    X = X if rows is None else X[rows]
    distances = pdist(np.asarray(X, dtype=np.float64))
    apart = distances[distances > 0]
    return float(np.median(apart)) if len(apart) else 1.0


def median_rows(n_samples, random_state=None):
    """Return the indices of the samples whose distances give the median; None for all samples."""
    if n_samples <= MEDIAN_SAMPLES:
        return None
    rng = check_random_state(random_state)
    if n_samples <= MOST_PERMUTED:
        return rng.permutation(n_samples)[:MEDIAN_SAMPLES]
    return sample_without_replacement(n_samples, MEDIAN_SAMPLES, random_state=rng)


def gaussian_rows(X: np.ndarray, rows: np.ndarray, sigma: float) -> np.ndarray:
    """Return ``exp(-|x_i - x_j|^2 / (2 sigma^2))`` for i in rows and all j, (n_rows, n_samples)."""
    squared_norms = np.einsum("ij,ij->i", X, X)
    squared = squared_norms[rows, None] - 2.0 * (X[rows] @ X.T) + squared_norms
    np.maximum(squared, 0.0, out=squared)
    squared *= -0.5 / sigma**2
    return np.exp(squared, out=squared)


def gaussian_factor(
    X: np.ndarray, sigma: float, *, tol: float = 1e-12, max_rank: int | None = None
) -> np.ndarray:
    """Return a thin factor F of the Gaussian Gram matrix, ``G = F F'``, by pivoted Cholesky.

    Each step uses the sample with the largest residual; the steps stop when the trace of the residual
    has fallen to the fraction ``tol``. The spectrum of a Gaussian kernel on a line decays so fast that
    the rank r is a few dozen for any n. Costs O(n r (r + p)) and O(n r) memory.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The samples.
    sigma : float
        Width of the kernel ``exp(-d^2 / (2 sigma^2))``.
    tol : float
        Fraction of the trace that may be lost.
    max_rank : int or None
        Maximum number of columns of the factor.

    Returns
    -------
    factor : ndarray of shape (n_samples, rank), float64
    """
    return pivoted_factor(X, sigma, tol=tol, max_rank=max_rank)[0]


def pivoted_factor(X, sigma, *, tol=1e-12, max_rank=None):
    """Return the factor of :func:`gaussian_factor`, and the indices of its pivots, in order."""
    n_samples = len(X)
    max_rank = n_samples if max_rank is None else min(max_rank, n_samples)
    factor = np.empty((n_samples, min(max_rank, 64)), order="F")
    residual = np.ones(n_samples)
    rank, pivots = 0, []
    while rank < max_rank and residual.sum() > tol * n_samples:
        if rank == factor.shape[1]:
            larger = np.empty((n_samples, min(max_rank, 2 * rank)), order="F")
            larger[:, :rank] = factor
            factor = larger
        pivot = residual.argmax()
        pivots.append(pivot)
        offsets = X - X[pivot]
        column = np.exp(-0.5 * np.einsum("ij,ij->i", offsets, offsets) / sigma**2)
        column -= factor[:, :rank] @ factor[pivot, :rank]
        column /= np.sqrt(residual[pivot])
        factor[:, rank] = column
        residual = np.maximum(residual - column**2, 0.0)
        residual[pivot] = 0.0
        rank += 1
    return factor[:, :rank], np.array(pivots, dtype=np.intp)
