"""Cross-validation: each sample is judged in a map that was fitted without it."""

from __future__ import annotations

import warnings

import numpy as np

from discrimap.inspection.refits import Refit
from discrimap.metrics.knn import class_votes
from discrimap.metrics.knn_regression import neighbor_means

N_FOLDS = 5


def n_outside_fold(n_labelled: int) -> int:
    """Return about how many samples are fitted when one fold is left out."""
    return int(n_labelled * (1 - 1 / N_FOLDS))


def cross_votes(refit: Refit, n_components: int, n_neighbors: int, seed: int) -> np.ndarray:
    """Let the neighbours of each labelled sample vote in a map fitted to the other folds.

    Parameters
    ----------
    refit : Refit
        The method and the samples.
    n_components : int
        Dimensions of the map.
    n_neighbors : int
        Number of voting neighbours.
    seed : int
        Determines the folds and the method's own randomness.

    Returns
    -------
    votes : ndarray of shape (n_labelled, n_classes), or (n_labelled,) for numbers
        Shares of the classes among the neighbours, in the order of ``samples.labelled_rows``; for
        numbers the mean of the neighbours.
    """
    samples = refit.samples
    rows = samples.labelled_rows
    n_classes = len(samples.class_names)
    votes = np.empty(len(rows) if samples.is_continuous else (len(rows), n_classes))
    # A class with fewer samples than folds is absent from some; scikit-learn warns of it.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        folds = samples.design.folds(samples.y, rows, N_FOLDS, seed)
    for train, test in folds:
        Z_train, known, Z_test = refit.maps(n_components, rows[train], rows[test], seed)
        if samples.is_continuous:
            votes[test] = neighbor_means(Z_train, known, Z_test, n_neighbors)
        else:
            votes[test] = class_votes(Z_train, known, Z_test, n_classes, n_neighbors) / n_neighbors
    return votes
