"""Random samples of each class; the same for samples in memory and on Dask."""

import numpy as np

# A permutation of more members than this takes too much memory.
MOST_PERMUTED = 1_000_000
# Size of the pool from which searches over starts and widths draw about 1,500 samples.
MOST_SEARCHED = 20_000


def search_pool(samples, random_state):
    """Samples in memory on which starts and widths are compared: all, or 20,000 at random."""
    return samples.draw(pool_rows(len(samples), random_state))


def pool_rows(n_samples, random_state):
    """Sorted indices of the samples in the pool; None for all of them."""
    if n_samples <= MOST_SEARCHED:
        return None
    rng = np.random.default_rng(random_state.randint(2**31))
    return np.sort(rng.choice(n_samples, MOST_SEARCHED, replace=False))


def draw_members(samples, rng, count):
    """Indices of at most ``count`` samples of each class, drawn at random, class after class.

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
    """Distinct numbers of 0 .. size - 1, in random order."""
    if count >= size or size <= MOST_PERMUTED:
        return rng.permutation(size)[:count]
    return rng.choice(size, count, replace=False)
