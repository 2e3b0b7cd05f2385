"""Comparison of starts by a few iterations from each of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg

from discrimap._typing import Array
from discrimap.optimisers import Solution, Step, minimise_each
from discrimap.optimisers.near_ties import first_of_best

SEARCH_ITERATIONS, SEARCH_TOL = 40, 1e-4
# Number of starts that run first in the comparison: init, the width search and PCA.
N_LEADERS = 3
# At each of these iterations, a search stops if its value exceeds the value of the best leader by
# this fraction. The searches that were best at the end (20 on ten data sets) were behind by at most
# 0.26, 0.08 and 0.04.
BEHIND = {10: 0.5, 15: 0.16, 25: 0.08}
NEAR_ZERO = 0.1
# Every few iterations, a search stops if its subspace is so close to that of a leader that it
# converges to the same optimum: the smallest cosine of the angles between them.
CHECKED_EVERY, CLOSE = 3, 0.98


def best_of_race(
    objective: Any,
    starts: Any,
    nanoseconds: float = 0.0,
    to_projection: Callable[[Array], Array] | None = None,
) -> Any:
    """Parameters with the best value after a few iterations from each start.

    The first N_LEADERS starts run first. The other starts stop early if their value is clearly
    worse than the best of the first starts, or if they approach the result of one of them.

    Parameters
    ----------
    objective : object
        As for :func:`~discrimap.optimisers.minimise_each`.
    starts : list of ndarray
        Initial parameters.
    nanoseconds : float, default=0.0
        Time of one evaluation; see :func:`~discrimap.optimisers.minimise_each`.
    to_projection : callable, default=None
        ``params -> W``: orthonormal basis of the subspace that determines the optimum. By default,
        searches that approach the same optimum are not recognised.
    """
    options = {"nanoseconds": nanoseconds, "max_iter": SEARCH_ITERATIONS, "tol": SEARCH_TOL}
    searches = minimise_each(objective, starts[:N_LEADERS], **options)
    if len(starts) > N_LEADERS:
        limits = _limits_of(searches)
        found = [to_projection(search.params) for search in searches] if to_projection else []

        def is_needless(step: Step) -> bool:
            if step.value > limits.get(step.n_iter, math.inf):
                return True
            if to_projection is None or step.n_iter % CHECKED_EVERY:
                return False
            W = to_projection(step.params)
            return any(_is_close(W, leader) for leader in found)

        searches += minimise_each(objective, starts[N_LEADERS:], callback=is_needless, **options)
    return best_params(searches)


def _limits_of(leaders: list[Solution]) -> dict[int, float]:
    """Values, by iteration, above which a search is clearly worse than the best leader."""
    limits = {}
    # The median, because the value at one of the starts may be very large if the kernel is narrow.
    scale = float(np.median([abs(leader.loss_curve[0]) for leader in leaders]))
    for n_iter, margin in BEHIND.items():
        best = min(leader.loss_curve[min(n_iter, leader.n_iter)] for leader in leaders)
        # Values near zero may differ by large factors although their difference is small.
        limits[n_iter] = best + margin * max(abs(best), NEAR_ZERO * scale)
    return limits


def _is_close(W: Array, other: Array) -> bool:
    """Return whether the largest angle between two subspaces is small."""
    return float(linalg.svdvals(W.T @ other)[-1]) > CLOSE


def best_params(searches: list[Solution]) -> Array:
    """Parameters of the best search; if several are nearly equal, of the first of them."""
    highest = max(abs(search.loss_curve[0]) for search in searches)
    return searches[first_of_best([search.value for search in searches], scale=highest)].params
