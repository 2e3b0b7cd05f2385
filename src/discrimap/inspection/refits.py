"""Refit a method of a comparison to other rows or with another number of components."""

from __future__ import annotations

import math
import warnings

import numpy as np

from discrimap.comparison.problem import n_training
from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import MethodResult
from discrimap.comparison.schedule import USUAL_POWER
from discrimap.comparison.shown_axes import choose_axes
from discrimap.comparison.trials import Fit, TrialMaps, fit_maps, seeds_of_split
from discrimap.costs import Shape
from discrimap.inspection.named_problem import NamedProblem


class Refit:
    """A method with the settings of the comparison: scaling, landmarks and limit of the rows.

    Parameters
    ----------
    result : MethodResult
        The method, with the time of one fit.
    samples : NamedProblem
        The data; only labelled rows are used.
    protocol : Protocol
        Scaling and neighbours.
    """

    def __init__(self, result: MethodResult, samples: NamedProblem, protocol: Protocol):
        self.result, self.samples, self.protocol = result, samples, protocol
        self.method = result.method
        self.task = samples.task
        self._n_labelled = len(samples.labelled_rows)
        n_compared = n_training(self._n_labelled, protocol)
        self.n_fitted = result.n_fitted or n_compared  # rows of the fits of the comparison
        self._most_rows = self.n_fitted if self.n_fitted < n_compared else self._n_labelled

    def most_components(self, n_train: int) -> int:
        """Return the largest number of components of a fit to n_train rows, or the fixed number."""
        shape = self._shape(n_train, 1)
        if self.method.fixed_components is not None:
            return self.method.fixed_components(shape)
        return min(self.method.max_components(shape), self.samples.X.shape[1])

    def seconds(self, n_components: int, n_train: int) -> float:
        """Return the expected time of fitting and of transforming the other rows.

        The time measured in the comparison is extrapolated, with the growth in rows and components
        that is typical of most methods.
        """
        n_rows = min(n_train, self._most_rows)
        growth = (n_rows / self.n_fitted) ** USUAL_POWER
        return self.result.seconds * max(growth, 1e-3) * self._share_of(n_components)

    def seconds_of_all(self) -> float:
        """Return the expected time of one fit to all labelled rows, up to the limit of the rows."""
        return self.seconds(self.result.n_components, self._n_labelled)

    def _share_of(self, n_components: int) -> float:
        """Return the factor by which a fit takes longer with more components.

        It is 1 if the number of components is fixed.
        """
        if self.method.fixed_components is not None:
            return 1.0
        # A rough rule: kernel sums and gradients scale with the components, other costs do not.
        return math.sqrt(max(1.0, n_components / max(1, self.result.n_components)))

    def make(self, n_components: int, seed: int):
        """Build the estimator."""
        return self.method.make(
            n_components,
            seed,
            continuous=self.samples.is_continuous,
            n_landmarks=self.result.n_landmarks,
            kernel=self.samples.kernel,
        )

    def maps(self, n_components: int, train: np.ndarray, test: np.ndarray, seed: int):
        """Fit to training rows; return their map and targets, and the map of the other rows.

        If the method has more components than requested, the best are returned, as in the
        comparison.
        """
        train = self.limited(train, seed)
        with warnings.catch_warnings():
            # The warnings of the method were already reported by the comparison.
            warnings.simplefilter("ignore")
            estimator = self.make(n_components, seed)
            maps = fit_maps(estimator, self.samples, self.samples.y, train, test, self.protocol)
        axes = self.axes(maps.train, maps.y_train, n_components)
        return maps.train[:, axes], maps.y_train, maps.test[:, axes]

    def trial(self, n_components: int, split: int) -> TrialMaps:
        """Fit one split as in the comparison, but with another number of components."""
        fit = Fit(self.method, self.n_fitted, split)
        estimator = self.make(n_components, seeds_of_split(self.protocol.seed, split)[2])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.samples.fit_split(estimator, fit, self.protocol)

    def limited(self, rows: np.ndarray, seed: int) -> np.ndarray:
        """Return these rows, or a random part if the comparison fitted fewer rows."""
        if len(rows) <= self._most_rows:
            return rows
        rng = np.random.default_rng(seed)
        return rows[self.task.thin(self.samples.y[rows], self._most_rows, rng)]

    def axes(self, Z: np.ndarray, y: np.ndarray, n_components: int) -> np.ndarray:
        """Return the indices of the axes of a training map that are shown."""
        protocol = self.protocol
        return choose_axes(Z, y, self.task, n_components, protocol.n_neighbors, protocol.score)

    def _shape(self, n_rows: int, n_components: int) -> Shape:
        n_classes = 1 if self.samples.is_continuous else len(self.samples.class_names)
        n_features, n_landmarks = self.samples.X.shape[1], self.result.n_landmarks
        return Shape(n_rows, n_features, n_classes, n_components, n_landmarks)
