"""Gaussian log-sums at each point in single precision: for searches that compare many fits.

Sums at points far from all other points would underflow. They are computed in double precision in
log space, as in the Fourier engine.
"""

from __future__ import annotations

import math

import numpy as np

from discrimap.kernel_sums.exact import ExactPointEvaluation, ExactPointSums, SlopesOfLogs
from discrimap.kernel_sums.layout import ClassLayout

# Absolute error of the logarithms in single precision.
SINGLE_TOL = 1e-4
# The same of sums in double precision.
EXACT_TOL = 1e-8
# Largest number of points. Other engines, which divide the work among threads, are used for more
# points.
MOST_POINTS = 2000
# Largest extent of the points, in bandwidths. Coordinates of this size have rounding errors of 6e-5
# bandwidths. The exponents of pairs at a distance of one bandwidth have errors of the same size.
MOST_BANDWIDTHS = 1000.0
# Sums below this bound are computed in double precision. Kernels below 1e-30 (``LEAST_EXPONENT`` of the
# compiled loops) are left out of up to 2,000 terms, which is a share of at most 2e-5 of such a sum.
LEAST_SUM = 1e-22
# If more than this share of the sums is below the bound, all sums use double precision.
MANY = 0.05


class SinglePointSums:
    """Gaussian log-sums by visiting every pair in single precision.

    See :func:`~discrimap.kernel_sums.make_point_engine`. The logarithms are accurate to 1e-4,
    usually to 1e-5.
    """

    name = "single"

    def __init__(self, layout: ClassLayout, bandwidth: float):
        self.layout, self.bandwidth = layout, bandwidth
        self.exact = ExactPointSums(layout, bandwidth, EXACT_TOL)

    @staticmethod
    def suits(layout: ClassLayout, tol: float) -> bool:
        """Return whether the engine is accurate enough for ``tol`` and supports this layout."""
        return tol >= SINGLE_TOL and layout.n_samples <= MOST_POINTS and not layout.has_weights

    def evaluate(self, Z):
        """Log-sums at Z; see :func:`~discrimap.kernel_sums.make_point_engine`."""
        coordinates = self.layout.sort(Z)
        extent = float(np.ptp(coordinates, axis=1).max())
        if extent > MOST_BANDWIDTHS * self.bandwidth:
            return self.exact.evaluate(Z)
        series = _SingleSums(self, coordinates)
        if series.is_isolated.mean() > MANY:
            return self.exact.evaluate(Z)
        series.take_logarithms(coordinates)
        return ExactPointEvaluation(
            series, coordinates, series.log_own, series.log_all, np.asarray(Z).dtype
        )


class _SingleSums:
    """Sums at one Z; takes the place of the exact engine in the evaluation."""

    def __init__(self, engine, coordinates):
        from discrimap.kernel_sums._single_loops import all_sums

        self.layout, self.exact = engine.layout, engine.exact
        # In this unit the kernel is 2^(-|z|^2).
        self.unit = math.sqrt(2.0 * math.log(2.0)) * engine.bandwidth
        middle = coordinates.mean(axis=1, keepdims=True)
        self.points = ((coordinates - middle) / self.unit).astype(np.float32)
        own, other = np.zeros((2, self.layout.n_samples), dtype=np.float32)
        n = self.layout.n_samples
        self.kernels = np.empty(n * (n - 1) // 2, dtype=np.float32)
        all_sums(self.points, self.layout.labels, self.layout.starts, own, other, self.kernels)
        self.own = own.astype(np.float64)
        self.all = self.own + other
        self.is_isolated = self.own < LEAST_SUM  # self.all is at least as large

    def take_logarithms(self, coordinates):
        """Logarithms of all sums, computed in log space at the isolated points."""
        with np.errstate(divide="ignore"):
            self.log_own, self.log_all = np.log(self.own), np.log(self.all)
        rows = np.flatnonzero(self.is_isolated)
        if len(rows):
            self.log_own[rows], self.log_all[rows] = self.exact.log_sums_sorted(coordinates, rows)

    def pullback_sorted(self, coordinates, log_own, log_all, cot_own, cot_all):
        """Gradient (n, d) of the sorted points."""
        from discrimap.kernel_sums._single_loops import all_pulls

        slopes = SlopesOfLogs(log_own, log_all, cot_own, cot_all, self.is_isolated)
        # A slope is at most a cotangent divided by LEAST_SUM. Divided by the largest cotangent, it
        # does not overflow in single precision (1e38).
        size = max(np.abs(cot_own).max(), np.abs(cot_all).max(), np.finfo(float).tiny)
        both = ((slopes.own + slopes.all) / size).astype(np.float32)
        gradient = np.zeros(self.points.shape, dtype=np.float32)
        all_pulls(
            self.points,
            self.layout.labels,
            self.layout.starts,
            both,
            (slopes.all / size).astype(np.float32),
            self.kernels,
            gradient,
        )
        # d/dz 2^(-|z / unit|^2) = -2 log(2) 2^(...) z / unit^2, with z in these units.
        total = (-2.0 * math.log(2.0) * size / self.unit) * gradient.T.astype(np.float64)
        return total + self.exact.isolated_pullback(coordinates, slopes)
