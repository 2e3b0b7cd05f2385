"""Map new samples with a fitted estimator, in memory or on Dask."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from discrimap.samples.on_dask.dask_input import is_dask
from discrimap.samples.on_dask.limits import refuse_collection_of_new_samples
from discrimap.samples.validation import FLOAT_TYPES, validate_data

if TYPE_CHECKING:
    from discrimap._typing import MappedSamples, Matrix, MatrixLike


def map_new_samples(
    estimator: Any,
    X: MatrixLike,
    function: Callable[[Matrix], np.ndarray],
    *,
    accept_sparse: bool = False,
) -> MappedSamples:
    """Apply a function to validated samples; to a Dask collection lazily, block by block.

    Parameters
    ----------
    estimator : BaseEstimator
        A fitted estimator; its ``transform`` is applied to the blocks of a Dask collection.
    X : array-like or dask collection of shape (n_samples, n_features)
        The samples.
    function : callable
        Function of an ndarray or CSR matrix of float64 or float32.
    accept_sparse : bool
        Whether X may be a sparse matrix.

    Returns
    -------
    Z : ndarray or dask collection
    """
    if is_dask(X):
        from discrimap.samples.on_dask.lazy_transform import transform_lazily

        return transform_lazily(estimator, X)
    accept = "csr" if accept_sparse else False
    return function(
        validate_data(estimator, X, dtype=FLOAT_TYPES, accept_sparse=accept, reset=False)
    )


def map_in_memory(estimator: Any, X: MatrixLike) -> np.ndarray:
    """Return ``transform(X)`` as an array, for methods that need the map in memory."""
    if is_dask(X):
        refuse_collection_of_new_samples(estimator)
    return np.asarray(estimator.transform(X))
