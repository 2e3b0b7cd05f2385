"""Classification and regression: prediction by nearest neighbours, and errors."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from discrimap.metrics.knn import class_votes, winning_shares
from discrimap.metrics.knn_regression import (
    leave_one_out_regression_error,
    neighbor_means,
    relative_squared_error,
)

# Scores of classification; regression has a single score.
SCORES = ("error", "balanced")


class Task(ABC):
    """Type of the target."""

    name: str

    @abstractmethod
    def is_labelled(self, y) -> np.ndarray:
        """Return for each entry of y whether it is a label."""

    @abstractmethod
    def thin(self, y, n_kept, rng):
        """Choose about n_kept rows at random."""

    @abstractmethod
    def predict(self, Z_train, y_train, Z_test, n_classes, n_neighbors) -> np.ndarray:
        """Return the predictions from the nearest training points, one row per point."""

    @abstractmethod
    def error(self, predicted, y, y_train, score) -> float:
        """Return the error of predictions."""

    @abstractmethod
    def training_error(self, Z, y, n_classes, n_neighbors, score) -> float:
        """Return the leave-one-out error of the training points."""

    @abstractmethod
    def decide(self, predicted, rng) -> np.ndarray:
        """Return one class or number for each point."""

    def labelled_rows(self, y) -> np.ndarray:
        """Return the rows that have a label."""
        return np.flatnonzero(self.is_labelled(y))


class Classification(Task):
    """Classes with codes 0, 1, ...; -1 for samples without a label.

    The error is the share of points for which the vote of the neighbours gives a wrong class. The
    balanced error is the mean of this share over the classes.
    """

    name = "classification"

    def is_labelled(self, y):
        return y >= 0

    def thin(self, y, n_kept, rng):
        """Choose rows at random such that each class keeps its share, and at least two rows."""
        kept = []
        for code in np.unique(y):
            rows = rng.permutation(np.flatnonzero(y == code))
            kept.append(rows[: max(2, round(n_kept * len(rows) / len(y)))])
        return np.sort(np.concatenate(kept))

    def predict(self, Z_train, y_train, Z_test, n_classes, n_neighbors):
        """Return the share of each class in the decision: 1 for the winner, equal parts for ties."""
        return winning_shares(class_votes(Z_train, y_train, Z_test, n_classes, n_neighbors))

    def error(self, predicted, y, y_train, score):
        return error_of_shares(predicted, y, score)

    def training_error(self, Z, y, n_classes, n_neighbors, score):
        votes = class_votes(Z, y, Z, n_classes, n_neighbors, own=np.arange(len(Z)))
        return error_of_shares(winning_shares(votes), y, score)

    def decide(self, predicted, rng):
        """Return the class with the most votes; ties are broken at random."""
        lots = rng.random(predicted.shape)
        return np.where(predicted > 0, lots, -1.0).argmax(axis=1).astype(np.int32)


class Regression(Task):
    """Continuous target; NaN for samples without a label.

    The error is the squared error of the mean of the neighbours, divided by the squared error of
    the mean of all training points.
    """

    name = "regression"

    def is_labelled(self, y):
        return ~np.isnan(y)

    def thin(self, y, n_kept, rng):
        return np.sort(rng.permutation(len(y))[:n_kept])

    def predict(self, Z_train, y_train, Z_test, n_classes, n_neighbors):
        """Return the mean of the neighbours."""
        return neighbor_means(Z_train, y_train, Z_test, n_neighbors)

    def error(self, predicted, y, y_train, score):
        return relative_squared_error(y - predicted, y - y_train.mean())

    def training_error(self, Z, y, n_classes, n_neighbors, score):
        return leave_one_out_regression_error(Z, y, n_neighbors=n_neighbors)

    def decide(self, predicted, rng):
        return predicted


def error_of_shares(shares: np.ndarray, y: np.ndarray, score: str) -> float:
    """Return the error of votes: the mean over all points or, if balanced, over the classes.

    Examples
    --------
    >>> import numpy as np
    >>> shares, y = (
    ...     np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.5, 0.5]]),
    ...     np.array([0, 0, 0, 1]),
    ... )
    >>> error_of_shares(shares, y, "error"), error_of_shares(shares, y, "balanced")
    (0.125, 0.25)
    """
    wrong = 1.0 - shares[np.arange(len(y)), y]
    if score == "error":
        return float(wrong.mean())
    counts = np.bincount(y)
    return float((np.bincount(y, wrong)[counts > 0] / counts[counts > 0]).mean())


TASKS: dict[str, Task] = {task.name: task for task in (Classification(), Regression())}
