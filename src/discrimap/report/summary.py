"""What the report shows, computed before any page is laid out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discrimap._version import __version__
from discrimap.comparison import Comparison, MethodResult


@dataclass(frozen=True)
class LabelledMap:
    """The first split in the map of one method: training points and held-out points."""

    label: str
    train: np.ndarray
    train_classes: np.ndarray
    test: np.ndarray
    test_classes: np.ndarray


@dataclass(frozen=True)
class Summary:
    """Everything on the page, in plain values; templates do no arithmetic."""

    title: str
    verdict: str
    comparison: Comparison
    best_map: LabelledMap | None
    notices: tuple[str, ...]
    version: str = __version__


def summarise(comparison: Comparison, labels, notices=()) -> Summary:
    """Gather what the report shows.

    Parameters
    ----------
    comparison : Comparison
        The outcome of :func:`discrimap.comparison.compare`.
    labels : array-like of shape (n_samples,)
        The class of each sample, as it shall be written.
    notices : sequence of str
        What there is to say of the data.
    """
    return Summary(
        title=f"{comparison.data_name}: what do its classes look like?",
        verdict=verdict(comparison),
        comparison=comparison,
        best_map=_label_map(comparison.done[0], np.asarray(labels)) if comparison.done else None,
        notices=tuple(notices),
    )


def _label_map(result: MethodResult, labels: np.ndarray) -> LabelledMap | None:
    split = result.first_map
    if split is None:
        return None
    return LabelledMap(
        label=result.label,
        train=split.train,
        train_classes=labels[split.train_rows],
        test=split.test,
        test_classes=labels[split.test_rows],
    )


def verdict(comparison: Comparison) -> str:
    """Say in a sentence whether the best picture can be trusted.

    The best method counts as evidence when its worst split beats the best split of the control.
    For one method and five independent splits chance does that in 1 of 252 cases; the best of many
    methods on overlapping splits has more chances, so read this as a screen, not as a p-value.
    """
    if not comparison.done:
        return "No method could be fitted; the reasons are given with each."
    best = comparison.done[0]
    held_out, control = best.test_errors, best.permuted_errors
    if max(held_out) < min(control):
        return (
            f"{best.label} separates the classes best: it errs on {percent(held_out)} of held-out "
            f"points, against {percent(control)} with permuted labels."
        )
    return (
        f"No evidence of class structure: the best method, {best.label}, errs on "
        f"{percent(held_out)} of held-out points, and on {percent(control)} with permuted labels."
    )


def percent(errors) -> str:
    """Write errors as mean and, from two on, standard deviation in per cent."""
    mean = f"{100 * np.mean(errors):.1f}"
    return f"{mean} ± {100 * np.std(errors, ddof=1):.1f} %" if len(errors) > 1 else f"{mean} %"
