"""How methods are compared, and whether the data allows it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discrimap.datasets import check_classes
from discrimap.errors import InputError


@dataclass(frozen=True)
class Protocol:
    """How methods are compared; everything that, with the data, determines the result.

    Parameters
    ----------
    n_components : int
        Dimensions of the map; a method that cannot have as many (LDA) gets what it can.
    n_repeats : int
        Number of random stratified splits.
    test_size : float
        Share of the samples held out in each split.
    n_neighbors : int
        Neighbours that vote in the map.
    scale : bool
        Standardise the features, on the training part only.
    seed : int
        Determines splits, permutations and the methods' own randomness.
    """

    n_components: int = 2
    n_repeats: int = 5
    test_size: float = 1 / 3
    n_neighbors: int = 5
    scale: bool = True
    seed: int = 0


def check_data(X, y, protocol: Protocol):
    from sklearn.utils import check_array, column_or_1d
    from sklearn.utils.multiclass import check_classification_targets

    if protocol.n_components < 1:
        raise InputError(f"n_components={protocol.n_components} must be at least 1.")
    if protocol.n_repeats < 1:
        raise InputError(f"n_repeats={protocol.n_repeats} must be at least 1.")
    if not 0 < protocol.test_size < 1:
        raise InputError(f"test_size={protocol.test_size} must lie between 0 and 1.")
    try:
        X = check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32), input_name="X")
        y = column_or_1d(y)
        check_classification_targets(y)
    except ValueError as error:
        raise InputError(str(error).splitlines()[0]) from error
    if len(y) != X.shape[0]:
        raise InputError(
            f"y has {len(y)} labels for the {X.shape[0]} samples of X; both need the same number."
        )
    if protocol.n_components > X.shape[1]:
        raise InputError(
            f"n_components={protocol.n_components} exceeds the {X.shape[1]} features of X; "
            f"pass at most {X.shape[1]}."
        )
    # One sample of each class to learn from and one to hold out.
    check_classes(y, min_per_class=2)
    classes = np.unique(y)
    n_test = int(np.ceil(protocol.test_size * len(y)))
    if n_test < len(classes) or len(y) - n_test < len(classes):
        raise InputError(
            f"{len(y)} samples are too few to split for {len(classes)} classes with "
            f"test_size={protocol.test_size:.3g}: every class must be in both parts."
        )
    if len(y) - n_test <= protocol.n_neighbors or protocol.n_neighbors < 1:
        raise InputError(
            f"n_neighbors={protocol.n_neighbors} must be from 1 to {len(y) - n_test - 1}, one "
            f"less than the {len(y) - n_test} training samples of a split."
        )
    return X, y
