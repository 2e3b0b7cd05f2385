"""Initial parameters of the mixture, compared on a subset of the samples."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from discrimap._typing import Array
from discrimap.components.mixture import MixtureLikelihood, mixture_start
from discrimap.components.race import best_of_race
from discrimap.components.subspace_estimator import RACE_SAMPLES

KERNELS_PER_CLASS = 5
SAMPLES_PER_KERNEL = 10  # smallest number, if clusters are found in a subset of the samples
# The initial kernels are this many times as wide as the clusters that they represent, to capture
# the coarse structure first. The final kernels are no narrower than these clusters.
START_WIDTH = 4.0


def number_of_kernels(n_kernels: int | Literal["auto"], n_classes: int, n_samples: int) -> int:
    """Number of kernels: "auto" is five per class; raise an error above the number of samples."""
    if n_kernels == "auto":
        return min(KERNELS_PER_CLASS * n_classes, n_samples)
    if n_kernels > n_samples:
        raise ValueError(
            f"n_kernels={n_kernels} exceeds the {n_samples} samples; pass at most {n_samples}."
        )
    return n_kernels


def race_size(n_kernels: int) -> int:
    """Number of samples on which starts are compared."""
    return max(RACE_SAMPLES, SAMPLES_PER_KERNEL * n_kernels)


def best_mixture(
    samples: Any,
    race: Any,
    projections: list[Array],
    *,
    n_classes: int,
    n_kernels: int,
    beta: float,
    width: float | None,
    random_state: np.random.RandomState,
) -> tuple[MixtureLikelihood, Array]:
    """Objective for all samples, and the best of the initial parameters.

    Parameters
    ----------
    samples, race : ArraySamples
        All samples, and the subset on which starts are compared.
    projections : list of ndarray of shape (n_features, n_components)
        One projection for each start; the initial kernels are clusters of the projected samples.
    n_classes, n_kernels : int
        Numbers of classes and of kernels.
    beta : float
        As in :class:`~discrimap.DiscriminativeComponents`.
    width : float or None
        Width of the kernels; None if it is learned.
    random_state : RandomState
        Random number generator for the clustering.

    Returns
    -------
    objective : MixtureLikelihood
    params : ndarray
        Parameter vector, as returned by ``objective.pack``.
    """
    clusters = [
        mixture_start(race.array, race.labels, W, n_classes, n_kernels, random_state)
        for W in projections
    ]
    # All starts use the cluster width of the first start, because objective values with different
    # lower bounds of the width cannot be compared.
    cluster_width = clusters[0][2]
    starts = [
        (W, centres, log_weights, START_WIDTH * cluster_width)
        for W, (centres, log_weights, _) in zip(projections, clusters, strict=True)
    ]
    shape = (n_classes, projections[0].shape[1], n_kernels)
    options: dict[str, Any] = {"beta": beta, "width": width, "least_width": cluster_width}
    objective = MixtureLikelihood(samples.array, samples.labels, *shape, **options)
    if len(starts) == 1:
        return objective, objective.pack(*starts[0])
    in_race = MixtureLikelihood(race.array, race.labels, *shape, **options)
    best = best_of_race(in_race, [in_race.pack(*parts) for parts in starts])
    return objective, objective.pack(*in_race.unpack(best))
