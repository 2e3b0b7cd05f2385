"""Features, confusions and dimensions of all methods other than the one shown first."""

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

# Least time for all other methods together, as a share of the time of the inspection.
LEAST_SHARE = 1 / 30
# Expected times are multiplied by SAFETY, and OVERHEAD seconds are added for each fit.
SAFETY = 1.2
OVERHEAD = 0.02


@dataclass(frozen=True, eq=False)
class MethodDetails:
    """Details of one method; a part that could not be computed is replaced by the reason."""

    name: str
    label: str
    n_components: int
    features: FeatureEffects | str
    confusion: Confusion | str
    dimensions: DimensionCurve | str


class Shares:
    """Divide a time limit between several jobs.

    Each job gets the least time that it needs, plus an equal share of the time that is left over
    when it starts.

    Parameters
    ----------
    least : sequence of float
        Seconds that each job needs at least, in the order in which the jobs start.
    n_workers : int
        Number of jobs that run at the same time.
    budget : Budget
        Time limit of the inspection.
    """

    def __init__(self, least: Sequence[float], n_workers: int, budget: Budget):
        self._least, self._n_workers, self._whole = list(least), n_workers, budget
        self.seconds = max(LEAST_SHARE * budget.given, sum(least) / n_workers)
        self._budget: Budget | None = None

    def next(self) -> float:
        """Return the seconds of the next job. The time of all jobs starts with the first call."""
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
    """Return the jobs of all methods other than the one that is shown, fast jobs first.

    The time limit of all jobs together is the expected time of a curve of one split and one fit for
    the loadings of each method, and at least a small share of the time of the inspection. The
    remaining time is used for more splits and for intervals.

    Parameters
    ----------
    comparison : Comparison
        The result of the comparison.
    samples : NamedProblem
        The data.
    weighed : str or None
        Name of the method whose loadings are computed by another job.
    budget : Budget
        Time limit of the inspection.
    n_workers : int
        Number of jobs that run at the same time.

    Returns
    -------
    jobs : list of Job
        Features and dimensions of each method.
    shares : Shares
        The time of the jobs.
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
    step = "inspecting the other methods"
    return [Job(part, result, shares.next, step) for _, part, result in planned], shares
