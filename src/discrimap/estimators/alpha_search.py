"""The search for the penalty of regularised SDA."""

import numpy as np

from discrimap.estimators.drawn_samples import class_counts, draw_ranks, members_of

# Sec. 4.1.1: six values from 1e2 to 1e-8, then four more near the best.
COARSE = np.logspace(2, -8, 6)
ENOUGH_HELD_OUT = 200
MAX_SPLITS = 5
# More held-out samples than this, or more samples that vote for them, do not change a choice.
MOST_HELD_OUT = 20_000
MOST_VOTERS = 100_000


def search_alpha(error_of):
    """Search the penalty of smallest validation error, Sec. 4.1.1 of the SDA paper.

    The six values of the coarse grid are tried from the largest down, so that each fit can start
    from the last one; then twice the values half-way to the neighbours of the best. The paper
    says that it refines near the optimum until ten values are explored, not how.

    Parameters
    ----------
    error_of : callable
        ``alpha -> error``.

    Returns
    -------
    alphas : ndarray of shape (10,)
        The values tried, in increasing order.
    errors : ndarray of shape (10,)
        Their errors.
    best : float
        The value of smallest error; of several, the one in the middle.
    """
    tried = {float(alpha): error_of(float(alpha)) for alpha in COARSE}
    width = 1.0  # decades: half the distance of the coarse grid
    for _ in range(2):
        centre = np.log10(_middle_of_best(tried))
        for exponent in (centre + width, centre - width):
            alpha = float(10.0**exponent)
            if alpha not in tried:
                tried[alpha] = error_of(alpha)
        width /= 2
    alphas = np.array(sorted(tried))
    return alphas, np.array([tried[alpha] for alpha in alphas]), _middle_of_best(tried)


def _middle_of_best(tried):
    smallest = min(tried.values())
    best = sorted(alpha for alpha, error in tried.items() if error == smallest)
    return best[len(best) // 2]


def validation_splits(labels, rng, fraction=0.2):
    """Hold out a fraction of each class at random, and always leave each class one sample.

    The paper holds out once; with few samples the error is then a matter of luck, so that the
    draw is repeated, up to five times, until about 200 samples have been held out in all. No more
    than 20,000 are held out at once.

    Returns
    -------
    splits : list of ndarray
        Places of the samples held out, sorted; empty where every class is too small.
    """
    counts = class_counts(labels)
    fraction = min(fraction, MOST_HELD_OUT / counts.sum())
    splits: list[np.ndarray] = []
    n_splits = 1
    while len(splits) < n_splits:
        held_out = [
            members_of(labels, c, draw_ranks(rng, size, min(round(fraction * size), size - 1)))
            for c, size in enumerate(counts)
        ]
        validation = np.sort(np.concatenate(held_out))
        if len(validation) == 0:
            break
        splits.append(validation)
        n_splits = min(-(-ENOUGH_HELD_OUT // len(validation)), MAX_SPLITS)
    return splits
