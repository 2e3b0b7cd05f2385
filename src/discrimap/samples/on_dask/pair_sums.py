"""Kernel sums over all pairs of points in blocks, as Fourier series whose spectra are added.

One evaluation is one round of tasks that the client sends together. W is sent to the blocks; each
block projects its points and computes the spectra of its classes, on a grid for the extent of the
previous evaluation plus a margin; the workers exchange their spectra; each block computes the
gradient in the field of their sum and returns ``X_b' g_b``. If points are outside the grid, the
round is repeated on a larger grid. Only W, the spectra on the grid and arrays of p x d numbers are
transferred.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from discrimap.kernel_sums.costs import exact_cost, fourier_cost
from discrimap.kernel_sums.engines import make_engine
from discrimap.kernel_sums.fourier import ClassMixture, gradient, spectra
from discrimap.kernel_sums.grid import GridShelf
from discrimap.kernel_sums.layout import ClassLayout
from discrimap.samples.on_dask.grids import grid_and_centre, merge_extents, most_modes
from discrimap.samples.on_dask.limits import check_engine
from discrimap.samples.on_dask.runtime import add, fetch_reduced, reduce_for_all

# Up to this many points (about 500 KB) the engine for arrays in memory is used, which may sum exactly.
FEW_POINTS = 20_000
MARGIN = 1.02  # factor by which the extent may grow between two evaluations


class DaskPairSums:
    """Totals over all pairs of points in blocks; see :meth:`Samples.pair_sums`."""

    name = "fourier"

    def __init__(self, samples, terms, n_components, engine, tol):
        check_engine(engine, n_components)
        self.samples, self.terms, self.n_components = samples, terms, n_components
        self.engine, self.tol = engine, tol
        self.n_classes = len(terms[0].mixing)
        self.shelf = GridShelf([term.kernel for term in terms], tol / 3)
        self.layouts = make_layouts(samples, n_components, self.n_classes)
        self.box: Any = None  # lowest and highest coordinates at the last evaluation
        self._gathered: Any = None  # the engine for few points, made when needed

    def value_and_pullback(self, W, function):
        """Return the value of a function of the totals, and its gradient in W."""
        if self.box is None:
            self.box = self._box_of(W)
        if self._is_better_gathered():
            answer = self._evaluate_gathered(W, function)
        else:
            answer = self._evaluate_blocks(W, function)
            if answer.value is None:  # points were outside the grid; only their box was computed
                answer = self._evaluate_blocks(W, function)
        self.samples.runtime.check_workers()
        return answer.value, answer.pullback

    def _box_of(self, W):
        return self.samples.reduce(
            lambda block: (box_of_block, block.samples, block.view, W), merge_extents
        )

    def _is_better_gathered(self):
        if self.engine != "auto" or len(self.samples) > FEW_POINTS:
            return False
        if not np.isfinite(self.box).all():  # the blocks raise an error
            return False
        low, high = self.box
        n, n_modes = len(self.samples), self.shelf.n_modes(high - low)
        cost = fourier_cost(n, self.n_components, self.n_classes, n_modes)
        points_alone = fourier_cost(n, self.n_components, 0, 0)
        return cost > min(2 * points_alone + 1e6, exact_cost(n, n, self.n_components))

    def _evaluate_gathered(self, W, function):
        if self._gathered is None:
            labels = gathered_labels(self.samples, self.layouts)
            self._gathered = make_engine(
                labels, self.terms, self.n_components, engine="auto", tol=self.tol
            )
        parts = self.samples.runtime.result(project_blocks(self.samples, W, self.layouts))
        self.box = merge_extents([extent_of(part) for part in parts])
        evaluation = self._gathered.evaluate(np.concatenate(parts, axis=1).T)
        value, slopes = function(evaluation.totals)
        pullback = pull_back_rows(self.samples, self.layouts, evaluation.gradient(slopes))
        return BlockAnswer(self.box, value, pullback)

    def _box_with_margin(self):
        low, high = self.box
        room = (MARGIN - 1) / 2 * (high - low)
        if np.isfinite(room).all() and self.shelf.n_modes(MARGIN * (high - low)) > most_modes(
            self.n_classes
        ):
            return low, high  # the grid fits on a worker only without the margin
        return low - room, high + room

    def _evaluate_blocks(self, W, function):
        runtime, homes = self.samples.runtime, self.samples.homes
        series = (self.terms, self.tol / 3, self._box_with_margin())
        blocks = list(zip(self.samples.blocks, self.layouts, strict=True))
        maps = runtime.submit_each(
            map_block,
            [(block.samples, block.view, layout, W, *series) for block, layout in blocks],
            homes,
        )
        everyone = reduce_for_all(runtime, maps, homes, merge_maps)
        answers = runtime.submit_each(
            answer_of_block,
            [
                (block.samples, block.view, layout, W, own, everyone, *series, function)
                for (block, layout), own in zip(blocks, maps, strict=True)
            ],
            homes,
        )
        answer = fetch_reduced(runtime, answers, homes, merge_answers)
        self.box = answer.box
        return answer


@dataclass(eq=False)
class BlockMap:
    """Extent and spectra of the projected points of one or several blocks."""

    coordinates: np.ndarray | None  # (n_components, n_rows) of one block, sorted by class
    box: np.ndarray  # lowest and highest coordinates
    spectra: np.ndarray | None  # (n_classes, n_half_modes); None if points are outside the grid

    def __getstate__(self):
        # Coordinates are not transferred: they are only needed where the samples are.
        return {**self.__dict__, "coordinates": None}

    def __sizeof__(self):
        arrays = (self.coordinates, self.spectra)
        return object.__sizeof__(self) + sum(a.nbytes for a in arrays if a is not None)


@dataclass(eq=False)
class BlockAnswer:
    """The value at all points, and the contribution of some blocks to its gradient in W."""

    box: np.ndarray  # of all points
    value: float | None  # None if points are outside the grid
    pullback: np.ndarray | None


def pull_back_rows(samples, layouts, gradient):
    """Return ``X' gradient`` for a gradient that was computed in one process and is sent to the blocks."""
    parts = [
        samples.runtime.submit(
            rows_times_samples, block.samples, block.view, layout, rows, home=block.home
        )
        for block, layout, rows in zip(
            samples.blocks, layouts, np.split(gradient, samples.offsets[1:-1]), strict=True
        )
    ]
    return fetch_reduced(samples.runtime, parts, samples.homes, add)


def make_layouts(samples, n_components, n_classes):
    """Return handles of the layouts of the blocks, which sort their points by class."""
    return [
        samples.runtime.submit(
            layout_of, codes, block.view.excluded, n_components, n_classes, home=block.home
        )
        for codes, block in zip(samples.codes, samples.blocks, strict=True)
    ]


def gathered_labels(samples, layouts):
    """Return the labels of a few points, block after block, sorted within each block."""
    handles = [
        samples.runtime.submit(sorted_labels, layout, home=home)
        for layout, home in zip(layouts, samples.homes, strict=True)
    ]
    return np.concatenate(samples.runtime.result(handles))


def project_blocks(samples, W, layouts):
    """Return handles of the points of each block (n_components, n_rows), sorted by class."""
    return [
        samples.runtime.submit(
            project_sorted, block.samples, block.view, layout, W, home=block.home
        )
        for block, layout in zip(samples.blocks, layouts, strict=True)
    ]


def layout_of(codes, excluded, n_components, n_classes):
    kept = np.delete(codes, excluded) if len(excluded) else codes
    return ClassLayout(kept, n_components, None, n_classes)


def sorted_labels(layout):
    return layout.labels


def project_sorted(samples, view, layout, W):
    # Points that are not finite are detected by their extent.
    return layout.sort_unchecked(view.project(samples, W))


def extent_of(coordinates):
    return np.stack([coordinates.min(axis=1), coordinates.max(axis=1)])


def block_spectra(coordinates, layout, terms, tolerance, box):
    grid, centre = grid_and_centre(terms, tolerance, box)
    angles = grid.angles(coordinates, centre)
    return spectra(grid, angles, layout.weights, layout.starts, range(layout.n_classes))


def box_of_block(samples, view, W):
    return extent_of(view.project(samples, W).T)


def map_block(samples, view, layout, W, terms, tolerance, box):
    """Return the points of a block, their extent and, if all are in the grid, the class spectra."""
    coordinates = project_sorted(samples, view, layout, W)
    extent = extent_of(coordinates)
    if not is_inside(extent, *grid_and_centre(terms, tolerance, box)):
        return BlockMap(coordinates, extent, None)
    return BlockMap(coordinates, extent, block_spectra(coordinates, layout, terms, tolerance, box))


def is_inside(extent, grid, centre):
    """Return whether the series is valid for points of this extent, anywhere in a period."""
    low, high = extent
    return bool(
        (high - low <= grid.extents).all()
        and (np.abs(extent - centre) <= np.asarray(grid.periods) / 2).all()
    )


def merge_maps(maps):
    """Merge the extents and spectra of several blocks."""
    parts = [part.spectra for part in maps]
    fit = all(part is not None for part in parts)
    return BlockMap(None, merge_extents([part.box for part in maps]), add(parts) if fit else None)


def answer_of_block(samples, view, layout, W, own, everyone, terms, tolerance, box, function):
    """Return the value of a function of all totals, and the part ``X_b' g_b`` of its gradient."""
    (grid, centre), mixture = grid_and_centre(terms, tolerance, box), ClassMixture(terms)
    whole = merge_maps(everyone)
    if not is_inside(whole.box, grid, centre):
        return BlockAnswer(whole.box, None, None)
    summed, classes = whole.spectra, range(layout.n_classes)
    shared = summed.sum(axis=0)
    totals = mixture.own_totals(grid, summed, classes) + mixture.shared_totals(grid, shared)
    value, slopes = function(totals)
    field = mixture.shared_field(grid, slopes, shared)
    fields = mixture.fields(grid, slopes, summed, classes, field)
    coordinates = own.coordinates
    if coordinates is None:  # lost by a transfer to another worker or to disk
        coordinates = project_sorted(samples, view, layout, W)
    rows = np.empty(coordinates.T.shape)
    angles = grid.angles(coordinates, centre)
    gradient(grid, angles, layout.weights, layout.starts, classes, fields, rows)
    return BlockAnswer(whole.box, value, rows_times_samples(samples, view, layout, rows))


def merge_answers(answers):
    """Merge the answers of several blocks: the value is the same, the gradients are added."""
    first = answers[0]
    if first.value is None:
        return first
    return BlockAnswer(first.box, first.value, add([answer.pullback for answer in answers]))


def rows_times_samples(samples, view, layout, rows):
    """Return ``X_b' g_b`` for gradients at the points sorted by class."""
    return view.transposed_product(samples, layout.unsort(rows))
