"""Pair sums for many small classes: exact within classes, Fourier series over all points.

One Fourier series per class needs one grid per class, even for a class with few points. With 100
classes of 70 points, one in a hundred pairs is within a class, and visiting these pairs is cheaper
than one grid. The sum over the pairs of all points needs a single grid.
"""

from __future__ import annotations

import numpy as np

from discrimap.kernel_sums.exact import ExactPairSums
from discrimap.kernel_sums.fourier import FourierPairSums
from discrimap.kernel_sums.kernels import PairTerm
from discrimap.kernel_sums.layout import ClassLayout


class SmallClassesPairSums:
    """Pair sums whose mixing matrices are ``diag(own) + shared``, as two separate sums.

    One evaluation costs O(sum of n_c^2 d) for pairs within classes and O(n log(1/tol)^d + G log G)
    for all points, with the grid of :class:`~discrimap.kernel_sums.fourier.FourierPairSums`.
    """

    name = "small classes"

    def __init__(self, layout: ClassLayout, terms: list[PairTerm], tol: float):
        parts = [term.own_and_shared() for term in terms]
        own = [
            PairTerm(term.kernel, np.diag(part[0])) for term, part in zip(terms, parts, strict=True)
        ]
        shared = [
            PairTerm(term.kernel, [[part[1]]]) for term, part in zip(terms, parts, strict=True)
        ]
        self._within = ExactPairSums(layout, own)
        self._all = FourierPairSums(layout.without_classes(), shared, tol, is_auto=True)

    @staticmethod
    def suits(terms: list[PairTerm]) -> bool:
        """Return whether every mixing matrix has the form ``diag(own) + shared``."""
        return all(term.own_and_shared() is not None for term in terms)

    def evaluate(self, Z):
        """Totals at Z; see :func:`~discrimap.kernel_sums.make_engine`."""
        return SumOfEvaluations([self._within.evaluate(Z), self._all.evaluate(Z)])


class SumOfEvaluations:
    """Sum of the totals and gradients of several evaluations at the same Z."""

    def __init__(self, evaluations):
        self._evaluations = evaluations
        self.totals = sum(evaluation.totals for evaluation in evaluations)

    def gradient(self, coefficients):
        """``d/dZ sum_k coefficients_k totals_k``, of shape (n_samples, n_components)."""
        return sum(evaluation.gradient(coefficients) for evaluation in self._evaluations)
