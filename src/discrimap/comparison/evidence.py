"""A permutation test of whether the best of many methods is better than chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discrimap._typing import Array
from discrimap.comparison.designs import Design

# Significance level of the test of the best method: at most one in a hundred data sets without
# structure has a smaller p-value.
LEVEL = 0.01
# Largest number of held-out points of a split that are used, and of entries of the permuted labels.
MOST_POINTS = 5_000
MOST_ENTRIES = 1_000_000
N_RELABELLINGS = (999, 9_999)  # fewest and most
LARGEST_P = 0.99  # limit of the p-value of one split, see combine
# Tolerance for sums of weights, which depend on the order of the terms.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Prediction:
    """Predictions of one method for the held-out samples of one split."""

    rows: np.ndarray  # indices in the data
    target: np.ndarray  # true classes or numbers
    predicted: np.ndarray

    def point_errors(self, score: str) -> np.ndarray:
        """Return the error of each sample, scaled so that the mean is the error of the split."""
        errors: np.ndarray
        if self.target.dtype.kind == "f":
            errors = (self.target - self.predicted) ** 2 / max(float(self.target.var()), 1e-300)
            return errors
        errors = (self.target != self.predicted).astype(float)
        if score != "error":
            counts = np.bincount(self.target)
            errors = errors * len(errors) / (counts[self.target] * np.count_nonzero(counts))
        return errors


@dataclass(frozen=True)
class Evidence:
    """Result of the permutation test of the best method against chance.

    Attributes
    ----------
    p_value : float
        p-value of all splits together: the probability that permuted held-out labels give a result
        at least as good as the real labels.
    p_values : tuple of float
        p-value of each split.
    n_methods : int
        Number of methods; the best of them is tested.
    n_relabellings : int
        Number of permutations of the labels in each split.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from discrimap.comparison import Protocol, compare
    >>> X, y = load_wine(return_X_y=True)
    >>> evidence = compare(X, y, ["lda"], protocol=Protocol(n_repeats=2)).evidence
    >>> evidence.n_methods, evidence.is_convincing
    (1, True)
    """

    p_value: float  # of all splits together
    p_values: tuple[float, ...]  # of each split
    n_methods: int
    n_relabellings: int  # of each split

    @property
    def is_convincing(self) -> bool:
        """Whether the p-value is below 0.01."""
        return self.p_value < LEVEL


def weigh_evidence(
    splits: Sequence[Sequence[Prediction]], design: Design, score: str = "error", seed: int = 0
) -> Evidence | None:
    """Test whether the best of all methods predicts held-out points better than by chance.

    Each split is the same for all methods. If the labels are independent of the samples, all
    permutations of the held-out labels that the design allows are equally likely, for any maps
    fitted to the training part. The held-out labels are therefore permuted many times, in the same
    way for all methods. The best method is selected again for each permutation, as with the real
    labels (the max-statistic of [1]_). The p-value of a split is exact for the best of many methods
    and needs no fit. Splits share samples, so their p-values are dependent; see :func:`combine`.

    Parameters
    ----------
    splits : sequence of sequences of Prediction
        For each split the predictions of each method, of the same held-out samples.
    design : Design
        Determines which permutations of the labels are equally likely.
    score : {"error", "balanced"}
        Whether each sample or each class counts equally.
    seed : int
        Seed of the permutations.

    Returns
    -------
    evidence : Evidence or None
        None if there is no method.

    References
    ----------
    .. [1] P. H. Westfall and S. S. Young, Resampling-based multiple testing, 1993.
    """
    if not splits or not splits[0]:
        return None
    p_values = []
    for repeat, methods in enumerate(splits):
        rng = np.random.default_rng([seed, repeat])
        shuffled, points = _relabel(methods[0], design, rng)
        best = np.full(len(shuffled), -np.inf)
        for one in methods:
            best = np.maximum(best, _agreement(one.predicted[points], shuffled, score))
        p_values.append(float(np.count_nonzero(best >= best[0] - ROUNDING) / len(best)))
    n_methods = max(len(methods) for methods in splits)
    return Evidence(combine(p_values), tuple(p_values), n_methods, len(shuffled) - 1)


def _relabel(split: Prediction, design: Design, rng: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the held-out labels and their permutations, and the indices of the points used."""
    points = np.arange(len(split.rows))
    if len(points) > MOST_POINTS:
        points = np.sort(rng.choice(len(points), MOST_POINTS, replace=False))
    n_orders = int(np.clip(MOST_ENTRIES // len(points), *N_RELABELLINGS))
    known = split.target[points]
    shuffled = design.relabellings(known, split.rows[points], n_orders, rng)
    # The real order is one of the equally likely permutations.
    return np.concatenate([known[None], shuffled]), points


def combine(p_values: Sequence[float]) -> float:
    """Combine dependent p-values into one.

    The Cauchy combination [1]_ is ``p = 1/2 - arctan(mean of tan((1/2 - p_i) pi)) / pi``. The tail
    of its distribution, which determines small p-values, does not depend on the dependence between
    the p-values. Small p-values dominate the result, so that a few splits with large p-values
    change it little. P-values close to 1 would outweigh all others and are replaced by 0.99 [2]_.
    The documentation page on verdicts compares the level on data without structure and the power
    with the level and power of a single split and of other combinations.

    References
    ----------
    .. [1] Y. Liu and J. Xie, "Cauchy combination test: a powerful test with analytic p-value
       calculation under arbitrary dependency structures", Journal of the American Statistical
       Association 115 (2020), 393-402.
    .. [2] Y. Fang, C. Chang, Y. Park and G. C. Tseng, "Heavy-tailed distribution for combining
       dependent p-values with asymptotic robustness", Statistica Sinica 33 (2023), 1115-1142.

    Examples
    --------
    >>> round(combine([0.2, 0.001, 0.003]), 4), round(combine([0.03]), 4)
    (0.0022, 0.03)
    """
    heights = np.tan((0.5 - np.minimum(p_values, LARGEST_P)) * np.pi)
    return float(0.5 - np.arctan(heights.mean()) / np.pi)


def _agreement(predicted: Array, shuffled: Array, score: Any) -> np.ndarray:
    """Return the agreement of the predictions with each permutation of the labels."""
    agreement: np.ndarray
    if shuffled.dtype.kind == "f":
        agreement = -((shuffled - predicted) ** 2).mean(axis=1)
        return agreement
    is_right = shuffled == predicted
    if score == "error":
        agreement = is_right.mean(axis=1)
        return agreement
    # Class sizes may differ between permutations if labels are permuted between whole groups.
    found = [
        (is_right & (shuffled == code)).sum(axis=1)
        / np.maximum(1, np.count_nonzero(shuffled == code, axis=1))
        for code in np.unique(shuffled)
    ]
    agreement = np.mean(found, axis=0)
    return agreement
