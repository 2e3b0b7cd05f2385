"""Exact sums over all pairs: any dimension, O(n^2 d) time, O(n d) memory."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from discrimap._typing import Array
from discrimap.kernel_sums.costs import near_cost
from discrimap.kernel_sums.kernels import GAUSSIAN, GaussianKernel, PairTerm
from discrimap.kernel_sums.layout import ClassLayout
from discrimap.kernel_sums.tiles import Tiles, share_within

# Kernels below exp(-UNDERFLOW) are not normal numbers in double precision. Sums below CLEAR are computed in log
# space: their terms may have underflowed, and slopes divided by them may overflow.
UNDERFLOW, CLEAR = 707.0, 1e-200
# With a tolerance, kernels below exp(-NEGLIGIBLE) are left out, and sums in which they are not
# negligible are computed from all pairs in log space.
NEGLIGIBLE = 60.0
# Most factors of which the compiled loops take one logarithm: a tile.
MOST_FACTORS = 512
# Up to this many points, their sums at all others are computed faster in one long loop for each of them
# than at one point after the other.
FEW_CENTRES = 128


class ExactEvaluation:
    """Totals and gradients of all terms at one Z, computed together in one pass."""

    def __init__(self, totals: Array, gradients: Array, layout: ClassLayout, dtype: Any) -> None:
        self.totals = totals
        self._gradients, self._layout, self._dtype = gradients, layout, dtype

    def gradient(self, coefficients: Array) -> Array:
        """``d/dZ sum_k coefficients_k totals_k``, of shape (n_samples, n_components)."""
        coefficients = np.asarray(coefficients, dtype=np.float64)
        combined = np.dot(coefficients, self._gradients.reshape(len(coefficients), -1))
        return self._layout.unsort(combined.reshape(self._gradients.shape[1:]), self._dtype)


class ExactEvaluations:
    """The same at several Z; the first axis of all arrays is the map."""

    def __init__(self, totals: Array, gradients: Array, layout: ClassLayout, dtype: Any) -> None:
        self.totals = totals
        self._gradients, self._layout, self._dtype = gradients, layout, dtype

    def gradient(self, coefficients: Array) -> Array:
        """``d/dZ sum_k coefficients_k totals_k``, of shape (n_maps, n_samples, n_components)."""
        combined = np.einsum("mk,mknd->mnd", coefficients, self._gradients)
        result = np.empty(combined.shape, dtype=self._dtype)
        result[:, self._layout.order] = combined
        return result


class ExactPairSums:
    """Pair sums by visiting every pair; see :func:`~discrimap.kernel_sums.make_engine`.

    Coordinates are converted to float64, and all sums are computed in float64. The absolute error
    of ``log(1 + r^2)`` is about 1e-16 per pair.
    """

    name = "exact"

    def __init__(self, layout: ClassLayout, terms: list[PairTerm]) -> None:
        self.layout = layout
        self._codes = np.array([term.kernel.code for term in terms], dtype=np.int64)
        self._scales = np.array([term.kernel.scale for term in terms], dtype=np.float64)
        self._mixings = np.stack([term.mixing for term in terms])

    def evaluate(self, Z: Array) -> ExactEvaluation:
        """Totals at Z; see :func:`~discrimap.kernel_sums.make_engine`."""
        coordinates = self.layout.sort(Z)
        totals, gradients = self.evaluate_sorted(coordinates)
        return ExactEvaluation(totals, gradients, self.layout, np.asarray(Z).dtype)

    def evaluate_each(self, Zs: Array) -> ExactEvaluations:
        """Totals at several Z (n_maps, n_samples, n_components), in parallel."""
        from discrimap.kernel_sums.parallel_loops import pair_sums_of_each

        layout = self.layout
        coordinates = layout.sort_each(Zs)
        values, gradients = pair_sums_of_each(
            coordinates,
            layout.labels,
            layout.weights,
            layout.starts,
            layout.has_weights,
            self._codes,
            self._scales,
            self._mixings,
            factors_per_log(coordinates, coordinates),
        )
        # Much faster than the sum of an array whose last axis is short.
        totals = np.ones(layout.n_samples) @ values
        return ExactEvaluations(totals, gradients, layout, np.asarray(Zs).dtype)

    def evaluate_sorted(self, coordinates: Array) -> Any:
        """Totals (n_terms,) and their gradients (n_terms, n, d) of points sorted by class."""
        layout = self.layout
        everyone = coordinates, layout.labels, layout.weights
        values, gradients = self._sums(*everyone, coordinates, layout.starts, layout.weights)
        return values.sum(axis=0), gradients

    def sums_between(self, coordinates: Array, queries: Array, centres: Array) -> Any:
        """Sums over the points ``centres`` at the points ``queries`` (ascending indices).

        Returns values (n_queries, n_terms) and gradients (n_terms, n_queries, d), in which each
        pair counts in both orders.
        """
        layout = self.layout
        return self._sums(
            columns_at(coordinates, queries),
            layout.labels[queries],
            layout.weights[queries],
            columns_at(coordinates, centres),
            np.searchsorted(centres, layout.starts),
            layout.weights[centres],
        )

    def gradients_from(self, coordinates: Array, centres: Array) -> Any:
        """Gradients (n_terms, d, n) at all points, of the sums over pairs with few points.

        ``centres`` are the indices of these. The gradients at them are those of other sums.
        """
        from discrimap.kernel_sums.parallel_loops import far_gradients

        layout = self.layout
        if len(centres) > FEW_CENTRES or (self._codes == GAUSSIAN).any():
            everyone = np.arange(layout.n_samples)
            gradients = self.sums_between(coordinates, everyone, centres)[1]
            return np.ascontiguousarray(gradients.transpose(0, 2, 1))
        return far_gradients(
            coordinates,
            layout.weights,
            layout.starts,
            columns_at(coordinates, centres),
            layout.labels[centres],
            layout.weights[centres],
            self._codes,
            self._mixings,
        )

    def _sums(
        self,
        queries: Array,
        query_labels: Array,
        query_weights: Array,
        centres: Array,
        starts: Array,
        weights: Array,
    ) -> Any:
        from discrimap.kernel_sums.parallel_loops import pair_sums

        return pair_sums(
            queries,
            query_labels,
            query_weights,
            centres,
            starts,
            weights,
            self.layout.has_weights,
            self._codes,
            self._scales,
            self._mixings,
            int(factors_per_log(queries, centres)),
        )


def factors_per_log(queries: Array, centres: Array) -> Array:
    """Number of factors ``1 + r^2`` between points (..., d, n) whose product cannot overflow."""
    if queries.size == 0 or centres.size == 0:
        return np.full(queries.shape[:-2], MOST_FACTORS)
    furthest = np.maximum(
        queries.max(axis=-1) - centres.min(axis=-1), centres.max(axis=-1) - queries.min(axis=-1)
    )
    digits = np.log10(1 + np.einsum("...d,...d->...", furthest, furthest))
    factors: Array = np.clip(300 / np.maximum(digits, 1e-3), 1, MOST_FACTORS).astype(np.int64)
    return factors


class PointEngine(Protocol):
    """Log-sums at every point, and their gradient."""

    layout: ClassLayout

    def pullback_sorted(
        self, coordinates: Array, log_own: Array, log_all: Array, cot_own: Array, cot_all: Array
    ) -> Array: ...


class ExactPointEvaluation:
    """Log-sums at every point, and the gradient of a function of them."""

    def __init__(
        self, engine: PointEngine, coordinates: Array, log_own: Array, log_all: Array, dtype: Any
    ) -> None:
        self._engine, self._coordinates, self._dtype = engine, coordinates, dtype
        self._log_own, self._log_all = log_own, log_all

    @property
    def own(self) -> Array:
        """Log-sums over the own class, in the caller's order."""
        return self._engine.layout.unsort(self._log_own)

    @property
    def all(self) -> Array:
        """Log-sums over all points, in the caller's order."""
        return self._engine.layout.unsort(self._log_all)

    @property
    def n_with_mates(self) -> int:
        """Number of points whose class has other points."""
        return int(np.isfinite(self._log_own).sum())

    @property
    def log_ratio(self) -> float:
        """Sum of ``own - all`` over the points whose class has other points."""
        has_mates = np.isfinite(self._log_own)
        return float((self._log_own[has_mates] - self._log_all[has_mates]).sum())

    def log_ratio_gradient(self, scale: float) -> Array:
        """Gradient of ``scale * log_ratio`` with respect to Z."""
        cotangent = scale * np.isfinite(self._log_own)
        return self._pullback_sorted(cotangent, -cotangent)

    def pullback(self, cot_own: Array, cot_all: Array) -> Array:
        """Gradient in Z of a function with the given derivatives in ``own`` and ``all``."""
        order = self._engine.layout.order
        return self._pullback_sorted(
            np.asarray(cot_own, dtype=np.float64)[order],
            np.asarray(cot_all, dtype=np.float64)[order],
        )

    def _pullback_sorted(self, cot_own: Array, cot_all: Array) -> Array:
        gradient = self._engine.pullback_sorted(
            self._coordinates, self._log_own, self._log_all, cot_own, cot_all
        )
        return self._engine.layout.unsort(gradient, self._dtype)


class ExactPointSums:
    """Gaussian log-sums at each point by visiting every pair of points that are near each other.

    See :func:`~discrimap.kernel_sums.make_point_engine`. With ``tol=0``, a pair is left out if its
    kernel is not a normal number in double precision, otherwise if its share in a logarithm is below ``tol / n``.
    """

    name = "exact"

    def __init__(self, layout: ClassLayout, bandwidth: float, tol: float = 0.0) -> None:
        self.layout = layout
        self.scale = GaussianKernel(bandwidth).scale
        # Kernels below exp(-largest) are left out. Sums below ``least`` are computed again in log
        # space.
        self.largest, self.least = UNDERFLOW, CLEAR
        if tol > 0:
            self.largest = NEGLIGIBLE
            self.least = float(layout.weights.sum()) * math.exp(-NEGLIGIBLE) / tol

    def evaluate(self, Z: Array) -> ExactPointEvaluation:
        """Log-sums at Z; see :func:`~discrimap.kernel_sums.make_point_engine`."""
        coordinates = self.layout.sort(Z)
        pairs = _AllPairs(self, coordinates)
        return ExactPointEvaluation(
            pairs, coordinates, pairs.log_own, pairs.log_all, np.asarray(Z).dtype
        )

    def cost(self, coordinates: Array) -> float:
        """Approximate time of an evaluation at sorted points, in nanoseconds."""
        share = share_within(coordinates, math.sqrt(self.largest / self.scale))
        return near_cost(self.layout.n_samples, self.layout.n_components, share)

    def log_sums_sorted(self, coordinates: Array, rows: Array) -> Any:
        """Own-class and overall log-sums at the sorted points ``rows``, from all pairs."""
        from discrimap.kernel_sums.parallel_loops import log_sums, row_sums

        layout = self.layout
        problem = (coordinates, layout.labels, layout.starts, layout.weights, self.scale)
        return log_sums(*problem, rows, *row_sums(*problem, rows))

    def plain_sums_between(self, coordinates: Array, queries: Array, centres: Array) -> Any:
        """Own-class and overall sums over the points ``centres`` at the points ``queries``."""
        from discrimap.kernel_sums.parallel_loops import plain_point_sums

        layout = self.layout
        return plain_point_sums(
            columns_at(coordinates, queries),
            layout.labels[queries],
            columns_at(coordinates, centres),
            np.searchsorted(centres, layout.starts),
            layout.weights[centres],
            self.scale,
        )

    def pullback_between(
        self, coordinates: Array, queries: Array, centres: Array, slopes: Any
    ) -> Any:
        """Gradient at ``queries`` from pairs with ``centres``, without sums at isolated points."""
        from discrimap.kernel_sums.parallel_loops import regular_pullback

        layout = self.layout
        return regular_pullback(
            columns_at(coordinates, queries),
            layout.labels[queries],
            layout.weights[queries],
            slopes.own[queries],
            slopes.all[queries],
            columns_at(coordinates, centres),
            np.searchsorted(centres, layout.starts),
            layout.weights[centres],
            slopes.own[centres],
            slopes.all[centres],
            self.scale,
        )

    def isolated_pullback(self, coordinates: Array, slopes: SlopesOfLogs) -> Array:
        """Gradient (n, d) from the sums at the isolated points, computed in log space."""
        from discrimap.kernel_sums.parallel_loops import isolated_pullback

        layout = self.layout
        isolated, at_isolated = slopes.with_effect()
        if len(isolated) == 0:
            return np.zeros(coordinates.T.shape)
        return isolated_pullback(
            isolated, layout.labels[isolated], at_isolated, coordinates, layout.starts,
            layout.weights, self.scale,
        )  # fmt: skip


class _AllPairs:
    """Sums over all pairs at one Z; takes the place of the engine in the evaluation."""

    def __init__(self, engine: ExactPointSums, coordinates: Array) -> None:
        from discrimap.kernel_sums.parallel_loops import near_log_sums, near_sums

        self.engine, self.layout = engine, engine.layout
        layout, scale = engine.layout, engine.scale
        self.tiles = Tiles(coordinates, layout.labels, layout.weights, scale, engine.largest)
        sums = near_sums(self.tiles)
        self.log_own, self.log_all = near_log_sums(self.tiles, *sums, engine.least)

    def pullback_sorted(
        self, coordinates: Array, log_own: Array, log_all: Array, cot_own: Array, cot_all: Array
    ) -> Array:
        """Gradient (n, d) of the sorted points."""
        from discrimap.kernel_sums.parallel_loops import near_isolated_pullback, near_pullback

        is_isolated = np.minimum(log_own, log_all) < math.log(self.engine.least)
        slopes = SlopesOfLogs(log_own, log_all, cot_own, cot_all, is_isolated)
        gradient = near_pullback(self.tiles, slopes.own, slopes.all)
        gradient += near_isolated_pullback(self.tiles, *slopes.with_effect())
        return gradient


class SlopesOfLogs:
    """Derivatives with respect to sums, from derivatives with respect to their logarithms.

    ``own`` and ``all`` are ``cotangent / sum``. At isolated points the quotient may overflow;
    there, ``own`` and ``all`` are zero, and ``at_isolated`` holds the logarithms and the cotangents
    separately. An empty sum, whose logarithm is -inf, is a constant: its cotangent is treated as
    zero.
    """

    def __init__(
        self, log_own: Array, log_all: Array, cot_own: Array, cot_all: Array, is_isolated: Array
    ) -> None:
        cot_own = np.where(np.isneginf(log_own), 0.0, cot_own)
        cot_all = np.where(np.isneginf(log_all), 0.0, cot_all)
        self.isolated = np.flatnonzero(is_isolated)
        self.own = cot_own * np.exp(np.where(is_isolated, -np.inf, -log_own))
        self.all = cot_all * np.exp(np.where(is_isolated, -np.inf, -log_all))
        self.at_isolated = (
            np.maximum(log_own[self.isolated], -1e300),
            np.maximum(log_all[self.isolated], -1e300),
            cot_own[self.isolated],
            cot_all[self.isolated],
        )

    def with_effect(self) -> tuple[Array, tuple[Array, ...]]:
        """Isolated points whose derivatives are not all zero, with their logarithms and cotangents."""
        has_effect = np.any(self.at_isolated[2:], axis=0)
        return self.isolated[has_effect], tuple(values[has_effect] for values in self.at_isolated)


def columns_at(coordinates: Array, positions: Array) -> Any:
    return np.ascontiguousarray(coordinates[:, positions])


def class_log_sums(
    queries: ArrayLike,
    centres: ArrayLike,
    labels: ArrayLike,
    bandwidth: float,
    n_classes: int | None = None,
    weights: ArrayLike | None = None,
) -> Any:
    """Log of the Gaussian sum over the centres of each class, at each query.

    Parameters
    ----------
    queries : array-like of shape (n_queries, n_components)
        Points at which to evaluate the sums.
    centres : array-like of shape (n_samples, n_components)
        Centres of the Gaussians.
    labels : array-like of shape (n_samples,)
        Class of each centre, ``0 .. n_classes - 1``.
    bandwidth : float
        Width of the Gaussian.
    n_classes : int, optional
        Number of classes; the largest label plus one by default.
    weights : array-like of shape (n_samples,), optional
        Weight of each centre.

    Returns
    -------
    log_sums : ndarray of shape (n_queries, n_classes)
        ``log sum_{j in class} w_j exp(-|q - z_j|^2 / (2 bandwidth^2))``, finite even for distant
        queries; -inf only for a class without centres. Costs O(n_queries n_samples d).
    """
    from discrimap.kernel_sums import parallel_loops

    centres = np.asarray(centres)
    layout = ClassLayout(labels, centres.shape[1], weights, n_classes)
    return parallel_loops.class_log_sums(
        np.ascontiguousarray(np.asarray(queries).T, dtype=np.float64),
        layout.sort(centres),
        layout.starts,
        layout.weights,
        GaussianKernel(bandwidth).scale,
    )
