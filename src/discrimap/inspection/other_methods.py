"""Features, confusions and dimensions of the methods that are not shown first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from discrimap.comparison.result import Comparison, MethodResult
from discrimap.inspection.budget import Budget
from discrimap.inspection.confusion import Confusion
from discrimap.inspection.dimensions import DimensionCurve, expected_seconds, trace_dimensions
from discrimap.inspection.features import FeatureEffects, weigh_features
from discrimap.inspection.jobs import Job
from discrimap.inspection.named_problem import NamedProblem
from discrimap.inspection.refits import Refit

# Time for all of them, at least, as a share of the time of the whole inspection.
LEAST_SHARE = 1 / 30
# Expected times are multiplied by this, and this is added, for what comes with a fit.
SAFETY = 1.2
OVERHEAD = 0.02


@dataclass(frozen=True, eq=False)
class MethodDetails:
    """One method; a part that cannot be computed, or not in time, is replaced by the reason."""

    name: str
    label: str
    n_components: int
    features: FeatureEffects | str
    confusion: Confusion | str
    dimensions: DimensionCurve | str


class Shares:
    """Time that several jobs have together.

    Each gets the least that it needs, and an equal part of what is spare at its turn.

    Parameters
    ----------
    least : sequence of float
        Seconds that each job needs at least, in the order of their turns.
    n_workers : int
        How many jobs run at the same time.
    budget : Budget
        Time of the inspection.
    """

    def __init__(self, least: Sequence[float], n_workers: int, budget: Budget):
        self._least, self._n_workers, self._whole = list(least), n_workers, budget
        self.seconds = max(LEAST_SHARE * budget.given, sum(least) / n_workers)
        self._budget: Budget | None = None

    def next(self) -> float:
        """Return the seconds of the job whose turn it is; the time for all begins with the first."""
        if self._budget is None:
            self._budget = Budget(min(self.seconds, self._whole.left))
        left = self._budget.left
        spare = max(0.0, self._n_workers * left - sum(self._least))
        return min(left, self._least.pop(0) + spare / (len(self._least) + 1))


def jobs_of_others(
    comparison: Comparison,
    samples: NamedProblem,
    weighed: str | None,
    budget: Budget,
    n_workers: int,
) -> tuple[list[Job], Shares]:
    """Return what is to be done for all methods but the one that is shown, quick jobs first.

    Together they have the time that a curve of one split and one fit for the loadings of each method are
    expected to take, and at least a small share of that of the inspection. More splits and intervals are
    made in what is left of it.

    Parameters
    ----------
    comparison : Comparison
        Methods that were run.
    samples : NamedProblem
        The data.
    weighed : str or None
        Name of the method whose features are weighed anyway.
    budget : Budget
        Of the inspection.
    n_workers : int
        How many jobs run at the same time.

    Returns
    -------
    jobs : list of Job
        Features and dimensions of each method.
    shares : Shares
        Their time.
    """
    planned: list[tuple[float, Callable[..., Any], MethodResult]] = []
    for result in comparison.done:
        if result is comparison.shown_result:
            continue
        refit = Refit(result, samples, comparison.protocol)
        planned.append((sum(expected_seconds(refit)), trace_dimensions, result))
        if result.name != weighed:
            one_fit = refit.seconds_of_all() if result.method.family == "linear" else 0.0
            planned.append((one_fit, weigh_features, result))
    planned.sort(key=lambda one: one[0])
    shares = Shares([SAFETY * one[0] + OVERHEAD for one in planned], n_workers, budget)
    step = "looking at the other methods"
    return [Job(part, result, shares.next, step) for _, part, result in planned], shares
