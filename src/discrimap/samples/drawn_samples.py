"""Some samples of a class at random, the same whether they lie in memory or in blocks."""

from functools import singledispatch

import numpy as np

# A permutation of more members than this is not worth its memory.
MOST_PERMUTED = 1_000_000
# Searches over starts and widths fit 1,500 samples or so; a pool of these is enough to draw from.
MOST_SEARCHED = 20_000


@singledispatch
def members_of(labels, c, ranks):
    """Places of samples of class c, given which of the class they are; in order of the ranks."""
    return np.flatnonzero(labels == c)[ranks]


@singledispatch
def class_counts(labels):
    """Number of samples of each class."""
    return np.bincount(labels)


@singledispatch
def without(samples, rows):
    """Samples, labels or weights without some rows."""
    is_kept = np.ones(samples.shape[0], dtype=bool)
    is_kept[rows] = False
    return samples[is_kept]


@singledispatch
def search_pool(X, labels, random_state):
    """Samples on which starts and widths are compared: all, or 20,000 at random of more."""
    rows = pool_rows(len(labels), random_state)
    return (X, labels) if rows is None else (X[rows], labels[rows])


@singledispatch
def density_centres(X, labels, W, random_state):
    """Projected samples as the centres of densities, and their labels."""
    return X @ W, labels


def pool_rows(n_samples, random_state):
    """Places of the samples in the pool, sorted; None for all of them."""
    if n_samples <= MOST_SEARCHED:
        return None
    rng = np.random.default_rng(random_state.randint(2**31))
    return np.sort(rng.choice(n_samples, MOST_SEARCHED, replace=False))


def draw_members(labels, rng, count):
    """Places of at most so many samples of each class, drawn at random, class after class.

    ``count`` is one number, or one for each class.
    """
    sizes = class_counts(labels)
    counts = np.broadcast_to(count, len(sizes))
    return np.concatenate(
        [
            members_of(labels, c, draw_ranks(rng, size, most))
            for c, (size, most) in enumerate(zip(sizes, counts, strict=True))
        ]
    )


def draw_ranks(rng, size, count):
    """Some of 0 .. size - 1 without repetition, in random order."""
    if count >= size or size <= MOST_PERMUTED:
        return rng.permutation(size)[:count]
    return rng.choice(size, count, replace=False)
