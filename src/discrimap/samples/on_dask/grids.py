"""Cache of Fourier grids in a process, shared by the tasks of a fit."""

from __future__ import annotations

import threading
from collections import OrderedDict

import numpy as np

from discrimap.kernel_sums.fourier import SPECTRA_BYTES
from discrimap.kernel_sums.grid import MOST_MODES, GridShelf

MOST_SHELVES = 4
_shelves: OrderedDict[tuple, GridShelf] = OrderedDict()
_lock = threading.Lock()


def grid_and_centre(terms, tolerance, box):
    """Return the grid for the kernels of the terms on a box, and its centre; cached in the process.

    Parameters
    ----------
    terms : list of PairTerm
        The terms; only their kernels are used.
    tolerance : float
        Tolerance of the series.
    box : tuple of ndarray
        Lowest and highest coordinates of the points.
    """
    low, high = box
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        raise ValueError("Z holds NaN or infinity, so the fit has diverged; rescale X.")
    extents = high - low
    kernels = tuple(term.kernel for term in terms)
    with _lock:
        shelf = _shelves.pop((kernels, tolerance), None) or GridShelf(list(kernels), tolerance)
        _shelves[kernels, tolerance] = shelf
        while len(_shelves) > MOST_SHELVES:
            _shelves.popitem(last=False)
        _refuse_large_grid(shelf.n_modes(extents), extents, len(terms[0].mixing))
        return shelf.grid(extents), (low + high) / 2


def most_modes(n_classes):
    """Return the number of modes of the largest grid on a worker, for ``n_classes`` classes."""
    return min(MOST_MODES, SPECTRA_BYTES / (8 * n_classes))


def _refuse_large_grid(n_modes, extents, n_classes):
    most = most_modes(n_classes)
    if n_modes > most:
        raise ValueError(
            f"the projected points extend over {', '.join(f'{e:.3g}' for e in extents)} units of "
            f"the kernel, which needs a grid of {n_modes:.2g} modes, but only {most:.2g} fit into the "
            "memory of a worker; remove far outliers, or rescale the features."
        )


def merge_extents(parts):
    """Merge the lowest and highest coordinates of several blocks."""
    return np.stack(
        [
            np.minimum.reduce([low for low, _ in parts]),
            np.maximum.reduce([high for _, high in parts]),
        ]
    )
