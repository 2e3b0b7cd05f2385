"""Several maps, none of which has seen the sample in question, vote together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import Comparison
from discrimap.inspection.budget import Budget, expected_seconds
from discrimap.inspection.folds import N_FOLDS, cross_votes
from discrimap.inspection.samples import Samples
from discrimap.metrics.knn import winning_shares
from discrimap.registry import Shape, get_method

# Chosen on digits with 3 % of the labels flipped, seeds 100 to 104 (benchmarks/label_errors.py
# reports others): a map to look at, of two dimensions, mixes too many classes to judge labels.
N_JURORS = 3
N_NEIGHBORS = 15
DIMENSIONS = (5, 20)  # fewest, where a method can have them, and most
MOST_CANDIDATES = 8


@dataclass(frozen=True, eq=False)
class Jury:
    """The votes of the chosen maps, averaged."""

    jurors: tuple[tuple[str, int], ...]  # label of the method and number of components
    n_neighbors: int
    votes: np.ndarray  # (n_labelled, n_classes) shares, or (n_labelled,) predictions


def convene_jury(
    comparison: Comparison, samples: Samples, protocol: Protocol, budget: Budget, share: float
) -> Jury | str:
    """Choose the three maps whose cross-validated neighbours err least, and average their votes.

    Candidates are the methods that were run, cheapest first, with as many components as there are
    classes less one (from 5 to 20, if the method can have them). Each is fitted five times, without
    a fifth of the samples each time, which are then judged by their neighbours.

    Parameters
    ----------
    comparison : Comparison
        Methods that were run, with the time of one fit.
    samples : Samples
        The data.
    protocol : Protocol
        Scaling and seed.
    budget : Budget
        Candidates that would not fit into ``share`` of it are not tried.
    share : float
        Part of the time that is left.

    Returns
    -------
    jury : Jury or str
        Or the reason why there is none.
    """
    rows = samples.labelled_rows
    n_train = len(rows) * (1 - 1 / N_FOLDS)
    n_neighbors = int(min(N_NEIGHBORS, n_train - 1))
    allowed = share * budget.left
    tried: list[tuple[float, int, str, int, np.ndarray]] = []
    for seconds, result, d in _candidates(comparison, samples, protocol)[:MOST_CANDIDATES]:
        if seconds > allowed:
            break
        before = budget.left
        votes = cross_votes(
            partial(get_method(result.name).make, d, protocol.seed),
            samples,
            n_neighbors=n_neighbors,
            scale=protocol.scale,
            seed=protocol.seed,
        )
        tried.append((_error(votes, samples), len(tried), result.label, d, votes))
        allowed -= before - budget.left
    if not tried:
        return "Every method takes too long to be fitted five times more."
    chosen = sorted(tried, key=lambda one: one[:2])[:N_JURORS]
    return Jury(
        jurors=tuple((label, d) for _, _, label, d, _ in chosen),
        n_neighbors=n_neighbors,
        votes=np.mean([votes for *_, votes in chosen], axis=0),
    )


def _candidates(comparison: Comparison, samples: Samples, protocol: Protocol):
    """Expected seconds, result and number of components of each method, cheapest first."""
    n_train = int(len(samples.labelled_rows) * (1 - 1 / N_FOLDS))
    wanted = int(np.clip(len(samples.class_names) - 1, *DIMENSIONS))
    found = []
    for result in comparison.done:
        method = get_method(result.name)
        shape = Shape(n_train, samples.X.shape[1], max(2, len(samples.class_names)), wanted)
        d = min(wanted, samples.X.shape[1], method.max_components(shape))
        if method.fixed_components is not None:
            d = method.fixed_components(shape)
        n_compared = (1 - protocol.test_size) * len(samples.labelled_rows)
        seconds = N_FOLDS * expected_seconds(result, shape, d, result.n_components, n_compared)
        found.append((seconds, result, d))
    return sorted(found, key=lambda one: one[0])


def _error(votes: np.ndarray, samples: Samples) -> float:
    y = samples.y[samples.labelled_rows]
    if samples.is_continuous:
        return float(np.mean((votes - y) ** 2))
    return float(1 - winning_shares(votes)[np.arange(len(y)), y].mean())
