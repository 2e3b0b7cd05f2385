"""Totals of a kernel over all pairs of points in blocks, as Fourier series whose spectra add up.

One evaluation is two rounds. W goes out; each block projects its points and tells their extent, and
on the grid that all extents together need it makes the spectra of its classes, which are summed in
a tree; the totals come back. Then the coefficients of the totals go out; each block takes the
gradient in the field of the summed spectra and returns ``X_b' g_b``. Beside W nothing larger than
the spectra on the grid and p x d numbers travels.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from discrimap.blocks.grids import grid_and_centre, merge_extents
from discrimap.blocks.limits import refuse_other_engines
from discrimap.blocks.row_blocks import BlockLabels
from discrimap.blocks.runtime import add, fetch_reduced, reduce_in_tree
from discrimap.kernel_sums.costs import exact_cost, fourier_cost
from discrimap.kernel_sums.engines import make_engine
from discrimap.kernel_sums.fourier import ClassMixture, gradient, spectra
from discrimap.kernel_sums.grid import GridShelf
from discrimap.kernel_sums.layout import ClassLayout

# Up to so many points the engine in memory, which may sum exactly, gets them all: some 500 KB.
FEW_POINTS = 20_000


class BlockPairSums:
    """Pair sums of points in blocks; see :func:`~discrimap.kernel_sums.make_engine`."""

    name = "fourier"

    def __init__(self, labels: BlockLabels, terms, n_components, engine, tol):
        refuse_other_engines(engine, n_components)
        self.labels, self.terms, self.n_components = labels, terms, n_components
        self.engine, self.tol = engine, tol
        self.n_classes = len(terms[0].mixing)
        self.shelf = GridShelf([term.kernel for term in terms], tol / 3)
        self.layouts = make_layouts(labels, n_components, self.n_classes)
        self._gathered: Any = None  # the engine for few points, made when needed

    def evaluate(self, points):
        """Totals at points in blocks; see :func:`~discrimap.kernel_sums.make_engine`."""
        samples = self.labels.samples
        coordinates = project_blocks(points, self.layouts)
        extents = [
            samples.runtime.submit(extent_of, part, home=home)
            for part, home in zip(coordinates, samples.homes, strict=True)
        ]
        # A few numbers that the client puts together: quicker than workers asking each other.
        low, high = box = fetch_reduced(samples.runtime, extents, samples.homes, merge_extents)
        if self.engine == "auto" and len(samples) <= FEW_POINTS and not self._is_cheap(high - low):
            return self._evaluate_gathered(coordinates)
        return BlockEvaluation(self, coordinates, box)

    def _cost(self, extents):
        n_modes = self.shelf.n_modes(extents)
        return fourier_cost(len(self.labels), self.n_components, self.n_classes, n_modes)

    def _is_cheap(self, extents):
        n = len(self.labels)
        least = exact_cost(n, n, self.n_components)
        points_alone = fourier_cost(n, self.n_components, 0, 0)
        return self._cost(extents) <= min(2 * points_alone + 1e6, least)

    def _evaluate_gathered(self, coordinates):
        samples = self.labels.samples
        if self._gathered is None:
            labels = gathered_labels(samples, self.layouts)
            self._gathered = make_engine(
                labels, self.terms, self.n_components, engine="auto", tol=self.tol
            )
        parts = samples.runtime.result(list(coordinates))
        Z = np.concatenate(parts, axis=1).T
        return GatheredEvaluation(self, self._gathered.evaluate(Z))


class BlockEvaluation:
    """Totals at one W; the gradient is taken in the field of the same spectra when asked for."""

    def __init__(self, engine, coordinates, box):
        self.engine, self.coordinates = engine, coordinates
        samples = engine.labels.samples
        self.series = (engine.terms, engine.tol / 3, box)
        parts = [
            samples.runtime.submit(block_spectra, part, layout, *self.series, home=home)
            for part, layout, home in zip(coordinates, engine.layouts, samples.homes, strict=True)
        ]
        self.spectra = reduce_in_tree(samples.runtime, parts, samples.homes, add)
        totals = samples.runtime.submit(
            block_totals, self.spectra, *self.series, home=samples.homes[0]
        )
        self.totals = samples.runtime.result(totals)

    def gradient(self, coefficients):
        """The gradient of ``sum_k coefficients_k totals_k``, for ``X.T @`` it."""
        return BlockGradient(self, np.asarray(coefficients, dtype=np.float64))


class BlockGradient:
    """A gradient in the points that is multiplied by ``X'`` where it arises."""

    def __init__(self, evaluation, coefficients):
        self.evaluation, self.coefficients = evaluation, coefficients

    def astype(self, dtype, copy=False):
        return self

    def pull_back(self, samples):
        evaluation = self.evaluation
        engine = evaluation.engine
        parts = [
            samples.runtime.submit(
                block_gradient,
                block.samples,
                block.view,
                part,
                layout,
                evaluation.spectra,
                *evaluation.series,
                self.coefficients,
                home=block.home,
            )
            for block, part, layout in zip(
                samples.blocks, evaluation.coordinates, engine.layouts, strict=True
            )
        ]
        return fetch_reduced(samples.runtime, parts, samples.homes, add)


class GatheredEvaluation:
    """Totals of few points, summed in one place."""

    def __init__(self, engine, evaluation):
        self.engine, self.evaluation = engine, evaluation
        self.totals = evaluation.totals

    def gradient(self, coefficients):
        return GatheredGradient(self.engine, self.evaluation.gradient(coefficients))


class GatheredGradient:
    """Rows of a gradient that was computed in one place and goes back to the blocks."""

    def __init__(self, engine, rows):
        self.engine, self.rows = engine, rows

    def astype(self, dtype, copy=False):
        return self

    def pull_back(self, samples):
        ends = samples.offsets[1:-1]
        parts = [
            samples.runtime.submit(
                rows_times_samples, block.samples, block.view, layout, rows, home=block.home
            )
            for block, layout, rows in zip(
                samples.blocks, self.engine.layouts, np.split(self.rows, ends), strict=True
            )
        ]
        return fetch_reduced(samples.runtime, parts, samples.homes, add)


def make_layouts(labels, n_components, n_classes):
    """Handles of the order of each block's points by class."""
    samples = labels.samples
    return [
        samples.runtime.submit(
            layout_of, codes, block.view.excluded, n_components, n_classes, home=block.home
        )
        for codes, block in zip(labels.codes, samples.blocks, strict=True)
    ]


def gathered_labels(samples, layouts):
    """Labels of few points, block after block, sorted in each."""
    handles = [
        samples.runtime.submit(sorted_labels, layout, home=home)
        for layout, home in zip(layouts, samples.homes, strict=True)
    ]
    return np.concatenate(samples.runtime.result(handles))


def project_blocks(points, layouts):
    """Handles of each block's points (n_components, n_rows), sorted by class."""
    samples = points.samples
    return [
        samples.runtime.submit(
            project_sorted, block.samples, block.view, layout, points.W, home=block.home
        )
        for block, layout in zip(samples.blocks, layouts, strict=True)
    ]


def layout_of(codes, excluded, n_components, n_classes):
    kept = np.delete(codes, excluded) if len(excluded) else codes
    return ClassLayout(kept, n_components, None, n_classes)


def sorted_labels(layout):
    return layout.labels


def project_sorted(samples, view, layout, W):
    # Points that have left the range of floats are found by their extent.
    return layout.sort_unchecked(view.project(samples, W))


def extent_of(coordinates):
    return coordinates.min(axis=1), coordinates.max(axis=1)


def block_spectra(coordinates, layout, terms, tolerance, box):
    grid, centre = grid_and_centre(terms, tolerance, box)
    angles = grid.angles(coordinates, centre)
    return spectra(grid, angles, layout.weights, layout.starts, range(layout.n_classes))


def block_totals(summed, terms, tolerance, box):
    (grid, _), mixture = grid_and_centre(terms, tolerance, box), ClassMixture(terms)
    own = mixture.own_totals(grid, summed, range(len(summed)))
    return np.array(own) + mixture.shared_totals(grid, summed.sum(axis=0))


def block_gradient(samples, view, coordinates, layout, summed, terms, tolerance, box, coefficients):
    (grid, centre), mixture = grid_and_centre(terms, tolerance, box), ClassMixture(terms)
    classes = range(layout.n_classes)
    shared = mixture.shared_field(grid, coefficients, summed.sum(axis=0))
    fields = mixture.fields(grid, coefficients, summed, classes, shared)
    rows = np.empty(coordinates.T.shape)
    angles = grid.angles(coordinates, centre)
    gradient(grid, angles, layout.weights, layout.starts, classes, fields, rows)
    return rows_times_samples(samples, view, layout, rows)


def rows_times_samples(samples, view, layout, rows):
    """``X_b' g_b`` of gradients of the points sorted by class."""
    return view.transposed_product(samples, layout.unsort(rows))
