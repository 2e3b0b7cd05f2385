"""Cross-validation: each sample is predicted in a map that was fitted without this sample."""

from __future__ import annotations

import warnings

import numpy as np

from discrimap.inspection.refits import Refit
from discrimap.metrics.knn import class_votes
from discrimap.metrics.knn_regression import neighbor_means

N_FOLDS = 5


def n_outside_fold(n_labelled: int) -> int:
    """Return the approximate number of training samples if one fold is held out."""
    return int(n_labelled * (1 - 1 / N_FOLDS))


def cross_votes(refit: Refit, n_components: int, n_neighbors: int, seed: int) -> np.ndarray:
    """Return the votes of the neighbours of each labelled sample, by cross-validation.

    The neighbours of a sample are found in a map that is fitted to the other folds.

    Parameters
    ----------
    refit : Refit
        The method and the samples.
    n_components : int
        Number of dimensions of the map.
    n_neighbors : int
        Number of neighbours that vote.
    seed : int
        Seed of the folds and of the method.

    Returns
    -------
    votes : ndarray of shape (n_labelled, n_classes), or (n_labelled,) for a continuous target
        Shares of the classes among the neighbours, in the order of ``samples.labelled_rows``. For a
        continuous target, the mean of the neighbours.
    """
    samples = refit.samples
    rows = samples.labelled_rows
    n_classes = len(samples.class_names)
    votes = np.empty(len(rows) if samples.is_continuous else (len(rows), n_classes))
    # scikit-learn warns if a class has fewer samples than folds and is missing in some folds.
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
