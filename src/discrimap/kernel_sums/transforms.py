"""Non-uniform Fourier transforms of real strengths, class by class."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

# finufft cannot be much more accurate in double precision, and warns below this tolerance.
FINEST_TOLERANCE = 1e-13
# Largest size of the grid of a transform (twice the modes in each dimension) for which finufft does
# not sort the points. In a grid of up to 4 MB, sorting takes longer than random access.
UNSORTED_GRID = 1 << 18
# With at least this many points per mode, spreading takes longer than the Fourier transform of the grid.
# A grid with twice the modes in each dimension then saves time, because points spread to fewer of its
# nodes; otherwise 1.25 times the modes do, which finufft allows from this tolerance on.
DENSE = 2.0
LEAST_TOLERANCE_OF_SMALL_GRID = 1e-8


class Transforms:
    """finufft plans for one grid of modes and one tolerance, created when needed and reused.

    A plan is used by one thread at a time and then returned to a pool, so that any number of
    threads may share the object.

    Parameters
    ----------
    modes : tuple of int
        Odd number of modes in each dimension, ``-(m - 1) / 2 .. (m - 1) / 2``.
    tolerance : float
        Relative accuracy of a transform.
    """

    def __init__(self, modes: tuple[int, ...], tolerance: float):
        self.modes, self.tolerance = modes, max(tolerance, FINEST_TOLERANCE)
        self._shelves: dict[tuple, deque] = {}

    def points_to_modes(self, angles, strengths, threads):
        """``sum_j strengths_j exp(-i k angle_j)`` on the grid, flattened."""
        return self._run(1, 1, angles, strengths, threads).ravel()

    def modes_to_points(self, angles, coefficients, threads):
        """``sum_k coefficients_k exp(i k angle_j)`` at the points, one row per set of modes."""
        n_sets = len(coefficients)
        values = self._run(2, n_sets, angles, coefficients.reshape(n_sets, *self.modes), threads)
        return values.reshape(n_sets, -1)

    def _run(self, kind, n_sets, angles, data, threads):
        is_dense = angles[0].size >= DENSE * math.prod(self.modes)
        shelf = self._shelves.setdefault((kind, n_sets, threads, is_dense), deque())
        try:
            plan = shelf.pop()
        except IndexError:
            plan = self._make_plan(kind, n_sets, threads, is_dense)
        plan.setpts(*angles)
        result = plan.execute(data if n_sets > 1 or kind == 1 else data[0])
        shelf.append(plan)
        return result

    def _make_plan(self, kind, n_sets, threads, is_dense):
        import finufft

        # By itself, finufft would choose by the points that a plan gets first, and which those are
        # depends on the order in which threads finish.
        is_small = not is_dense and self.tolerance >= LEAST_TOLERANCE_OF_SMALL_GRID
        return finufft.Plan(
            kind,
            self.modes,
            n_trans=n_sets,
            eps=self.tolerance,
            isign=-1 if kind == 1 else 1,
            dtype="complex128",
            nthreads=threads,
            upsampfac=1.25 if is_small else 2.0,
            spread_sort=int(2 ** len(self.modes) * math.prod(self.modes) > UNSORTED_GRID),
        )


def half_of(full):
    """First half of a flattened odd grid, with the centre; the rest is the mirrored conjugate."""
    return full[: (len(full) + 1) // 2]


def full_of(half):
    """Whole flattened grid of a real field from its first half."""
    full = np.empty(2 * len(half) - 1, dtype=half.dtype)
    full[: len(half)] = half
    np.conjugate(half[-2::-1], out=full[len(half) :])
    return full


def split_pair(full):
    """Half spectra of two sets of real strengths a and b, from the spectrum of a + i b."""
    half = half_of(full)
    mirrored = np.conjugate(full[::-1][: len(half)])
    return (half + mirrored) / 2, (half - mirrored) / 2j
