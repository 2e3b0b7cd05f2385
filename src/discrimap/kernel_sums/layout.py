"""Points sorted by class, so that each class is a contiguous range."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from discrimap._typing import Array
from discrimap.threads import run_tasks

# At least this many points are sorted by compiled loops. Fewer points fit in the cache, so that the
# order of access has no effect.
MANY_POINTS = 100_000
# Number of points that a thread sorts at a time, and nanoseconds to move or compare a number.
SORTED_TOGETHER = 1 << 16
PER_NUMBER = 2.0


def class_sizes(labels: Array, n_classes: int = 0, weights: Array | None = None) -> Any:
    """Total weight of each class, in float64, for at least ``n_classes`` classes."""
    return np.bincount(labels, weights, n_classes).astype(np.float64, copy=False)


class ClassLayout:
    """Order of the points by class, with their weights; built once, used at every evaluation.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        Class of each point, ``0 .. n_classes - 1``.
    n_components : int
        Dimension of the points.
    weights : array-like of shape (n_samples,), optional
        Non-negative weight of each point; all one by default.
    n_classes : int, optional
        Number of classes; the last classes may be empty.

    Attributes
    ----------
    order : ndarray of shape (n_samples,)
        Index of each sorted point in the caller's order.
    labels : ndarray of shape (n_samples,)
        Sorted labels.
    starts : ndarray of shape (n_classes + 1,)
        Class c occupies ``starts[c]:starts[c + 1]``.
    weights : ndarray of shape (n_samples,)
        Sorted weights.
    has_weights : bool
        Whether any weight differs from one.
    """

    def __init__(
        self,
        labels: ArrayLike,
        n_components: int,
        weights: ArrayLike | None = None,
        n_classes: int | None = None,
    ) -> None:
        labels = np.asarray(labels)
        if labels.ndim != 1 or len(labels) == 0 or not np.issubdtype(labels.dtype, np.integer):
            raise ValueError(
                f"labels has shape {labels.shape} and type {labels.dtype}; class indices "
                "0 .. n_classes - 1 of at least one point are needed."
            )
        n_found = int(labels.max()) + 1
        n_classes = n_found if n_classes is None else n_classes
        if labels.min() < 0 or n_found > n_classes:
            raise ValueError(
                f"labels runs from {labels.min()} to {labels.max()}, but there are {n_classes} "
                f"classes; number them 0 .. {n_classes - 1}."
            )
        self.n_samples, self.n_components, self.n_classes = len(labels), n_components, n_classes
        # Labels in the caller's order, in the smallest sufficient integer type.
        self.codes = labels.astype(np.min_scalar_type(n_classes - 1))
        self.starts = np.zeros(n_classes + 1, dtype=np.int64)
        np.cumsum(np.bincount(labels, minlength=n_classes), out=self.starts[1:])
        self.has_weights = False
        self.weights = np.ones(len(labels))
        if weights is not None:
            weights = np.asarray(weights, dtype=np.float64)
            if weights.shape != labels.shape:
                raise ValueError(
                    f"weights has shape {weights.shape}; one weight for each of the {len(labels)} "
                    "points is needed."
                )
            if not (np.isfinite(weights).all() and (weights >= 0).all()):
                raise ValueError("weights must be finite and not negative.")
            self.weights = weights[self.order]
            self.has_weights = bool((weights != 1).any())

    @cached_property
    def order(self) -> Any:
        return np.argsort(self.codes, kind="stable")

    @cached_property
    def labels(self) -> Any:
        return np.repeat(np.arange(self.n_classes), np.diff(self.starts))

    @cached_property
    def _blocks(self) -> list[tuple[slice, Array]]:
        """Ranges of points in the caller's order, and the first sorted position of each class."""
        blocks, places = [], self.starts[:-1]
        for first in range(0, self.n_samples, SORTED_TOGETHER):
            rows = slice(first, first + SORTED_TOGETHER)
            blocks.append((rows, places))
            places = places + np.bincount(self.codes[rows], minlength=self.n_classes)
        return blocks

    def sort(self, Z: Array) -> Any:
        """Coordinates sorted by class: (n_components, n_samples), float64, contiguous."""
        return self.sort_with_box(Z)[0]

    def sort_with_box(self, Z: Array) -> tuple[Any, Any, Any]:
        """The result of :meth:`sort`, and the smallest and largest coordinate in each dimension."""
        Z = np.asarray(Z)
        if Z.shape != (self.n_samples, self.n_components):
            raise ValueError(
                f"Z has shape {Z.shape}; the engine was made for {self.n_samples} points in "
                f"{self.n_components} dimensions."
            )
        coordinates = self.sort_unchecked(Z)
        lowest, highest = box(coordinates)
        if not (np.isfinite(lowest).all() and np.isfinite(highest).all()):
            raise ValueError("Z holds NaN or infinity; the projection has diverged.")
        return coordinates, lowest, highest

    def sort_each(self, Zs: Array) -> Any:
        """The result of :meth:`sort` for several maps: (n_maps, n_components, n_samples)."""
        if not np.isfinite(Zs).all():
            raise ValueError("Z holds NaN or infinity; the projection has diverged.")
        sorted_points = Zs[:, self.order].transpose(0, 2, 1)
        return np.ascontiguousarray(sorted_points, dtype=np.float64)

    def sort_unchecked(self, Z: Array) -> Any:
        """Like :meth:`sort`, for points that may not be finite."""
        if len(Z) < MANY_POINTS:
            return np.ascontiguousarray(Z[self.order].T, dtype=np.float64)
        from discrimap.kernel_sums._order_loops import sort_points

        Z, coordinates = np.ascontiguousarray(Z), np.empty(Z.shape[::-1])

        def sort(block: tuple[slice, Array]) -> None:
            rows, places = block
            sort_points(Z[rows], self.codes[rows], places, coordinates)

        run_tasks(sort, self._blocks, PER_NUMBER * Z.size)
        return coordinates

    def unsort(self, rows: Array, dtype: Any = np.float64) -> Array:
        """Reorder an array (n_samples, ...) from sorted order to the caller's order."""
        result = np.empty(rows.shape, dtype=dtype)
        if rows.ndim == 1 or len(rows) < MANY_POINTS:
            result[self.order] = rows
            return result
        from discrimap.kernel_sums._order_loops import unsort_rows

        sorted_rows = np.ascontiguousarray(rows)

        def unsort(block: tuple[slice, Array]) -> None:
            rows, places = block
            unsort_rows(sorted_rows, self.codes[rows], places, result[rows])

        run_tasks(unsort, self._blocks, PER_NUMBER * result.size)
        return result

    def without_classes(self) -> Any:
        """Layout of the same points and weights in a single class."""
        in_callers_order = self.unsort(self.weights) if self.has_weights else None
        labels = np.zeros(self.n_samples, dtype=np.int64)
        return ClassLayout(labels, self.n_components, in_callers_order)


def box(coordinates: Array) -> tuple[Any, Any]:
    """Smallest and largest coordinate in each dimension; NaN if any coordinate is NaN."""
    if coordinates.shape[1] <= SORTED_TOGETHER:
        return coordinates.min(axis=1), coordinates.max(axis=1)
    pieces = range(0, coordinates.shape[1], SORTED_TOGETHER)

    def extremes(first: int) -> tuple[Array, Array]:
        piece = coordinates[:, first : first + SORTED_TOGETHER]
        return piece.min(axis=1), piece.max(axis=1)

    lowest, highest = zip(*run_tasks(extremes, pieces, PER_NUMBER * coordinates.size), strict=True)
    return np.min(lowest, axis=0), np.max(highest, axis=0)
