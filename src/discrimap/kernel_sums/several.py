"""Evaluation of an engine at several maps of the same points."""

from __future__ import annotations

from typing import Any

import numpy as np

from discrimap._typing import Array
from discrimap.kernel_sums.costs import exact_cost
from discrimap.kernel_sums.exact import ExactEvaluations, ExactPairSums
from discrimap.threads import run_tasks


def evaluate_each(engine: Any, Zs: Array) -> ExactEvaluations | SeparateEvaluations:
    """Evaluate an engine at several maps, in parallel.

    Parameters
    ----------
    engine : object
        Result of :func:`~discrimap.kernel_sums.make_engine` or
        :func:`~discrimap.kernel_sums.make_row_engine`.
    Zs : ndarray of shape (n_maps, n_samples, n_components)
        The maps.

    Returns
    -------
    evaluations : object
        With ``totals`` (n_maps, n_terms) and ``gradient(coefficients)`` in the shape of ``Zs``, for
        coefficients (n_maps, n_terms).
    """
    if isinstance(engine, ExactPairSums):
        return engine.evaluate_each(Zs)
    return SeparateEvaluations(engine, Zs)


class SeparateEvaluations:
    """One evaluation for each map."""

    def __init__(self, engine: Any, Zs: Array) -> None:
        n_maps, n, n_components = Zs.shape
        self._nanoseconds = n_maps * exact_cost(n, n, n_components)
        self._evaluations = run_tasks(engine.evaluate, Zs, self._nanoseconds)
        self.totals = np.array([evaluation.totals for evaluation in self._evaluations])

    def gradient(self, coefficients: Array) -> Array:
        """``d/dZ sum_k coefficients_k totals_k``, of shape (n_maps, n_samples, n_components)."""

        def gradient_of(k: int) -> Any:
            return self._evaluations[k].gradient(coefficients[k])

        maps = range(len(self._evaluations))
        return np.array(run_tasks(gradient_of, maps, self._nanoseconds))
