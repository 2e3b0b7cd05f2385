"""Votes on each label by several maps that were fitted without the sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import Comparison
from discrimap.inspection.budget import Budget
from discrimap.inspection.folds import N_FOLDS, cross_votes, n_outside_fold
from discrimap.inspection.named_problem import NamedProblem
from discrimap.inspection.refits import Refit
from discrimap.metrics.knn import winning_shares

# Chosen on digits with 3 % of the labels flipped, seeds 100 to 104 (benchmarks/label_errors.py and
# tests/inspection/test_label_errors.py have others): a map of two dimensions mixes too many classes
# to judge labels, and five jurors were never worse than three.
N_JURORS = 5
N_NEIGHBORS = 15
DIMENSIONS = (5, 20)  # fewest, if a method can have as many, and most
MOST_CANDIDATES = 12


@dataclass(frozen=True, eq=False)
class Jury:
    """The votes of the chosen maps, averaged."""

    jurors: tuple[tuple[str, int], ...]  # label of the method and number of components
    n_neighbors: int
    votes: np.ndarray  # (n_labelled, n_classes) shares, or (n_labelled,) predictions


def convene_jury(
    comparison: Comparison, samples: NamedProblem, protocol: Protocol, budget: Budget
) -> Jury | str:
    """Choose the five maps with the smallest cross-validated errors, and average their votes.

    Candidates are the methods that were run, cheapest first, with as many components as there are
    classes less one (from 5 to 20, if the method can have them). Each is fitted five times, each
    time without a fifth of the samples, which are then judged by their neighbours.

    Parameters
    ----------
    comparison : Comparison
        Methods that were run, with the time of one fit.
    samples : NamedProblem
        The data.
    protocol : Protocol
        Scaling and seed.
    budget : Budget
        Candidates that would not fit into it are not tried.

    Returns
    -------
    jury : Jury or str
        The votes, or the reason why there are none.
    """
    n_train = n_outside_fold(len(samples.labelled_rows))
    n_neighbors = min(N_NEIGHBORS, n_train - 1)
    tried: list[tuple[float, int, str, int, np.ndarray]] = []
    for refit, d in _candidates(comparison, samples, protocol, n_train)[:MOST_CANDIDATES]:
        if not budget.allows(N_FOLDS * refit.seconds(d, n_train)):
            continue
        try:
            votes = cross_votes(refit, d, n_neighbors, protocol.seed)
        except Exception:  # a method that fails with other components or rows is left out
            continue
        tried.append((_error(votes, samples), len(tried), refit.result.label, d, votes))
    if not tried:
        return f"Every method fails or takes too long when it is fitted {N_FOLDS} times more."
    chosen = sorted(tried, key=lambda one: one[:2])[:N_JURORS]
    return Jury(
        jurors=tuple((label, d) for _, _, label, d, _ in chosen),
        n_neighbors=n_neighbors,
        votes=np.mean([votes for *_, votes in chosen], axis=0),
    )


def _candidates(comparison: Comparison, samples: NamedProblem, protocol: Protocol, n_train: int):
    """Return method and number of components of each candidate, simple and cheap ones first.

    They are not sorted by measured times, so that the choice does not depend on the load of the
    machine.
    """
    wanted = int(np.clip(len(samples.class_names) - 1, *DIMENSIONS))
    found = []
    for result in comparison.done:
        refit = Refit(result, samples, protocol)
        d = refit.most_components(n_train)
        if refit.method.fixed_components is None:
            d = min(d, wanted)
        found.append((refit, d))
    return sorted(found, key=lambda one: one[0].method.simplicity)


def _error(votes: np.ndarray, samples: NamedProblem) -> float:
    y = samples.y[samples.labelled_rows]
    if samples.is_continuous:
        return float(np.mean((votes - y) ** 2))
    return float(1 - winning_shares(votes)[np.arange(len(y)), y].mean())
