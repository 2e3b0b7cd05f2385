"""Estimates of the time and memory of a fit, from the size of the problem alone.

The estimates are meant to distinguish a second from an hour and a megabyte from a terabyte before
anything is allocated, not to be accurate; ``benchmarks/speed/compare.py`` measures their errors.
Times are in floating-point operations of a core that does ``FLOPS_PER_SECOND`` of them, memory is
in bytes beyond the data itself. The registry assigns the estimates to the methods.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from discrimap.optional import is_installed

# Operations that count as one second of one core.
FLOPS_PER_SECOND = 2e10
# From this many labelled samples on, Fisher t-SNE has the metric of landmarks; chosen by held-out
# errors (docs/benchmarks/fisher-scale.md).
FISHER_LANDMARK_SAMPLES = 200


@dataclass(frozen=True)
class Shape:
    """Size of a problem, from which costs are estimated."""

    n_samples: int
    n_features: int
    n_classes: int  # 1 for a continuous target
    n_components: int
    n_landmarks: int | None = None  # of a kernel; None is all samples


def nothing(shape: Shape) -> float:
    """Zero, for negligible costs."""
    return 0.0


def data_bytes(shape: Shape) -> float:
    """One copy of the data."""
    return 8.0 * shape.n_samples * shape.n_features


def two_copies_bytes(shape: Shape) -> float:
    """Two copies of the data."""
    return 2.0 * data_bytes(shape)


def scatter_flops(shape: Shape) -> float:
    """One pass for a scatter matrix and its eigenvectors, in the smaller of the two dimensions."""
    small, large = sorted((shape.n_samples, shape.n_features))
    return 10.0 * large * small**2 + 20.0 * small**3


def scatter_bytes(shape: Shape) -> float:
    """A centred copy of the data and a square matrix in the smaller dimension."""
    return data_bytes(shape) + 8.0 * min(shape.n_samples, shape.n_features) ** 2


def two_scatters_bytes(shape: Shape) -> float:
    """Two scatter matrices, each with its copy of the data."""
    return 2.0 * scatter_bytes(shape)


def class_means_flops(shape: Shape) -> float:
    """One product of the data with the labels."""
    return 2.0 * shape.n_samples * shape.n_features * shape.n_classes


def deflation_flops(shape: Shape) -> float:
    """For each component some products of the data with the labels."""
    return 10.0 * shape.n_components * class_means_flops(shape)


def graph_flops(shape: Shape) -> float:
    """Exact neighbour search, and the scatter matrices of the graph."""
    return 2.0 * shape.n_samples**2 * shape.n_features + 2.0 * scatter_flops(shape)


def neighborhood_flops(shape: Shape) -> float:
    """Fifty iterations, each with several passes over all pairs and two products with the data."""
    return 50.0 * shape.n_samples**2 * (1000.0 + 2.0 * shape.n_features)


def neighborhood_bytes(shape: Shape) -> float:
    """Three arrays of all pairs."""
    return 24.0 * shape.n_samples**2


def category_flops(shape: Shape) -> float:
    """The scatter of each class, then about a hundred products with them."""
    per_square = 2.0 * shape.n_samples + 200.0 * shape.n_classes
    return per_square * shape.n_features**2


def category_bytes(shape: Shape) -> float:
    """Two copies of the data, and the scatters or their substitutes."""
    held = min(shape.n_classes * shape.n_features, 2 * shape.n_samples)
    return two_copies_bytes(shape) + 8.0 * held * shape.n_features


def gradient_flops(shape: Shape) -> float:
    """A Cholesky factor of all pairs, and the gradients at all samples."""
    products = 2.0 * shape.n_samples**2 * shape.n_features * (shape.n_classes + 1)
    return 0.4 * shape.n_samples**3 + products


def gradient_bytes(shape: Shape) -> float:
    """All pairs, and two copies of the data."""
    return 8.0 * shape.n_samples**2 + two_copies_bytes(shape)


def _landmarks(shape: Shape) -> int:
    return min(shape.n_landmarks or shape.n_samples, shape.n_samples)


def gram_flops(shape: Shape) -> float:
    """Kernel rows, the eigenvectors of those of the landmarks, and two products of their size."""
    m = _landmarks(shape)
    return 5.0 * m**3 + 2.0 * shape.n_samples * m * (2 * m + shape.n_features)


def gram_bytes(shape: Shape) -> float:
    """Kernel rows and coordinates; eigenvectors of the landmarks and a work array."""
    m = _landmarks(shape)
    return 16.0 * shape.n_samples * m + 24.0 * m**2


def gram_category_flops(shape: Shape) -> float:
    """The kernel, then category axes in as many coordinates as it has landmarks."""
    return gram_flops(shape) + category_flops(replace(shape, n_features=_landmarks(shape)))


def _has_fourier(shape: Shape) -> bool:
    """Return whether kernel sums use Fourier series: up to three dimensions, with finufft."""
    return shape.n_components <= 3 and is_installed("finufft")


def _kernel_sum_flops(shape: Shape) -> float:
    """Value and gradient of class-wise sums: linear in n by Fourier series, else all pairs."""
    if _has_fourier(shape):
        return 2e3 * shape.n_samples + 1e6 * shape.n_classes * 8.0**shape.n_components
    return 20.0 * shape.n_samples**2 * shape.n_components


def _sda_features(shape: Shape) -> int:
    """Features that remain after the lossless rank reduction."""
    return min(shape.n_features, shape.n_samples)


def sda_flops(shape: Shape) -> float:
    """The scatter, then fifty evaluations, each with the sums and two products with the data."""
    products = 4.0 * shape.n_samples * _sda_features(shape) * shape.n_components
    return scatter_flops(shape) + 50.0 * (_kernel_sum_flops(shape) + products)


def sda_bytes(shape: Shape) -> float:
    """Squares of the remaining features, and some arrays of the size of the map."""
    return 32.0 * _sda_features(shape) ** 2 + 100.0 * shape.n_samples * shape.n_components


def components_flops(shape: Shape) -> float:
    """A search over widths on at most 1,500 samples, and a hundred evaluations of kernel sums."""
    n, searched = shape.n_samples, min(shape.n_samples, 1500)
    projections = 4.0 * shape.n_features * shape.n_components * (100 * n + 400 * searched)
    pairs = 10.0 * (4 + shape.n_components)
    if not _has_fourier(shape):
        batch = min(n, 20_000)
        return 3 * projections + 3 * pairs * (100.0 * batch**2 + 200.0 * searched**2)
    # In two and three dimensions a Fourier series is used if it is cheaper.
    evaluation = min(pairs * n**2, 2e3 * n + 1e8)
    return 3 * projections + 300 * evaluation + 600 * pairs * searched**2


def components_bytes(shape: Shape) -> float:
    """Three copies of the data and of the map."""
    return 24.0 * shape.n_samples * (shape.n_features + 4 * shape.n_components)


def fisher_flops(shape: Shape) -> float:
    """Probabilities from landmarks, lengths of likely neighbours, then 360 steps on a grid.

    Below 200 samples: lengths of the paths of all pairs through the classes, then 750 steps over a
    tree. Those constants were measured at 300 to 2,000 samples of 100 features, as the mean of true
    labels and permuted ones, whose maps spread more and take 1.5 times as long.
    """
    n = shape.n_samples
    if n >= FISHER_LANDMARK_SAMPLES:
        m = _fisher_landmarks(n)
        searched = min(n, 6000) * min(m, 600) * (shape.n_features + min(m, 600))
        probabilities = n * m * (4.0 * shape.n_features + m) + 12.0 * m**3 + 14.0 * searched
        # The constants were measured at 4,290 to 60,000 samples.
        return 0.5 * probabilities + 8e10 * min(1.0, n / 2000) + 7e6 * n
    return 2.8e4 * n**2 + 6.0 * n**3 + 8.4e6 * n * math.log2(n + 1)


def _fisher_landmarks(n: int) -> float:
    return min(n, max(1000.0, min(2500.0, 10.0 * math.sqrt(n))))


def fisher_flops_per_new_sample(shape: Shape) -> float:
    """Predictions from landmarks and a search; or all paths, and 250 steps over their tree."""
    n = shape.n_samples
    if n >= FISHER_LANDMARK_SAMPLES:
        return 4.0 * _fisher_landmarks(n) * (shape.n_features + 50) + 100.0 * n
    return 1.5e4 * n + 11.0 * n**2 + 1.5e6 * math.log2(n + 1)


def fisher_bytes(shape: Shape) -> float:
    """Gram matrices of the folds and their factors; or a block of paths; neighbours of all points."""
    n = shape.n_samples
    if n >= FISHER_LANDMARK_SAMPLES:
        return 2.5e8 + 56.0 * _fisher_landmarks(n) ** 2 + 45 * 60.0 * n
    return 4e8 + 90 * 40.0 * n
