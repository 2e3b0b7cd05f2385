"""Draw random samples of each class, with the same result in memory and on Dask."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from discrimap._typing import RandomState
    from discrimap.samples.in_memory import ArraySamples
    from discrimap.samples.interface import Samples

# A permutation of more members than this takes longer than drawing a few of them.
MOST_PERMUTED = 10_000
# Size of the pool from which searches over starts and widths draw about 1,500 samples.
MOST_SEARCHED = 20_000


def search_pool(samples: Samples, random_state: RandomState) -> ArraySamples:
    """Return samples in memory to compare starts and widths on: all, or 20,000 at random."""
    return samples.draw(pool_rows(len(samples), random_state))


def pool_rows(n_samples, random_state):
    """Return the sorted indices of the samples in the pool; None if all are in it."""
    if n_samples <= MOST_SEARCHED:
        return None
    rng = np.random.default_rng(random_state.randint(2**31))
    return np.sort(rng.choice(n_samples, MOST_SEARCHED, replace=False))


def draw_members(samples, rng, count):
    """Return the indices of at most ``count`` random samples of each class, sorted by class.

    ``count`` is one number, or one for each class.
    """
    sizes = samples.class_counts()
    counts = np.broadcast_to(count, len(sizes))
    return np.concatenate(
        [
            samples.members_of(c, draw_ranks(rng, size, most))
            for c, (size, most) in enumerate(zip(sizes, counts, strict=True))
        ]
    )


def draw_ranks(rng, size, count):
    """Return ``count`` distinct integers from 0 to size - 1, in random order."""
    if count >= size or size <= MOST_PERMUTED:
        return rng.permutation(size)[:count]
    return rng.choice(size, count, replace=False)
