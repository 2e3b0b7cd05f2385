"""Nearest neighbours in the Fisher metric of a landmark model, without comparing all samples.

Candidates are neighbours in ``[2 sqrt(p), sqrt(regularisation) x]``, where distances are chords of
the curves that the metric measures. Lengths are computed for candidates only.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from discrimap.linalg.cell_search import ExactSearch, make_cells

# Above this many samples cells are faster than a comparison of all.
EXACT_SAMPLES = 20_000
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
    def search_coordinates(self) -> np.ndarray:
        """Coordinates in which candidates are near."""
        return self._coordinates(self.own_predictions, self.plain)

    @cached_property
    def _search(self):
        """Cells of many samples; an exact search of fewer."""
        coordinates = self.search_coordinates
        if len(coordinates) > EXACT_SAMPLES:
            # A fixed seed: the search is part of the metric, not of its fit.
            return make_cells(coordinates, random_state=0)
        return ExactSearch(coordinates)

    def nearest_among(self, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
        """Distances to and indices of the nearest other samples, ascending."""
        near = self._search.nearest_others(n_candidates(n_neighbors, len(self.folds) - 1))
        return self._nearest(
            near, self.predictions, self.predictions, self.folds, self.plain, n_neighbors
        )

    def nearest_to(
        self, predictions: np.ndarray, plain: np.ndarray, n_neighbors: int
    ) -> tuple[np.ndarray, np.ndarray]:
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
        queries = self._coordinates(predictions.mean(axis=1), plain)
        near = self._search.nearest(queries, count)
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
        distances = np.empty((len(near), n_neighbors), plain.dtype)
        indices = np.empty((len(near), n_neighbors), near.dtype)
        for start in range(0, len(near), _ROWS_PER_BLOCK):
            rows = slice(start, start + _ROWS_PER_BLOCK)
            candidates, lengths = near[rows], squared[rows]
            difference = self.plain[candidates] - plain[rows, None]
            lengths += np.einsum("ijk,ijk->ij", difference, difference)
            order = np.lexsort((candidates, lengths), axis=1)[:, :n_neighbors]
            distances[rows] = np.sqrt(np.take_along_axis(lengths, order, axis=1))
            indices[rows] = np.take_along_axis(candidates, order, axis=1)
        return distances, indices
