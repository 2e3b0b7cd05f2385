"""Errors of maps by the votes of neighbours, with sample weights."""

import numpy as np

from discrimap.metrics.knn import class_votes, winning_shares

# Number of neighbours that vote on a sample of the training set.
N_NEIGHBORS = 5
# Shares of outvoted samples that differ by less than this are equal: rounding moves single votes.
NEARLY_EQUAL = 0.005


def best_by_vote(voters, candidates):
    """Position of the map with the fewest voters whose neighbours vote for another class.

    Parameters
    ----------
    voters : ArraySamples
        Samples that vote for each other.
    candidates : list of ndarray of shape (n_features, n_components)
        Maps of these samples.

    Returns
    -------
    position : int
        The first of those whose share of such voters is the least or nearly so.
    """
    if len(candidates) == 1:
        return 0
    shares = np.array([outvoted_share(voters.projected(params)) for params in candidates])
    return int(np.flatnonzero(shares <= shares.min() + NEARLY_EQUAL)[0])


def outvoted_share(points):
    """Share of points, by weight, whose five nearest other points vote for another class.

    Parameters
    ----------
    points : ArraySamples
        Samples in a map.

    Returns
    -------
    share : float
        From 0 to 1. A point whose class shares the first place with others counts in part.
    """
    n_neighbors = min(N_NEIGHBORS, len(points) - 1)
    return _share(points, points, n_neighbors, own=np.arange(len(points)))


def held_out_error(points, held_out):
    """1-nearest-neighbour error of held-out points, by weight.

    Parameters
    ----------
    points : ArraySamples
        The points whose classes are known.
    held_out : ArraySamples
        The points to classify.

    Returns
    -------
    error : float
        From 0 to 1.
    """
    return _share(points, held_out, n_neighbors=1, own=None)


def _share(voters, points, n_neighbors, own):
    weights = voters.weights
    if weights is not None:
        weights = weights / weights.mean()  # sums of votes are compared up to an absolute rounding
    votes = class_votes(
        voters.array,
        voters.labels,
        points.array,
        voters.n_classes,
        n_neighbors,
        own=own,
        weights_train=weights,
    )
    right = winning_shares(votes)[np.arange(len(points)), points.labels]
    return float(np.average(1 - right, weights=points.weights))
