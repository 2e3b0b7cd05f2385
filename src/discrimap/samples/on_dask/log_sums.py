"""Gaussian log-sums at points in blocks, for the likelihood of classes after projection.

The steps are the same as in :mod:`~discrimap.kernel_sums.fourier_points`, but on blocks: the
spectra of all points are added, each block evaluates the field at its points, and the slopes of the
logarithms give a second set of spectra for the gradient. The few points at which the series is not
well above its error are sent to all blocks, and each block sums exactly over its own points.
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
from discrimap.samples.on_dask.limits import check_engine
from discrimap.samples.on_dask.pair_sums import (
    FEW_POINTS,
    block_spectra,
    extent_of,
    gathered_labels,
    make_layouts,
    project_blocks,
    pull_back_rows,
    rows_times_samples,
)
from discrimap.samples.on_dask.runtime import add, fetch_reduced, reduce_in_tree

# Maximum number of points that are summed exactly, because every block visits all of them.
MOST_ISOLATED = 20_000
ACCURACY_LEFT = 10.0  # minimum ratio of a sum of the series to its error


class DaskLogSums:
    """Log-sums of points in blocks; see :meth:`Samples.log_sums`."""

    name = "fourier"

    def __init__(self, samples, bandwidth, n_components, engine, tol):
        check_engine(engine, n_components)
        self.samples, self.bandwidth, self.n_components = samples, bandwidth, n_components
        self.engine, self.tol = engine, tol
        self.layouts = make_layouts(samples, n_components, samples.n_classes)
        self.terms = [PairTerm(GaussianKernel(bandwidth), np.eye(samples.n_classes))]
        # As accurate as possible, because a more accurate series needs fewer exact sums.
        self.fine = FINEST_TOLERANCE
        self.floor = min(ACCURACY_LEFT * self.fine / tol, 0.1)
        self._gathered: Any = None

    def evaluate(self, W):
        """Compute the log-sums at points in blocks."""
        coordinates = project_blocks(self.samples, W, self.layouts)
        if self.engine == "auto" and len(self.samples) <= FEW_POINTS:
            return self._evaluate_gathered(coordinates)
        return BlockLogEvaluation(self, coordinates)

    def _evaluate_gathered(self, coordinates):
        if self._gathered is None:
            labels = gathered_labels(self.samples, self.layouts)
            self._gathered = make_point_engine(
                labels, self.bandwidth, self.n_components, engine="auto", tol=self.tol
            )
        Z = np.concatenate(self.samples.runtime.result(list(coordinates)), axis=1).T
        return GatheredLogEvaluation(self, self._gathered.evaluate(Z))


class GatheredLogEvaluation:
    """Log-sums of few points, computed in one process."""

    def __init__(self, sums, evaluation):
        self.sums, self.evaluation = sums, evaluation
        self.log_ratio, self.n_with_mates = evaluation.log_ratio, evaluation.n_with_mates

    def log_ratio_pullback(self, scale):
        gradient = self.evaluation.log_ratio_gradient(scale)
        pullback = pull_back_rows(self.sums.samples, self.sums.layouts, gradient)
        self.sums.samples.runtime.check_workers()
        return pullback


@dataclass
class Isolated:
    """The points of one or all blocks that are summed exactly, sorted by class."""

    points: np.ndarray  # (n_components, n_isolated)
    labels: np.ndarray
    owners: np.ndarray  # index of the block of each point
    rows: np.ndarray  # position of each point in its sorted block
    log_own: np.ndarray
    log_all: np.ndarray

    def of_block(self, number):
        return np.flatnonzero(self.owners == number)


class BlockLogEvaluation:
    """Log-sums at one W, stored on the workers of the blocks."""

    def __init__(self, engine, coordinates):
        self.engine, self.coordinates = engine, coordinates
        samples = engine.samples
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

    def log_ratio_pullback(self, scale):
        """Return the gradient in W of ``scale`` times the sum of ``own - all``."""
        engine, samples, isolated = self.engine, self.engine.samples, self.isolated
        pulls = reduce_in_tree(
            samples.runtime,
            self._each(
                lambda b: (
                    pull_spectra,
                    self.coordinates[b],
                    engine.layouts[b],
                    self.sums[b],
                    self.least,
                    *self.series,
                    scale,
                )
            ),
            samples.homes,
            add,
        )
        total = fetch_reduced(
            samples.runtime,
            self._each(
                lambda b: (
                    point_gradient,
                    samples.blocks[b].samples,
                    samples.blocks[b].view,
                    self.coordinates[b],
                    engine.layouts[b],
                    self.sums[b],
                    self.least,
                    self.spectra,
                    pulls,
                    *self.series,
                    engine.bandwidth,
                    isolated,
                    scale,
                )
            ),
            samples.homes,
            add,
        )
        if len(isolated.labels):
            total = total + self._pullback_at_isolated(scale)
        samples.runtime.check_workers()
        return total

    def _pullback_at_isolated(self, scale):
        """Return ``X' g`` of the isolated points, from their sums over all blocks."""
        engine, samples, isolated = self.engine, self.engine.samples, self.isolated
        rows = fetch_reduced(
            samples.runtime,
            self._each(
                lambda b: (
                    pull_at_isolated,
                    self.coordinates[b],
                    engine.layouts[b],
                    engine.bandwidth,
                    isolated,
                    scale,
                )
            ),
            samples.homes,
            add,
        )
        return fetch_reduced(
            samples.runtime,
            self._each(
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

    def _each(self, task_of):
        samples = self.engine.samples
        return [
            samples.runtime.submit(*task_of(b), home=home) for b, home in enumerate(samples.homes)
        ]

    def _find_isolated(self):
        """Find the points whose sums are not well above the error, and compute exact log-sums."""
        engine, samples = self.engine, self.engine.samples
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
                f"{n_isolated} of {len(samples)} points have almost no neighbours of their class "
                f"within bandwidth={engine.bandwidth:.3g}, but at most {MOST_ISOLATED} such points can be "
                "summed exactly; pass a larger bandwidth."
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


def point_sums(coordinates, layout, summed, terms, tolerance, box):
    """Return the sums over the own class and over all points, without the point itself, and the largest."""
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
    """Return the sum of ``own - all`` over the points summed by the series, and their number."""
    is_core = ~is_isolated(sums, least)
    return np.array([np.log(sums[0][is_core] / sums[1][is_core]).sum(), is_core.sum()])


def isolated_points(coordinates, layout, sums, least):
    rows = np.flatnonzero(is_isolated(sums, least))
    return coordinates[:, rows], layout.labels[rows], rows


def isolated_log_sums(coordinates, layout, bandwidth, isolated, number):
    """Return log-sums over the points of one block at all isolated points, (2, n_isolated)."""
    from discrimap.kernel_sums import parallel_loops

    exact = ExactPointSums(layout, bandwidth)
    by_class = parallel_loops.class_log_sums(
        isolated.points, coordinates, layout.starts, layout.weights, exact.scale
    )
    own = by_class[np.arange(len(by_class)), isolated.labels]
    everyone = np.logaddexp.reduce(by_class, axis=1)
    # A point is excluded from its own sums.
    mine = isolated.of_block(number)
    if len(mine):
        own[mine], everyone[mine] = exact.log_sums_sorted(coordinates, isolated.rows[mine])
    return np.stack([own, everyone])


def core_slopes(sums, least, scale):
    """Return the derivatives of ``scale sum (log own - log all)`` in the sums; zero if isolated."""
    is_core = ~is_isolated(sums, least)
    own, everyone = np.zeros((2, len(is_core)))
    own[is_core], everyone[is_core] = scale / sums[0][is_core], -scale / sums[1][is_core]
    return own, everyone


def pull_spectra(coordinates, layout, sums, least, terms, tolerance, box, scale):
    """Return the spectra of the slopes: one row for each class, and one for all points together."""
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
    """Return ``X_b' g_b`` from all pairs by the series, plus the part of the isolated points."""
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
    """Return the gradient at the points of a block that comes from the sums at isolated points."""
    from discrimap.kernel_sums import parallel_loops

    starts = np.searchsorted(isolated.labels, np.arange(layout.n_classes + 1))
    return parallel_loops.isolated_pullback_of_members(
        coordinates, layout.labels, layout.weights, isolated.points, starts,
        slopes_at(isolated, scale), GaussianKernel(bandwidth).scale,
    )  # fmt: skip


def pull_at_isolated(coordinates, layout, bandwidth, isolated, scale):
    """Return the gradient at the isolated points, from their sums over the points of a block."""
    from discrimap.kernel_sums import parallel_loops

    return parallel_loops.isolated_pullback_of_queries(
        isolated.points, isolated.labels, slopes_at(isolated, scale),
        coordinates, layout.starts, layout.weights, GaussianKernel(bandwidth).scale,
    )  # fmt: skip


def slopes_at(isolated, scale):
    everyone = np.ones(len(isolated.labels), dtype=bool)
    # The only point of a class has no term.
    cotangent = np.where(np.isneginf(isolated.log_own), 0.0, scale)
    slopes = SlopesOfLogs(isolated.log_own, isolated.log_all, cotangent, -cotangent, everyone)
    return slopes.at_isolated


def few_rows_times_samples(samples, view, layout, places, rows):
    """Return ``X_b' g_b`` for a few of the points sorted by class."""
    whole = np.zeros((layout.n_samples, rows.shape[1]))
    whole[places] = rows
    return rows_times_samples(samples, view, layout, whole)
