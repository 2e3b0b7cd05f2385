"""The protocol by which methods are compared."""

from __future__ import annotations

from dataclasses import dataclass

# Splits on which a fit is repeated with permuted labels: enough to show what chance gives.
N_CONTROLS = 3


@dataclass(frozen=True)
class Protocol:
    """The protocol by which methods are compared; with the data it determines the result.

    Parameters
    ----------
    n_components : int
        Dimensions of the map; a method that cannot have as many (LDA) gets as many as it can.
    n_repeats : int
        Number of random splits. Fewer than ten seldom tell methods apart.
    test_size : float
        Share of the samples held out in each split.
    n_neighbors : int
        Neighbours that vote in the map.
    score : {"error", "balanced"}
        Share of held-out points with a wrong class, or the mean of these shares over the classes,
        in which a small class counts as much as a large one.
    scale : bool
        Standardise the features, on the training part only.
    impute : {"median", "mean"} or None
        How to fill in missing features, from the training part only; with None they are an error.
    seed : int
        Determines splits, permutations and the methods' own randomness.
    """

    n_components: int = 2
    n_repeats: int = 10
    test_size: float = 1 / 3
    n_neighbors: int = 5
    score: str = "error"
    scale: bool = True
    impute: str | None = None
    seed: int = 0
