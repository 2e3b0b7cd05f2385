"""Distances among training points and to new points, with cross-fitted labels if requested."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from discrimap.fisher.centres import Centres
from discrimap.fisher.classifier import ClassifierField
from discrimap.fisher.information import classifier_information, parzen_information
from discrimap.fisher.landmark_fields import LandmarkFields
from discrimap.fisher.pairs import (
    NearestSoFar,
    Represented,
    block_size,
    blocks_among,
    blocks_between,
)
from discrimap.fisher.parzen import ParzenField
from discrimap.fisher.plain_part import PlainPart


@dataclass(frozen=True)
class ParzenFields:
    """Parzen posteriors from centres that do not depend on some folds."""

    geometry: Any
    centres: Centres
    n_classes: int
    bandwidth: float

    def without(self, *folds: int) -> tuple[Any, Callable[[np.ndarray], np.ndarray], int]:
        """Field without these folds, function that represents points in it, and their width."""
        centres = self.centres.without(*folds) if folds else self.centres
        field = ParzenField(centres.labels, centres.weights, self.n_classes, self.bandwidth)

        def represent(points):
            return field.represent(self.geometry.squared(points, centres.places))

        return field, represent, len(centres.labels)

    def information(self, points: np.ndarray) -> np.ndarray:
        """Fisher information matrices at vectors, from all centres."""
        field, represent, _ = self.without()
        return parzen_information(field, represent(points), self.centres.places)


@dataclass(frozen=True)
class ClassifierFields:
    """Posteriors of one classifier, which are the same for all folds."""

    classifier: Any

    def without(self, *folds: int) -> tuple[Any, Callable[[np.ndarray], np.ndarray], int]:
        """Return the same field for all folds; points represent themselves."""
        return ClassifierField(self.classifier), lambda points: points, 1

    def information(self, points: np.ndarray) -> np.ndarray:
        """Fisher information matrices at vectors."""
        return classifier_information(ClassifierField(self.classifier), points)


@dataclass(frozen=True)
class Assembly:
    """Lengths of a fitted metric.

    With more than one fold, the length between a sample of fold f and one of fold g uses no centre
    that depends on f or g, and the length from a new point to a sample of fold g no centre that
    depends on g.

    Parameters
    ----------
    fields : ParzenFields, ClassifierFields or LandmarkFields
        Source of the posteriors.
    points : ndarray of shape (n_samples, ...)
        Training points in the geometry.
    folds : ndarray of shape (n_samples,) or None
        Fold of each training point; None uses all labels for all points.
    rule : callable
        ``rule(field, left, right, n_steps)`` gives lengths.
    n_steps : int
        Pieces of each segment.
    plain : PlainPart or None
        Coordinates of the Euclidean part.
    regularisation : float
        Weight of the squared Euclidean part; 0 without it.
    """

    fields: ParzenFields | ClassifierFields | LandmarkFields
    points: np.ndarray
    folds: np.ndarray | None
    rule: Callable
    n_steps: int
    plain: PlainPart | None = None
    regularisation: float = 0.0

    @property
    def groups(self):
        """Pairs of the folds to leave out and the indices of their samples."""
        if self.folds is None:
            return [((), np.arange(len(self.points)))]
        return [((int(f),), np.flatnonzero(self.folds == f)) for f in np.unique(self.folds)]

    def _prepare(self, *folds):
        field, represent, width = self.fields.without(*folds)
        lengths = partial(self._lengths, field)
        return lengths, partial(_represented, represent, width), block_size(field.n_classes)

    def _lengths(self, field, left, right):
        return self.rule(field, left, right, self.n_steps)

    def _regularised(self, left, right, lengths):
        """Add the Euclidean part to the lengths between points."""
        if self.plain is None or not self.regularisation:
            return lengths
        near, far = self.plain.coordinates(left), self.plain.coordinates(right)
        squared = self.regularisation * euclidean_distances(near, far, squared=True)
        return np.sqrt(np.square(lengths) + squared).astype(lengths.dtype, copy=False)

    def _regularised_among(self, rows, columns, lengths):
        lengths = self._regularised(self.points[rows], self.points[columns], lengths)
        if rows is columns:
            np.fill_diagonal(lengths, 0)
        return lengths

    def blocks_among(self):
        """Yield ``(rows, columns, lengths)`` with index arrays; each symmetric pair once."""
        groups = self.groups
        for first, (fold, members) in enumerate(groups):
            lengths, represented, size = self._prepare(*fold)
            inside = represented(self.points, members)
            for rows, columns, block in blocks_among(lengths, inside, size):
                left = members[rows]
                right = left if rows is columns else members[columns]
                yield left, right, self._regularised_among(left, right, block)
            for other_fold, others in groups[first + 1 :]:
                lengths, represented, size = self._prepare(*fold, *other_fold)
                left = represented(self.points, members)
                right = represented(self.points, others)
                for rows, columns, block in blocks_between(lengths, left, right, size):
                    block = self._regularised_among(members[rows], others[columns], block)
                    yield members[rows], others[columns], block

    def blocks_to(self, new_points):
        """Yield ``(rows, columns, lengths)``: slices of new points, indices of training points."""
        for fold, members in self.groups:
            lengths, represented, size = self._prepare(*fold)
            left = represented(new_points, np.arange(len(new_points)))
            right = represented(self.points, members)
            for rows, columns, block in blocks_between(lengths, left, right, size):
                near = members[columns]
                yield rows, near, self._regularised(new_points[rows], self.points[near], block)

    def among(self) -> np.ndarray:
        """Lengths among the training points, (n_samples, n_samples)."""
        lengths = np.empty((len(self.points), len(self.points)), self.points.dtype)
        for rows, columns, block in self.blocks_among():
            lengths[np.ix_(rows, columns)] = block
            lengths[np.ix_(columns, rows)] = block.T
        return lengths

    def to(self, new_points: np.ndarray) -> np.ndarray:
        """Lengths from new points to the training points, (n_new, n_samples)."""
        lengths = np.empty((len(new_points), len(self.points)), new_points.dtype)
        for rows, columns, block in self.blocks_to(new_points):
            lengths[rows, columns] = block
        return lengths

    def nearest_among(self, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the nearest other training points of each, without an n x n array."""
        nearest = NearestSoFar(len(self.points), n_neighbors, self.points.dtype)
        for rows, columns, block in self.blocks_among():
            if rows is columns or np.array_equal(rows, columns):
                block = block.copy()
                np.fill_diagonal(block, np.inf)  # a point is not its own neighbour
                nearest.add(rows, columns, block)
            else:
                nearest.add(rows, columns, block)
                nearest.add(columns, rows, block.T)
        return nearest.sorted()

    def nearest_to(self, new_points: np.ndarray, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the nearest training points of each new point."""
        nearest = NearestSoFar(len(new_points), n_neighbors, new_points.dtype)
        for rows, columns, block in self.blocks_to(new_points):
            nearest.add(rows, columns, block)
        return nearest.sorted()

    def posterior_among(self) -> np.ndarray:
        """Class posteriors of the training points, (n_samples, n_classes)."""
        posterior: Any = None
        for fold, members in self.groups:
            field, represent, _ = self.fields.without(*fold)
            for part in _slices(len(members)):
                values = field.posterior(represent(self.points[members[part]])).T
                if posterior is None:
                    posterior = np.empty((len(self.points), values.shape[1]), values.dtype)
                posterior[members[part]] = values
        return posterior

    def posterior_at(self, new_points: np.ndarray) -> np.ndarray:
        """Class posteriors of new points, from all centres."""
        field, represent, _ = self.fields.without()
        parts = [
            field.posterior(represent(new_points[part])).T for part in _slices(len(new_points))
        ]
        return np.concatenate(parts)


def _represented(represent, width, points, members):
    def make(rows):
        return represent(points[members[rows]])

    return Represented(make, len(members), width)


def _slices(n_points, size=512):
    return [slice(start, start + size) for start in range(0, n_points, size)]
