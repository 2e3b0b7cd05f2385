"""Choice of the weight of the Euclidean part of a Fisher metric, on training samples."""

from collections.abc import Callable

import numpy as np
from sklearn.neighbors import NearestNeighbors

# In units of the squared distance to the fifteenth neighbour.
REGULARISATIONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
N_NEIGHBORS = 5
MOST_SAMPLES = 3000


def choose_regularisation(
    places: np.ndarray,
    plain: np.ndarray,
    losses: Callable[[np.ndarray, np.ndarray], np.ndarray],
    random_state: np.random.RandomState,
) -> float:
    """Return the largest regularisation that does not increase the error of the nearest neighbours.

    Each of at most 3,000 labelled samples is predicted by its five nearest others in the metric,
    with chords in place of lengths. Places must be cross-fitted, or own labels would decide. Of the
    values whose mean loss is within one standard error (of the difference) of the least, the
    largest keeps most of the structure inside the classes.

    Parameters
    ----------
    places : ndarray of shape (n_samples, n_targets)
        Points on the sphere of posteriors, or whitened means.
    plain : ndarray of shape (n_samples, n_coordinates)
        Euclidean coordinates in units of local distances.
    losses : callable
        ``losses(rows, neighbors)`` gives the loss of each of these samples if predicted by these
        others, (n_rows, 5).
    random_state : RandomState
        Draws the samples.

    Returns
    -------
    regularisation : float
    """
    rows = random_state.permutation(len(places))[:MOST_SAMPLES]
    n_neighbors = min(N_NEIGHBORS, len(rows) - 1)
    found = []
    for weight in REGULARISATIONS:
        root = plain.dtype.type(np.sqrt(weight))
        mixed = np.hstack([places[rows], root * plain[rows]])
        search = NearestNeighbors(n_neighbors=n_neighbors, algorithm="brute").fit(mixed)
        found.append(losses(rows, rows[search.kneighbors(return_distance=False)]))
    best = min(found, key=np.mean)
    for weight, loss in zip(REGULARISATIONS[::-1], found[::-1], strict=True):
        excess = loss - best
        if excess.mean() <= excess.std() / np.sqrt(len(excess)):
            return weight
    return REGULARISATIONS[0]


def class_losses(labels: np.ndarray) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """One for each sample outvoted by neighbours of other classes; see choose_regularisation."""
    n_classes = labels.max() + 1

    def losses(rows, neighbors):
        votes = np.zeros((len(rows), n_classes))
        np.add.at(votes, (np.arange(len(rows))[:, None], labels[neighbors]), 1)
        own = votes[np.arange(len(rows)), labels[rows]]
        # A tie of k classes is won by chance.
        n_best = (votes == votes.max(axis=1, keepdims=True)).sum(axis=1)
        return 1 - (own == votes.max(axis=1)) / n_best

    return losses


def number_losses(targets: np.ndarray) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Squared error of the mean of the neighbours, in units of the variance of each target."""
    scaled = (targets - targets.mean(axis=0)) / np.maximum(targets.std(axis=0), 1e-300)

    def losses(rows, neighbors):
        return np.square(scaled[rows] - scaled[neighbors].mean(axis=1)).sum(axis=1)

    return losses
