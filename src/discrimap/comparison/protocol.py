"""The protocol by which methods are compared."""

from __future__ import annotations

from dataclasses import dataclass

# Number of splits on which a fit is repeated with permuted labels: enough to estimate the error of
# chance.
N_CONTROLS = 3


@dataclass(frozen=True)
class Protocol:
    """Settings of a comparison; together with the data they determine the result.

    Parameters
    ----------
    n_components : int, default=2
        Number of dimensions of the map. Methods with a smaller limit, such as LDA with few classes,
        use the largest possible number.
    n_repeats : int, default=10
        Number of random splits. With fewer than ten, methods can seldom be distinguished.
    test_size : float, default=1/3
        Share of the samples that are held out in each split.
    n_neighbors : int, default=5
        Number of neighbours that vote in the map.
    score : {"error", "balanced"}, default="error"
        Share of held-out points with a wrong class, or the mean of these shares over the classes, in
        which small classes count as much as large ones.
    scale : bool, default=True
        Whether to standardise the features, with means and scales of the training samples.
    impute : {"median", "mean"} or None, default=None
        How to fill in missing features, from the training samples; with None they raise an error.
    seed : int, default=0
        Seed of splits, permutations and methods.

    Examples
    --------
    >>> from discrimap.comparison import Protocol
    >>> Protocol(n_repeats=20, score="balanced").n_neighbors
    5
    """

    n_components: int = 2
    n_repeats: int = 10
    test_size: float = 1 / 3
    n_neighbors: int = 5
    score: str = "error"
    scale: bool = True
    impute: str | None = None
    seed: int = 0
