"""Choice of the cheaper engine, by a measured cost model.

The constants are nanoseconds on one core of an Intel Xeon (Cascade Lake, 2.5 GHz), fitted by
``python benchmarks/speed/kernel_sums.py --fit``. In three dimensions the cost of the modes
dominates in every problem of practical size, so the fit is unreliable there, and the constants are
those of another processor times the ratio of both in two dimensions. The model only needs to be
accurate to a factor of two.
"""

from __future__ import annotations

import math

import numpy as np

from discrimap.kernel_sums.grid import MOST_MODES

# Logarithmic and Cauchy kernels, computed together: in up to two dimensions, and for each further one.
EXACT_PER_PAIR, EXACT_PER_FURTHER_DIMENSION = 1.6, 1.0
# A Gaussian kernel, plus the second constant for each dimension.
GAUSSIAN_PER_PAIR, GAUSSIAN_PER_DIMENSION = 2.0, 0.5
# Time to spread a point to the grid and to interpolate at it, by dimension, at tolerance 1e-6.
FOURIER_PER_POINT = {1: 121.0, 2: 331.0, 3: 1000.0}
# Time of all transforms and products of one class, per mode, by dimension.
FOURIER_PER_MODE = {1: 51.0, 2: 76.0, 3: 400.0}
FOURIER_PER_CLASS = 450_000.0
# Cost of sums at each point relative to pair sums: they need three times as many transforms, and
# these are more accurate.
POINT_SUMS = 4.0
# Cost of exact sums at each point relative to sums over all pairs, if the reach of the kernel spans
# all points: each pair is visited once, but twice for the gradient.
NEAR_PAIRS = 1.1
# Candidate fractions of points that are far from the rest and are treated separately.
FAR_SHARES = (0.001, 0.01, 0.03)
# Time of setting them apart, besides their pairs.
FAR_POINTS = 1_000_000.0
# Number of points, about, whose median is the centre from which points are far.
CENTRE_POINTS = 2048


def exact_cost(n_queries, n_centres, n_components) -> float:
    """Time of the exact pair sums for value and gradient, in nanoseconds."""
    per_pair = EXACT_PER_PAIR + EXACT_PER_FURTHER_DIMENSION * max(n_components - 2, 0)
    return per_pair * n_queries * n_centres


def gaussian_cost(n_queries, n_centres, n_components) -> float:
    """Time of the exact sums of a Gaussian kernel, in nanoseconds."""
    per_pair = GAUSSIAN_PER_PAIR + GAUSSIAN_PER_DIMENSION * n_components
    return per_pair * n_queries * n_centres


def fourier_cost(n_samples, n_components, n_classes, n_modes) -> float:
    """Time of the Fourier engine for value and gradient, in nanoseconds."""
    return FOURIER_PER_POINT[n_components] * n_samples + n_classes * (
        FOURIER_PER_CLASS + FOURIER_PER_MODE[n_components] * n_modes
    )


def within_cost(layout) -> float:
    """Time of the exact engine for the pairs within classes only, in nanoseconds."""
    return sum(
        exact_cost(size, size, layout.n_components) for size in map(float, np.diff(layout.starts))
    )


def transform_cost(n_points, n_components, n_classes, n_modes) -> float:
    """Time of the transforms of the Fourier engine in one direction, in nanoseconds."""
    whole = fourier_cost(n_points, n_components, n_classes, n_modes)
    return 0.5 * (whole - n_classes * FOURIER_PER_CLASS)


def has_small_classes(layout) -> bool:
    """Return whether visiting the pairs within classes is cheaper than one grid per class."""
    return within_cost(layout) <= (layout.n_classes - 1) * FOURIER_PER_CLASS


def is_small(layout) -> bool:
    """Return whether the exact engine is cheaper than any grid, for any coordinates."""
    n, d = layout.n_samples, layout.n_components
    by_class = fourier_cost(n, d, layout.n_classes, 1)
    return exact_cost(n, n, d) <= min(by_class, fourier_cost(n, d, 1, 1) + within_cost(layout))


def near_cost(n_samples, n_components, share) -> float:
    """Time of the exact sums at points for value and gradient, in nanoseconds.

    ``share`` of the pairs are within the reach of the kernel. The tiles of near points also hold
    others.
    """
    return NEAR_PAIRS * min(share + 0.15, 1.0) * gaussian_cost(n_samples, n_samples, n_components)


def choose_core(coordinates, extents, layout, shelf, most_modes, limit, factor=1.0):
    """Return the mask (n_samples,) of the points to sum by Fourier series.

    The result is None if all pairs are summed exactly, which takes the time ``limit``. ``extents``
    are the side lengths of the bounding box of all points. ``factor`` multiplies the cost given by
    :func:`fourier_cost`.
    """
    n, d = layout.n_samples, layout.n_components
    most_modes = min(most_modes, MOST_MODES)

    def cost(extents, n_far):
        n_modes = shelf.n_modes(extents)
        if n_modes > most_modes:
            return math.inf
        series = factor * fourier_cost(n, d, layout.n_classes, n_modes)
        return series + (FAR_POINTS + 3 * exact_cost(n, n_far, d) if n_far else 0.0)

    if factor * fourier_cost(n, d, layout.n_classes, 1) >= limit:
        return None  # the exact engine is cheaper for any coordinates
    everyone = cost(extents, 0)
    # Finding far points takes a few passes over the points, which is not worthwhile if the grid is
    # cheap.
    if n == 1 or everyone <= min(factor * (2 * FOURIER_PER_POINT[d] * n + 1e6), limit):
        return np.ones(n, dtype=bool)
    from discrimap.kernel_sums._far_loops import boxes_within, largest_offsets

    some = coordinates[:, :: max(n // CENTRE_POINTS, 1)]
    offsets = largest_offsets(coordinates, np.median(some, axis=1))
    ranks = [n - math.ceil(share * n) - 1 for share in FAR_SHARES if share * n <= n - 1]
    limits = np.partition(offsets, sorted(ranks))[ranks]
    counts, extents_within = boxes_within(coordinates, offsets, limits)
    costs = [everyone, *map(cost, extents_within, counts)]
    best = int(np.argmin(costs))
    if costs[best] >= limit:
        return None
    return offsets <= limits[best - 1] if best > 0 else np.ones(n, dtype=bool)
