"""Test which methods are worse than the best one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# A method is called worse than the best if the p-value is below this level.
LEVEL = 0.05


@dataclass(frozen=True, eq=False)
class Scores:
    """Errors of one method: of each split, and of each held-out point of each split."""

    errors: Sequence[float]
    point_errors: Sequence[np.ndarray]


def p_value_of_worse(one: Scores, best: Scores, ratio: float) -> float:
    """Test whether a method is worse than another, on the same held-out points of the same splits.

    This is the one-sided corrected resampled t-test of [1]_. Splits share training samples, so the
    variance of the mean difference of J splits is ``(1/J + n_test/n_train) s^2`` and not
    ``s^2 / J``. s^2 is at least the variance estimated from the differences of held-out points. The
    variance between a few splits can be too small, and it is not available with one split.

    Parameters
    ----------
    one, best : Scores
        Errors of the two methods.
    ratio : float
        Held-out samples for each training sample.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52
       (2003), 239-281.
    """
    from scipy import stats

    difference = np.subtract(one.errors, best.errors)
    points = [np.subtract(a, b) for a, b in zip(one.point_errors, best.point_errors, strict=True)]
    n_splits, mean = len(difference), float(difference.mean())
    variance = float(np.mean([d.var(ddof=1) / len(d) for d in points]))
    degrees = len(points[0]) - 1
    if n_splits > 1:
        variance, degrees = max(variance, float(difference.var(ddof=1))), n_splits - 1
    if variance == 0.0:  # both methods have the same predictions for all points
        return 1.0 if mean <= 0 else 0.0
    return float(stats.t.sf(mean / np.sqrt((1 / n_splits + ratio) * variance), degrees))


def adjust_by_holm(p_values: Sequence[float]) -> np.ndarray:
    """Adjust p-values for multiple tests by Holm's method.

    Examples
    --------
    >>> adjust_by_holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    raw = np.asarray(p_values, dtype=float)
    order = np.argsort(raw, kind="stable")
    factors = np.arange(len(raw), 0, -1)
    adjusted = np.empty(len(raw))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * raw[order]))
    return adjusted
