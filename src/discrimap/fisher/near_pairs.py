"""Nearest neighbours in the Fisher metric of a landmark model, without comparing all samples.

Candidates are neighbours in ``[2 sqrt(p), sqrt(regularisation) x]``, where distances are chords of
the curves that the metric measures. Lengths are computed for candidates only.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from discrimap.linalg.graphs import nearest_neighbors

_ROWS_PER_BLOCK = 2048


def n_candidates(n_neighbors, n_points):
    """Half as many candidates again as neighbours, and at least 15 more."""
    return min(n_points, n_neighbors + max(15, n_neighbors // 2))


@dataclass(frozen=True)
class NearPairs:
    """Training samples with their predictions.

    Parameters
    ----------
    curve : ClassCurve or NumberLine
        Measures curves of predictions.
    predictions : ndarray of shape (n_samples, n_folds, n_targets)
        Predictions without the own and each other fold; with one fold, those of one model.
    folds : ndarray of shape (n_samples,)
        Fold of each sample.
    plain : ndarray of shape (n_samples, n_coordinates)
        Euclidean coordinates, times the root of the regularisation.
    """

    curve: Any
    predictions: np.ndarray
    folds: np.ndarray
    plain: np.ndarray

    @property
    def own_predictions(self):
        """Predictions without the own fold, (n_samples, n_targets)."""
        return self.predictions[np.arange(len(self.folds)), self.folds]

    @property
    def search_coordinates(self):
        """Coordinates in which candidates are near."""
        return self._coordinates(self.own_predictions, self.plain)

    def nearest_among(self, n_neighbors, random_state):
        """Distances to and indices of the nearest other samples, ascending."""
        count = n_candidates(n_neighbors, len(self.folds) - 1)
        _, near = nearest_neighbors(self.search_coordinates, count, random_state=random_state)
        return self._nearest(
            near, self.predictions, self.predictions, self.folds, self.plain, n_neighbors
        )

    def nearest_to(self, predictions, plain, n_neighbors):
        """Distances of new points to and indices of the nearest samples.

        A new point meets a sample in the model without that sample's fold.

        Parameters
        ----------
        predictions : ndarray of shape (n_new, n_folds, n_targets)
            Predictions by the models without each fold.
        plain : ndarray of shape (n_new, n_coordinates)
            Euclidean coordinates, times the root of the regularisation.
        n_neighbors : int
            Number of neighbours.
        """
        count = n_candidates(n_neighbors, len(self.folds))
        search = NearestNeighbors(n_neighbors=count, algorithm="brute").fit(self.search_coordinates)
        queries = self._coordinates(predictions.mean(axis=1), plain)
        near = search.kneighbors(queries, return_distance=False)
        return self._nearest(
            near,
            predictions,
            self.own_predictions[:, None],
            np.zeros(len(queries), np.intp),
            plain,
            n_neighbors,
        )

    def _coordinates(self, predictions, plain):
        return np.hstack([self.curve.places(predictions), plain])

    def _nearest(self, near, left, right, left_folds, plain, n_neighbors):
        squared = np.square(self.curve.lengths(left, right, left_folds, self.folds, near))
        for start in range(0, len(near), _ROWS_PER_BLOCK):
            rows = slice(start, start + _ROWS_PER_BLOCK)
            difference = self.plain[near[rows]] - plain[rows, None]
            squared[rows] += np.einsum("ijk,ijk->ij", difference, difference)
        order = np.lexsort((near, squared), axis=1)[:, :n_neighbors]
        distances = np.sqrt(np.take_along_axis(squared, order, axis=1))
        return distances.astype(plain.dtype), np.take_along_axis(near, order, axis=1)
