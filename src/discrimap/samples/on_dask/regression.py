"""Samples in blocks with continuous targets, for supervised PCA from joint moments."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from discrimap.linalg.gaussian_factors import median_distance, median_rows, pivoted_factor
from discrimap.linalg.square_roots import rows_like
from discrimap.samples.on_dask.collection import open_collection
from discrimap.samples.on_dask.dask_input import as_array, is_dask
from discrimap.samples.on_dask.dask_samples import take_items
from discrimap.samples.on_dask.moments import find_number_fault, merge_moments, piece_moments
from discrimap.samples.on_dask.validation import (
    is_wide,
    refuse_mixtures,
    remember_features,
    wide_arrays,
)
from discrimap.samples.regression import ArrayRegression, ClassRegression
from discrimap.samples.response import Response, check_response_kernel
from discrimap.samples.targets import is_continuous
from discrimap.samples.validation import resolve_target, validate_continuous, validate_labelled

# Number of targets from which the pivots of their kernel are chosen, in addition to the extremes.
PIVOT_SAMPLES = 20_000


def validate_regression_on_dask(estimator, X, y):
    """Validate Dask collections; see :func:`~discrimap.samples.regression.validate_regression`."""
    refuse_mixtures(estimator, X, y)
    if _target_of(estimator, y) == "classes":
        samples = validate_labelled(estimator, X, y)
        estimator.classes_ = samples.classes
        return ClassRegression(samples)
    if hasattr(estimator, "classes_"):
        del estimator.classes_
    if is_wide(X):
        X, values = validate_continuous(estimator, *wide_arrays(X, y))
        return ArrayRegression(X, Response(None, values))
    samples = open_collection(X, y, is_labels=False)
    remember_features(estimator, samples)
    return DaskValueRegression(samples)


def _target_of(estimator, y):
    """Return the type of the target, by the dtype of y or, for floats, by all of its values."""
    if estimator.target != "auto" or not is_dask(y):
        return resolve_target(estimator.target, y)
    y = as_array(y, "y")
    # The dtype is enough: several columns of numbers are continuous, text and integers are not.
    if is_continuous(np.empty((0, *y.shape[1:]), dtype=y.dtype)):
        return "continuous"
    if y.dtype.kind != "f":
        return "classes"
    found = y.map_blocks(has_fractions, drop_axis=list(range(1, y.ndim)), dtype=bool)
    return "continuous" if bool(found.any().compute()) else "classes"


def has_fractions(chunk):
    return np.array([is_continuous(chunk)])


class DaskValueRegression:
    """Samples on Dask with continuous targets."""

    def __init__(self, samples):
        self.samples = samples
        self.shape, self.dtype = samples.shape, samples.dtype

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, rows):
        return self.samples.gather_rows(
            rows,
            lambda number, places: (take_values, self.samples.blocks[number].label_source, places),
        )

    def centred_with_factor(self, kernel, sigma, random_state):
        """See :meth:`~discrimap.samples.regression.ArrayRegression.centred_with_factor`."""
        kernel = check_response_kernel(False, kernel, sigma)
        low, high = self._extents()
        if (low == high).all():
            raise ValueError(
                f"y has the same value in all {len(self)} labelled samples; at least 2 distinct "
                "values are needed."
            )
        features = LinearFeatures()
        if kernel == "rbf":
            rows = median_rows(len(self), random_state)
            width = sigma or median_distance(self[np.arange(len(self)) if rows is None else rows])
            features = self._gaussian_features(width, low, high)
        samples = self.samples
        moments = samples.reduce(
            lambda block: (
                joint_moments,
                block.samples,
                block.label_source,
                samples.feature_names,
                features,
            ),
            merge_moments,
        )
        if moments.fault is not None:
            raise ValueError(moments.fault[1])
        n_features = samples.shape[1]
        centred, factor = rows_like(moments.total, n_features)
        return centred, factor, moments.mean[:n_features]

    def _extents(self):
        """Return the lowest and highest targets, after a check of all values."""
        faults, low, high = self.samples.reduce(
            lambda block: (value_extents, block.label_source), merge_value_extents
        )
        if faults:
            raise ValueError(min(faults)[1])
        return low, high

    def _gaussian_features(self, width, low, high):
        n_rows = min(len(self), PIVOT_SAMPLES)
        # Evenly spaced rows; the choice has little effect, because the extremes are always included.
        rows = np.linspace(0, len(self) - 1, n_rows).astype(np.intp)
        pool = np.vstack([low, high, self[rows]])
        factor, pivots = pivoted_factor(pool, width)
        return GaussianFeatures(pool[pivots], width, factor[pivots])


class LinearFeatures:
    """Rows of the factor of the linear kernel, which are the targets."""

    def __call__(self, values):
        return values


class GaussianFeatures:
    """Rows of the factor ``K(y, pivots) L'^-1`` of a Gaussian kernel, ``L L' = K(pivots, pivots)``.

    Parameters
    ----------
    pivots : ndarray of shape (rank, n_outputs)
        The targets that span the kernel.
    width : float
        Width of the kernel.
    triangle : ndarray of shape (rank, rank)
        The triangular factor L.
    """

    def __init__(self, pivots, width, triangle):
        self.pivots, self.width, self.triangle = pivots, width, np.tril(triangle)

    def __call__(self, values):
        squared = ((values[:, None] - self.pivots) ** 2).sum(axis=2)
        kernel = np.exp(-0.5 * squared / self.width**2)
        return linalg.solve_triangular(self.triangle, kernel.T, lower=True).T


def take_values(source, places):
    return take_items(_columns(source), places)


def value_extents(source):
    values = _columns(source)
    fault = find_number_fault(values, source.place_of, "y")
    return [] if fault is None else [fault], values.min(axis=0), values.max(axis=0)


def merge_value_extents(parts):
    faults = [fault for found, _, _ in parts for fault in found]
    low = np.minimum.reduce([low for _, low, _ in parts])
    return faults, low, np.maximum.reduce([high for _, _, high in parts])


def joint_moments(samples, source, feature_names, features):
    """Return the joint moments of the samples and the factor of their targets, as one class."""
    values, parts = _columns(source), []
    for places, X in samples.parts():
        joint = np.hstack([X.astype(np.float64), features(values[places])])

        def place_of(row, first=places.start):
            return source.place_of(first + row)

        nothing = np.zeros(len(joint), dtype=np.intp)
        parts.append(piece_moments(joint, nothing, place_of, feature_names, True))
    return merge_moments(parts)


def _columns(source):
    values = np.asarray(source.read(), dtype=np.float64)
    return values.reshape(len(values), -1)
