"""Stratified folds, so that distances of a sample do not depend on its own label."""

import numpy as np


def stratified_folds(
    labels: np.ndarray, n_folds: int, random_state: np.random.RandomState
) -> np.ndarray:
    """Distribute the samples of each class over the folds in random order.

    Every fold gets its share of every class to within one sample, so that leaving a fold out keeps
    the class frequencies. Leaving out single samples would not: the class of the sample would
    become rarer and the sample would be pushed away from it, which also leaks its label.

    Returns
    -------
    folds : ndarray of shape (n_samples,)
        Fold of each sample, 0 to n_folds - 1.
    """
    folds = np.empty(len(labels), dtype=np.intp)
    dealt = 0
    for label in np.unique(labels):
        members = random_state.permutation(np.flatnonzero(labels == label))
        # The next class continues where this one ended, so that the folds have equal sizes.
        folds[members] = (dealt + np.arange(len(members))) % n_folds
        dealt += len(members)
    return folds


def cross_fit_folds(
    labels: np.ndarray, n_folds: int, random_state: np.random.RandomState
) -> np.ndarray:
    """Stratified folds, at least three: a pair of samples in two folds needs centres of a third."""
    folds = stratified_folds(labels, min(n_folds, len(labels)), random_state)
    n_found = len(np.unique(folds))
    if n_found < 3:
        raise ValueError(
            f"cross_fit leaves out two folds at a time and needs at least 3, but there are "
            f"{n_found} (n_folds={n_folds}, n_samples={len(labels)})."
        )
    return folds
