"""Which methods cannot be told apart from the best one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# A method is called worse than the best if this is less likely by chance.
LEVEL = 0.05


@dataclass(frozen=True, eq=False)
class Scores:
    """Errors of one method: of each split, and of each held-out point of each split."""

    errors: Sequence[float]
    point_errors: Sequence[np.ndarray]


def p_values_of_worse(scores: Sequence[Scores], ratio: float) -> np.ndarray:
    """Test for each method whether it is worse than the one with the smallest mean error.

    The corrected resampled t-test of [1]_: splits share training samples, so the variance of the mean
    difference of J splits is ``(1/J + n_test/n_train) s^2`` and not ``s^2 / J``. For s^2 at least the
    variance between held-out points is taken, which differences of few splits can miss, and which is
    all there is with one split. P-values are one-sided and adjusted by Holm's method for as many
    methods.

    Parameters
    ----------
    scores : sequence of Scores
        Of each method; two methods are compared on the splits that both have.
    ratio : float
        Held-out samples for each training sample.

    Returns
    -------
    p_values : ndarray of shape (n_methods,)
        1 for the best.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52
       (2003), 239-281.
    """
    best = scores[int(np.argmin([np.mean(one.errors) for one in scores]))]
    others = [k for k, one in enumerate(scores) if one is not best]
    adjusted = np.ones(len(scores))
    raw = np.array([_p_value(scores[k], best, ratio) for k in others])
    largest = 0.0
    for rank, k in enumerate(np.argsort(raw, kind="stable")):
        largest = max(largest, min(1.0, (len(raw) - rank) * raw[k]))
        adjusted[others[k]] = largest
    return adjusted


def _p_value(one: Scores, best: Scores, ratio: float) -> float:
    from scipy import stats

    n_splits = min(len(one.errors), len(best.errors))
    difference = np.subtract(one.errors[:n_splits], best.errors[:n_splits])
    points = [
        np.subtract(a, b)
        for a, b in zip(one.point_errors[:n_splits], best.point_errors[:n_splits], strict=True)
    ]
    variance = float(np.mean([d.var(ddof=1) / len(d) for d in points]))
    degrees = len(points[0]) - 1
    if n_splits > 1:
        variance, degrees = max(variance, float(difference.var(ddof=1))), n_splits - 1
    mean = float(difference.mean())
    if variance == 0.0:  # the same predictions of every point
        return 1.0 if mean <= 0 else 0.0
    return float(stats.t.sf(mean / np.sqrt((1 / n_splits + ratio) * variance), degrees))
