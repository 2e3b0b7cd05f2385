"""Everything the report shows beyond the leaderboard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from discrimap.comparison.result import Comparison
from discrimap.inspection.budget import Budget
from discrimap.inspection.confusion import Confusion, count_confusions
from discrimap.inspection.dimensions import DimensionCurve, trace_dimensions
from discrimap.inspection.features import FeatureEffects, telling_features, weigh_features
from discrimap.inspection.folds import N_FOLDS, cross_votes
from discrimap.inspection.maps import Maps, collect_maps
from discrimap.inspection.samples import Samples
from discrimap.inspection.suspects import Suspects, find_suspects
from discrimap.registry import get_method


@dataclass(frozen=True, eq=False)
class Inspection:
    """A closer look at the best method; a part that has no answer is the sentence that says why."""

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
    samples: Samples,
    *,
    seconds: float = 60.0,
    on_step: Callable[[str], None] | None = None,
) -> Inspection | None:
    """Look closer at the best method of a comparison.

    Parameters
    ----------
    comparison : Comparison
        Methods that were run.
    samples : Samples
        The data they were run on.
    seconds : float
        Time for all of it; what would take longer is reduced or left out, with the reason.
    on_step : callable, optional
        Told in words what comes next.

    Returns
    -------
    inspection : Inspection or None
        None where no method was fitted.
    """
    if not comparison.done:
        return None
    say = on_step or (lambda _: None)
    budget, protocol, best = Budget(seconds), comparison.protocol, comparison.done[0]

    say("weighing the features")
    features = weigh_features(comparison, samples, protocol, budget, share=0.3)
    ranking = telling_features(samples) if isinstance(features, str) else features.ranking
    maps = collect_maps(comparison, samples, ranking, protocol.seed)

    say("trying other numbers of dimensions")
    dimensions = trace_dimensions(best, samples, protocol, budget, share=0.5)

    say("checking the labels")
    confusion: Confusion | str
    suspects: Suspects | str
    if samples.is_continuous:
        confusion = suspects = "The target is a number: there are no classes to confuse."
    elif not budget.allows(N_FOLDS * best.seconds * 1.5):
        confusion = suspects = f"{best.label} takes too long to be fitted {N_FOLDS} times more."
    else:
        method = get_method(best.name)
        votes = cross_votes(
            lambda: method.make(best.n_components, random_state=protocol.seed),
            samples,
            n_neighbors=protocol.n_neighbors,
            scale=protocol.scale,
            seed=protocol.seed,
        )
        confusion = count_confusions(votes, samples)
        suspects = find_suspects(votes, samples, label=best.label, n_components=best.n_components)
    return Inspection(
        name=best.name,
        label=best.label,
        n_components=best.n_components,
        maps=maps if maps is not None else "No map was kept.",
        features=features,
        suspects=suspects,
        confusion=confusion,
        dimensions=dimensions,
    )
