"""Gaussian log-sums at points in blocks, for the likelihood of classes after projection.

The steps of :mod:`~discrimap.kernel_sums.fourier_points` on blocks: spectra of all points add up,
each block reads its own sums off the field, and the slopes of their logarithms make a second set of
spectra for the gradient. Points at which the series is not well above its error are few; they
travel, and every block sums over its own points for them exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from discrimap.kernel_sums.engines import make_point_engine
from discrimap.kernel_sums.exact import ExactPointSums, SlopesOfLogs
from discrimap.kernel_sums.fourier import spectra
from discrimap.kernel_sums.fourier_points import core_pullback, core_values
from discrimap.kernel_sums.kernels import GaussianKernel, PairTerm
from discrimap.kernel_sums.transforms import FINEST_TOLERANCE
from discrimap.samples.on_dask.grids import grid_and_centre, merge_extents
from discrimap.samples.on_dask.limits import refuse_other_engines
from discrimap.samples.on_dask.pair_sums import (
    FEW_POINTS,
    GatheredGradient,
    block_spectra,
    extent_of,
    gathered_labels,
    make_layouts,
    project_blocks,
    rows_times_samples,
)
from discrimap.samples.on_dask.runtime import add, fetch_reduced, reduce_in_tree

# Points that may be summed exactly: all blocks visit them all.
MOST_ISOLATED = 20_000
ACCURACY_LEFT = 10.0  # how far above its error a sum must be to be read off the series


class BlockPointSums:
    """Log-sums of points in blocks; see :func:`~discrimap.kernel_sums.make_point_engine`."""

    name = "fourier"

    def __init__(self, labels, bandwidth, n_components, engine, tol):
        refuse_other_engines(engine, n_components)
        self.labels, self.bandwidth, self.n_components = labels, bandwidth, n_components
        self.engine, self.tol = engine, tol
        self.layouts = make_layouts(labels, n_components, labels.n_classes)
        self.terms = [PairTerm(GaussianKernel(bandwidth), np.eye(labels.n_classes))]
        # As fine as can be: the finer the series, the fewer points are left to exact sums.
        self.fine = FINEST_TOLERANCE
        self.floor = min(ACCURACY_LEFT * self.fine / tol, 0.1)
        self._gathered: Any = None

    def evaluate(self, points):
        """Log-sums at points in blocks."""
        samples = self.labels.samples
        coordinates = project_blocks(points, self.layouts)
        if self.engine == "auto" and len(samples) <= FEW_POINTS:
            return self._evaluate_gathered(coordinates)
        return BlockPointEvaluation(self, coordinates)

    def _evaluate_gathered(self, coordinates):
        if self._gathered is None:
            labels = gathered_labels(self.labels.samples, self.layouts)
            self._gathered = make_point_engine(
                labels, self.bandwidth, self.n_components, engine="auto", tol=self.tol
            )
        Z = np.concatenate(self.labels.samples.runtime.result(list(coordinates)), axis=1).T
        return GatheredPointEvaluation(self, self._gathered.evaluate(Z))


class GatheredPointEvaluation:
    """Log-sums of few points, computed in one place."""

    def __init__(self, engine, evaluation):
        self.engine, self.evaluation = engine, evaluation
        self.log_ratio, self.n_with_mates = evaluation.log_ratio, evaluation.n_with_mates

    def log_ratio_gradient(self, scale):
        return GatheredGradient(self.engine, self.evaluation.log_ratio_gradient(scale))


@dataclass
class Isolated:
    """The points of one or all blocks that are summed exactly, sorted by class."""

    points: np.ndarray  # (n_components, n_isolated)
    labels: np.ndarray
    owners: np.ndarray  # number of the block of each
    rows: np.ndarray  # place of each in its sorted block
    log_own: np.ndarray
    log_all: np.ndarray

    def of_block(self, number):
        return np.flatnonzero(self.owners == number)


class BlockPointEvaluation:
    """Log-sums at one W, held by the blocks."""

    def __init__(self, engine, coordinates):
        self.engine, self.coordinates = engine, coordinates
        samples = engine.labels.samples
        runtime, homes = samples.runtime, samples.homes
        extents = self._each(lambda b: (extent_of, coordinates[b]))
        box = fetch_reduced(runtime, extents, homes, merge_extents)
        self.series = (engine.terms, engine.fine, box)
        parts = self._each(
            lambda b: (block_spectra, coordinates[b], engine.layouts[b], *self.series)
        )
        self.spectra = reduce_in_tree(runtime, parts, homes, add)
        self.sums = self._each(
            lambda b: (point_sums, coordinates[b], engine.layouts[b], self.spectra, *self.series)
        )
        largest = fetch_reduced(
            runtime, self._each(lambda b: (largest_sum, self.sums[b])), homes, max
        )
        self.least = engine.floor * largest
        self.isolated = self._find_isolated()
        core = fetch_reduced(
            runtime, self._each(lambda b: (core_ratio, self.sums[b], self.least)), homes, add
        )
        has_mates = np.isfinite(self.isolated.log_own)
        ratios = self.isolated.log_own[has_mates] - self.isolated.log_all[has_mates]
        self.log_ratio = float(core[0] + ratios.sum())
        self.n_with_mates = int(core[1] + has_mates.sum())

    def log_ratio_gradient(self, scale):
        return PointGradient(self, scale)

    def _each(self, task_of):
        samples = self.engine.labels.samples
        return [
            samples.runtime.submit(*task_of(b), home=home) for b, home in enumerate(samples.homes)
        ]

    def _find_isolated(self):
        """Points whose sums are not well above the error, with exact logarithms of these."""
        engine, samples = self.engine, self.engine.labels.samples
        parts = samples.runtime.result(
            self._each(
                lambda b: (
                    isolated_points,
                    self.coordinates[b],
                    engine.layouts[b],
                    self.sums[b],
                    self.least,
                )
            )
        )
        n_isolated = sum(len(part[1]) for part in parts)
        if n_isolated > MOST_ISOLATED:
            raise ValueError(
                f"{n_isolated} of {len(samples)} points have next to no neighbours of their class "
                f"within bandwidth={engine.bandwidth:.3g}, and at most {MOST_ISOLATED} can be "
                "summed one by one; pass a larger bandwidth."
            )
        owners = np.repeat(np.arange(len(parts)), [len(part[1]) for part in parts])
        points, labels, rows = (
            np.concatenate([part[k] for part in parts], axis=-1) for k in range(3)
        )
        order = np.argsort(labels, kind="stable")
        nothing = np.full(n_isolated, -np.inf)
        isolated = Isolated(
            np.ascontiguousarray(points[:, order]),
            labels[order],
            owners[order],
            rows[order],
            nothing,
            nothing,
        )
        if n_isolated:
            isolated.log_own, isolated.log_all = fetch_reduced(
                samples.runtime,
                self._each(
                    lambda b: (
                        isolated_log_sums,
                        self.coordinates[b],
                        engine.layouts[b],
                        engine.bandwidth,
                        isolated,
                        b,
                    )
                ),
                samples.homes,
                np.logaddexp.reduce,
            )
        return isolated


class PointGradient:
    """Gradient of ``scale`` times the sum of ``own - all``, multiplied by ``X'`` where it arises."""

    def __init__(self, evaluation, scale):
        self.evaluation, self.scale = evaluation, scale

    def astype(self, dtype, copy=False):
        return self

    def pull_back(self, samples):
        evaluation, engine, scale = self.evaluation, self.evaluation.engine, self.scale
        runtime, isolated = samples.runtime, evaluation.isolated
        pulls = reduce_in_tree(
            runtime,
            evaluation._each(
                lambda b: (
                    pull_spectra,
                    evaluation.coordinates[b],
                    engine.layouts[b],
                    evaluation.sums[b],
                    evaluation.least,
                    *evaluation.series,
                    scale,
                )
            ),
            samples.homes,
            add,
        )
        total = fetch_reduced(
            runtime,
            evaluation._each(
                lambda b: (
                    point_gradient,
                    samples.blocks[b].samples,
                    samples.blocks[b].view,
                    evaluation.coordinates[b],
                    engine.layouts[b],
                    evaluation.sums[b],
                    evaluation.least,
                    evaluation.spectra,
                    pulls,
                    *evaluation.series,
                    engine.bandwidth,
                    isolated,
                    scale,
                )
            ),
            samples.homes,
            add,
        )
        if len(isolated.labels):
            total = total + self._at_isolated(samples)
        return total

    def _at_isolated(self, samples):
        """``X' g`` of the isolated points, from their own sums over all blocks."""
        evaluation, engine = self.evaluation, self.evaluation.engine
        rows = fetch_reduced(
            samples.runtime,
            evaluation._each(
                lambda b: (
                    pull_at_isolated,
                    evaluation.coordinates[b],
                    engine.layouts[b],
                    engine.bandwidth,
                    evaluation.isolated,
                    self.scale,
                )
            ),
            samples.homes,
            add,
        )
        isolated = evaluation.isolated
        return fetch_reduced(
            samples.runtime,
            evaluation._each(
                lambda b: (
                    few_rows_times_samples,
                    samples.blocks[b].samples,
                    samples.blocks[b].view,
                    engine.layouts[b],
                    isolated.rows[isolated.of_block(b)],
                    rows[isolated.of_block(b)],
                )
            ),
            samples.homes,
            add,
        )


def point_sums(coordinates, layout, summed, terms, tolerance, box):
    """Sums over the own class and over all points, without the point itself, and the largest."""
    grid, centre = grid_and_centre(terms, tolerance, box)
    fields = grid.kernel_coefficients[0] * summed
    angles = grid.angles(coordinates, centre)
    own, everyone = core_values(grid, angles, layout.starts, fields, fields.sum(axis=0))
    largest = float(everyone.max())
    return own - layout.weights, everyone - layout.weights, largest


def largest_sum(sums):
    return sums[2]


def is_isolated(sums, least):
    return np.minimum(sums[0], sums[1]) < least


def core_ratio(sums, least):
    """Sum of ``own - all`` over the points that the series serves, and their number."""
    is_core = ~is_isolated(sums, least)
    return np.array([np.log(sums[0][is_core] / sums[1][is_core]).sum(), is_core.sum()])


def isolated_points(coordinates, layout, sums, least):
    rows = np.flatnonzero(is_isolated(sums, least))
    return coordinates[:, rows], layout.labels[rows], rows


def isolated_log_sums(coordinates, layout, bandwidth, isolated, number):
    """Log-sums over the points of one block at all isolated points, (2, n_isolated)."""
    from discrimap.kernel_sums import parallel_loops

    exact = ExactPointSums(layout, bandwidth)
    by_class = parallel_loops.class_log_sums(
        isolated.points, coordinates, layout.starts, layout.weights, exact.scale
    )
    own = by_class[np.arange(len(by_class)), isolated.labels]
    everyone = np.logaddexp.reduce(by_class, axis=1)
    # In its own block a point is left out of its sums.
    mine = isolated.of_block(number)
    if len(mine):
        own[mine], everyone[mine] = exact.log_sums_sorted(coordinates, isolated.rows[mine])
    return np.stack([own, everyone])


def core_slopes(sums, least, scale):
    """Derivatives in the sums of ``scale sum (log own - log all)``; zero where isolated."""
    is_core = ~is_isolated(sums, least)
    own, everyone = np.zeros((2, len(is_core)))
    own[is_core], everyone[is_core] = scale / sums[0][is_core], -scale / sums[1][is_core]
    return own, everyone


def pull_spectra(coordinates, layout, sums, least, terms, tolerance, box, scale):
    """Spectra of the slopes: one row for each class and one for all points together."""
    grid, centre = grid_and_centre(terms, tolerance, box)
    angles = grid.angles(coordinates, centre)
    own, everyone = core_slopes(sums, least, scale)
    classes = range(layout.n_classes)
    own_pull = spectra(grid, angles, own, layout.starts, classes)
    whole = spectra(grid, angles, everyone, layout.starts, classes).sum(axis=0)
    return np.vstack([own_pull, whole])


def point_gradient(
    samples, view, coordinates, layout, sums, least, summed, pulls, terms, tolerance, box,
    bandwidth, isolated, scale,
):  # fmt: skip
    """``X_b' g_b``: pairs of all points by the series, and the pull of the isolated points."""
    grid, centre = grid_and_centre(terms, tolerance, box)
    kernel = grid.kernel_coefficients[0]
    own, everyone = core_slopes(sums, least, scale)
    rows = core_pullback(
        grid,
        grid.angles(coordinates, centre),
        layout.starts,
        layout.weights,
        (own, everyone),
        kernel * summed,
        (kernel * pulls[:-1], kernel * pulls[-1]),
    )
    if len(isolated.labels):
        rows += pull_of_isolated(coordinates, layout, bandwidth, isolated, scale)
    return rows_times_samples(samples, view, layout, rows)


def pull_of_isolated(coordinates, layout, bandwidth, isolated, scale):
    """Gradient at the points of a block as members of the sums of isolated points."""
    from discrimap.kernel_sums import parallel_loops

    starts = np.searchsorted(isolated.labels, np.arange(layout.n_classes + 1))
    return parallel_loops.isolated_pullback_of_members(
        coordinates, layout.labels, layout.weights, isolated.points, starts,
        slopes_at(isolated, scale), GaussianKernel(bandwidth).scale,
    )  # fmt: skip


def pull_at_isolated(coordinates, layout, bandwidth, isolated, scale):
    """Gradient at the isolated points from the points of a block, which their sums hold."""
    from discrimap.kernel_sums import parallel_loops

    return parallel_loops.isolated_pullback_of_queries(
        isolated.points, isolated.labels, slopes_at(isolated, scale),
        coordinates, layout.starts, layout.weights, GaussianKernel(bandwidth).scale,
    )  # fmt: skip


def slopes_at(isolated, scale):
    everyone = np.ones(len(isolated.labels), dtype=bool)
    # A point without class mates has no term of its own.
    cotangent = np.where(np.isneginf(isolated.log_own), 0.0, scale)
    slopes = SlopesOfLogs(isolated.log_own, isolated.log_all, cotangent, -cotangent, everyone)
    return slopes.at_isolated


def few_rows_times_samples(samples, view, layout, places, rows):
    """``X_b' g_b`` of a few of the points sorted by class."""
    whole = np.zeros((layout.n_samples, rows.shape[1]))
    whole[places] = rows
    return rows_times_samples(samples, view, layout, whole)
