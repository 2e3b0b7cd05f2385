"""Fourier grids: the modes that the kernels need on the bounding box of the points.

A sum of ``k(|z_i - z_j|^2)`` becomes a Fourier series if k is periodic. Log and Cauchy kernels do
not decay, so the squared distance itself is made periodic: in each dimension ``x^2`` is replaced by
a smooth function with period L. This function equals ``x^2`` for every difference that occurs, |x|
<= extent, and has a smooth maximum at L / 2. (Multiplying the kernel by a window that decays to
zero would also work, but the steep edge of the window would need more modes.) The Gaussian kernel
decays, so its periodic images beyond a cut-off are negligible, and its coefficients are known in
closed form.

The kernels ``log(1 + x^2)`` and ``1 / (1 + x^2)`` are analytic in the strip |Im x| < 1, so their
spectra decay like ``exp(-frequency)``. The spectrum of a Gaussian decays like
``exp(-(bandwidth frequency)^2 / 2)``. This determines the highest frequency that is needed for a
tolerance and, together with the period, the number of modes.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from functools import cached_property

import numpy as np
from scipy import fft, special

from discrimap.kernel_sums.kernels import GAUSSIAN
from discrimap.kernel_sums.transforms import Transforms, half_of
from discrimap.threads import run_tasks

LADDER = 1.08  # extents are rounded up to powers of this, so that evaluations reuse a grid
MOST_KEPT = 1 << 18  # largest total number of modes of the cached grids
COEFFICIENT = 60.0  # nanoseconds for the coefficient of a kernel at a mode
MOST_MODES = 1 << 22  # per class: 64 MB for a spectrum, 0.5 GB of work space in 3 dimensions


class Angles:
    """Angles of points in a periodic box.

    ``angles[begin:end]`` computes the angles of a range of points, as one contiguous array per
    dimension. Each task computes the angles of its own points, in parallel and without arrays for
    all points.
    """

    def __init__(self, coordinates, centre, periods):
        self.coordinates, self.centre, self.periods = coordinates, centre, periods

    def __getitem__(self, points):
        return [
            (2 * math.pi / period) * (x[points] - middle)
            for x, middle, period in zip(self.coordinates, self.centre, self.periods, strict=True)
        ]


class Grid:
    """Periods, modes, kernel coefficients and plans for a box of given extents."""

    def __init__(self, extents, kernels, tolerance):
        self.extents, self.kernels, self.tolerance = extents, kernels, tolerance
        self.periods, self.modes = periods_and_modes(extents, kernels, tolerance)
        self.n_modes = math.prod(self.modes)

    @cached_property
    def transforms(self) -> Transforms:
        return Transforms(self.modes, self.tolerance)

    @cached_property
    def wave_numbers(self) -> list[np.ndarray]:
        """Angular frequency of each mode, one array per dimension."""
        return [
            2 * math.pi / period * np.arange(-(size // 2), size // 2 + 1)
            for period, size in zip(self.periods, self.modes, strict=True)
        ]

    @cached_property
    def kernel_coefficients(self) -> list[np.ndarray]:
        """Fourier coefficients of each kernel on the first half of the flattened grid."""
        nanoseconds = COEFFICIENT * self.n_modes * len(self.kernels)
        return run_tasks(self._coefficients, self.kernels, nanoseconds)

    @cached_property
    def multiplicity(self) -> np.ndarray:
        """How often each mode of the half grid occurs in the whole grid: 2, or 1 at the centre."""
        counts = np.full((self.n_modes + 1) // 2, 2.0)
        counts[-1] = 1.0
        return counts

    @cached_property
    def gradient_multipliers(self) -> np.ndarray:
        """Multipliers (n_sets, n_modes) whose transforms hold two derivatives each.

        A derivative of a real field is real, so one complex transform holds two derivatives:
        ``i xi_1 + i (i xi_2)``.
        """
        n_dims = len(self.modes)
        mesh = np.meshgrid(*self.wave_numbers, indexing="ij", sparse=True)
        rows = []
        for first in range(0, n_dims, 2):
            row = np.zeros(self.modes, dtype=np.complex128)
            row += 1j * mesh[first]
            if first + 1 < n_dims:
                row -= mesh[first + 1]
            rows.append(row.ravel())
        return np.stack(rows)

    def angles(self, coordinates, centre):
        """Angles of the points in the periodic box; see :class:`Angles`."""
        return Angles(coordinates, centre, self.periods)

    def _coefficients(self, kernel):
        if kernel.code == GAUSSIAN:
            rows = [
                math.sqrt(2 * math.pi)
                * kernel.bandwidth
                / period
                * np.exp(-0.5 * (kernel.bandwidth * waves) ** 2)
                for period, waves in zip(self.periods, self.wave_numbers, strict=True)
            ]
            full = rows[0]
            for row in rows[1:]:
                full = full[..., None] * row
            return np.ascontiguousarray(half_of(full.ravel()))
        # Sample the kernel at twice as many points as modes. By symmetry, a cosine transform of one
        # orthant is enough.
        squared = 0.0
        for dim, (period, size, extent) in enumerate(
            zip(self.periods, self.modes, self.extents, strict=True)
        ):
            x = np.arange(size + 1) * (period / (2 * size))
            shape = [1] * len(self.modes)
            shape[dim] = size + 1
            squared = squared + periodic_square(x, period, extent, self.tolerance).reshape(shape)
        samples = kernel.value(np.maximum(squared, 0.0))
        cosines = fft.dctn(samples, type=1) / np.prod([2.0 * size for size in self.modes])
        mirror = [np.abs(np.arange(-(size // 2), size // 2 + 1)) for size in self.modes]
        return np.ascontiguousarray(half_of(cosines[np.ix_(*mirror)].ravel()))


def periodic_square(x, period, extent, tolerance):
    """``x^2`` for 0 <= x <= extent, changed smoothly beyond to be even about period / 2."""
    steepness = _turn(tolerance)
    room = period / 2 - extent
    bend = 0.5 * special.erfc(-steepness * (x - period / 2) / room)
    return x**2 - bend * period * (2 * x - period)


def _turn(tolerance):
    """Argument at which ``erfc`` is negligible at this tolerance, relative to squared distances."""
    return math.sqrt(math.log(1 / tolerance) + 2)


def periods_and_modes(extents, kernels, tolerance):
    """Period and odd number of modes in each dimension, without a limit on memory."""
    decay = math.log(1 / tolerance)
    frequency = 0.0
    margins = []  # (a, b) for each kernel, which needs the period a * extent + b
    for kernel in kernels:
        if kernel.code == GAUSSIAN:
            cut = math.sqrt(2 * decay)
            frequency = max(frequency, cut / kernel.bandwidth)
            margins.append((1.0, cut * kernel.bandwidth))
        else:
            highest = decay + 3.0
            frequency = max(frequency, highest)
            margins.append((2.0, 5 * _turn(tolerance) ** 2 / highest))
    periods = [max(a * extent + b for a, b in margins) for extent in extents]
    modes = tuple(2 * math.ceil(frequency * period / (2 * math.pi)) + 1 for period in periods)
    return periods, modes


class GridShelf:
    """Cache of recently used grids; the extents change little between optimisation steps."""

    def __init__(self, kernels, tolerance):
        self.kernels, self.tolerance = kernels, tolerance
        self._grids: OrderedDict[tuple, Grid] = OrderedDict()
        self._lock = threading.Lock()  # several searches may run in parallel

    def rungs(self, extents):
        """Exponents of the extents rounded up to powers of LADDER; zero extents are replaced."""
        smallest = max(1e-3, 1e-6 * max(extents, default=0.0))
        return tuple(
            round(math.ceil(math.log(max(extent, smallest)) / math.log(LADDER)))
            for extent in extents
        )

    def n_modes(self, extents) -> float:
        """Size of the grid for these extents, without building it."""
        rounded = [LADDER**rung for rung in self.rungs(extents)]
        _, modes = periods_and_modes(rounded, self.kernels, self.tolerance)
        return math.prod(float(size) for size in modes)

    def grid(self, extents) -> Grid:
        rungs = self.rungs(extents)
        with self._lock:
            grid = self._grids.pop(rungs, None)
            if grid is None:
                grid = Grid([LADDER**rung for rung in rungs], self.kernels, self.tolerance)
            self._grids[rungs] = grid
            # Drop the least recently used grids to limit memory.
            while len(self._grids) > 1 and sum(g.n_modes for g in self._grids.values()) > MOST_KEPT:
                self._grids.popitem(last=False)
        return grid
