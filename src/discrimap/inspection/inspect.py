"""All parts of the inspection of a comparison, within one time limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from discrimap.comparison.result import Comparison, MethodResult
from discrimap.comparison.workers import Workers
from discrimap.inspection.budget import Budget, TooLong
from discrimap.inspection.confusion import Confusion, count_confusions
from discrimap.inspection.dimensions import DimensionCurve, trace_dimensions
from discrimap.inspection.features import (
    FeatureEffects,
    choose_linear,
    telling_features,
    weigh_features,
)
from discrimap.inspection.jobs import Job, run_jobs
from discrimap.inspection.jury import candidate_votes, choose_jurors, jury_candidates
from discrimap.inspection.maps import Maps, collect_maps
from discrimap.inspection.named_problem import NamedProblem
from discrimap.inspection.other_methods import MethodDetails, jobs_of_others
from discrimap.inspection.suspects import Suspects, find_suspects

# Shares of the time that remains when these parts start.
SHARE_OF_FEATURES = 0.3
SHARE_OF_DIMENSIONS = 0.4
# Largest share of the whole time that is reserved for the other methods.
SHARE_OF_OTHERS = 0.3


@dataclass(frozen=True, eq=False)
class Inspection:
    """Details of the method that a comparison shows, and of the other methods.

    A part that could not be computed is replaced by a text that states the reason.

    Attributes
    ----------
    name, label : str
        Name of the method in the registry, and its name in tables.
    n_components : int
        Number of dimensions of the map.
    maps : Maps or str
        Coordinates of the samples.
    features : FeatureEffects or str
        Contribution of each feature.
    suspects : Suspects or str
        Samples whose labels may be wrong.
    confusion : Confusion or str
        Which classes are confused.
    dimensions : DimensionCurve or str
        Errors for other numbers of dimensions.
    others : tuple of MethodDetails
        Features, confusion and dimensions of the other methods, best first.

    Examples
    --------
    >>> from discrimap.comparison import Protocol, compare
    >>> from discrimap.datasets import load
    >>> from discrimap.inspection import NamedProblem
    >>> from discrimap.inspection.inspect import inspect
    >>> wine = load("wine")
    >>> comparison = compare(wine, methods=["lda"], protocol=Protocol(n_repeats=2))
    >>> inspection = inspect(comparison, NamedProblem.from_dataset(wine), seconds=5)
    >>> inspection.label, inspection.n_components
    ('LDA', 2)
    """

    name: str
    label: str
    n_components: int
    maps: Maps | str
    features: FeatureEffects | str
    suspects: Suspects | str
    confusion: Confusion | str
    dimensions: DimensionCurve | str
    others: tuple[MethodDetails, ...] = ()  # details of the other methods, best first

    @property
    def methods(self) -> tuple[MethodDetails, ...]:
        """Details of all methods; the method that the comparison shows comes first."""
        parts = (self.features, self.confusion, self.dimensions)
        return MethodDetails(self.name, self.label, self.n_components, *parts), *self.others


def inspect(
    comparison: Comparison,
    samples: NamedProblem,
    *,
    seconds: float = 60.0,
    on_step: Callable[[str], None] | None = None,
    workers: Workers | None = None,
) -> Inspection | None:
    """Inspect the method that a comparison shows: the simplest of the methods tied with the best.

    A small share of the time is used for the other methods; see
    :func:`~discrimap.inspection.other_methods.jobs_of_others`.

    Parameters
    ----------
    comparison : Comparison
        The result of a comparison.
    samples : NamedProblem
        The data of the comparison.
    seconds : float
        Time for all parts. Parts that would take longer are reduced, or replaced by the reason.
    on_step : callable, optional
        Called with a description of each step before it starts.
    workers : Workers, optional
        Processes for the additional fits; by default these run in the current process.

    Returns
    -------
    inspection : Inspection or None
        None if no method was fitted.

    Examples
    --------
    >>> from discrimap.comparison import Protocol, compare
    >>> from discrimap.datasets import load
    >>> from discrimap.inspection import NamedProblem
    >>> from discrimap.inspection.inspect import inspect
    >>> wine = load("wine")
    >>> comparison = compare(wine, methods=["lda"], protocol=Protocol(n_repeats=2))
    >>> inspect(comparison, NamedProblem.from_dataset(wine), seconds=5).name
    'lda'
    """
    shown = comparison.shown_result
    if shown is None:
        return None
    budget, protocol = Budget(seconds), comparison.protocol
    weighed = choose_linear(comparison, samples, protocol, Budget(SHARE_OF_FEATURES * seconds))
    jobs = _jobs(
        comparison, shown, samples, weighed, budget, 1 if workers is None else workers.n_workers
    )
    found = {
        (job.part, job.result.name): _told(part, seconds)
        for job, part in zip(jobs, run_jobs(jobs, samples, protocol, workers, on_step), strict=True)
    }

    features = weighed if isinstance(weighed, str) else found[weigh_features, weighed.name]
    ranking = telling_features(samples, protocol) if isinstance(features, str) else features.ranking
    maps = collect_maps(comparison, samples, ranking, protocol.seed)
    jury = choose_jurors(
        found[candidate_votes, result.name] for result in jury_candidates(comparison)
    )
    return Inspection(
        name=shown.name,
        label=shown.label,
        n_components=shown.n_components,
        maps=maps if maps is not None else "No map was kept.",
        features=features,
        suspects=jury if isinstance(jury, str) else find_suspects(jury, samples),
        confusion=count_confusions(shown, samples),
        dimensions=found[trace_dimensions, shown.name],
        others=tuple(
            MethodDetails(
                name=result.name,
                label=result.label,
                n_components=result.n_components,
                features=found[weigh_features, result.name],
                confusion=count_confusions(result, samples),
                dimensions=found[trace_dimensions, result.name],
            )
            for result in comparison.done
            if result is not shown
        ),
    )


def _jobs(
    comparison: Comparison,
    shown: MethodResult,
    samples: NamedProblem,
    weighed: MethodResult | str,
    budget: Budget,
    n_workers: int,
) -> list[Job]:
    """Return the parts that need fits, most important first."""
    name = None if isinstance(weighed, str) else weighed.name
    others, shares = jobs_of_others(comparison, samples, name, budget, n_workers)
    kept = min(shares.seconds, budget.given * SHARE_OF_OTHERS)
    jobs = []
    if not isinstance(weighed, str):
        seconds = partial(budget.part, SHARE_OF_FEATURES)
        jobs.append(Job(weigh_features, weighed, seconds, "weighing the features"))
    seconds = partial(budget.part, SHARE_OF_DIMENSIONS)
    jobs.append(Job(trace_dimensions, shown, seconds, "trying other numbers of dimensions"))
    jobs += [
        Job(candidate_votes, result, lambda: max(0.0, budget.left - kept), "checking the labels")
        for result in jury_candidates(comparison)
    ]
    return jobs + others


def _told(part: Any, seconds: float) -> Any:
    """Return a part, or a sentence with the reason why it is missing."""
    return part.in_words(seconds) if isinstance(part, TooLong) else part
