"""Sums for pair probabilities that are normalised at each point: exact, and as Fourier series.

Two totals are computed together: a class-wise sum of ``log(1 + r^2)`` over all pairs, and the sum over
the points of the logarithms of their Cauchy sums, ``sum_i w_i log S_i`` with
``S_i = sum_j w_j / (1 + |z_i - z_j|^2)``. The derivative of the second in ``z_i`` has two parts: through
the sum at the point itself, and through its terms in the sums at the other points, whose strengths
``w_j / S_j`` are known after the first pass over the pairs only.
"""

from __future__ import annotations

import math

import numpy as np

from discrimap.kernel_sums.costs import choose_core, exact_cost
from discrimap.kernel_sums.exact import MOST_FACTORS, columns_at, factors_per_log
from discrimap.kernel_sums.fourier import ClassMixture, for_each_piece, spectra, write_derivatives
from discrimap.kernel_sums.grid import GridShelf
from discrimap.kernel_sums.kernels import CAUCHY, CauchyKernel, PairTerm
from discrimap.kernel_sums.layout import ClassLayout, box
from discrimap.kernel_sums.transforms import full_of

# Cost of a series relative to pair sums, divided by that of exact sums: a series needs five transforms
# instead of two, and exact sums visit the pairs twice instead of once.
ROW_SUMS = 1.5


class ExactRowSums:
    """Sums by visiting every pair; see :func:`~discrimap.kernel_sums.make_row_engine`."""

    name = "exact"

    def __init__(self, layout: ClassLayout, attraction: PairTerm):
        self.layout = layout
        self.terms = [attraction, PairTerm(CauchyKernel(), np.ones_like(attraction.mixing))]

    def evaluate(self, Z):
        """Totals at Z; see :func:`~discrimap.kernel_sums.make_row_engine`."""
        return ExactRowEvaluation(self, self.layout.sort(Z), np.asarray(Z).dtype)

    def sums_between(self, coordinates, queries, centres):
        """Sums of both kernels over the points ``centres`` at the points ``queries``.

        Returns values (n_queries, 2) and twice their derivatives in the queries (2, n_queries, d).
        """
        from discrimap.kernel_sums.parallel_loops import pair_sums

        layout = self.layout
        at_queries, at_centres = columns_at(coordinates, queries), columns_at(coordinates, centres)
        return pair_sums(
            at_queries,
            layout.labels[queries],
            np.ones(len(queries)),
            at_centres,
            np.searchsorted(centres, layout.starts),
            layout.weights[centres],
            layout.has_weights,
            np.array([term.kernel.code for term in self.terms]),
            np.array([term.kernel.scale for term in self.terms]),
            np.stack([term.mixing for term in self.terms]),
            int(factors_per_log(at_queries, at_centres)),
        )

    def pull_between(self, coordinates, queries, centres, strengths):
        """Twice the derivative of ``sum_j strengths_j / (1 + r_j^2)`` in the queries."""
        from discrimap.kernel_sums.parallel_loops import pair_sums

        _, gradients = pair_sums(
            columns_at(coordinates, queries),
            np.zeros(len(queries), dtype=np.int64),
            np.ones(len(queries)),
            columns_at(coordinates, centres),
            np.array([0, len(centres)]),
            strengths[centres],
            True,
            np.array([CAUCHY]),
            np.ones(1),
            np.ones((1, 1, 1)),
            MOST_FACTORS,  # no logarithm is used
        )
        return gradients[0]


class ExactRowEvaluation:
    """Totals at one Z; the gradient visits the pairs a second time."""

    def __init__(self, engine, coordinates, dtype):
        self._engine, self._coordinates, self._dtype = engine, coordinates, dtype
        self._everyone = np.arange(engine.layout.n_samples)
        values, self._gradients = engine.sums_between(coordinates, self._everyone, self._everyone)
        weights = engine.layout.weights
        self._strengths = weights / values[:, 1]
        self.totals = np.array([weights @ values[:, 0], weights @ np.log(values[:, 1])])

    def gradient(self, coefficients):
        """``d/dZ sum_k coefficients_k totals_k``, of shape (n_samples, n_components)."""
        layout, everyone = self._engine.layout, self._everyone
        pull = self._engine.pull_between(self._coordinates, everyone, everyone, self._strengths)
        result = combined(coefficients, layout.weights, self._strengths, self._gradients, pull)
        return layout.unsort(result, self._dtype)


def combined(coefficients, weights, strengths, gradients, pull):
    """Gradient at points, from twice the derivatives of their sums and twice their pull."""
    attraction, rows = coefficients
    # Each pair counts in both orders in the attraction, which is twice the derivative at the query.
    at_weights = attraction * gradients[0] + 0.5 * rows * pull
    return weights[:, None] * at_weights + 0.5 * rows * strengths[:, None] * gradients[1]


class FourierRowSums:
    """Sums by non-uniform FFT; see :func:`~discrimap.kernel_sums.make_row_engine`.

    Far points are treated as in :class:`~discrimap.kernel_sums.fourier.FourierPairSums`.
    """

    name = "fourier"

    def __init__(self, layout: ClassLayout, attraction: PairTerm, tol: float, is_auto=False):
        self.layout, self.is_auto = layout, is_auto
        self.exact = ExactRowSums(layout, attraction)
        self.shelf = GridShelf([term.kernel for term in self.exact.terms], tol / 3)
        self.mixture = ClassMixture(self.exact.terms)

    def evaluate(self, Z):
        """Totals at Z; see :func:`~discrimap.kernel_sums.make_row_engine`."""
        coordinates, low, high = self.layout.sort_with_box(Z)
        n, d = self.layout.n_samples, self.layout.n_components
        is_core = choose_core(
            coordinates,
            high - low,
            self.layout,
            self.shelf,
            self.mixture.most_modes(),
            exact_cost(n, n, d) if self.is_auto else math.inf,
            ROW_SUMS,
        )
        if is_core is None:
            return ExactRowEvaluation(self.exact, coordinates, np.asarray(Z).dtype)
        return FourierRowEvaluation(self, coordinates, is_core, np.asarray(Z).dtype)


class FourierRowEvaluation:
    """Totals at one Z; the gradient is computed from the same spectra on request."""

    def __init__(self, engine, coordinates, is_core, dtype):
        self._engine, self._dtype = engine, dtype
        self._coordinates, self._is_core = coordinates, is_core
        layout = engine.layout
        points, self._weights = coordinates[:, is_core], layout.weights[is_core]
        self._starts = np.concatenate([[0], np.cumsum(is_core)])[layout.starts]
        low, high = box(points)
        self._grid = engine.shelf.grid(high - low)
        self._angles = self._grid.angles(points, (low + high) / 2)
        self._batches = engine.mixture.batches(len(self._grid.multiplicity))
        attraction = self._attraction_and_spectra()
        self._whole_field = self._grid.kernel_coefficients[1] * self._everyone
        # No sum is smaller than that at one corner of the box over points at the opposite one. The
        # error of a series is relative to the largest sums, so others could become negative.
        least = self._weights.sum() / (1 + float(((high - low) ** 2).sum()))
        sums = np.empty(layout.n_samples)
        sums[is_core] = np.maximum(self._values(self._whole_field), least)
        self._far_gradients = None
        if not is_core.all():
            attraction += self._add_far(sums)
        self._strengths = layout.weights / sums
        self.totals = np.array([attraction, layout.weights @ np.log(sums)])

    def gradient(self, coefficients):
        """``d/dZ sum_k coefficients_k totals_k``, of shape (n_samples, n_components)."""
        attraction, rows = coefficients
        grid, mixture, is_core = self._grid, self._engine.mixture, self._is_core
        strengths = self._strengths[is_core]
        spectrum = spectra(grid, self._angles, strengths, [0, len(strengths)], range(1))[0]
        pull = (0.5 * rows) * grid.kernel_coefficients[1] * spectrum
        # The second total has no class-wise part, so its coefficient here is zero.
        of_terms = (attraction, 0.0)
        shared_field = mixture.shared_field(grid, of_terms, self._everyone) + pull
        result = np.empty((len(strengths), len(grid.modes)))
        for classes in self._batches:
            batch = self._kept if self._kept is not None else self._spectra(classes)
            fields = mixture.fields(grid, of_terms, batch, classes, shared_field)
            self._interpolate(classes, fields, rows * strengths, result)
        if self._far_gradients is not None:
            result = self._with_far(coefficients, result)
        return self._engine.layout.unsort(result, self._dtype)

    def _attraction_and_spectra(self):
        """Total of the attraction; keeps the sum of all spectra, and the spectra of few classes."""
        grid, mixture = self._grid, self._engine.mixture
        self._everyone, self._kept, total = 0.0, None, 0.0
        for classes in self._batches:
            batch = self._spectra(classes)
            self._everyone = self._everyone + batch.sum(axis=0)
            total += mixture.own_totals(grid, batch, classes)[0]
            if len(self._batches) == 1:
                self._kept = batch
        return total + mixture.shared_totals(grid, self._everyone)[0]

    def _spectra(self, classes):
        return spectra(self._grid, self._angles, self._weights, self._starts, classes)

    def _values(self, field):
        """Values of a field at the points."""
        values, full = np.empty(len(self._weights)), full_of(field)[None]

        def interpolate(item, threads):
            _, points = item
            found = self._grid.transforms.modes_to_points(self._angles[points], full, threads)
            values[points] = found[0].real

        for_each_piece(interpolate, [0, len(values)], range(1), self._grid)
        return values

    def _interpolate(self, classes, fields, own_factors, out):
        """Write ``2 w_i`` times the gradient of the field of the class of i, and its own part."""
        grid = self._grid
        whole = grid.gradient_multipliers * full_of(self._whole_field)

        def interpolate(item, threads):
            c, points = item
            of_class = grid.gradient_multipliers * full_of(fields(c))
            coefficients = np.concatenate([of_class, whole])
            values = grid.transforms.modes_to_points(self._angles[points], coefficients, threads)
            of_class, of_whole = np.split(values, 2)
            write_derivatives(of_class, 2 * self._weights[points], out[points])
            own = np.empty_like(out[points])
            write_derivatives(of_whole, own_factors[points], own)
            out[points] += own

        for_each_piece(interpolate, self._starts, classes, grid)

    def _add_far(self, sums):
        """Add the pairs with a far point to the sums; return their part of the attraction."""
        exact, weights = self._engine.exact, self._engine.layout.weights
        everyone, far, core = self._groups()
        at_far, of_far = exact.sums_between(self._coordinates, far, everyone)
        at_core, of_core = exact.sums_between(self._coordinates, core, far)
        sums[far] = at_far[:, 1]
        sums[core] += at_core[:, 1]
        self._far_gradients = np.empty((2, len(everyone), len(self._coordinates)))
        self._far_gradients[:, far], self._far_gradients[:, core] = of_far, of_core
        return weights[far] @ at_far[:, 0] + weights[core] @ at_core[:, 0]

    def _with_far(self, coefficients, at_core):
        """Gradient at all points, from that of the pairs of points in the core."""
        exact, weights = self._engine.exact, self._engine.layout.weights
        everyone, far, core = self._groups()
        pull = np.empty((len(everyone), len(self._coordinates)))
        pull[far] = exact.pull_between(self._coordinates, far, everyone, self._strengths)
        pull[core] = exact.pull_between(self._coordinates, core, far, self._strengths)
        result = combined(coefficients, weights, self._strengths, self._far_gradients, pull)
        result[core] += at_core
        return result

    def _groups(self):
        """Indices of all points, the far ones and those in the core."""
        is_core = self._is_core
        return np.arange(len(is_core)), np.flatnonzero(~is_core), np.flatnonzero(is_core)
