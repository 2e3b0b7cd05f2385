"""All parts of the inspection of a comparison, within one time limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from discrimap.comparison.result import Comparison, describe_error
from discrimap.inspection.budget import Budget
from discrimap.inspection.confusion import Confusion, count_confusions
from discrimap.inspection.dimensions import DimensionCurve, trace_dimensions
from discrimap.inspection.features import FeatureEffects, telling_features, weigh_features
from discrimap.inspection.folds import N_FOLDS, cross_votes, n_outside_fold
from discrimap.inspection.jury import convene_jury
from discrimap.inspection.maps import Maps, collect_maps
from discrimap.inspection.named_problem import NamedProblem
from discrimap.inspection.refits import Refit
from discrimap.inspection.suspects import Suspects, find_suspects


@dataclass(frozen=True, eq=False)
class Inspection:
    """Inspection of the method that is shown; a part that cannot be computed is replaced by the reason."""

    name: str
    label: str
    n_components: int
    maps: Maps | str
    features: FeatureEffects | str
    suspects: Suspects | str
    confusion: Confusion | str
    dimensions: DimensionCurve | str


def inspect(
    comparison: Comparison,
    samples: NamedProblem,
    *,
    seconds: float = 60.0,
    on_step: Callable[[str], None] | None = None,
) -> Inspection | None:
    """Inspect the method that a comparison shows: the simplest of those as good as the best.

    Parameters
    ----------
    comparison : Comparison
        Methods that were run.
    samples : NamedProblem
        The data they were run on.
    seconds : float
        Time for all parts; those that would take longer are reduced or left out, with the reason.
    on_step : callable, optional
        Called with a description of each step before it starts.

    Returns
    -------
    inspection : Inspection or None
        None where no method was fitted.
    """
    shown = comparison.shown_result
    if shown is None:
        return None
    say = on_step or (lambda _: None)
    budget, protocol = Budget(seconds), comparison.protocol

    say("weighing the features")
    features = _attempt(weigh_features, comparison, samples, protocol, budget.part(0.3))
    ranking = telling_features(samples, protocol) if isinstance(features, str) else features.ranking
    maps = collect_maps(comparison, samples, ranking, protocol.seed)

    say("trying other numbers of dimensions")
    dimensions = _attempt(trace_dimensions, shown, samples, protocol, budget.part(0.4))

    say("checking the labels")
    confusion = _attempt(_confuse, shown, samples, protocol, budget.part(0.6))
    jury = convene_jury(comparison, samples, protocol, budget)
    suspects = jury if isinstance(jury, str) else find_suspects(jury, samples)
    return Inspection(
        name=shown.name,
        label=shown.label,
        n_components=shown.n_components,
        maps=maps if maps is not None else "No map was kept.",
        features=features,
        suspects=suspects,
        confusion=confusion,
        dimensions=dimensions,
    )


def _attempt(part: Callable[..., Any], *arguments: Any) -> Any:
    """Return one part, or the error as a sentence, so that the other parts are still computed."""
    try:
        return part(*arguments)
    except Exception as error:
        return f"A further fit failed: {describe_error(error)}"


def _confuse(shown: Any, samples: NamedProblem, protocol: Any, budget: Budget) -> Confusion | str:
    if samples.is_continuous:
        return "The target is a number: there are no classes to confuse."
    refit = Refit(shown, samples, protocol)
    n_train = n_outside_fold(len(samples.labelled_rows))
    if not budget.allows(N_FOLDS * refit.seconds(shown.n_components, n_train)):
        return f"{shown.label} takes too long to be fitted {N_FOLDS} times more."
    votes = cross_votes(refit, shown.n_components, protocol.n_neighbors, protocol.seed)
    return count_confusions(votes, samples)
