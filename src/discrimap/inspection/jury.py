"""Votes on each label by several maps that were fitted without the sample."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import Comparison, MethodResult
from discrimap.inspection.budget import Budget
from discrimap.inspection.folds import N_FOLDS, cross_votes, n_outside_fold
from discrimap.inspection.named_problem import NamedProblem
from discrimap.inspection.refits import Refit
from discrimap.metrics.knn import winning_shares

# Chosen on digits with 3 % of the labels flipped, seeds 100 to 104. benchmarks/label_errors.py and
# tests/inspection/test_label_errors.py use other seeds. Too many classes overlap in a map of two
# dimensions, and five jurors were never worse than three.
N_JURORS = 5
N_NEIGHBORS = 15
DIMENSIONS = (5, 20)  # smallest (if the method allows it) and largest number
MOST_CANDIDATES = 12


@dataclass(frozen=True, eq=False)
class Votes:
    """The votes of one method, and their error rate."""

    label: str
    n_components: int
    n_neighbors: int
    votes: np.ndarray  # (n_labelled, n_classes) shares, or (n_labelled,) predictions
    error: float


@dataclass(frozen=True, eq=False)
class Jury:
    """The mean votes of the chosen methods."""

    jurors: tuple[tuple[str, int], ...]  # label of the method and number of components
    n_neighbors: int
    votes: np.ndarray  # (n_labelled, n_classes) shares, or (n_labelled,) predictions


def convene_jury(
    comparison: Comparison, samples: NamedProblem, protocol: Protocol, budget: Budget
) -> Jury | str:
    """Compute the votes of all candidates, one after the other, and choose the jurors.

    Parameters
    ----------
    comparison : Comparison
        The methods, with the time of one fit.
    samples : NamedProblem
        The data.
    protocol : Protocol
        Scaling and seed.
    budget : Budget
        Time limit. Candidates that would exceed it are skipped.

    Returns
    -------
    jury : Jury or str
        The votes, or the reason why there are none.
    """
    return choose_jurors(
        candidate_votes(result, samples, protocol, budget) for result in jury_candidates(comparison)
    )


def jury_candidates(comparison: Comparison) -> list[MethodResult]:
    """Return the methods that may be jurors, simple and fast methods first.

    Measured times are not used for sorting, so that the choice does not depend on the load of the
    machine.
    """
    found = sorted(comparison.done, key=lambda result: result.method.simplicity)
    return found[:MOST_CANDIDATES]


def candidate_votes(
    result: MethodResult, samples: NamedProblem, protocol: Protocol, budget: Budget
) -> Votes | None:
    """Return the cross-validated votes of the neighbours of each sample in maps of one method.

    The number of components is the number of classes minus one, limited to 5 to 20, or fewer if the
    method has fewer. The method is fitted five times, each time without a fifth of the samples.

    Parameters
    ----------
    result : MethodResult
        The method, with the time of one fit.
    samples : NamedProblem
        The data.
    protocol : Protocol
        Scaling and seed.
    budget : Budget
        Time limit for five fits.

    Returns
    -------
    votes : Votes or None
        None if the time is too short, or if the method fails with this number of components or
        rows.
    """
    n_train = n_outside_fold(len(samples.labelled_rows))
    n_neighbors = min(N_NEIGHBORS, n_train - 1)
    refit = Refit(result, samples, protocol)
    d = refit.most_components(n_train)
    if refit.method.fixed_components is None:
        d = min(d, int(np.clip(len(samples.class_names) - 1, *DIMENSIONS)))
    if not budget.allows(N_FOLDS * refit.seconds(d, n_train)):
        return None
    try:
        votes = cross_votes(refit, d, n_neighbors, protocol.seed)
    except Exception:
        return None
    return Votes(result.label, d, n_neighbors, votes, _error(votes, samples))


def choose_jurors(candidates: Iterable[Votes | None]) -> Jury | str:
    """Choose the five candidates with the smallest cross-validated errors, and average their votes.

    Parameters
    ----------
    candidates : iterable of Votes or None
        From :func:`candidate_votes`.

    Returns
    -------
    jury : Jury or str
        The votes, or the reason why there are none.
    """
    tried = [one for one in candidates if isinstance(one, Votes)]
    if not tried:
        return f"Every method fails or takes too long when it is fitted {N_FOLDS} times more."
    chosen = sorted(tried, key=lambda one: one.error)[:N_JURORS]
    return Jury(
        jurors=tuple((one.label, one.n_components) for one in chosen),
        n_neighbors=chosen[0].n_neighbors,
        votes=np.mean([one.votes for one in chosen], axis=0),
    )


def _error(votes: np.ndarray, samples: NamedProblem) -> float:
    y = samples.y[samples.labelled_rows]
    if samples.is_continuous:
        return float(np.mean((votes - y) ** 2))
    return float(1 - winning_shares(votes)[np.arange(len(y)), y].mean())
