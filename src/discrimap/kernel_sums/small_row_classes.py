"""Sums normalised at each point, for many small classes: exact within classes, one series over all.

As in :mod:`~discrimap.kernel_sums.small_classes`, one grid per class would take longer than visiting
the pairs within classes. What is left of the mixing matrix depends on the two classes by a sum,
``level[a] + level[b]``. A level between the lowest and the highest one is a mixture of the two, so
that every point is divided among two classes that have these levels.
"""

from __future__ import annotations

import numpy as np

from discrimap.kernel_sums.exact import ExactPairSums
from discrimap.kernel_sums.kernels import CauchyKernel, PairTerm
from discrimap.kernel_sums.layout import ClassLayout
from discrimap.kernel_sums.row_sums import FourierRowSums
from discrimap.kernel_sums.small_classes import SumOfEvaluations

ROUNDING = 1e-12  # of the entries of a mixing matrix, relative to the largest


class SmallClassesRowSums:
    """Sums whose mixing matrix is ``diag(own) + level[a] + level[b]``, as two separate sums.

    See :func:`~discrimap.kernel_sums.make_row_engine`.
    """

    name = "small classes"

    def __init__(self, layout: ClassLayout, attraction: PairTerm, tol: float):
        mixing, levels = attraction.mixing, levels_of(attraction.mixing)
        own = np.diag(mixing) - 2 * levels
        # The sums at points are part of the other engine only.
        nothing = PairTerm(CauchyKernel(), np.zeros_like(mixing))
        self._within = ExactPairSums(layout, [PairTerm(attraction.kernel, np.diag(own)), nothing])
        ends, shares = np.array([levels.min(), levels.max()]), np.zeros(len(levels))
        self.is_divided = np.ptp(levels) > ROUNDING * np.abs(mixing).max()
        if self.is_divided:
            shares = (levels - ends[0]) / (ends[1] - ends[0])
        share, weights = shares[layout.codes], layout.unsort(layout.weights)
        n, n_parts = layout.n_samples, 2 if self.is_divided else 1
        parts = ClassLayout(
            np.repeat(np.arange(n_parts), n),
            layout.n_components,
            np.concatenate([(1 - share) * weights, share * weights][:n_parts]),
        )
        of_parts = PairTerm(attraction.kernel, np.add.outer(ends, ends)[:n_parts, :n_parts])
        self._all = FourierRowSums(parts, of_parts, tol, is_auto=True)

    @staticmethod
    def suits(attraction: PairTerm) -> bool:
        """Return whether the mixing matrix has the form ``diag(own) + level[a] + level[b]``."""
        mixing = attraction.mixing
        if len(mixing) < 3:
            return False
        levels = levels_of(mixing)
        residual = mixing - np.add.outer(levels, levels)
        np.fill_diagonal(residual, 0.0)
        return bool(np.abs(residual).max() <= ROUNDING * np.abs(mixing).max())

    def evaluate(self, Z):
        """Totals at Z; see :func:`~discrimap.kernel_sums.make_row_engine`."""
        everyone = self._all.evaluate(np.concatenate([Z, Z]) if self.is_divided else Z)
        if self.is_divided:
            everyone = DividedEvaluation(everyone)
        return SumOfEvaluations([self._within.evaluate(Z), everyone])


class DividedEvaluation:
    """Totals and gradient of points from those of the two parts of every point."""

    def __init__(self, of_parts):
        self._of_parts, self.totals = of_parts, of_parts.totals

    def gradient(self, coefficients):
        """``d/dZ sum_k coefficients_k totals_k``, of shape (n_samples, n_components)."""
        first, second = np.split(self._of_parts.gradient(coefficients), 2)
        return first + second


def levels_of(mixing):
    """Levels of the classes, from the sums of the off-diagonal entries of three or more rows."""
    n_classes = len(mixing)
    rows = mixing.sum(axis=1) - np.diag(mixing)  # (n_classes - 2) level + sum of all levels
    return (rows - rows.sum() / (2 * (n_classes - 1))) / (n_classes - 2)
