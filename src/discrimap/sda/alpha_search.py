"""Search for the penalty and the target similarity of regularised SDA."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discrimap.samples.drawn_samples import draw_ranks

if TYPE_CHECKING:
    from discrimap.samples.interface import Samples

# Sec. 4.1.1: six values from 1e2 to 1e-8, then four more near the best; for features of unit variance.
COARSE = np.logspace(2, -8, 6)
# Sec. 3.3 uses 1 / n_classes, because smaller values slow the paper's descent; here they do not.
EPSILON_SHARES = (1.0, 0.1, 0.01)
ENOUGH_HELD_OUT = 200
ENOUGH_OF_EACH_CLASS = 50
MAX_SPLITS = 5
# More held-out samples, or more training samples that vote for them, do not change the choice.
MOST_HELD_OUT = 20_000
MOST_VOTERS = 100_000


@dataclass(frozen=True)
class Search:
    """Values tried by a search, and the values chosen."""

    epsilon: float
    epsilon_errors: np.ndarray  # smallest error of each epsilon
    alpha: float
    alphas: np.ndarray  # those tried with the chosen epsilon, in increasing order
    errors: np.ndarray


def search(
    error_of: Callable[[float, float], float],
    epsilons: Sequence[float],
    alphas: Sequence[float] | np.ndarray = COARSE,
) -> Search:
    """Find the parameters of smallest validation error, Sec. 4.1.1 of the SDA paper.

    For each epsilon the six penalties of the coarse grid are tried from the largest to the
    smallest, so that each fit can start from the previous one. For the best epsilon, the penalties
    half-way between the best one and its neighbours are then tried, twice. The paper, whose epsilon
    is fixed, refines near the optimum until ten values are explored, but does not say how.

    Parameters
    ----------
    error_of : callable
        ``(epsilon, alpha) -> error``.
    epsilons : sequence of float
        The first of equally good values is taken.
    alphas : sequence of float
        In decreasing order. A single value is used as given.

    Returns
    -------
    found : Search
        The middle one of equally good penalties is taken.
    """
    tried = {
        epsilon: {float(alpha): error_of(epsilon, float(alpha)) for alpha in alphas}
        for epsilon in epsilons
    }
    lowest = [min(errors.values()) for errors in tried.values()]
    epsilon = epsilons[int(np.argmin(lowest))]
    errors = tried[epsilon]
    if len(alphas) > 1:
        _refine(lambda alpha: error_of(epsilon, alpha), errors)
    found = np.array(sorted(errors))
    return Search(
        epsilon=epsilon,
        epsilon_errors=np.array([min(errors.values()) for errors in tried.values()]),
        alpha=_middle_of_best(errors),
        alphas=found,
        errors=np.array([errors[alpha] for alpha in found]),
    )


def _refine(error_of, tried):
    width = 1.0  # decades: half the distance of the coarse grid
    for _ in range(2):
        centre = np.log10(_middle_of_best(tried))
        for exponent in (centre + width, centre - width):
            alpha = float(10.0**exponent)
            if alpha not in tried:
                tried[alpha] = error_of(alpha)
        width /= 2


def _middle_of_best(tried):
    smallest = min(tried.values())
    best = sorted(alpha for alpha, error in tried.items() if error == smallest)
    return best[len(best) // 2]


def validation_splits(
    samples: Samples, rng: np.random.RandomState, fraction: float = 0.2
) -> list[np.ndarray]:
    """Hold out a fraction of each class at random, leaving at least one sample of each class.

    The paper holds out samples once. With few samples such an error is very noisy, so the draw is
    repeated, up to five times, until about 200 samples have been held out in total, and 50 of each
    class on average. No more than 20,000 are held out at once.

    Returns
    -------
    splits : list of ndarray
        Sorted indices of the samples held out; empty if every class is too small.
    """
    counts = samples.class_counts()
    fraction = min(fraction, MOST_HELD_OUT / counts.sum())
    splits: list[np.ndarray] = []
    n_splits = 1
    while len(splits) < n_splits:
        held_out = [
            samples.members_of(c, draw_ranks(rng, size, min(round(fraction * size), size - 1)))
            for c, size in enumerate(counts)
        ]
        validation = np.sort(np.concatenate(held_out))
        if len(validation) == 0:
            break
        splits.append(validation)
        enough = max(ENOUGH_HELD_OUT, ENOUGH_OF_EACH_CLASS * len(counts))
        n_splits = min(-(-enough // len(validation)), MAX_SPLITS)
    return splits
