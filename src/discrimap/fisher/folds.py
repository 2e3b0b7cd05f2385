"""Stratified folds, so that no label helps to place its own sample."""

import numpy as np


def stratified_folds(labels, n_folds, random_state):
    """Deal the samples of each class round the folds in random order.

    Every fold gets its share of every class to within one sample, so that leaving a fold out keeps
    the class frequencies. Leaving out single samples would not: a sample whose own class is then
    rarer is pushed away from it, a leak in mirror image.

    Returns
    -------
    folds : ndarray of shape (n_samples,)
        Fold of each sample, 0 to n_folds - 1.
    """
    folds = np.empty(len(labels), dtype=np.intp)
    dealt = 0
    for label in np.unique(labels):
        members = random_state.permutation(np.flatnonzero(labels == label))
        # The next class goes on where this one ended: the folds stay of equal size.
        folds[members] = (dealt + np.arange(len(members))) % n_folds
        dealt += len(members)
    return folds


def cross_fit_folds(labels, n_folds, random_state):
    """Stratified folds, at least three: between samples of two folds a third must have centres."""
    folds = stratified_folds(labels, min(n_folds, len(labels)), random_state)
    n_found = len(np.unique(folds))
    if n_found < 3:
        raise ValueError(
            f"cross_fit leaves out two folds at a time and needs at least 3, but there are "
            f"{n_found} (n_folds={n_folds}, n_samples={len(labels)})."
        )
    return folds
