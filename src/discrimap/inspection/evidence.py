"""A permutation test of whether the best of many methods is better than chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discrimap.comparison.result import Comparison, SplitMap
from discrimap.inspection.named_problem import NamedProblem
from discrimap.metrics.knn import class_votes, winning_shares
from discrimap.metrics.knn_regression import neighbor_means

# A smaller p-value of the best method is called evidence; this happens by chance for one in a
# hundred data sets without structure.
LEVEL = 0.01
# Most held-out points that are used, and most entries of the table of relabellings.
MOST_POINTS = 20_000
MOST_ENTRIES = 5_000_000
N_RELABELLINGS = (999, 9_999)  # fewest and most
# Tolerance for sums of shares such as 1/3, which depend on the order of the terms.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Evidence:
    """How often random labels of the held-out points look as good as the real ones."""

    p_value: float
    n_methods: int
    n_points: int
    n_relabellings: int

    @property
    def is_convincing(self) -> bool:
        return self.p_value < LEVEL


def weigh_evidence(comparison: Comparison, samples: NamedProblem, seed: int = 0) -> Evidence | None:
    """Test whether the best of all methods tells held-out points apart better than by chance.

    The first split is the same for all methods. If the labels are independent of the samples, every
    order of the held-out labels is equally likely, whatever the methods learnt from the training
    part. The held-out labels are therefore shuffled many times, in the same way for all methods,
    and the best method is chosen again each time, as with the real labels (the max-statistic of
    [1]_). The p-value is exact for the best of many methods and needs no fit.

    Parameters
    ----------
    comparison : Comparison
        Its first maps are used.
    samples : NamedProblem
        The classes or numbers of the rows of these maps.
    seed : int
        Determines the relabellings.

    Returns
    -------
    evidence : Evidence or None
        None where no method has a map.

    References
    ----------
    .. [1] P. H. Westfall and S. S. Young, Resampling-based multiple testing, 1993.
    """
    maps = [result.first_map for result in comparison.done if result.first_map is not None]
    if not maps:
        return None
    rng = np.random.default_rng(seed)
    n_test = len(maps[0].test_rows)
    points = np.arange(n_test)
    if n_test > MOST_POINTS:
        points = np.sort(rng.choice(n_test, MOST_POINTS, replace=False))
    truth = samples.y[maps[0].test_rows[points]]
    n_orders = int(np.clip(MOST_ENTRIES // len(points), *N_RELABELLINGS))
    # The real order is the first: the smallest p-value is 1 / n_orders.
    shuffled = np.concatenate([truth[None], rng.permuted(np.tile(truth, (n_orders, 1)), axis=1)])

    best = np.full(len(shuffled), -np.inf)
    for split in maps:
        best = np.maximum(best, _agreement(split, points, samples, shuffled, comparison))
    as_good = np.count_nonzero(best >= best[0] - ROUNDING)
    return Evidence(as_good / len(best), len(maps), len(points), n_orders)


def _agreement(split: SplitMap, points, samples: NamedProblem, shuffled, comparison) -> np.ndarray:
    """Return how well the votes of the neighbours agree with each order of the labels."""
    k = comparison.protocol.n_neighbors
    y_train = samples.y[split.train_rows]
    is_labelled = samples.task.is_labelled(y_train)  # only labelled points vote
    Z_train, known = split.train[is_labelled], y_train[is_labelled]
    if samples.is_continuous:
        predicted = neighbor_means(Z_train, known, split.test[points], k)
        # Minus the mean squared error, up to terms that do not depend on the order.
        return (2.0 * shuffled @ predicted - predicted @ predicted) / len(points)
    n_classes = len(samples.class_names)
    shares = winning_shares(class_votes(Z_train, known, split.test[points], n_classes, k))
    place = np.arange(len(points)) * n_classes
    return np.array([shares.take(place + order).mean() for order in shuffled])
