"""All parts of the inspection of a comparison, within one time limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from discrimap.comparison.result import Comparison
from discrimap.inspection.budget import Budget
from discrimap.inspection.confusion import Confusion, count_confusions
from discrimap.inspection.dimensions import DimensionCurve, trace_dimensions
from discrimap.inspection.features import FeatureEffects, telling_features, weigh_features
from discrimap.inspection.jury import convene_jury
from discrimap.inspection.maps import Maps, collect_maps
from discrimap.inspection.named_problem import NamedProblem
from discrimap.inspection.other_methods import MethodDetails, attempt, look_at_others
from discrimap.inspection.suspects import Suspects, find_suspects


@dataclass(frozen=True, eq=False)
class Inspection:
    """A closer look at the methods; a part that cannot be computed is replaced by the reason."""

    name: str
    label: str
    n_components: int
    maps: Maps | str
    features: FeatureEffects | str
    suspects: Suspects | str
    confusion: Confusion | str
    dimensions: DimensionCurve | str
    others: tuple[MethodDetails, ...] = ()  # the same of the other methods, best first

    @property
    def methods(self) -> tuple[MethodDetails, ...]:
        """Details of all methods, the one that is shown first."""
        parts = (self.features, self.confusion, self.dimensions)
        return MethodDetails(self.name, self.label, self.n_components, *parts), *self.others


def inspect(
    comparison: Comparison,
    samples: NamedProblem,
    *,
    seconds: float = 60.0,
    on_step: Callable[[str], None] | None = None,
) -> Inspection | None:
    """Inspect the method that a comparison shows: the simplest of those as good as the best.

    The other methods are looked at in a small part of the time, see
    :func:`~discrimap.inspection.other_methods.look_at_others`.

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
    features = attempt(weigh_features, comparison, samples, protocol, budget.part(0.3))
    ranking = telling_features(samples, protocol) if isinstance(features, str) else features.ranking
    maps = collect_maps(comparison, samples, ranking, protocol.seed)

    say("trying other numbers of dimensions")
    dimensions = attempt(trace_dimensions, shown, samples, protocol, budget.part(0.4))

    say("checking the labels")
    jury = convene_jury(comparison, samples, protocol, budget)
    suspects = jury if isinstance(jury, str) else find_suspects(jury, samples)

    say("looking at the other methods")
    others = look_at_others(comparison, samples, budget)
    return Inspection(
        name=shown.name,
        label=shown.label,
        n_components=shown.n_components,
        maps=maps if maps is not None else "No map was kept.",
        features=features,
        suspects=suspects,
        confusion=count_confusions(shown, samples),
        dimensions=dimensions,
        others=others,
    )
