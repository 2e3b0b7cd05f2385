"""Centres of the Parzen windows: all samples, or clusters of samples."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

_MOST_SWAPS = 100


@dataclass(frozen=True)
class Centres:
    """Labelled, weighted centres in ascending order of class.

    ``places`` are the centres as the geometry represents them; ``folds`` holds the fold of the
    samples from which each centre was made, so that centres without a fold can be selected.
    """

    places: np.ndarray
    labels: np.ndarray
    weights: np.ndarray | None
    folds: np.ndarray

    def without(self, *folds):
        """Return the centres that do not depend on these folds."""
        keep = ~np.isin(self.folds, folds)
        weights = None if self.weights is None else self.weights[keep]
        return Centres(self.places[keep], self.labels[keep], weights, self.folds[keep])


def choose_centres(
    geometry: Any,
    points: np.ndarray,
    labels: np.ndarray,
    folds: np.ndarray,
    n_centres: int | None,
    random_state: np.random.RandomState,
) -> Centres:
    """Return a centre on every labelled sample, or clusters if fewer centres are requested."""
    if n_centres is None or n_centres >= np.count_nonzero(labels >= 0):
        return all_centres(geometry, points, labels, folds)
    summary = k_means_summary if geometry.has_vectors else k_medoids_summary
    return clustered_centres(summary(points), labels, folds, n_centres, random_state)


def all_centres(geometry, points, labels, folds):
    """Return one centre on every labelled sample."""
    order = np.argsort(labels, kind="stable")
    order = order[labels[order] >= 0]
    return Centres(geometry.at(points, order), labels[order], None, folds[order])


def clustered_centres(summarise, labels, folds, n_centres, random_state):
    """Summarise each class of each fold by clusters, in proportion to its samples.

    Clusters, unlike random subsets, represent small classes and outlying parts of classes well.

    Parameters
    ----------
    summarise : callable
        ``summarise(indices, n_clusters, random_state)`` gives places and the number of samples of
        each cluster.
    labels, folds : ndarray of shape (n_samples,)
        Class and fold of each sample; a label of -1 marks a sample that is left out.
    n_centres : int
        Number of centres wanted; every class of every fold gets at least one.
    random_state : RandomState
        Starts the clusters.
    """
    places, centre_labels, weights, centre_folds = [], [], [], []
    n_labelled = np.count_nonzero(labels >= 0)
    for label in np.unique(labels[labels >= 0]):
        for fold in np.unique(folds):
            members = np.flatnonzero((labels == label) & (folds == fold))
            if not len(members):
                continue
            share = round(n_centres * len(members) / n_labelled)
            n_clusters = min(len(members), max(1, share))
            found, sizes = summarise(members, n_clusters, random_state)
            places.append(found)
            weights.append(sizes)
            centre_labels.append(np.full(len(sizes), label))
            centre_folds.append(np.full(len(sizes), fold))
    return Centres(
        np.concatenate(places),
        np.concatenate(centre_labels),
        np.concatenate(weights).astype(np.float64),
        np.concatenate(centre_folds),
    )


def k_means_summary(points):
    """Return a summary of vectors: the means of clusters; O(n p k) per iteration."""

    def summarise(members, n_clusters, random_state):
        if n_clusters == len(members):
            return points[members], np.ones(len(members))
        # With fewer distinct points than clusters, k-means would warn and repeat some.
        distinct = len(np.unique(points[members], axis=0))
        k_means = KMeans(min(n_clusters, distinct), n_init=1, random_state=random_state)
        assigned = k_means.fit_predict(points[members])
        sizes = np.bincount(assigned, minlength=len(k_means.cluster_centers_))
        return k_means.cluster_centers_.astype(points.dtype)[sizes > 0], sizes[sizes > 0]

    return summarise


def k_medoids_summary(squared):
    """Return a summary of a matrix of squared distances: the medoids of clusters."""

    def summarise(members, n_clusters, random_state):
        among = squared[np.ix_(members, members)]
        medoids = _k_medoids(among, n_clusters, random_state)
        sizes = np.bincount(among[:, medoids].argmin(axis=1), minlength=len(medoids))
        # Of medoids at distance zero only one is kept.
        return members[medoids[sizes > 0]], sizes[sizes > 0]

    return summarise


def _k_medoids(squared, n_clusters, random_state):
    """Alternate between assigning points and choosing medoids, from a k-means++ start."""
    nonnegative = np.maximum(squared, 0)
    medoids = [int(nonnegative.sum(axis=1).argmin())]
    while len(medoids) < n_clusters:
        nearest = nonnegative[:, medoids].min(axis=1)
        nearest[medoids] = 0
        if nearest.sum() <= 0:  # the rest are duplicates
            rest = np.setdiff1d(np.arange(len(squared)), medoids)
            medoids.extend(rest[: n_clusters - len(medoids)].tolist())
            break
        medoids.append(int(random_state.choice(len(squared), p=nearest / nearest.sum())))
    chosen = np.array(medoids)
    for _ in range(_MOST_SWAPS):
        assigned = squared[:, chosen].argmin(axis=1)
        updated = chosen.copy()
        for cluster in range(len(chosen)):
            members = np.flatnonzero(assigned == cluster)
            if len(members):
                inside = squared[np.ix_(members, members)].sum(axis=1)
                updated[cluster] = members[inside.argmin()]
        if np.array_equal(updated, chosen):
            break
        chosen = updated
    return chosen
