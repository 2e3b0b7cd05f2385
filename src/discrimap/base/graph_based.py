"""Parameters and construction of the neighbour graph, shared by graph-based methods."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import mean_variance_axis

from discrimap._sklearn import Interval, StrOptions
from discrimap._typing import Array
from discrimap.linalg.graphs import neighbor_graph

POSITIVE = Interval(Real, 0, np.inf, closed="neither")
NOT_NEGATIVE = Interval(Real, 0, np.inf, closed="left")

GRAPH_CONSTRAINTS = {
    "n_neighbors": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
    "connect": [StrOptions({"union", "mutual"})],
    "width": [StrOptions({"median"}), POSITIVE],
    "metric": [StrOptions({"euclidean", "cosine"})],
    "random_state": ["random_state"],
    "n_jobs": [None, Integral],
}


def build_graph(estimator: Any, X: Any) -> Any:
    """Return the neighbour graph of X with the graph parameters of the estimator."""
    return neighbor_graph(
        X,
        n_neighbors=estimator.n_neighbors,
        connect=estimator.connect,
        width=estimator.width,
        metric=estimator.metric,
        random_state=estimator.random_state,
        n_jobs=estimator.n_jobs,
    )


def total_variance(X: Any) -> float:
    """Return the sum of the variances of the features, which is invariant to offsets and rotations.

    The samples must be in float64, from :func:`~discrimap.linalg.centring.without_offset`, to avoid
    rounding errors.
    """
    if sparse.issparse(X):
        variances = mean_variance_axis(X, axis=0)[1]
    else:
        variances = X.var(axis=0)
    total: float = variances.sum()
    return total


def mean_of_rows(X: Any, rows: Any) -> Array:
    """Return the mean of the given rows of a dense or sparse X, shape (n_features,), dtype of X."""
    return np.asarray(X[rows].mean(axis=0, dtype=np.float64)).ravel().astype(X.dtype)
