"""Map a Dask collection lazily, block by block."""

from __future__ import annotations

import numpy as np


def transform_lazily(estimator, X):
    """Map a Dask array to a Dask array, or a Dask data frame to a Dask data frame.

    Nothing is computed here: ``to_zarr``, ``to_parquet`` or ``compute`` of the result streams the
    blocks through the workers. The estimator checks each block.
    """
    import dask.array as da

    names = [str(name) for name in estimator.get_feature_names_out()]
    if isinstance(X, da.Array):
        X = X if X.ndim != 2 or len(X.chunks[1]) == 1 else X.rechunk({1: -1})
        _check_width(estimator, X.shape)
        dtype = X.dtype if X.dtype in (np.float32, np.float64) else np.dtype(np.float64)
        result_type = np.result_type(dtype, estimator.components_.dtype)
        return X.map_blocks(
            _transform_rows,
            estimator,
            dtype=result_type,
            chunks=(X.chunks[0], (len(names),)),
            meta=np.empty((0, 0), dtype=result_type),
        )
    _check_width(estimator, (None, len(X.columns)))
    kind = estimator.components_.dtype
    columns = X._meta.iloc[:, :0].assign(**{name: np.empty(0, dtype=kind) for name in names})
    return X.map_partitions(_transform_table, estimator, names, kind, meta=columns)


def _transform_rows(rows, estimator):
    if len(rows) == 0:
        return np.empty((0, len(estimator.components_)), dtype=estimator.components_.dtype)
    return np.asarray(estimator.transform(rows))


def _transform_table(table, estimator, names, kind):
    import pandas as pd

    Z = np.empty((0, len(names)), dtype=kind)
    if len(table):
        Z = np.asarray(estimator.transform(table))
    return pd.DataFrame(Z.astype(kind, copy=False), index=table.index, columns=names)


def _check_width(estimator, shape):
    if len(shape) != 2 or shape[1] != estimator.n_features_in_:
        what = f"{shape[1]} features" if len(shape) == 2 else f"{len(shape)} dimension(s)"
        raise ValueError(
            f"X has {what}, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
