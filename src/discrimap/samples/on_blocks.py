"""What estimators ask of their samples, answered for samples in blocks.

The functions that estimators call with an array (:func:`class_moments`, :func:`make_engine`, ...)
choose by the type of their first argument; here they learn about blocks. Imported when the first
dask collection arrives.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import linalg

from discrimap.category.axes import (
    blocks_about_origin,
    refuse_absolute_blocks,
    refuse_class_at_its_origin,
    refuse_extreme_extent,
    sign_of_axes,
)
from discrimap.comparators.supervised_pca import centred_with_factor
from discrimap.components.objective import labelled_part
from discrimap.components.subspace_estimator import principal_directions
from discrimap.kernel_sums import class_sizes, value_and_pullback
from discrimap.kernel_sums.engines import pair_engine, point_engine
from discrimap.linalg.centring import centre
from discrimap.linalg.signs import sign_of_columns
from discrimap.samples.class_moments import ClassMoments, class_means, class_moments
from discrimap.samples.drawn_samples import (
    class_counts,
    density_centres,
    members_of,
    pool_rows,
    search_pool,
    without,
)
from discrimap.samples.on_dask.collection import open_collection
from discrimap.samples.on_dask.dask_input import is_dask, samples_array
from discrimap.samples.on_dask.limits import refuse_collection
from discrimap.samples.on_dask.moments import without_rows
from discrimap.samples.on_dask.pair_sums import BlockPairSums
from discrimap.samples.on_dask.point_sums import BlockPointSums
from discrimap.samples.on_dask.row_blocks import BlockLabels, BlockPoints, RowBlocks, View
from discrimap.samples.regression_samples import (
    few_samples_like,
    regression_samples,
    square_root,
)
from discrimap.samples.response import check_response_kernel
from discrimap.samples.running_moments import RunningMoments, running_moments
from discrimap.samples.validation import check_scale
from discrimap.sda.problem import CLEARLY_MORE, TINY, count_distinct
from discrimap.sda.starts import START_SPREAD, map_covariance, with_spread

# Square matrices in the features are made on every worker and travel once.
MOST_FEATURES = 4000
# Wide data is small data: with no more samples than features all of it is taken into memory.
MOST_WIDE_BYTES = 1 << 29
# The scatter matrices of all classes together.
MOST_SCATTER_BYTES = 1 << 28


def validate_blocks(estimator, X, y, *, unlabelled=False):
    """Check dask collections as :func:`~discrimap.samples.validation.validate_labelled` does arrays.

    Returns
    -------
    X : RowBlocks
    labels : BlockLabels
    classes : ndarray of shape (n_classes,)
    """
    refuse_mixtures(estimator, X, y)
    _n_samples, n_features = _shape(X)
    if is_wide(X):
        return _validate_in_memory(estimator, X, y, unlabelled)
    samples = open_collection(X, y)
    moments = samples.moments(is_pooled=_is_pooled(estimator))
    check_scale((moments.low, moments.high), samples.dtype)
    classes = moments.classes
    if len(classes) < 2:
        raise ValueError(
            f"y holds one class only ({classes[0]!r}); at least 2 classes are needed to tell "
            "them apart."
        )
    n_bytes = 8 * len(classes) * n_features**2
    if not _is_pooled(estimator) and n_bytes > MOST_SCATTER_BYTES:
        raise ValueError(
            f"{len(classes)} classes with scatter matrices in {n_features} features make "
            f"{n_bytes / 2**20:.0f} MB, more than the {MOST_SCATTER_BYTES / 2**20:.0f} MB that "
            "dask collections may need; use fewer features, or fit on a sample in memory."
        )
    if unlabelled and classes.dtype.kind in "fiu" and -1 in classes:
        raise ValueError(
            "y marks samples as unlabelled (-1), which dask collections cannot have; leave them "
            "out: X[y != -1], y[y != -1], each with compute_chunk_sizes()."
        )
    remember_features(estimator, samples)
    return samples, BlockLabels(samples, classes), classes


def remember_features(estimator, samples):
    """Number of features and, where there are any, their names."""
    estimator.n_features_in_ = samples.shape[1]
    if samples.feature_names is not None:
        estimator.feature_names_in_ = samples.feature_names
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def is_wide(X):
    """Whether there are no more samples than features; refuses more features than can be."""
    n_samples, n_features = _shape(X)
    if n_samples is not None and n_samples <= n_features:
        return True
    if n_features > MOST_FEATURES:
        raise ValueError(
            f"X has {n_features} features; on dask collections square matrices in the features are "
            f"made, of at most {MOST_FEATURES}. Select features, or project them first "
            "(sklearn.random_projection on each block), or fit on a sample of the rows in memory."
        )
    return False


def refuse_mixtures(estimator, X, y):
    """Refuse a method that takes no collections, and a collection beside an array."""
    name = type(estimator).__name__
    if not getattr(estimator, "_accepts_dask", False):
        refuse_collection(estimator)
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")
    if not is_dask(X):
        raise TypeError(
            "y is a dask collection, but X lies in memory; pass y.compute(), or X as a dask array."
        )


def _is_pooled(estimator):
    return getattr(estimator, "_pools_scatter", False)


def _shape(X):
    n_samples = X.shape[0] if isinstance(X.shape[0], int) else None
    return n_samples, X.shape[1] if len(X.shape) == 2 else 1


def _validate_in_memory(estimator, X, y, unlabelled):
    from discrimap.samples.validation import validate_labelled

    return validate_labelled(estimator, *wide_arrays(X, y), unlabelled=unlabelled)


def wide_arrays(X, y):
    """X and y in memory, where X is wide and therefore small."""
    import dask

    X = samples_array(X)
    n_bytes = X.shape[0] * X.shape[1] * 8
    if n_bytes > MOST_WIDE_BYTES:
        raise ValueError(
            f"X has {X.shape[0]} samples of {X.shape[1]} features; with no more samples than "
            f"features the work is done in one memory, up to {MOST_WIDE_BYTES / 2**20:.0f} MB, and "
            f"this is {n_bytes / 2**20:.0f} MB. Select features first."
        )
    return dask.compute(X, y)


@class_sizes.register
def _(labels: BlockLabels, n_classes=0, weights=None):
    return np.sum(labels.counts_by_block(), axis=0).astype(np.float64)


@class_counts.register
def _(labels: BlockLabels):
    return np.sum(labels.counts_by_block(), axis=0)


@members_of.register
def _(labels: BlockLabels, c, ranks):
    return labels.members(c, ranks)


@without.register(RowBlocks)
@without.register(BlockLabels)
def _(samples, rows):
    return samples.without(rows)


@class_means.register
def _(X: RowBlocks, labels, n_classes, sample_weight):
    moments = X.moments()
    return moments.counts, moments.means


@class_moments.register
def _(X: RowBlocks, labels, n_classes, sample_weight=None, coefficients=None):
    moments = X.moments()
    coefficients = np.ones(n_classes) if coefficients is None else coefficients
    return ClassMoments(
        moments.counts,
        moments.means,
        moments.mean,
        moments.within,
        np.tensordot(coefficients, moments.scatters, 1),
    )


@with_spread.register
def _(data: RowBlocks, weights, W, spread=START_SPREAD):
    size = math.sqrt(max(np.vdot(W, data.moments().total @ W), 0.0) / len(data))
    return W * (spread / size) if size > 0 else W


@map_covariance.register
def _(data: RowBlocks, W):
    return W.T @ data.moments().total @ W / (len(data) - 1)


@count_distinct.register
def _(X: RowBlocks):
    """As many as matter: whether there are clearly more samples than features."""
    direction = np.random.default_rng(0).standard_normal(X.shape[1]).astype(X.dtype)
    enough = math.ceil(CLEARLY_MORE * X.shape[1])
    # The first piece of each block alone, which mostly settles it; else everything, twice.
    first = X.reduce(
        lambda block: (
            _distinct_in_piece,
            block.samples,
            block.view.excluded,
            direction,
            enough,
        ),
        max,
    )
    if first >= enough:
        return enough
    largest = X.reduce(
        lambda block: (_largest_image, block.samples, block.view.excluded, direction), max
    )
    distinct = X.reduce(
        lambda block: (
            _distinct_images,
            block.samples,
            block.view.excluded,
            direction,
            max(largest, TINY),
            enough,
        ),
        lambda parts: np.unique(np.concatenate(parts))[:enough],
    )
    return len(distinct)


def _images(samples, excluded, direction):
    return View(excluded).project(samples, direction)


def _largest_image(samples, excluded, direction):
    return float(np.abs(_images(samples, excluded, direction)).max())


def _distinct_images(samples, excluded, direction, largest, enough):
    return _distinct(_images(samples, excluded, direction), largest)[:enough]


def _distinct_in_piece(samples, excluded, direction, enough):
    """Distinct samples of the first piece."""
    places, X = next(iter(samples.parts()))
    image = without_rows(X @ direction, excluded[excluded < places.stop])
    largest = max(float(np.abs(image).max(initial=0.0)), TINY)
    return min(len(_distinct(image, largest)), enough)


def _distinct(image, largest):
    digits = 6 if image.dtype == np.float32 else 12
    return np.unique(np.round(image / largest, digits))


@pair_engine.register
def _(labels: BlockLabels, terms, n_components, weights, engine, tol):
    return BlockPairSums(labels, terms, n_components, engine, tol)


@value_and_pullback.register
def _(sums: BlockPairSums, X, W, function):
    value, grad = sums.value_and_pullback(X @ W, function)
    # Points of blocks are projected samples, and the pullback is one through both projections.
    return value, X.W.T @ grad if isinstance(X, BlockPoints) else grad


@centre.register
def _(X: RowBlocks):
    mean = X.mean(axis=0).astype(np.float64)
    return X - mean, mean


@regression_samples.register
def _(X: RowBlocks, labels, n_classes):
    moments = X.moments(is_pooled=True)
    return (*few_samples_like(moments), moments.mean, moments.counts / len(X))


@centred_with_factor.register
def _(X: RowBlocks, response, kernel, sigma, random_state):
    kernel = check_response_kernel(response, kernel, sigma)
    if response.labels is None:
        return response.values.centred_with_factor(kernel, sigma, random_state)
    moments = X.moments(is_pooled=True)
    return (*few_samples_like(moments), moments.mean)


@running_moments.register
def _(X: RowBlocks, labels, classes):
    moments = X.moments(is_pooled=True)
    running = RunningMoments(X.shape[1])
    running.classes, running.counts = moments.classes, moments.counts
    running.class_means, running.mean = moments.means, moments.mean
    running.scatter = moments.total
    return running


@refuse_absolute_blocks.register
def _(X: RowBlocks, objective):
    if objective == "absolute":
        raise ValueError(
            "objective='absolute' looks at every sample in every step and takes no dask "
            "collections; pass objective='square', or fit on a sample of the rows in memory."
        )


@blocks_about_origin.register
def _(X: RowBlocks, labels, classes, origin):
    """Square roots of the scatter matrices about the origin stand for the samples of a class."""
    moments = X.moments()
    overall = moments.mean if origin == "global" else np.zeros(X.shape[1])
    roots = []
    for k, name in enumerate(classes.tolist()):
        offset = np.zeros(X.shape[1]) if origin == "class" else moments.means[k] - overall
        scatter = moments.scatters[k] + moments.counts[k] * np.outer(offset, offset)
        extent = math.sqrt(max(np.diag(scatter).max(), 0.0) / moments.counts[k])
        if extent <= 10 * np.finfo(X.dtype).eps * np.abs([moments.low, moments.high]).max():
            refuse_class_at_its_origin(name, int(moments.counts[k]), origin)
        refuse_extreme_extent(name, extent)
        roots.append(square_root(scatter))
    return roots, overall


@sign_of_axes.register
def _(X: RowBlocks, labels, overall, axes):
    moments = X.moments()
    signs = sign_of_columns(axes.T)
    for k, axis in enumerate(axes):
        mean = (moments.means[k] - overall) @ axis
        square = mean**2 + axis @ moments.scatters[k] @ axis / moments.counts[k]
        if abs(mean) > 1e-10 * math.sqrt(max(square, 0.0)):
            signs[k] = np.sign(mean)
    return signs[:, None]


@point_engine.register
def _(labels: BlockLabels, bandwidth, n_components, weights, engine, tol):
    return BlockPointSums(labels, bandwidth, n_components, engine, tol)


@labelled_part.register
def _(X: RowBlocks, labels):
    return X, labels


@labelled_part.register
def _(X: BlockPoints, labels):
    return X, labels


@search_pool.register
def _(X: RowBlocks, labels, random_state):
    rows = pool_rows(len(labels), random_state)
    rows = np.arange(len(labels)) if rows is None else rows
    return X[rows], labels[rows].astype(np.intp)


@density_centres.register
def _(X: RowBlocks, labels, W, random_state):
    centres, labels = search_pool(X, labels, random_state)
    return centres @ W, labels


@principal_directions.register
def _(X: BlockPoints):
    total = X.samples.moments(is_pooled=True).total
    return linalg.eigh(X.W.T @ total @ X.W)[1][:, ::-1]
