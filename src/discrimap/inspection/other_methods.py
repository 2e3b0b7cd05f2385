"""Features, confusions and dimensions of the methods that are not shown first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import Comparison, MethodResult, describe_error
from discrimap.inspection.budget import Budget
from discrimap.inspection.confusion import Confusion, count_confusions
from discrimap.inspection.dimensions import DimensionCurve, trace_dimensions
from discrimap.inspection.features import FeatureEffects, weigh_method
from discrimap.inspection.named_problem import NamedProblem
from discrimap.inspection.refits import Refit

# Time for all of them, as a share of the time of the fits of the comparison, and at least.
SHARE_OF_COMPARISON = 0.1
FEWEST_SECONDS = 4.0


@dataclass(frozen=True, eq=False)
class MethodDetails:
    """One method; a part that cannot be computed, or not in time, is replaced by the reason."""

    name: str
    label: str
    n_components: int
    features: FeatureEffects | str
    confusion: Confusion | str
    dimensions: DimensionCurve | str


def look_at_others(
    comparison: Comparison, samples: NamedProblem, budget: Budget
) -> tuple[MethodDetails, ...]:
    """Look at all methods but the one that is shown, in a tenth of its time or four seconds.

    Confusions come from the predictions that were made. Loadings take one fit, their intervals and the
    curve of dimensions many: the methods that take least time have their turn first, and what they
    leave of their equal shares goes to the others.

    Parameters
    ----------
    comparison : Comparison
        Methods that were run.
    samples : NamedProblem
        The data.
    budget : Budget
        Time that is left.

    Returns
    -------
    details : tuple of MethodDetails
        In the order of the table.
    """
    protocol, shown = comparison.protocol, comparison.shown_result
    others = [result for result in comparison.done if result is not shown]
    spent = sum(result.seconds * len(result.splits) for result in comparison.done)
    budget = Budget(min(budget.left, max(FEWEST_SECONDS, SHARE_OF_COMPARISON * spent)))
    found = {}
    for n_before, result in enumerate(sorted(others, key=lambda one: one.seconds)):
        part = budget.part(1 / (len(others) - n_before))
        found[result.name] = MethodDetails(
            name=result.name,
            label=result.label,
            n_components=result.n_components,
            features=_loadings(result, samples, protocol, part, budget),
            confusion=count_confusions(result, samples),
            dimensions=attempt(trace_dimensions, result, samples, protocol, part),
        )
    return tuple(found[result.name] for result in others)


def _loadings(
    result: MethodResult, samples: NamedProblem, protocol: Protocol, part: Budget, budget: Budget
) -> FeatureEffects | str:
    """Weigh the features with half of the method's part, or with one fit if that is too little."""
    if result.method.family != "linear":
        return f"{result.label} is not linear, and only linear methods weigh the features."
    refit = Refit(result, samples, protocol)
    one_fit = 1.5 * refit.seconds(result.n_components, len(samples.labelled_rows))
    seconds = max(part.left / 2, min(one_fit, budget.left))
    return attempt(weigh_method, refit, Budget(seconds))


def attempt(part: Callable[..., Any], *arguments: Any) -> Any:
    """Return one part, or the error as a sentence, so that the other parts are still computed."""
    try:
        return part(*arguments)
    except Exception as error:
        return f"A further fit failed: {describe_error(error)}"
