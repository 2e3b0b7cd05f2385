"""The protocol by which methods are compared."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Protocol:
    """The protocol by which methods are compared; with the data it determines the result.

    Parameters
    ----------
    n_components : int
        Dimensions of the map; a method that cannot have as many (LDA) gets as many as it can.
    n_repeats : int
        Number of random splits, stratified by class.
    test_size : float
        Share of the samples held out in each split.
    n_neighbors : int
        Neighbours that vote in the map.
    scale : bool
        Standardise the features, on the training part only.
    impute : {"median", "mean"} or None
        How to fill in missing features, from the training part only; with None they are an error.
    seed : int
        Determines splits, permutations and the methods' own randomness.
    """

    n_components: int = 2
    n_repeats: int = 5
    test_size: float = 1 / 3
    n_neighbors: int = 5
    scale: bool = True
    impute: str | None = None
    seed: int = 0
