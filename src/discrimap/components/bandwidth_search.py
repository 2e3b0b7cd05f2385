"""Choice of a kernel width on held-out samples (Sec. V-C of Peltonen and Kaski, 2005)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from discrimap.metrics import knn_error
from discrimap.optimisers.near_ties import first_of_best
from discrimap.threads import run_tasks

if TYPE_CHECKING:
    from discrimap.samples.in_memory import ArraySamples

MOST_SEARCH_SAMPLES = 1500  # training samples; the best width hardly depends on their number
MOST_FAR_QUERIES = 500
FEW_SAMPLES = 600  # below this, the score of one split is noisy, so several splits are averaged
N_SPLITS_OF_FEW = 3
N_NEIGHBORS = 5
# The search goes from wide to narrow and ends after this many consecutive widths that score below
# the best width.
ENOUGH_WORSE = 2
# Nanoseconds to compute a distance and compare it with the largest, for each dimension.
PER_DISTANCE = 1.5
# Smallest width, relative to the largest. Narrower widths occur if points coincide up to rounding
# (for a start without variance within classes), and their Fourier series would need too many modes.
NARROWEST = 1e-4


def bandwidth_range(Z: np.ndarray, n_bandwidths: int) -> np.ndarray:
    """Geometric grid of widths.

    The widths range from the root mean square distance of nearest neighbours to the mean distance
    of farthest neighbours.

    Parameters
    ----------
    Z : ndarray of shape (n_samples, n_components)
        Points in the initial projection of the search.
    n_bandwidths : int
        Number of widths.

    Returns
    -------
    bandwidths : ndarray of shape (n_bandwidths,)
        Widths in ascending order; all one if the points coincide.
    """
    nearest = NearestNeighbors(n_neighbors=2).fit(Z).kneighbors(Z)[0][:, 1]
    some = Z[np.linspace(0, len(Z) - 1, min(len(Z), MOST_FAR_QUERIES)).astype(int)]
    farthest = run_tasks(lambda z: cdist(z[None], Z).max(), some, PER_DISTANCE * Z.size * len(some))
    high = float(np.mean(farthest))
    if high == 0.0:
        return np.ones(n_bandwidths)
    # Ignore duplicates: a distance of zero gives no information about the width.
    apart = nearest[nearest > 0]
    low = float(np.sqrt(np.mean(apart**2))) if len(apart) else high
    return np.geomspace(min(max(low, NARROWEST * high), high), high, n_bandwidths)


def search_bandwidth(
    fit: Callable[[ArraySamples, float, np.ndarray], np.ndarray],
    score: Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray, float], float],
    samples: ArraySamples,
    start: np.ndarray,
    bandwidths: np.ndarray,
    random_state: np.random.RandomState,
    ends_early: bool = False,
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Fit the projection at several widths and score it on held-out samples.

    The fits go from the widest to the narrowest kernel, and every fit starts from the previous
    result, because a wide kernel captures the coarse structure and has few local optima.

    Parameters
    ----------
    fit : callable
        ``fit(samples, bandwidth, start) -> W``.
    score : callable
        ``score(Z_train, labels_train, Z_test, labels_test, bandwidth) -> float``, higher is better.
    samples : ArraySamples
        Training samples; unlabelled samples are never held out.
    start : ndarray of shape (n_features, n_components)
        Initial projection of the fit with the widest kernel.
    bandwidths : ndarray
        Ascending widths.
    random_state : RandomState
        Random number generator for the splits.
    ends_early : bool, default=False
        Whether to stop after two consecutive widths that are worse than the best width so far. This
        suits a likelihood, which rises and then falls as kernels get narrower, but not a
        classification error, which has several minima.

    Returns
    -------
    scores : ndarray of shape (n_tried,)
        Mean held-out score of the widest ``n_tried`` widths, in ascending order of the widths.
    projections : list of ndarray
        W at each of these widths, for the first split.
    """
    n_splits = N_SPLITS_OF_FEW if len(samples) < FEW_SAMPLES else 1
    parts = [
        tuple(map(samples.draw, _split(samples.labels, random_state))) for _ in range(n_splits)
    ]
    projections = [[start] * n_splits]
    scores: list[float] = []  # from wide to narrow
    for bandwidth in reversed(bandwidths):
        found = [
            fit(train, bandwidth, W) for (train, _), W in zip(parts, projections[-1], strict=True)
        ]
        of_splits = [
            _score_of(score, train, test, W, bandwidth)
            for (train, test), W in zip(parts, found, strict=True)
        ]
        scores.append(float(np.mean(of_splits)))
        projections.append(found)
        if ends_early and len(scores) - 1 - int(np.argmax(scores)) >= ENOUGH_WORSE:
            break
    return np.array(scores[::-1]), [found[0] for found in projections[:0:-1]]


def _score_of(score, train, test, W, bandwidth):
    labelled = train.labelled()
    return score(labelled.array @ W, labelled.labels, test.array @ W, test.labels, bandwidth)


def best_bandwidth(scores: np.ndarray) -> int:
    """Index of the best score; among nearly equal scores, the index of the widest kernel."""
    return len(scores) - 1 - first_of_best(-scores[::-1])


def neighbour_accuracy(
    Z_train: np.ndarray, labels_train: np.ndarray, Z_test: np.ndarray, labels_test: np.ndarray
) -> float:
    """Accuracy of 5-nearest-neighbour classification on held-out samples (Sec. V-B)."""
    n_neighbors = min(N_NEIGHBORS, len(Z_train))
    return 1 - knn_error(Z_train, labels_train, Z_test, labels_test, n_neighbors)


def _split(labels, random_state):
    """Hold out a third of every class, at least one sample in total; limit the size of parts."""
    is_test = np.zeros(len(labels), dtype=bool)
    for c in range(labels.max() + 1):
        members = random_state.permutation(np.flatnonzero(labels == c))
        is_test[members[: len(members) // 3]] = True
    if not is_test.any():  # every class has one or two samples
        is_test[random_state.choice(np.flatnonzero(labels >= 0))] = True
    parts = []
    for mask, most in ((~is_test, MOST_SEARCH_SAMPLES), (is_test, MOST_SEARCH_SAMPLES // 2)):
        positions = random_state.permutation(np.flatnonzero(mask))
        parts.append(np.sort(positions[:most]))
    return parts
