"""Maps of new samples by a fitted estimator, in memory or on Dask."""

import numpy as np

from discrimap.samples.on_dask.dask_input import is_dask
from discrimap.samples.on_dask.limits import refuse_collection_of_new_samples
from discrimap.samples.validation import FLOAT_TYPES, validate_data


def map_new_samples(estimator, X, function, *, accept_sparse=False):
    """Apply a function to validated samples; for a dask collection lazily, block by block.

    Parameters
    ----------
    estimator : BaseEstimator
        Fitted; its ``transform`` is applied to the blocks of a dask collection.
    X : array-like or dask collection of shape (n_samples, n_features)
        The samples.
    function : callable
        Function of an ndarray or CSR matrix of float64 or float32.
    accept_sparse : bool
        Whether X may be a sparse matrix.
    """
    if is_dask(X):
        from discrimap.samples.on_dask.lazy_transform import transform_lazily

        return transform_lazily(estimator, X)
    accept = "csr" if accept_sparse else False
    return function(
        validate_data(estimator, X, dtype=FLOAT_TYPES, accept_sparse=accept, reset=False)
    )


def map_in_memory(estimator, X):
    """``transform`` as an array, for methods that need the map of samples in memory."""
    if is_dask(X):
        refuse_collection_of_new_samples(estimator)
    return np.asarray(estimator.transform(X))
