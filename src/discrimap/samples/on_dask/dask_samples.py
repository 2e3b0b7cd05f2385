"""Labelled samples in blocks of rows, which stay on the workers of a Dask cluster."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from discrimap.linalg.square_roots import square_root
from discrimap.samples.class_moments import ClassMoments
from discrimap.samples.drawn_samples import pool_rows
from discrimap.samples.in_memory import ArraySamples
from discrimap.samples.interface import Samples
from discrimap.samples.on_dask.moments import block_moments, merge_moments, without_rows
from discrimap.samples.on_dask.runtime import add, fetch_reduced
from discrimap.samples.running_moments import RunningMoments

# Number of rows in one product. The rounding error of a float32 sum over them is far below the
# tolerances, and sums of tiles are added in float64, so that the result hardly depends on the chunks.
PRODUCT_ROWS = 1 << 15
NOTHING = np.zeros(0, dtype=np.intp)
TINY = np.finfo(np.float32).tiny


@dataclass(frozen=True, eq=False)
class View:
    """Transformation of the rows of a block: excluded rows, a centre, and new features."""

    excluded: np.ndarray = field(default_factory=lambda: NOTHING)  # positions of excluded rows
    centre: np.ndarray | None = None  # subtracted, in float64
    basis: np.ndarray | None = None  # (n_features, n_new): the features are X basis

    def project(self, samples, W):
        """Return ``X W`` without the excluded rows, in the dtype of X, or float64 with a centre."""
        dtype = samples.dtype if self.centre is None else np.float64
        W = W if self.basis is None else self.basis @ W
        Z = np.empty((len(samples), *W.shape[1:]), dtype=dtype)
        for places, tile in self._tiles(samples):
            np.matmul(tile, W.astype(dtype, copy=False), out=Z[places])
        return without_rows(Z, self.excluded)

    def transposed_product(self, samples, rows):
        """Return ``X' rows`` in float64, without the excluded rows of X."""
        if len(self.excluded):
            whole = np.zeros((len(samples), rows.shape[1]), dtype=rows.dtype)
            whole[without_rows(np.arange(len(samples)), self.excluded)] = rows
            rows = whole
        total = np.zeros((samples.shape[1], rows.shape[1]))
        for places, tile in self._tiles(samples):
            few = np.ascontiguousarray(rows[places].T, dtype=tile.dtype)
            total += (few @ tile).T  # a quarter faster than tile.T @ rows
        return total if self.basis is None else self.basis.T @ total

    def take(self, samples, positions):
        """Return the rows at the given positions of the block; only their pieces are read."""
        taken = np.empty((len(positions), samples.shape[1]), dtype=samples.dtype)
        for places, X in samples.parts(positions):
            which = np.flatnonzero((positions >= places.start) & (positions < places.stop))
            taken[which] = X[positions[which] - places.start]
        taken = taken if self.centre is None else taken - self.centre
        return taken if self.basis is None else taken @ self.basis

    def _tiles(self, samples):
        for places, X in samples.parts():
            for first in range(0, len(X), PRODUCT_ROWS):
                tile = X[first : first + PRODUCT_ROWS]
                start = places.start + first
                yield (
                    slice(start, start + len(tile)),
                    tile if self.centre is None else tile - self.centre,
                )


@dataclass(frozen=True)
class Block:
    """A block of neighbouring rows."""

    samples: Any  # handle of Rows
    label_source: Any
    home: Any  # the worker on which its tasks run
    n_rows: int  # without excluded rows
    view: View


class DaskSamples(Samples):
    """Labelled samples on Dask; see :class:`~discrimap.samples.interface.Samples`.

    Parameters
    ----------
    runtime : ThisProcess or Cluster
        Runtime that holds the blocks.
    blocks : list of Block
        The rows.
    n_features, dtype
        Number of features, and their dtype.
    feature_names : ndarray of str, optional
        Names of the features, for messages.
    is_pooled : bool
        Whether to compute only the scatter of all classes together, which needs less memory than
        one scatter matrix per class.
    known : DaskSamples, optional
        Samples of the same rows, whose classes are known and whose labels are encoded.
    """

    def __init__(
        self, runtime, blocks, n_features, dtype, feature_names=None, is_pooled=False, known=None
    ):
        self.runtime, self.blocks, self.dtype = runtime, blocks, np.dtype(dtype)
        self.feature_names, self.is_pooled = feature_names, is_pooled
        self.homes = [block.home for block in blocks]
        self.offsets = np.concatenate([[0], np.cumsum([block.n_rows for block in blocks])])
        self.shape = (int(self.offsets[-1]), n_features)
        self._known = self if known is None else known
        self._moments: Any = None
        self._codes: Any = None
        self._counts: Any = None

    @property
    def array(self):
        raise TypeError("samples on Dask are not available as one array unless they are wide")

    @property
    def labels(self):
        raise TypeError("labels on Dask are not available as one array unless X is wide")

    @property
    def classes(self):
        return self._known.moments().classes

    @property
    def codes(self):
        """Return handles of the class indices of each block, including excluded rows."""
        if self._known._codes is None:
            self._known._codes = self.each(lambda block: (encode, block.label_source, self.classes))
        return self._known._codes

    def moments(self):
        """Return the moments of the labelled rows, computed in one pass and cached."""
        if self._moments is None:
            self._moments = self.reduce(
                lambda block: (
                    block_moments,
                    block.samples,
                    block.label_source,
                    block.view.excluded,
                    self.feature_names,
                    self.is_pooled,
                ),
                merge_moments,
            )
        if self._moments.fault is not None:
            raise ValueError(self._moments.fault[1])
        return self._moments

    # Subsets

    def class_counts(self):
        return np.sum(self.counts_by_block(), axis=0)

    def members_of(self, c, ranks):
        counts = np.asarray(self.counts_by_block())[:, c]
        ranks, ends = np.asarray(ranks), np.concatenate([[0], np.cumsum(counts)])
        owners = np.searchsorted(ends, ranks, side="right") - 1
        rows = np.empty(len(ranks), dtype=np.intp)
        for number, block in enumerate(self.blocks):
            which = np.flatnonzero(owners == number)
            if len(which):
                handle = self.runtime.submit(
                    members_of_class,
                    self.codes[number],
                    block.view.excluded,
                    c,
                    ranks[which] - ends[number],
                    home=block.home,
                )
                rows[which] = self.runtime.result(handle) + self.offsets[number]
        return rows

    def draw(self, rows):
        rows = np.arange(len(self)) if rows is None else rows
        X = self.gather_rows(rows, lambda b, places: (take_rows, *self._seen(b), places))
        return ArraySamples(X, self.labels_of(rows), self.classes)

    def labels_of(self, rows):
        codes = self.gather_rows(rows, lambda b, places: (take_items, self.codes[b], places))
        return codes.astype(np.intp)

    def without(self, rows):
        blocks = [
            replace(
                block,
                n_rows=block.n_rows - len(places),
                view=replace(
                    block.view,
                    excluded=np.union1d(block.view.excluded, self._in_block(block, places)),
                ),
            )
            for block, (_, places) in zip(self.blocks, self.places_of(rows), strict=True)
        ]
        return self._seen_as(blocks, self.shape[1], self.dtype)

    def labelled(self):
        return self  # validation raises an error for unlabelled samples

    def gathered(self, random_state):
        return self.draw(pool_rows(len(self), random_state))

    # Moments

    def value_range(self):
        return self.moments().low, self.moments().high

    def feature_variances(self):
        return np.diag(self.total_scatter()) / len(self)

    def class_sizes(self):
        return self.class_counts().astype(np.float64)

    def class_means(self):
        return self.moments().counts, self.moments().means

    def class_moments(self, coefficients=None):
        moments = self.moments()
        coefficients = np.ones(self.n_classes) if coefficients is None else coefficients
        curvature = np.tensordot(coefficients, moments.scatters, 1)
        return ClassMoments(moments.counts, moments.means, moments.mean, moments.within, curvature)

    def class_rows(self, c, origin, only_products=False):
        moments = self.moments()
        offset = moments.means[c] - origin
        return square_root(moments.scatters[c] + moments.counts[c] * np.outer(offset, offset))

    def running_moments(self):
        moments = self.moments()
        running = RunningMoments(self.shape[1])
        running.classes, running.counts = moments.classes, moments.counts
        running.class_means, running.mean = moments.means, moments.mean
        running.scatter = moments.total
        return running

    def total_scatter(self):
        scatter, basis = self.moments().total, self.blocks[0].view.basis
        return scatter if basis is None else basis.T @ scatter @ basis

    def centred_with_codes(self):
        moments = self.running_moments()
        return (*moments.rows_with_codes(), moments.mean, moments.counts / len(self))

    def count_distinct(self, enough):
        direction = np.random.default_rng(0).standard_normal(self.shape[1]).astype(self.dtype)
        # The first piece of each block is usually enough; otherwise two passes over all rows.
        first = self.reduce(
            lambda block: (
                distinct_in_piece,
                block.samples,
                block.view.excluded,
                direction,
                enough,
            ),
            max,
        )
        if first >= enough:
            return enough
        largest = self.reduce(
            lambda block: (largest_image, block.samples, block.view, direction), max
        )
        distinct = self.reduce(
            lambda block: (
                distinct_images,
                block.samples,
                block.view,
                direction,
                max(largest, TINY),
                enough,
            ),
            lambda parts: np.unique(np.concatenate(parts))[:enough],
        )
        return len(distinct)

    # Projections

    def centred(self):
        mean = self.moments().mean.astype(self.dtype).astype(np.float64)
        blocks = [replace(block, view=replace(block.view, centre=mean)) for block in self.blocks]
        centred = self._seen_as(blocks, self.shape[1], np.float64)
        centred._moments = self.moments()  # only the scatter matrices are used, not the means
        return centred, mean

    def projected(self, W):
        def seen(view):
            return replace(view, basis=W if view.basis is None else view.basis @ W)

        blocks = [replace(block, view=seen(block.view)) for block in self.blocks]
        projected = self._seen_as(blocks, W.shape[1], self.dtype)
        projected._moments = self.moments()
        return projected

    def points(self, W, rows):
        return self.gather_rows(rows, lambda b, places: (project_rows, *self._seen(b), W, places))

    def map_spread(self, W):
        return math.sqrt(max(np.vdot(W, self.total_scatter() @ W), 0.0) / len(self))

    # Kernel sums

    def pair_sums(self, terms, n_components, *, engine="auto", tol=1e-6):
        from discrimap.samples.on_dask.pair_sums import DaskPairSums

        return DaskPairSums(self, terms, n_components, engine, tol)

    def log_sums(self, bandwidth, n_components, *, engine="auto", tol=1e-6):
        from discrimap.samples.on_dask.log_sums import DaskLogSums

        return DaskLogSums(self, bandwidth, n_components, engine, tol)

    # Tasks on the blocks

    def each(self, task_of):
        """Return handles of one task per block; ``task_of(block)`` is a function and its arguments."""
        return [self.runtime.submit(*task_of(block), home=block.home) for block in self.blocks]

    def reduce(self, task_of, function=add):
        """Combine the results of one task per block in a tree."""
        return fetch_reduced(self.runtime, self.each(task_of), self.homes, function)

    def counts_by_block(self):
        """Return the number of rows of each class in each block."""
        if self._counts is None:
            handles = [
                self.runtime.submit(
                    count_classes, codes, block.view.excluded, self.n_classes, home=block.home
                )
                for codes, block in zip(self.codes, self.blocks, strict=True)
            ]
            self._counts = self.runtime.result(handles)
        return self._counts

    def places_of(self, rows):
        """Return, for each block, which of the given rows it contains and their positions in it."""
        rows = np.asarray(rows, dtype=np.intp)
        owners = np.searchsorted(self.offsets, rows, side="right") - 1
        for number, offset in enumerate(self.offsets[:-1]):
            which = np.flatnonzero(owners == number)
            yield which, rows[which] - offset

    def gather_rows(self, rows, task_of):
        """Gather a few rows of the blocks, which ``task_of(index of the block, places)`` returns."""
        whiches, handles = [], []
        for number, (which, places) in enumerate(self.places_of(rows)):
            if len(which):
                block = self.blocks[number]
                task = task_of(number, self._in_block(block, places))
                handles.append(self.runtime.submit(*task, home=block.home))
                whiches.append(which)
        parts = self.runtime.result(handles)
        result = np.empty((len(rows), *parts[0].shape[1:]), dtype=parts[0].dtype)
        for which, part in zip(whiches, parts, strict=True):
            result[which] = part
        return result

    def _seen(self, number):
        return self.blocks[number].samples, self.blocks[number].view

    def _seen_as(self, blocks, n_features, dtype):
        return DaskSamples(
            self.runtime,
            blocks,
            n_features,
            dtype,
            self.feature_names,
            self.is_pooled,
            self._known,
        )

    @staticmethod
    def _in_block(block, places):
        """Convert places among the rows that are not excluded to positions in the block."""
        excluded = block.view.excluded
        if len(excluded) == 0:
            return np.asarray(places, dtype=np.intp)
        return without_rows(np.arange(block.n_rows + len(excluded)), excluded)[places]


def take_rows(samples, view, places):
    return view.take(samples, places)


def take_items(items, places):
    return items[places]


def project_rows(samples, view, W, places):
    return view.take(samples, places) @ W


def encode(label_source, classes):
    """Return the class indices of a block, in one byte each if possible."""
    codes = np.searchsorted(classes, label_source.read())
    return codes.astype(np.min_scalar_type(-len(classes)))


def count_classes(codes, excluded, n_classes):
    return np.bincount(without_rows(codes, excluded), minlength=n_classes)


def members_of_class(codes, excluded, c, ranks):
    return np.flatnonzero(without_rows(codes, excluded) == c)[ranks]


def largest_image(samples, view, direction):
    return float(np.abs(view.project(samples, direction)).max())


def distinct_images(samples, view, direction, largest, enough):
    return _distinct(view.project(samples, direction), largest)[:enough]


def distinct_in_piece(samples, excluded, direction, enough):
    """Count the distinct samples of the first piece."""
    places, X = next(iter(samples.parts()))
    image = without_rows(X @ direction, excluded[excluded < places.stop])
    largest = max(float(np.abs(image).max(initial=0.0)), TINY)
    return min(len(_distinct(image, largest)), enough)


def _distinct(image, largest):
    digits = 6 if image.dtype == np.float32 else 12
    return np.unique(np.round(image / largest, digits))
