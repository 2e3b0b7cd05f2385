"""Labelled samples in an array or a CSR matrix."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import mean_variance_axis

from discrimap._typing import Engine, Matrix
from discrimap.kernel_sums import (
    PairTerm,
    class_sizes,
    evaluate_each,
    make_engine,
    make_point_engine,
    make_row_engine,
)
from discrimap.linalg.centring import centre
from discrimap.linalg.products import (
    PER_NUMBER,
    in_order,
    inner,
    project,
    pull_back,
    row_blocks,
    scatter_nanoseconds,
)
from discrimap.linalg.square_roots import square_root
from discrimap.samples.class_moments import ClassMoments, class_means, class_moments
from discrimap.samples.class_order import rows_by_class
from discrimap.samples.interface import Samples
from discrimap.samples.running_moments import RunningMoments
from discrimap.threads import run_tasks

# Samples are replaced by a few rows with the same moments if there are more than this, and at least
# this many for each feature and class.
MANY_SAMPLES = 50_000
SAMPLES_PER_COLUMN = 50
# Number of values to which short rows are combined for a reduction.
LONG_ROW = 1024
# Number of rows of a block whose scatter is computed at a time.
FEW_ROWS = 4096
# To find k distinct samples, this many times k samples are examined first.
DISTINCT_OF = 10
# Smallest scale of samples in single precision; the inverse is the largest.
SMALLEST_SINGLE = 1e-15


class ArraySamples(Samples):
    """Labelled samples in memory; see :class:`~discrimap.samples.interface.Samples`.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The samples, which are not copied.
    labels : ndarray of shape (n_samples,)
        Class indices; -1 for unlabelled samples.
    classes : ndarray of shape (n_classes,), optional
        Names of the classes; by default their indices.
    weights : ndarray of shape (n_samples,), optional
        Weights of the samples; a weight of 2 has the same effect as repeating the sample.
    extremes : tuple of two ndarrays of shape (n_features,), optional
        The result of :func:`value_range` for X.
    """

    def __init__(
        self,
        X: Matrix,
        labels: np.ndarray,
        classes: np.ndarray | None = None,
        weights: np.ndarray | None = None,
        extremes: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> None:
        self._array, self._labels, self.weights = X, labels, weights
        self._extremes = extremes
        self.shape, self.dtype = X.shape, X.dtype
        self._classes = np.arange(labels.max(initial=-1) + 1) if classes is None else classes
        self.is_sparse = sparse.issparse(X)

    @property
    def array(self) -> Matrix:
        return self._array

    @property
    def labels(self) -> np.ndarray:
        return self._labels

    @property
    def classes(self) -> np.ndarray:
        return self._classes

    def with_array(self, X: Matrix) -> ArraySamples:
        """Return samples with the same labels and weights and the features X."""
        return ArraySamples(X, self.labels, self.classes, self.weights)

    def in_single_precision(self) -> ArraySamples:
        """Return dense samples in float32; return self if that would overflow or underflow."""
        if self.dtype == np.float32 or self.is_sparse:
            return self
        largest = np.abs(self.array).max(initial=0.0)
        # Products must neither overflow nor underflow.
        if not SMALLEST_SINGLE < largest < 1 / SMALLEST_SINGLE:
            return self
        return self.with_array(self.array.astype(np.float32))

    def labels_of(self, rows: np.ndarray) -> np.ndarray:
        return self.labels[rows]

    def class_counts(self) -> np.ndarray:
        return np.bincount(self.labels, minlength=self.n_classes)

    @cached_property
    def _by_class(self):
        """Rows sorted by class, and the place where each class begins."""
        return rows_by_class(self.labels, self.n_classes)

    def members_of(self, c: int, ranks: np.ndarray) -> np.ndarray:
        rows, starts = self._by_class
        return rows[starts[c] : starts[c + 1]][ranks]

    def draw(self, rows: np.ndarray | slice | None) -> ArraySamples:
        if rows is None:
            return self
        weights = None if self.weights is None else self.weights[rows]
        return ArraySamples(self.array[rows], self.labels[rows], self.classes, weights)

    def without(self, rows: np.ndarray) -> ArraySamples:
        is_kept = np.ones(len(self), dtype=bool)
        is_kept[rows] = False
        return self.draw(is_kept)

    def labelled(self) -> ArraySamples:
        is_labelled = self.labels >= 0
        return self if is_labelled.all() else self.draw(is_labelled)

    def gathered(self, random_state: np.random.RandomState) -> ArraySamples:
        return self

    def value_range(self) -> tuple[np.ndarray, np.ndarray]:
        if self._extremes is None:
            self._extremes = value_range(self.array)
        return self._extremes

    def feature_variances(self) -> np.ndarray:
        if sparse.issparse(self.array):
            return mean_variance_axis(self.array, axis=0, weights=self.weights)[1]
        sizes, means = self.class_means()
        mean = sizes @ means / sizes.sum()
        weights = np.ones(len(self)) if self.weights is None else self.weights

        def weighted_squares(rows):
            return np.dot(weights[rows], (self.array[rows] - mean) ** 2)

        nanoseconds = 4 * PER_NUMBER * self.array.size
        blocks = row_blocks(self.array)
        return sum(in_order(weighted_squares, blocks, nanoseconds, len(mean))) / sizes.sum()

    def class_sizes(self) -> np.ndarray:
        return class_sizes(self.labels, self.n_classes, self.weights)

    @cached_property
    def _class_means(self):
        return class_means(self.array, self.labels, self.n_classes, self.weights)

    def class_means(self) -> tuple[np.ndarray, np.ndarray]:
        return self._class_means

    def class_moments(self, coefficients: np.ndarray | None = None) -> ClassMoments:
        return class_moments(
            self.array,
            self.labels,
            self.n_classes,
            self.weights,
            coefficients,
            known=self._class_means,
        )

    def class_rows(self, c: int, origin: np.ndarray, only_products: bool = False) -> np.ndarray:
        rows, starts = self._by_class
        members = rows[starts[c] : starts[c + 1]]
        if only_products and len(members) > max(FEW_ROWS, SAMPLES_PER_COLUMN * self.shape[1]):
            return square_root(self._scatter_of(members, origin))
        rows = np.empty((len(members), self.shape[1]))

        def about_origin(part):
            np.subtract(self.array.take(members[part], axis=0), origin, out=rows[part])

        nanoseconds = 4 * PER_NUMBER * rows.size
        run_tasks(about_origin, row_blocks(rows), nanoseconds)
        return rows

    def _scatter_of(self, members, origin):
        def scatter(rows):
            block = self.array.take(rows, axis=0).astype(np.float64, copy=False)
            block -= origin
            return inner(block, block)

        blocks = [members[first : first + FEW_ROWS] for first in range(0, len(members), FEW_ROWS)]
        nanoseconds = scatter_nanoseconds(len(members), self.shape[1])
        return sum(in_order(scatter, blocks, nanoseconds, self.shape[1] ** 2))

    def running_moments(self) -> RunningMoments:
        return RunningMoments.of(self.array, self.labels, self.classes)

    def total_scatter(self) -> np.ndarray:
        samples = self.array.astype(np.float64, copy=False)
        centred = samples - samples.mean(axis=0)
        return centred.T @ centred

    def centred_with_codes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        n_samples, n_features = self.shape
        if n_samples > max(MANY_SAMPLES, SAMPLES_PER_COLUMN * (n_features + self.n_classes)):
            # One pass for the moments is faster than the many passes of a regression.
            moments = self.running_moments()
            return (*moments.rows_with_codes(), moments.mean, moments.counts / n_samples)
        onehot = np.eye(self.n_classes)[self.labels]
        centred, mean = centre(self.array)
        return centred, onehot, mean, onehot.mean(axis=0)

    def count_distinct(self, enough: int) -> int:
        # Projections of different samples onto a random direction differ with probability one;
        # projections of equal samples are equal up to rounding errors.
        direction = np.random.default_rng(0).standard_normal(self.shape[1]).astype(self.dtype)
        digits = 6 if self.dtype == np.float32 else 12

        def distinct(samples):
            image = samples @ direction
            return len(np.unique(np.round(image / (np.abs(image).max() or 1.0), digits)))

        n_first = DISTINCT_OF * enough
        if len(self) > n_first:  # sorting all samples takes as long as an evaluation
            found = distinct(self.array[:n_first])
            if found >= enough:
                return found
        return distinct(self.array)

    def centred(self) -> tuple[ArraySamples, np.ndarray]:
        centred, mean = centre(self.array)
        return self.with_array(centred), mean

    def projected(self, W: np.ndarray) -> ArraySamples:
        return self.with_array(project(self.array, W))

    def points(self, W: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return project(self.array, W)[rows]

    def map_spread(self, W: np.ndarray) -> float:
        Z = self.array @ W.astype(self.dtype)
        offsets = Z - np.average(Z, axis=0, weights=self.weights)
        return np.sqrt(np.average(np.sum(offsets**2, axis=1), weights=self.weights))

    def pair_sums(
        self,
        terms: list[PairTerm],
        n_components: int,
        *,
        engine: Engine = "auto",
        tol: float = 1e-6,
    ) -> ArrayPairSums:
        sums = make_engine(self.labels, terms, n_components, self.weights, engine, tol)
        return ArrayPairSums(self.array, sums)

    def row_sums(
        self, attraction: PairTerm, n_components: int, engine: Engine = "auto", tol: float = 1e-6
    ) -> ArrayPairSums:
        sums = make_row_engine(self.labels, attraction, n_components, self.weights, engine, tol)
        return ArrayPairSums(self.array, sums)

    def log_sums(
        self, bandwidth: float, n_components: int, *, engine: Engine = "auto", tol: float = 1e-6
    ) -> ArrayLogSums:
        sums = make_point_engine(self.labels, bandwidth, n_components, self.weights, engine, tol)
        return ArrayLogSums(self.array, sums)


class ArrayPairSums:
    """Totals over all pairs of projected samples; see :meth:`Samples.pair_sums`."""

    def __init__(self, X, sums):
        self.X, self.sums = X, sums

    def value_and_pullback(self, W, function):
        evaluation = self.sums.evaluate(project(self.X, W))
        value, slopes = function(evaluation.totals)
        return value, pull_back(self.X, evaluation.gradient(slopes))

    def values_and_pullbacks(self, Ws, function):
        """The same for several projections (n_maps, n_features, n_components) of few samples."""
        evaluations = evaluate_each(self.sums, self.X @ Ws.astype(self.X.dtype, copy=False))
        values, slopes = function(evaluations.totals.T)
        return values, (self.X.T @ evaluations.gradient(slopes.T)).astype(np.float64, copy=False)


class ArrayLogSums:
    """Log-sums at projected samples; see :meth:`Samples.log_sums`."""

    def __init__(self, X, sums):
        self.X, self.sums = X, sums

    def evaluate(self, W):
        return ArrayLogEvaluation(self.X, self.sums.evaluate(project(self.X, W)))


class ArrayLogEvaluation:
    """Log-sums at the points of one projection.

    ``log_own`` and ``log_all`` (n_samples,) are the log-sums over the own class and over all other
    points. ``pullback(own_slopes, all_slopes)`` is the gradient in W of a function of them with these
    derivatives. The three exist only in memory.
    """

    def __init__(self, X, at_points):
        self.X, self.at_points = X, at_points

    @property
    def log_ratio(self):
        return self.at_points.log_ratio

    @property
    def n_with_mates(self):
        return self.at_points.n_with_mates

    def log_ratio_pullback(self, scale):
        return pull_back(self.X, self.at_points.log_ratio_gradient(scale))

    @property
    def log_own(self):
        return self.at_points.own

    @property
    def log_all(self):
        return self.at_points.all

    def pullback(self, own_slopes, all_slopes):
        return pull_back(self.X, self.at_points.pullback(own_slopes, all_slopes))


def value_range(X: Matrix) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest and largest value of each feature of a dense or sparse X."""
    if sparse.issparse(X):
        return X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel()

    def extremes(rows):
        return _extreme(np.minimum, X[rows]), _extreme(np.maximum, X[rows])

    blocks, nanoseconds = row_blocks(X), 4 * PER_NUMBER * X.size
    lowest, highest = zip(*in_order(extremes, blocks, nanoseconds, 2 * X.shape[1]), strict=True)
    return np.min(lowest, axis=0), np.max(highest, axis=0)


def _extreme(choose, block):
    # NumPy reduces row by row, which is several times slower for short rows than for long ones.
    # Therefore several rows are combined into one.
    n_together = min(max(LONG_ROW // block.shape[1], 1), len(block))
    n_long = len(block) // n_together
    if n_together > 1 and block.flags.c_contiguous:
        long_rows = block[: n_long * n_together].reshape(n_long, -1)
        together = choose.reduce(long_rows, axis=0).reshape(n_together, -1)
        block = np.concatenate([together, block[n_long * n_together :]])
    return choose.reduce(block, axis=0)
