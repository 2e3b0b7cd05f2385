"""Sums of a radial kernel over pairs of projected points, by class, with their gradients.

:func:`make_engine` makes an engine for totals over all pairs, weighted by class pair.
:func:`make_point_engine` makes an engine for Gaussian log-sums at every point.
:func:`make_row_engine` makes an engine for pair probabilities that are normalised at each point.
All offer two methods: ``exact`` visits every pair and works in any dimension; ``fourier`` works in 1
to 3 dimensions, takes time linear in n and is accurate to a given tolerance.
"""

from discrimap.kernel_sums.engines import make_engine, make_point_engine, make_row_engine
from discrimap.kernel_sums.exact import class_log_sums
from discrimap.kernel_sums.kernels import CauchyKernel, GaussianKernel, LogKernel, PairTerm
from discrimap.kernel_sums.layout import class_sizes
from discrimap.kernel_sums.several import evaluate_each

__all__ = [
    "CauchyKernel",
    "GaussianKernel",
    "LogKernel",
    "PairTerm",
    "class_log_sums",
    "class_sizes",
    "evaluate_each",
    "make_engine",
    "make_point_engine",
    "make_row_engine",
]
