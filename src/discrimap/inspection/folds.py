"""Every sample judged by a map that was fitted without it."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from discrimap.comparison.one_method import fit_maps
from discrimap.inspection.evidence import neighbor_means
from discrimap.inspection.samples import Samples
from discrimap.metrics.knn import class_votes

N_FOLDS = 5


def cross_votes(
    make: Callable[[], object],
    samples: Samples,
    *,
    n_neighbors: int,
    scale: bool,
    seed: int,
    n_folds: int = N_FOLDS,
) -> np.ndarray:
    """Let the neighbours of each labelled sample vote in a map fitted to the other folds.

    Parameters
    ----------
    make : callable
        Gives a fresh estimator.
    samples : Samples
        Only its labelled rows take part.
    n_neighbors : int
        Number of voting neighbours.
    scale : bool
        Standardise the features on the training folds.
    seed : int
        Draws the folds.
    n_folds : int
        Number of fits.

    Returns
    -------
    votes : ndarray of shape (n_labelled, n_classes), or (n_labelled,) for numbers
        Shares of the classes among the neighbours, in the order of ``samples.labelled_rows``; for
        numbers the mean of the neighbours.
    """
    rows = samples.labelled_rows
    y = samples.y[rows]
    votes = np.empty(len(rows) if samples.is_continuous else (len(rows), len(samples.class_names)))
    for train, test in _folds(y, samples.is_continuous, n_folds, seed):
        with warnings.catch_warnings():
            # The comparison has told of the method's warnings already.
            warnings.simplefilter("ignore")
            Z_train, Z_test = fit_maps(make(), samples.X, samples.y, rows[train], rows[test], scale)
        if samples.is_continuous:
            votes[test] = neighbor_means(Z_train, y[train], Z_test, n_neighbors)
        else:
            found = class_votes(Z_train, y[train], Z_test, votes.shape[1], n_neighbors)
            votes[test] = found / n_neighbors
    return votes


def _folds(y, is_continuous, n_folds, seed):
    from sklearn.model_selection import KFold, StratifiedKFold

    if is_continuous:
        return KFold(n_folds, shuffle=True, random_state=seed).split(y)
    # A class with fewer samples than folds is absent from some; scikit-learn warns of it.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return list(StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(y, y))
