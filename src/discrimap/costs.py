"""Estimate the memory of a fit from the size of the problem.

The estimates are not accurate: they prevent fits that need far more memory than the machine has. They
are in bytes, in addition to the data. The registry assigns them to the methods.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

# Fisher t-SNE uses the metric of landmarks if there are at least this many labelled samples. Chosen by
# held-out errors (docs/benchmarks/fisher-scale.md).
FISHER_LANDMARK_SAMPLES = 200


@dataclass(frozen=True)
class Shape:
    """Size of a problem, from which memory is estimated."""

    n_samples: int
    n_features: int
    n_classes: int  # 1 for a continuous target
    n_components: int
    n_landmarks: int | None = None  # of a kernel; None is all samples


def data_bytes(shape: Shape) -> float:
    """Estimate for one copy of the data."""
    return 8.0 * shape.n_samples * shape.n_features


def two_copies_bytes(shape: Shape) -> float:
    """Estimate for two copies of the data."""
    return 2.0 * data_bytes(shape)


def scatter_bytes(shape: Shape) -> float:
    """Estimate for a centred copy of the data and a square matrix in the smaller dimension."""
    return data_bytes(shape) + 8.0 * min(shape.n_samples, shape.n_features) ** 2


def category_bytes(shape: Shape) -> float:
    """Estimate for two copies of the data, and scatter matrices or rows that replace them."""
    held = min(shape.n_classes * shape.n_features, 2 * shape.n_samples)
    return two_copies_bytes(shape) + 8.0 * held * shape.n_features


def gradient_bytes(shape: Shape) -> float:
    """Estimate for one array of all pairs of samples, and two copies of the data."""
    return 8.0 * shape.n_samples**2 + two_copies_bytes(shape)


def gram_bytes(shape: Shape) -> float:
    """Estimate for kernel rows, coordinates, eigenvectors of the landmarks and a work array."""
    m = shape.n_landmarks or shape.n_samples
    return 16.0 * shape.n_samples * m + 24.0 * m**2


def sda_bytes(shape: Shape) -> float:
    """Estimate for square matrices after the lossless rank reduction, and a few arrays of maps."""
    rank = min(shape.n_features, shape.n_samples)
    return 32.0 * rank**2 + 100.0 * shape.n_samples * shape.n_components


def components_bytes(shape: Shape) -> float:
    """Estimate for three copies of the data and of the map."""
    return 24.0 * shape.n_samples * (shape.n_features + 4 * shape.n_components)


def fisher_bytes(shape: Shape) -> float:
    """Estimate for the Gram matrices of the folds or a block of paths, and neighbours of all points."""
    n = shape.n_samples
    if n < FISHER_LANDMARK_SAMPLES:
        return 4e8 + 90 * 40.0 * n
    n_landmarks = min(n, max(1000.0, min(2500.0, 10.0 * math.sqrt(n))))
    return 2.5e8 + 56.0 * n_landmarks**2 + 45 * 60.0 * n


def memory_of_this_machine() -> float:
    """Return the memory of this machine in bytes; infinity if it is not known."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not a POSIX system
        return math.inf
