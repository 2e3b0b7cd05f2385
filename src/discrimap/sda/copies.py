"""Equal samples of a class as one sample with the sum of their weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discrimap.samples.in_memory import ArraySamples

if TYPE_CHECKING:
    from discrimap.samples.interface import Samples

# Number of samples above which copies are not searched for.
MOST_COMPARED = 20_000
# Number of samples of a class of which one can be held out.
ENOUGH_TO_HOLD_OUT = 3
# Difference of the images of equal rows by rounding, relative to the largest image.
ROUNDING = {np.dtype(np.float32): 1e-5, np.dtype(np.float64): 1e-12}


def without_copies(samples: Samples) -> Samples:
    """Merge equal samples of a class, so that weights have the same effect as repetition.

    Draws of samples, held-out samples and votes of neighbours would otherwise depend on the number
    of copies: a copy of a held-out sample would be fitted, and a copy of a voter would vote for it.
    Samples of different weights are sorted, because draws depend on the order as well.

    Parameters
    ----------
    samples : Samples
        In memory, or on Dask. The latter are returned as they are, and so are more than 20,000
        samples, and classes of one or two different samples, of which none could be held out.

    Returns
    -------
    merged : Samples
        The first of each group of copies, with the sum of the weights of the group.
    """
    if not isinstance(samples, ArraySamples) or len(samples) > MOST_COMPARED:
        return samples
    image = _image(samples)
    first_of = np.arange(len(samples))
    seen: dict[tuple, int] = {}
    for row in _possible_copies(image):
        first_of[row] = seen.setdefault(_content(samples, row), row)
    weights = np.bincount(first_of, samples.weights, len(samples)).astype(np.float64)
    rows = np.flatnonzero(weights)  # a sample that is not the first of its copies has none
    if len(rows) < len(samples) and np.bincount(samples.labels[rows]).max() < ENOUGH_TO_HOLD_OUT:
        return samples
    if np.ptp(weights[rows]) > 0:
        rows = rows[np.argsort(image[rows])]
        kept = samples.draw(rows)
        return ArraySamples(kept.array, kept.labels, kept.classes, weights[rows])
    # Equal weights have no effect.
    kept = samples.draw(rows if len(rows) < len(samples) else None)
    return ArraySamples(kept.array, kept.labels, kept.classes)


def _image(samples):
    """Projections onto a random line, which different samples share with probability zero."""
    direction = np.random.default_rng(0).standard_normal(samples.shape[1]).astype(samples.dtype)
    return samples.array @ direction


def _possible_copies(image):
    """Indices, in increasing order, of the samples whose images almost coincide."""
    order = np.argsort(image)
    is_close = np.diff(image[order]) <= ROUNDING[image.dtype] * np.abs(image).max(initial=0.0)
    return np.sort(order[np.r_[is_close, False] | np.r_[False, is_close]])


def _content(samples, row):
    """The class and the features of a sample, as a key of a dictionary."""
    X, label = samples.array, samples.labels[row]
    if samples.is_sparse:
        stored = slice(X.indptr[row], X.indptr[row + 1])
        return label, X.indices[stored].tobytes(), X.data[stored].tobytes()
    return label, X[row].tobytes()
