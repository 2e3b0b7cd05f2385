"""Gaussian log-sums at each point as Fourier series, with isolated points treated exactly.

A Fourier sum has an absolute error that is proportional to the largest sum, but a logarithm needs a
small relative error. Therefore the series is computed more accurately than requested. A point is
called isolated if one of its sums is still not well above the error, for example because the
density at the point would underflow. Isolated points are summed exactly in log space, both for
their own sums and for their effect on the other points.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from discrimap.kernel_sums.costs import POINT_SUMS, choose_core
from discrimap.kernel_sums.exact import ExactPointEvaluation, ExactPointSums, SlopesOfLogs
from discrimap.kernel_sums.fourier import for_each_piece, spectra, write_derivatives
from discrimap.kernel_sums.grid import GridShelf
from discrimap.kernel_sums.kernels import GaussianKernel
from discrimap.kernel_sums.layout import ClassLayout, box
from discrimap.kernel_sums.transforms import FINEST_TOLERANCE, full_of

EXTRA_ACCURACY = 1e-5


class FourierPointSums:
    """Gaussian log-sums at each point by non-uniform FFT.

    See :func:`~discrimap.kernel_sums.make_point_engine`.
    """

    name = "fourier"

    def __init__(self, layout: ClassLayout, bandwidth: float, tol: float, is_auto=False):
        self.layout, self.is_auto = layout, is_auto
        self.exact = ExactPointSums(layout, bandwidth, tol)
        fine = max(EXTRA_ACCURACY * tol, FINEST_TOLERANCE)
        self.shelf = GridShelf([GaussianKernel(bandwidth)], fine)
        self.floor = min(10 * fine / tol, 0.1)  # smallest reliable sum / largest sum

    def evaluate(self, Z):
        """Log-sums at Z; see :func:`~discrimap.kernel_sums.make_point_engine`."""
        coordinates, low, high = self.layout.sort_with_box(Z)
        most_modes = (1 << 30) / (8 * self.layout.n_classes)
        limit = self.exact.cost(coordinates) if self.is_auto else math.inf
        is_core = choose_core(
            coordinates,
            high - low,
            self.layout,
            self.shelf,
            most_modes,
            limit,
            POINT_SUMS,
        )
        if is_core is None:
            return self.exact.evaluate(Z)
        series = _PointSeries(self, coordinates, (low, high), is_core)
        return ExactPointEvaluation(
            series, coordinates, series.log_own, series.log_all, np.asarray(Z).dtype
        )


class _PointSeries:
    """Fourier series at one Z; takes the place of the exact engine in the evaluation."""

    def __init__(self, engine, coordinates, limits, is_core):
        self.layout, self.exact = engine.layout, engine.exact
        layout = engine.layout
        # Without far points, the arrays are used directly, without copies.
        self.core: Any = slice(None)
        self.far, self.starts = np.flatnonzero(~is_core), layout.starts
        if len(self.far):
            self.core = np.flatnonzero(is_core)
            self.starts = np.searchsorted(self.core, layout.starts)
        self.weights, points = layout.weights[self.core], coordinates[:, self.core]
        low, high = box(points) if len(self.far) else limits
        self.grid = engine.shelf.grid(high - low)
        self.angles = self.grid.angles(points, (low + high) / 2)
        self.classes = range(layout.n_classes)
        kernel = self.grid.kernel_coefficients[0]
        self.own_fields = kernel * self._spectra(self.weights)

        own, everyone = core_values(
            self.grid, self.angles, self.starts, self.own_fields, self.own_fields.sum(axis=0)
        )
        largest = everyone.max()
        own -= self.weights
        everyone -= self.weights
        if len(self.far):
            far_own, far_all = self.exact.plain_sums_between(coordinates, self.core, self.far)
            own += far_own
            everyone += far_all
        self.is_isolated = ~is_core
        self.is_isolated[self.core] = np.minimum(own, everyone) < engine.floor * largest
        self.log_own, self.log_all = np.empty((2, layout.n_samples))
        with np.errstate(divide="ignore", invalid="ignore"):
            self.log_own[self.core], self.log_all[self.core] = np.log(own), np.log(everyone)
        rows = np.flatnonzero(self.is_isolated)
        self.log_own[rows], self.log_all[rows] = self.exact.log_sums_sorted(coordinates, rows)

    def pullback_sorted(self, coordinates, log_own, log_all, cot_own, cot_all):
        """Gradient (n, d) of the sorted points."""
        slopes = SlopesOfLogs(log_own, log_all, cot_own, cot_all, self.is_isolated)
        gradient = self.exact.isolated_pullback(coordinates, slopes)
        own, everyone = slopes.own[self.core], slopes.all[self.core]
        kernel = self.grid.kernel_coefficients[0]
        pulls = kernel * self._spectra(own), kernel * self._spectra(everyone).sum(axis=0)
        gradient[self.core] += core_pullback(
            self.grid,
            self.angles,
            self.starts,
            self.weights,
            (own, everyone),
            self.own_fields,
            pulls,
        )
        if len(self.far):
            for here, there in ((self.core, self.far), (self.far, self.core)):
                gradient[here] += self.exact.pullback_between(coordinates, here, there, slopes)
        return gradient

    def _spectra(self, strengths):
        return spectra(self.grid, self.angles, strengths, self.starts, self.classes)


def core_values(grid, angles, starts, own_fields, whole_field):
    """Sums of a series over the own class and over all points, at the points of a block.

    Each point is included in its own sums. ``own_fields`` are the fields of the classes, and
    ``whole_field`` is the field of all points.
    """
    own, everyone = np.empty((2, starts[-1]))

    def interpolate(item, threads):
        c, points = item
        # Both fields are real, so one complex transform can hold both.
        field = full_of(own_fields[c]) + 1j * full_of(whole_field)
        values = _at(grid, angles, points, field[None], threads)[0]
        own[points], everyone[points] = values.real, values.imag

    for_each_piece(interpolate, starts, range(len(own_fields)), grid)
    return own, everyone


def core_pullback(grid, angles, starts, weights, slopes, own_fields, pulls):
    """Gradient at the points of a block, from their own sums and the sums at other points.

    ``slopes`` are the derivatives with respect to the sums over the own class and over all points.
    ``pulls`` are the fields of these slopes: one field for each class, and one for all points.
    """
    own_pull, whole_pull = pulls
    whole_field = own_fields.sum(axis=0)
    multipliers = grid.gradient_multipliers
    gradient = np.empty((starts[-1], len(grid.modes)))

    def interpolate(item, threads):
        c, points = item
        fields = (own_fields[c], whole_field, own_pull[c] + whole_pull)
        coefficients = np.concatenate([multipliers * full_of(field) for field in fields])
        values = _at(grid, angles, points, coefficients, threads)
        total, part = np.zeros((2, points.stop - points.start, len(grid.modes)))
        factors = (slopes[0][points], slopes[1][points], weights[points])
        for rows, factor in zip(np.split(values, 3), factors, strict=True):
            write_derivatives(rows, factor, part)
            total += part
        gradient[points] = total

    for_each_piece(interpolate, starts, range(len(own_fields)), grid)
    return gradient


def _at(grid, angles, points, coefficients, threads):
    return grid.transforms.modes_to_points(angles[points], coefficients, threads)
