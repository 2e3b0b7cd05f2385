"""Samples and labels in blocks, with the few operations that objectives need of an array."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from discrimap.samples.on_dask.moments import block_moments, merge_moments, without_rows
from discrimap.samples.on_dask.runtime import add, fetch_reduced

# Rows in one product: what a float32 sum over them loses is nothing beside the tolerances, and
# sums of tiles are added in float64, so that the result hardly depends on the chunks.
PRODUCT_ROWS = 1 << 15
NOTHING = np.zeros(0, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class View:
    """How the rows of a block are seen: without some of them, or about a centre in float64."""

    excluded: np.ndarray = field(default_factory=lambda: NOTHING)  # positions of rows left out
    centre: np.ndarray | None = None

    def project(self, samples, W):
        """``X W`` without the excluded rows, in the type of X or, about a centre, in float64."""
        dtype = samples.dtype if self.centre is None else np.float64
        Z = np.empty((len(samples), *W.shape[1:]), dtype=dtype)
        for places, tile in self._tiles(samples):
            np.matmul(tile, W.astype(dtype, copy=False), out=Z[places])
        return without_rows(Z, self.excluded)

    def transposed_product(self, samples, rows):
        """``X' rows`` in float64; the excluded rows of X have none."""
        if len(self.excluded):
            whole = np.zeros((len(samples), rows.shape[1]), dtype=rows.dtype)
            whole[without_rows(np.arange(len(samples)), self.excluded)] = rows
            rows = whole
        total = np.zeros((samples.shape[1], rows.shape[1]))
        for places, tile in self._tiles(samples):
            few = np.ascontiguousarray(rows[places].T, dtype=tile.dtype)
            total += (few @ tile).T  # a quarter faster than tile.T @ rows
        return total

    def take(self, samples, positions):
        """Some rows, by their positions in the block; only their pieces are read."""
        taken = np.empty((len(positions), samples.shape[1]), dtype=samples.dtype)
        for places, X in samples.parts(positions):
            which = np.flatnonzero((positions >= places.start) & (positions < places.stop))
            taken[which] = X[positions[which] - places.start]
        return taken if self.centre is None else taken - self.centre

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
    """Some neighbouring rows."""

    samples: Any  # handle of Rows
    label_source: Any
    home: Any  # the worker where its tasks run
    n_rows: int  # those that count
    view: View


class RowBlocks:
    """Samples in blocks of rows that stay on their workers.

    ``X @ W`` is a :class:`BlockPoints`, ``X.T @ gradient`` an array, ``X[rows]`` the few rows
    asked for; ``shape``, ``dtype``, ``min`` and ``max`` are those of an array.
    """

    ndim = 2

    def __init__(self, runtime, blocks, n_features, dtype, feature_names=None):
        self.runtime, self.blocks, self.dtype = runtime, blocks, np.dtype(dtype)
        self.feature_names = feature_names
        self.homes = [block.home for block in blocks]
        self.offsets = np.concatenate([[0], np.cumsum([block.n_rows for block in blocks])])
        self.shape = (int(self.offsets[-1]), n_features)
        self._moments: dict[bool, Any] = {}

    def __len__(self):
        return self.shape[0]

    def __matmul__(self, W):
        return BlockPoints(self, W)

    @property
    def T(self):  # noqa: N802
        return _Transposed(self)

    def __getitem__(self, rows):
        """Some rows, by their places in the whole collection: an array, in the order asked for."""
        return self.gather_rows(
            rows, lambda block, places: (take_rows, block.samples, block.view, places)
        )

    def mean(self, axis=0):
        return self.moments(is_pooled=True).mean.astype(self.dtype)

    def astype(self, dtype):
        return self  # views about a centre are in float64 anyway

    def __sub__(self, centre):
        return self.centred(centre)

    def min(self, axis=0):
        return self.moments().low

    def max(self, axis=0):
        return self.moments().high

    def moments(self, *, is_pooled=False):
        """Moments of the labelled rows, from one pass that is made once."""
        if is_pooled not in self._moments:
            if is_pooled and False in self._moments:
                return self._moments[False]
            self._moments[is_pooled] = self._pass(is_pooled)
        return self._moments[is_pooled]

    def _pass(self, is_pooled):
        moments = self.reduce(
            lambda block: (
                block_moments,
                block.samples,
                block.label_source,
                block.view.excluded,
                self.feature_names,
                is_pooled,
            ),
            merge_moments,
        )
        if moments.fault is not None:
            raise ValueError(moments.fault[1])
        return moments

    def without(self, rows):
        """The samples without some rows, which stay where they are."""
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
        return RowBlocks(self.runtime, blocks, self.shape[1], self.dtype, self.feature_names)

    def centred(self, centre):
        """The samples less a centre, in float64; made tile by tile where they are needed."""
        blocks = [replace(block, view=replace(block.view, centre=centre)) for block in self.blocks]
        view = RowBlocks(self.runtime, blocks, self.shape[1], np.float64, self.feature_names)
        view._moments = self._moments
        return view

    def each(self, task_of):
        """Handles of one task per block; ``task_of(block)`` is a function with its arguments."""
        return [self.runtime.submit(*task_of(block), home=block.home) for block in self.blocks]

    def reduce(self, task_of, function=add):
        """Result of one task per block, put together in a tree."""
        return fetch_reduced(self.runtime, self.each(task_of), self.homes, function)

    def places_of(self, rows):
        """For each block: which of the rows asked for it holds, and their places in it."""
        rows = np.asarray(rows, dtype=np.intp)
        owners = np.searchsorted(self.offsets, rows, side="right") - 1
        for number, offset in enumerate(self.offsets[:-1]):
            which = np.flatnonzero(owners == number)
            yield which, rows[which] - offset

    def gather_rows(self, rows, task_of):
        """Few rows of something in blocks: ``task_of(block, places)`` returns them."""
        whiches, handles = [], []
        for block, (which, places) in zip(self.blocks, self.places_of(rows), strict=True):
            if len(which):
                task = task_of(block, self._in_block(block, places))
                handles.append(self.runtime.submit(*task, home=block.home))
                whiches.append(which)
        parts = self.runtime.result(handles)
        result = np.empty((len(rows), *parts[0].shape[1:]), dtype=parts[0].dtype)
        for which, part in zip(whiches, parts, strict=True):
            result[which] = part
        return result

    @staticmethod
    def _in_block(block, places):
        """From places among the rows that count to positions in the block."""
        excluded = block.view.excluded
        if len(excluded) == 0:
            return np.asarray(places, dtype=np.intp)
        return without_rows(np.arange(block.n_rows + len(excluded)), excluded)[places]


class _Transposed:
    def __init__(self, samples):
        self.samples = samples

    def __matmul__(self, gradient):
        """``X' g`` in float64, where g is a gradient that the blocks can compute."""
        grad = gradient.pull_back(self.samples)
        self.samples.runtime.check_workers()
        return grad


class BlockLabels:
    """Class indices in blocks, beside their samples."""

    def __init__(self, samples, classes, codes=None):
        self.samples, self.n_classes = samples, len(classes)
        self.codes = codes
        if codes is None:
            self.codes = samples.each(lambda block: (encode, block.label_source, classes))

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, rows):
        codes = iter_of(self.samples, self.codes)
        return self.samples.gather_rows(
            rows, lambda block, places: (take_items, codes[id(block)], places)
        )

    def without(self, rows):
        """The labels without those of some rows."""
        return BlockLabels(self.samples.without(rows), range(self.n_classes), self.codes)

    def members(self, c, ranks):
        """Places of the samples of class c, of which the ranks in the class are given."""
        counts = np.asarray(self.counts_by_block())[:, c]
        ranks, ends = np.asarray(ranks), np.concatenate([[0], np.cumsum(counts)])
        owners = np.searchsorted(ends, ranks, side="right") - 1
        rows = np.empty(len(ranks), dtype=np.intp)
        for number, block in enumerate(self.samples.blocks):
            which = np.flatnonzero(owners == number)
            if len(which):
                handle = self.samples.runtime.submit(
                    members_of_class,
                    self.codes[number],
                    block.view.excluded,
                    c,
                    ranks[which] - ends[number],
                    home=block.home,
                )
                places = self.samples.runtime.result(handle)
                rows[which] = places + self.samples.offsets[number]
        return rows

    def counts_by_block(self):
        """Rows of each class in each block."""
        if not hasattr(self, "_counts"):
            handles = [
                self.samples.runtime.submit(
                    count_classes, codes, block.view.excluded, self.n_classes, home=block.home
                )
                for codes, block in zip(self.codes, self.samples.blocks, strict=True)
            ]
            self._counts = self.samples.runtime.result(handles)
        return self._counts


class BlockPoints:
    """``X W``, on the workers: computed by whoever asks for something of it."""

    def __init__(self, samples, W):
        self.samples, self.W = samples, np.asarray(W)
        self.shape, self.dtype = (len(samples), self.W.shape[1]), samples.dtype

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, rows):
        return self.samples.gather_rows(
            rows, lambda block, places: (project_rows, block.samples, block.view, self.W, places)
        )

    def __matmul__(self, V):
        return BlockPoints(self.samples, self.W @ V)

    @property
    def T(self):  # noqa: N802
        return _TransposedPoints(self)


class _TransposedPoints:
    def __init__(self, points):
        self.points = points

    def __matmul__(self, gradient):
        return self.points.W.T @ (self.points.samples.T @ gradient)


def iter_of(samples, handles):
    """Handles by the identity of their blocks."""
    return {id(block): handle for block, handle in zip(samples.blocks, handles, strict=True)}


def take_rows(samples, view, places):
    return view.take(samples, places)


def take_items(items, places):
    return items[places]


def project_rows(samples, view, W, places):
    return view.take(samples, places) @ W


def encode(label_source, classes):
    """Class indices of a block, one byte each where that is enough."""
    codes = np.searchsorted(classes, label_source.read())
    return codes.astype(np.min_scalar_type(-len(classes)))


def count_classes(codes, excluded, n_classes):
    return np.bincount(without_rows(codes, excluded), minlength=n_classes)


def members_of_class(codes, excluded, c, ranks):
    return np.flatnonzero(without_rows(codes, excluded) == c)[ranks]
