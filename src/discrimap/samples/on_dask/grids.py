"""Fourier grids of one process, shared by many tasks of a fit."""

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
    """Grid for the kernels of some terms on a box, and its centre; made once per process.

    Parameters
    ----------
    terms : list of PairTerm
        Terms, of which only the kernels are used.
    tolerance : float
        Tolerance of the series.
    box : tuple of ndarray
        Lowest and highest coordinates of the points.
    """
    low, high = box
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        raise ValueError("Z holds NaN or infinity; the projection has diverged.")
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
    """Number of modes of the largest grid that a worker makes for ``n_classes`` classes."""
    return min(MOST_MODES, SPECTRA_BYTES / (8 * n_classes))


def _refuse_large_grid(n_modes, extents, n_classes):
    most = most_modes(n_classes)
    if n_modes > most:
        raise ValueError(
            f"the projected points spread over {', '.join(f'{e:.3g}' for e in extents)} units of "
            f"the kernel, for which a grid of {n_modes:.2g} modes would be needed and {most:.2g} "
            "fit on a worker; remove far outliers, or rescale the features."
        )


def merge_extents(parts):
    """Lowest and highest coordinates of several blocks."""
    return np.stack(
        [
            np.minimum.reduce([low for low, _ in parts]),
            np.maximum.reduce([high for _, high in parts]),
        ]
    )
