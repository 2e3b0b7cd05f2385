"""Standardise a Dask collection: moments in one pass, scaling when the rows are read."""

from __future__ import annotations

import numpy as np


def fit_scaler(X, y=None):
    """Fit scikit-learn's ``StandardScaler`` to a Dask array from the moments of its blocks.

    Class labels y, if given, are checked in the same pass.
    """
    from sklearn.preprocessing import StandardScaler

    from discrimap.samples.on_dask.collection import open_collection

    y = np.zeros(X.shape[0], dtype=np.int8) if y is None else y
    moments = open_collection(X, y, is_pooled=True).moments()
    scaler = StandardScaler()
    scaler.n_samples_seen_ = int(moments.counts.sum())
    scaler.n_features_in_ = X.shape[1]
    scaler.mean_ = moments.mean
    scaler.var_ = np.diag(moments.total) / scaler.n_samples_seen_
    # A column that is constant up to rounding errors is not scaled.
    least = 10 * np.finfo(X.dtype).eps * np.maximum(np.abs(moments.low), np.abs(moments.high))
    spread = np.sqrt(np.maximum(scaler.var_, 0.0))
    scaler.scale_ = np.where(spread > least, spread, 1.0)
    return scaler


def scale_lazily(X, scaler):
    """Return the standardised collection, in the dtype of X."""
    return (X - scaler.mean_.astype(X.dtype)) / scaler.scale_.astype(X.dtype)
