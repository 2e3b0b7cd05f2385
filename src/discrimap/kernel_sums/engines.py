"""Construction of the engines."""

from __future__ import annotations

import math
import warnings
from typing import Any, Literal

from numpy.typing import ArrayLike

from discrimap._typing import Array
from discrimap.kernel_sums.costs import exact_cost, has_small_classes, is_small
from discrimap.kernel_sums.exact import ExactPairSums, ExactPointSums
from discrimap.kernel_sums.fourier import FourierPairSums
from discrimap.kernel_sums.fourier_points import FourierPointSums
from discrimap.kernel_sums.kernels import PairTerm
from discrimap.kernel_sums.layout import ClassLayout
from discrimap.kernel_sums.row_sums import ExactRowSums, FourierRowSums
from discrimap.kernel_sums.single import SinglePointSums
from discrimap.kernel_sums.small_classes import SmallClassesPairSums
from discrimap.kernel_sums.small_row_classes import SmallClassesRowSums
from discrimap.optional import how_to_get, is_installed, require

ENGINES = ("auto", "exact", "fourier")
MOST_FOURIER_DIMENSIONS = 3
# Warn that finufft is missing if one exact evaluation takes longer than this, in nanoseconds.
LONG = 1e9


def make_engine(
    labels: ArrayLike,
    terms: list[PairTerm],
    n_components: int,
    weights: ArrayLike | None = None,
    engine: Literal["auto", "exact", "fourier"] = "auto",
    tol: float = 1e-6,
) -> ExactPairSums | FourierPairSums | SmallClassesPairSums:
    """Make an engine for totals over all ordered pairs of points, by class pair.

    ``engine.evaluate(Z)``, with Z of shape (n_samples, n_components) in float32 or float64 and
    rows in the order of ``labels``, returns an evaluation with

    - ``totals`` (n_terms,): ``T_k = sum_ij w_i w_j mixing_k[c_i, c_j] kernel_k(|z_i - z_j|^2)``
      over all ordered pairs, including i = j, in float64;
    - ``gradient(coefficients)`` (n_samples, n_components): ``d/dZ sum_k coefficients_k T_k``, in
      the type of Z.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        Class of each point, ``0 .. n_classes - 1``.
    terms : list of PairTerm
        Terms to sum. The size of their mixing matrices is n_classes.
    n_components : int
        Dimension of the points.
    weights : array-like of shape (n_samples,), optional
        Non-negative weight of each point.
    engine : {"auto", "exact", "fourier"}, default="auto"
        ``"exact"`` visits every pair: O(n^2 d). ``"fourier"`` needs 1 to 3 dimensions and is linear
        in n. It treats a few far points exactly. It evaluates all pairs exactly if the points are
        spread so widely that the grid would not fit in memory. ``"auto"`` uses the cheaper of the
        two at each evaluation. With many small classes, it visits the pairs within each class and
        sums over all pairs of points by Fourier series. Fourier series need the package finufft;
        without it, ``"auto"`` visits every pair and warns if this takes long.
    tol : float, default=1e-6
        Accuracy of the Fourier engine, relative to the totals and to the norm of the gradient of
        one term.

    Examples
    --------
    >>> import numpy as np
    >>> from discrimap.kernel_sums import LogKernel, PairTerm, make_engine
    >>> own_class = PairTerm(LogKernel(), np.eye(2))
    >>> sums = make_engine([0, 0, 1], [own_class], n_components=1)
    >>> evaluation = sums.evaluate(np.array([[0.0], [1.0], [5.0]]))
    >>> print(evaluation.totals.round(4))  # two ordered pairs, each log(1 + 1)
    [1.3863]
    >>> print(evaluation.gradient([1.0]).ravel().round(4))
    [-2.  2.  0.]
    """
    n_classes = {len(term.mixing) for term in terms}
    if len(n_classes) != 1:
        raise ValueError(
            f"terms hold mixing matrices of {sorted(n_classes)} classes; at least one term, and "
            "all of the same number of classes, are needed."
        )
    layout = ClassLayout(labels, n_components, weights, n_classes.pop())
    if _is_exact(engine, layout, tol) or (engine == "auto" and is_small(layout)):
        return ExactPairSums(layout, terms)
    if engine == "auto" and has_small_classes(layout) and SmallClassesPairSums.suits(terms):
        return SmallClassesPairSums(layout, terms, tol)
    return FourierPairSums(layout, terms, tol, is_auto=engine == "auto")


def make_point_engine(
    labels: Array,
    bandwidth: float,
    n_components: int,
    weights: Array | None = None,
    engine: str = "auto",
    tol: float = 1e-6,
) -> ExactPointSums | FourierPointSums | SinglePointSums:
    """Make an engine for Gaussian log-sums at every point, excluding the point itself.

    ``engine.evaluate(Z)`` returns an evaluation with

    - ``own`` (n_samples,): ``log sum_{j != i, c_j = c_i} w_j exp(-|z_i - z_j|^2 / (2 b^2))``;
    - ``all`` (n_samples,): the same over every ``j != i``;
    - ``pullback(cot_own, cot_all)`` (n_samples, n_components): gradient with respect to Z of a
      function with the given derivatives with respect to ``own`` and ``all``. Each point
      contributes through the sums at this point and through its terms in the sums at other points.

    Log-sums are finite even for points far from all others. An empty sum (a class with one point)
    is -inf and does not contribute to the pullback.

    Parameters
    ----------
    labels, n_components, weights, engine
        As for :func:`make_engine`. ``"auto"`` visits the pairs of up to 2,000 points in single
        precision if ``tol`` is 1e-4 or more. Where it sums exactly otherwise, it skips pairs that
        are so far apart that they change the logarithms by less than ``tol``.
    bandwidth : float
        Width b of the Gaussian.
    tol : float, default=1e-6
        Accuracy of ``"auto"`` and ``"fourier"``: absolute in the logarithms, relative to the norm of
        the gradient.

    Examples
    --------
    >>> import numpy as np
    >>> from discrimap.kernel_sums import make_point_engine
    >>> sums = make_point_engine([0, 0, 1], bandwidth=1.0, n_components=1)
    >>> evaluation = sums.evaluate(np.array([[0.0], [2.0], [90.0]]))
    >>> print(evaluation.own)
    [ -2.  -2. -inf]
    >>> print(evaluation.all.round().astype(int))
    [   -2    -2 -3872]
    """
    layout = ClassLayout(labels, n_components, weights)
    is_exact = _is_exact(engine, layout, tol)
    if engine == "auto" and SinglePointSums.suits(layout, tol):
        return SinglePointSums(layout, bandwidth)
    if is_exact:
        return ExactPointSums(layout, bandwidth, tol if engine == "auto" else 0.0)
    return FourierPointSums(layout, bandwidth, tol, is_auto=engine == "auto")


def make_row_engine(
    labels: ArrayLike,
    attraction: PairTerm,
    n_components: int,
    weights: ArrayLike | None = None,
    engine: Literal["auto", "exact", "fourier"] = "auto",
    tol: float = 1e-6,
) -> ExactRowSums | FourierRowSums | SmallClassesRowSums:
    """Make an engine for pair probabilities that are normalised at each point.

    ``engine.evaluate(Z)`` returns an evaluation with ``totals`` and ``gradient(coefficients)`` as for
    :func:`make_engine`. The two totals are

    - that of the term ``attraction``;
    - ``sum_i w_i log S_i`` with ``S_i = sum_j w_j / (1 + |z_i - z_j|^2)``, including j = i.

    Parameters
    ----------
    labels, n_components, weights, engine
        As for :func:`make_engine`.
    attraction : PairTerm
        A term with a logarithmic kernel.
    tol : float, default=1e-6
        Accuracy of the Fourier engine: relative to the first total and to the norm of the gradient;
        for the second total, absolute in the logarithms, on average over the points.

    Examples
    --------
    >>> import numpy as np
    >>> from discrimap.kernel_sums import LogKernel, PairTerm, make_row_engine
    >>> sums = make_row_engine([0, 0], PairTerm(LogKernel(), [[1.0]]), n_components=1)
    >>> evaluation = sums.evaluate(np.array([[0.0], [1.0]]))
    >>> print(np.exp(evaluation.totals).round(4))  # 2 * 2, and (1 + 1/2)^2
    [4.   2.25]
    """
    layout = ClassLayout(labels, n_components, weights, len(attraction.mixing))
    if _is_exact(engine, layout, tol) or (engine == "auto" and is_small(layout)):
        return ExactRowSums(layout, attraction)
    if engine == "auto" and has_small_classes(layout) and SmallClassesRowSums.suits(attraction):
        return SmallClassesRowSums(layout, attraction, tol)
    return FourierRowSums(layout, attraction, tol, is_auto=engine == "auto")


def has_fourier(n_components: int) -> bool:
    """Return whether Fourier series are available in this number of dimensions."""
    return n_components <= MOST_FOURIER_DIMENSIONS and is_installed("finufft")


def _is_exact(engine: str, layout: Any, tol: float) -> bool:
    n_components = layout.n_components
    if engine not in ENGINES:
        raise ValueError(f"engine={engine!r} is not known; pass one of {', '.join(ENGINES)}.")
    if not (math.isfinite(tol) and 0 < tol < 1):
        raise ValueError(f"tol={tol!r} must lie between 0 and 1; 1e-6 suits most uses.")
    if n_components > MOST_FOURIER_DIMENSIONS and engine == "fourier":
        raise ValueError(
            f"engine='fourier' works in 1 to {MOST_FOURIER_DIMENSIONS} dimensions, but "
            f"n_components={n_components}; pass engine='exact' or 'auto'."
        )
    if engine == "fourier":
        require("finufft", "engine='fourier'")
    if engine != "auto" or has_fourier(n_components):
        return engine == "exact"
    is_long = exact_cost(layout.n_samples, layout.n_samples, n_components) > LONG
    if is_long and n_components <= MOST_FOURIER_DIMENSIONS:
        warnings.warn(
            f"engine='auto' sums over all pairs of {layout.n_samples:,} points, which takes long; "
            f"for time linear in their number it needs {how_to_get('finufft')}.",
            stacklevel=3,
        )
    return True
