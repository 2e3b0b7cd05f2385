"""Neighbour graphs, their weights and their Laplacian.

A graph is a symmetric sparse matrix of weights without a diagonal. Points without neighbours (as in
a "mutual" graph) are rows of zeros; every function here accepts them, and graphs with several
components.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize
from sklearn.utils import check_random_state

from discrimap.linalg.centring import without_offset

if TYPE_CHECKING:
    from discrimap._typing import Matrix, RandomState

# Above this many samples the exact search, quadratic in n, is slower than pynndescent together
# with its compilation; below this many features a tree makes the exact search fast at any n.
EXACT_SAMPLES = 20_000
TREE_FEATURES = 15

DEFAULT_NEIGHBORS = 10


def resolve_n_neighbors(n_neighbors, n_samples):
    """Resolve "auto" to 10, or ``n_samples - 1`` if smaller; raise an error for too many neighbours."""
    if isinstance(n_neighbors, str):
        return min(DEFAULT_NEIGHBORS, n_samples - 1)
    if n_neighbors >= n_samples:
        raise ValueError(
            f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} samples, but X has "
            f"{n_samples}; pass at most {n_samples - 1}."
        )
    return int(n_neighbors)


def nearest_neighbors(
    X, n_neighbors, *, metric="euclidean", search="auto", random_state=None, n_jobs=None
):
    """Find the nearest other samples of every sample.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        The samples.
    n_neighbors : int
        Number of neighbours, less than n_samples.
    metric : {"euclidean", "cosine"}
        "cosine" measures the Euclidean distance of the samples scaled to length 1, whose square
        is ``2 (1 - cos)``; a sample of zeros stays at the origin.
    search : {"auto", "exact", "approximate"}
        "exact" compares all pairs (or uses a tree with at most 15 features), O(n^2 p).
        "approximate" is nearest-neighbour descent (pynndescent) in the full space, about
        O(n^1.15 p); "auto" uses it for more than 20,000 samples of more than 15 features.
    random_state : int, RandomState or None
        Seed of the approximate search.
    n_jobs : int or None
        Number of threads of the search.

    Returns
    -------
    distances, indices : ndarrays of shape (n_samples, n_neighbors)
        In order of increasing distance. A sample is never its own neighbour, even among duplicates.
    """
    n_neighbors = resolve_n_neighbors(n_neighbors, X.shape[0])
    if metric == "cosine":
        X = normalize(X)
    else:
        # Distances from inner products lose digits if the samples have an offset.
        X = without_offset(X)[0].astype(X.dtype, copy=False)
    if search == "auto":
        is_small = X.shape[0] <= EXACT_SAMPLES
        has_tree = X.shape[1] <= TREE_FEATURES and not sparse.issparse(X)
        search = "exact" if is_small or has_tree else "approximate"
    if search == "exact":
        return NearestNeighbors(n_neighbors=n_neighbors, n_jobs=n_jobs).fit(X).kneighbors()
    return _neighbor_descent(X, n_neighbors, random_state, n_jobs)


def _neighbor_descent(X, n_neighbors, random_state, n_jobs):
    from pynndescent import NNDescent

    seed = check_random_state(random_state).randint(2**31 - 1)
    # One more neighbour than requested, because the sample itself is usually among them.
    indices, distances = NNDescent(
        X, n_neighbors=n_neighbors + 1, random_state=seed, n_jobs=n_jobs
    ).neighbor_graph
    own = indices == np.arange(len(indices))[:, None]
    # Among duplicates the sample may be missing from its own list: then the farthest is dropped.
    own[~own.any(axis=1), -1] = True
    others = ~own
    shape = (len(indices), n_neighbors)
    return distances[others].reshape(shape), indices[others].reshape(shape)


def heat_weights(distances, width="median"):
    """Return ``exp(-(distance / width)^2)``; "median" is the median of the positive distances."""
    if isinstance(width, str):
        apart = distances[distances > 0]
        # If all neighbours are duplicates, any width gives them the weight 1.
        width = np.median(apart) if len(apart) else 1.0
    return np.exp(-np.square(distances / width))


def neighbor_graph(
    X: Matrix,
    *,
    n_neighbors: int | str = "auto",
    connect: str = "union",
    width: float | str = "median",
    metric: str = "euclidean",
    search: str = "auto",
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> sparse.csr_array:
    """Join every sample to its nearest neighbours, with heat weights.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        The samples.
    n_neighbors : int or "auto"
        Number of neighbours of each sample; "auto" is 10, or ``n_samples - 1`` if smaller.
    connect : {"union", "mutual"}
        Join two samples if either is a neighbour of the other, or only if both are.
    width : float or "median"
        Width of the weights ``exp(-(distance / width)^2)``; "median" is the median distance of
        neighbours.
    metric, search, random_state, n_jobs
        See :func:`nearest_neighbors`.

    Returns
    -------
    weights : CSR matrix of shape (n_samples, n_samples)
        Symmetric, without a diagonal; at most ``2 n_neighbors n_samples`` entries.
    """
    n_samples = X.shape[0]
    distances, indices = nearest_neighbors(
        X,
        n_neighbors,
        metric=metric,
        search=search,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    values = heat_weights(distances, width).astype(np.float64)
    starts = np.arange(0, indices.size + 1, indices.shape[1])
    directed = sparse.csr_array(
        (values.ravel(), indices.ravel(), starts), shape=(n_samples, n_samples)
    )
    # Both directions of a pair have the same weight, up to rounding of the distance.
    combine = directed.maximum if connect == "union" else directed.minimum
    weights = sparse.csr_array(combine(directed.T))
    weights.eliminate_zeros()
    if weights.nnz == 0:
        raise ValueError(
            f"the neighbour graph has no edge: with width={width!r} and connect={connect!r} every "
            f"weight is 0 (the median distance of neighbours is {np.median(distances):.3g}); "
            'pass a larger width, or width="median" and connect="union".'
        )
    return weights


def degrees(weights: sparse.csr_array) -> np.ndarray:
    """Return the sum of the weights of every sample, shape (n_samples,)."""
    return np.asarray(weights.sum(axis=1)).ravel()


def laplacian(weights: sparse.csr_array) -> sparse.csr_array:
    """Return the sparse Laplacian ``D - W``, with ``z' L z = 1/2 sum_ij W_ij (z_i - z_j)^2``."""
    return sparse.csr_array(sparse.diags_array(degrees(weights)) - weights)
