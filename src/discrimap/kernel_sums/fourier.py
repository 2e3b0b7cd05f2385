"""Pair sums as Fourier series: 1, 2 or 3 dimensions, time linear in n.

The computation has three steps, so that points can be divided into blocks on different machines:
compute the ``spectra`` of each block (the spectra of blocks are added), combine the spectra into
totals, and compute the ``gradient`` at the points of each block from the combined spectra.

A few far points would make the bounding box, and therefore the grid, much larger. The pairs of far
points are summed exactly. The number of far points is chosen to minimise the cost model of
:mod:`~discrimap.kernel_sums.costs`. If the grid would still be too large, or if the exact engine is
cheaper, the whole evaluation is exact.
"""

from __future__ import annotations

import math

import numpy as np

from discrimap.kernel_sums.costs import choose_core, exact_cost
from discrimap.kernel_sums.exact import ExactEvaluation, ExactPairSums
from discrimap.kernel_sums.grid import GridShelf
from discrimap.kernel_sums.grid_tasks import cut, run_on_grid
from discrimap.kernel_sums.kernels import PairTerm
from discrimap.kernel_sums.layout import ClassLayout, box
from discrimap.kernel_sums.transforms import full_of, split_pair

SPECTRA_BYTES = 1 << 30  # above this size, the spectra of the classes are computed in batches


class FourierPairSums:
    """Pair sums by non-uniform FFT; see :func:`~discrimap.kernel_sums.make_engine`.

    One evaluation costs O(n log(1/tol)^d + n_classes G log G), where the grid has
    ``G = prod(extent log(1/tol))`` modes.
    """

    name = "fourier"

    def __init__(self, layout: ClassLayout, terms: list[PairTerm], tol: float, is_auto=False):
        self.layout, self.terms, self.is_auto = layout, terms, is_auto
        self.exact = ExactPairSums(layout, terms)
        # The truncation, the periodic square and the transforms each get a third of the tolerance.
        self.shelf = GridShelf([term.kernel for term in terms], tol / 3)
        self.mixture = ClassMixture(terms)

    def evaluate(self, Z):
        """Totals at Z; see :func:`~discrimap.kernel_sums.make_engine`."""
        coordinates, low, high = self.layout.sort_with_box(Z)
        n, d = self.layout.n_samples, self.layout.n_components
        limit = exact_cost(n, n, d) if self.is_auto else math.inf
        core = choose_core(
            coordinates,
            high - low,
            self.layout,
            self.shelf,
            self.mixture.most_modes(),
            limit,
        )
        if core is None:
            totals, gradients = self.exact.evaluate_sorted(coordinates)
            return ExactEvaluation(totals, gradients, self.layout, np.asarray(Z).dtype)
        return FourierEvaluation(self, coordinates, (low, high), core, np.asarray(Z).dtype)


class FourierEvaluation:
    """Totals at one Z; the gradient is computed from the same spectra on request."""

    def __init__(self, engine, coordinates, limits, is_core, dtype):
        self._engine, self._dtype = engine, dtype
        layout = engine.layout
        self._far, far_totals = None, 0.0
        self._is_core, self._weights, self._starts = is_core, layout.weights, layout.starts
        core = coordinates
        if not is_core.all():
            core, self._weights = coordinates[:, is_core], layout.weights[is_core]
            self._starts = np.concatenate([[0], np.cumsum(is_core)])[layout.starts]
            far_totals, self._far = _far_sums(engine.exact, coordinates, is_core)
            limits = box(core)

        low, high = limits
        self._grid = engine.shelf.grid(high - low)
        self._angles = self._grid.angles(core, (low + high) / 2)
        self._batches = engine.mixture.batches(len(self._grid.multiplicity))
        self._kept = None
        powers, everyone = [], 0.0
        for classes in self._batches:
            batch = spectra(self._grid, self._angles, self._weights, self._starts, classes)
            everyone = everyone + batch.sum(axis=0)
            powers.append(engine.mixture.own_totals(self._grid, batch, classes))
            if len(self._batches) == 1:
                self._kept = batch
        self._everyone = everyone
        self.totals = np.sum(powers, axis=0) + engine.mixture.shared_totals(self._grid, everyone)
        self.totals = self.totals + far_totals

    def gradient(self, coefficients):
        """``d/dZ sum_k coefficients_k totals_k``, of shape (n_samples, n_components)."""
        coefficients = np.asarray(coefficients, dtype=np.float64)
        mixture, grid = self._engine.mixture, self._grid
        shared_field = mixture.shared_field(grid, coefficients, self._everyone)
        result = np.empty((len(self._weights), len(grid.modes)))
        for classes in self._batches:
            batch = self._kept
            if batch is None:
                batch = spectra(grid, self._angles, self._weights, self._starts, classes)
            fields = mixture.fields(grid, coefficients, batch, classes, shared_field)
            gradient(grid, self._angles, self._weights, self._starts, classes, fields, result)
        if self._far is not None:
            whole = np.tensordot(coefficients, self._far, 1)
            whole[:, self._is_core] += result.T
            result = whole.T
        return self._engine.layout.unsort(result, self._dtype)


def spectra(grid, angles, weights, starts, classes):
    """Half spectrum of each class in the range ``classes``: (n_classes, n_half_modes).

    Strengths are real, so two consecutive classes share one complex transform. If there are many
    points, they are divided into pieces, whose spectra are added.
    """
    result = np.zeros((len(classes), len(grid.multiplicity)), dtype=np.complex128)
    firsts = range(classes.start, classes.stop, 2)
    ranges = [(starts[c], starts[min(c + 2, classes.stop)]) for c in firsts]

    def transform(piece, threads):
        number, begin, end = piece
        strengths = weights[begin:end].astype(np.complex128)
        strengths[max(starts[firsts[number] + 1] - begin, 0) :] *= 1j
        full = grid.transforms.points_to_modes(angles[begin:end], strengths, threads)
        if begin == ranges[number][0]:
            add(number, full)
            return None
        return full

    def add(number, full):
        rows = result[2 * number :][:2]
        for row, half in zip(rows, split_pair(full), strict=False):
            row += half

    pieces = cut(ranges, grid.n_modes)
    n_points = starts[classes.stop] - starts[classes.start]
    others = run_on_grid(transform, pieces, n_points, grid)
    # Add in the order of the pieces, so that the sum does not depend on which piece ends first.
    for (number, _, _), full in zip(pieces, others, strict=True):
        if full is not None:
            add(number, full)
    return result


def gradient(grid, angles, weights, starts, classes, fields, out):
    """Write ``2 w_i`` times the gradient of the field of the class of i, for all points of a block.

    ``fields(c)`` returns the half spectrum of the field of class c.
    """

    def transform(item, threads):
        c, points = item
        coefficients = grid.gradient_multipliers * full_of(fields(c))
        values = grid.transforms.modes_to_points(angles[points], coefficients, threads)
        write_derivatives(values, 2 * weights[points], out[points])

    for_each_piece(transform, starts, classes, grid)


def for_each_piece(task, starts, classes, grid):
    """Call ``task((c, points), n_threads)`` for the points of each class, in pieces if many."""
    pieces = cut([(starts[c], starts[c + 1]) for c in classes], grid.n_modes)
    items = [(classes[number], slice(begin, end)) for number, begin, end in pieces]
    run_on_grid(task, items, starts[classes.stop] - starts[classes.start], grid)


def write_derivatives(values, factors, out):
    """Unpack two derivatives from each complex row; the inverse of ``gradient_multipliers``."""
    for dim in range(out.shape[1]):
        row = values[dim // 2]
        out[:, dim] = factors * (row.imag if dim % 2 else row.real)


class ClassMixture:
    """Combination of the spectra of the classes into totals and fields, for all terms.

    Most mixing matrices have the form ``diag(own) + shared``. Then the totals only need the power
    of the spectrum of each class and of the sum of all spectra, with one class in memory at a time.
    Any other matrix is multiplied by the spectra of all classes, which must then be in memory
    together.
    """

    def __init__(self, terms: list[PairTerm]):
        self.n_classes = len(terms[0].mixing)
        self._parts = [term.own_and_shared() for term in terms]
        self._mixings = [term.mixing for term in terms]
        self.is_general = any(part is None for part in self._parts)

    def most_modes(self) -> float:
        """Largest number of modes for which the spectra that are needed together fit in memory."""
        return SPECTRA_BYTES / (8 * self.n_classes) if self.is_general else np.inf

    def batches(self, n_half_modes) -> list[range]:
        """Ranges of an even number of classes whose spectra fit in memory together."""
        size = self.n_classes
        if not self.is_general:
            size = max(2, SPECTRA_BYTES // (16 * n_half_modes) // 2 * 2)
        return [
            range(first, min(first + size, self.n_classes))
            for first in range(0, self.n_classes, size)
        ]

    def own_totals(self, grid, batch, classes):
        """Part of each total from the classes of the batch, without the shared part."""
        reals = batch.view(np.float64)
        totals = []
        for part, mixing, coefficients in self._each(grid):
            if part is None:
                power = np.einsum("cm,cm->m", mixing @ reals, reals)
            elif np.any(part[0]):
                power = part[0][classes] @ np.square(reals)
            else:
                totals.append(0.0)
                continue
            power = power[0::2] + power[1::2]
            totals.append(float(np.dot(power, coefficients * grid.multiplicity)))
        return totals

    def shared_totals(self, grid, everyone):
        """Part of each total that is shared by all pairs of classes."""
        power = (everyone.real**2 + everyone.imag**2) * grid.multiplicity
        return np.array(
            [
                0.0 if part is None else part[1] * float(np.dot(power, coefficients))
                for part, _, coefficients in self._each(grid)
            ]
        )

    def shared_field(self, grid, weights_of_terms, everyone):
        """Field that is the same for all classes."""
        multiplier = sum(
            weight * part[1] * coefficients
            for weight, (part, _, coefficients) in zip(
                weights_of_terms, self._each(grid), strict=True
            )
            if part is not None
        )
        return multiplier * everyone

    def fields(self, grid, weights_of_terms, batch, classes, shared_field):
        """Return a function that computes the field of a class."""
        terms = list(zip(weights_of_terms, self._each(grid), strict=True))

        def field_of(c):
            field = np.zeros(batch.shape[1], dtype=np.complex128)
            own = 0.0
            for weight, (part, mixing, coefficients) in terms:
                if part is None:
                    mixed = (mixing[c] @ batch.view(np.float64)).view(np.complex128)
                    field += weight * coefficients * mixed
                elif part[0][c] != 0.0:
                    own = own + (weight * part[0][c]) * coefficients
            field += own * batch[c - classes.start]
            field += shared_field
            return field

        return field_of

    def _each(self, grid):
        return zip(self._parts, self._mixings, grid.kernel_coefficients, strict=True)


def _far_sums(exact: ExactPairSums, coordinates, is_core):
    """Totals, and gradients (n_terms, d, n), over all pairs with a point outside the core."""
    far = np.flatnonzero(~is_core)
    at_far, of_far = exact.sums_between(coordinates, far, np.arange(len(is_core)))
    within_far, _ = exact.sums_between(coordinates, far, far)
    gradients = exact.gradients_from(coordinates, far)
    gradients[:, :, far] = of_far.transpose(0, 2, 1)
    # Pairs with points of the core count in both orders.
    return 2 * at_far.sum(axis=0) - within_far.sum(axis=0), gradients
