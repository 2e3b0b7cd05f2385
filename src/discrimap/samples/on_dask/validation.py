"""Validate Dask collections; the counterpart of :mod:`discrimap.samples.validation`."""

from __future__ import annotations

from discrimap.samples.on_dask.collection import open_collection
from discrimap.samples.on_dask.dask_input import is_dask, samples_array
from discrimap.samples.on_dask.limits import refuse_collection
from discrimap.samples.validation import check_scale, validate_labelled

# Every worker computes square matrices of this size, which are transferred once.
MOST_FEATURES = 4000
# Data with no more samples than features is loaded into memory, up to this size.
MOST_WIDE_BYTES = 1 << 29
# Maximum size of the scatter matrices of all classes together.
MOST_SCATTER_BYTES = 1 << 28


def validate_collections(estimator, X, y, *, unlabelled=False, only_in_memory=()):
    """Validate samples on Dask; see :func:`~discrimap.samples.validation.validate_labelled`."""
    refuse_mixtures(estimator, X, y)
    for reason in only_in_memory:
        raise ValueError(reason)
    if is_wide(X):
        return validate_labelled(estimator, *wide_arrays(X, y), unlabelled=unlabelled)
    is_pooled = getattr(estimator, "_pools_scatter", False)
    samples = open_collection(X, y, is_pooled=is_pooled)
    check_scale(samples.value_range(), samples.dtype)
    classes, n_features = samples.classes, samples.shape[1]
    if len(classes) < 2:
        raise ValueError(
            f"y holds one class only ({classes[0]!r}); at least 2 classes are needed to tell "
            "them apart."
        )
    n_bytes = 8 * len(classes) * n_features**2
    if not is_pooled and n_bytes > MOST_SCATTER_BYTES:
        raise ValueError(
            f"the scatter matrices of {len(classes)} classes in {n_features} features need "
            f"{n_bytes / 2**20:.0f} MB, but at most {MOST_SCATTER_BYTES / 2**20:.0f} MB are allowed for "
            "Dask collections; use fewer features, or fit to a sample of the rows in memory."
        )
    if unlabelled and classes.dtype.kind in "fiu" and -1 in classes:
        raise ValueError(
            "y marks samples as unlabelled (-1), which is not supported for Dask collections; leave them "
            "out: X[y != -1], y[y != -1], each with compute_chunk_sizes()."
        )
    remember_features(estimator, samples)
    return samples


def remember_features(estimator, samples):
    """Set the number of features and, if known, their names on the estimator."""
    estimator.n_features_in_ = samples.shape[1]
    if samples.feature_names is not None:
        estimator.feature_names_in_ = samples.feature_names
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def is_wide(X):
    """Return whether samples do not outnumber features; raise an error for too many features."""
    n_samples, n_features = _shape(X)
    if n_samples is not None and n_samples <= n_features:
        return True
    if n_features > MOST_FEATURES:
        raise ValueError(
            f"X has {n_features} features, but Dask collections can have at most {MOST_FEATURES}, because "
            "square matrices of this size are computed; select features, project them first "
            "(sklearn.random_projection on each block), or fit to a sample of the rows in memory."
        )
    return False


def refuse_mixtures(estimator, X, y):
    """Raise an error if a method does not support collections, or only y is a collection."""
    name = type(estimator).__name__
    if not getattr(estimator, "_accepts_dask", False):
        refuse_collection(estimator)
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")
    if not is_dask(X):
        raise TypeError(
            "y is a Dask collection, but X is in memory; pass y.compute(), or X as a Dask array."
        )


def _shape(X):
    n_samples = X.shape[0] if isinstance(X.shape[0], int) else None
    return n_samples, X.shape[1] if len(X.shape) == 2 else 1


def wide_arrays(X, y):
    """Load X and y into memory, for X with no more samples than features."""
    import dask

    X = samples_array(X)
    n_bytes = X.shape[0] * X.shape[1] * 8
    if n_bytes > MOST_WIDE_BYTES:
        raise ValueError(
            f"X has {X.shape[0]} samples of {X.shape[1]} features, {n_bytes / 2**20:.0f} MB; data with no "
            "more samples than features is loaded into memory, which is limited to "
            f"{MOST_WIDE_BYTES / 2**20:.0f} MB. Select features first."
        )
    return dask.compute(X, y)
