"""Reduction of the features of wide data to the row space, or to its leading part.

A projection that is penalised by ``|f|^2``, or not penalised at all, lies in the row space of X. So
p > n features of n samples can be replaced by n features; the orthonormal basis preserves
``|f|^2``. Sparse X stays sparse.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import randomized_svd

from discrimap._typing import Matrix, RandomState
from discrimap.linalg.row_space import RowSpace


@dataclass(frozen=True)
class Reduction:
    """Samples in an orthonormal basis of a subspace of the features.

    Attributes
    ----------
    coordinates : ndarray or sparse matrix of shape (n_samples, n_reduced)
        The samples.
    lift : callable
        Converts directions in the subspace, (n_reduced, k), to directions of the features,
        (n_features, k).
    """

    coordinates: np.ndarray
    lift: Callable[[np.ndarray], np.ndarray]


def row_space(X: Matrix) -> Reduction:
    """Reduce X exactly to its row space, with the n x n Gram matrix; keep X if p <= n.

    Costs O(n^2 p + n^3) for p > n. The basis (p x n) is never formed.
    """
    n_samples, n_features = X.shape
    if n_features <= n_samples:
        return Reduction(X, lambda directions: directions)
    space = RowSpace(X)
    return Reduction(space.coordinates, space.to_features)


def leading_space(X, n_reduced, random_state):
    """Reduce X to its leading right singular vectors by a randomised method, in O(nnz n_reduced)."""
    n_reduced = min(n_reduced, *X.shape)
    left, scales, right = randomized_svd(X, n_reduced, random_state=random_state)
    kept = scales > scales[0] * max(X.shape) * np.finfo(X.dtype).eps
    basis = right[kept].T.astype(np.float64)
    return Reduction(
        (left[:, kept] * scales[kept]).astype(np.float64), lambda directions: basis @ directions
    )


# Wide sparse data is reduced to this many leading singular directions, or three per component: for
# text, the tail of the spectrum is noise for the neighbours.
SVD_RANK = 300


def reduce_features(
    X: Matrix, solver: str, n_components: int, random_state: RandomState
) -> Reduction:
    """Reduce the features for a solver.

    "dense" uses the row space, "svd" the leading space; "auto" is "svd" for sparse X with more
    features than samples, where the exact row space is slower and preserves neighbours less well.
    """
    if solver == "auto":
        solver = "svd" if sparse.issparse(X) and X.shape[1] > X.shape[0] else "dense"
    if solver == "svd":
        return leading_space(X, max(SVD_RANK, 3 * n_components), random_state)
    return row_space(X)
