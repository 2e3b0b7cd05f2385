"""The two kinds of target, classes and numbers: how each is split and how errors are computed."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from discrimap.metrics import (
    knn_error,
    knn_regression_error,
    leave_one_out_error,
    leave_one_out_regression_error,
)


class Task(ABC):
    """A kind of target."""

    name: str

    @abstractmethod
    def is_labelled(self, y) -> np.ndarray:
        """Return for each entry of y whether it is a label."""

    @abstractmethod
    def split(self, y, test_size, seed):
        """Return training and held-out rows of samples that all have a label."""

    @abstractmethod
    def thin(self, y, n_kept, rng):
        """Choose about n_kept rows at random."""

    @abstractmethod
    def held_out_error(self, Z_train, y_train, Z_test, y_test, n_neighbors):
        """Return the error of the held-out points, judged by their nearest training points."""

    @abstractmethod
    def training_error(self, Z, y, n_neighbors):
        """Return the error of the training points, each judged by its nearest others."""

    def labelled_rows(self, y) -> np.ndarray:
        """Return the rows that have a label."""
        return np.flatnonzero(self.is_labelled(y))

    def split_labelled(self, y, test_size, seed):
        """Return training and held-out rows among those that have a label."""
        rows = self.labelled_rows(y)
        train, test = self.split(y[rows], test_size, seed)
        return rows[train], rows[test]


class Classification(Task):
    """Classes, coded 0, 1, ... and -1 where a sample has none.

    The error is the share of points to which the vote of the neighbours gives a wrong class.
    """

    name = "classification"

    def is_labelled(self, y):
        return y >= 0

    def split(self, y, test_size, seed):
        """Split at random such that both parts have the same shares of the classes."""
        from sklearn.model_selection import StratifiedShuffleSplit

        splitter = StratifiedShuffleSplit(n_splits=1, test_size=test_size, random_state=seed)
        return next(splitter.split(np.zeros(len(y)), y))

    def thin(self, y, n_kept, rng):
        """Choose rows at random such that each class keeps its share, and at least two rows."""
        kept = []
        for code in np.unique(y):
            rows = rng.permutation(np.flatnonzero(y == code))
            kept.append(rows[: max(2, round(n_kept * len(rows) / len(y)))])
        return np.sort(np.concatenate(kept))

    def held_out_error(self, Z_train, y_train, Z_test, y_test, n_neighbors):
        return knn_error(Z_train, y_train, Z_test, y_test, n_neighbors=n_neighbors)

    def training_error(self, Z, y, n_neighbors):
        return leave_one_out_error(Z, y, n_neighbors=n_neighbors)


class Regression(Task):
    """Numbers, NaN where a sample has none.

    The error is the squared error of the mean of the neighbours, relative to that of the mean of all.
    """

    name = "regression"

    def is_labelled(self, y):
        return ~np.isnan(y)

    def split(self, y, test_size, seed):
        """Split at random."""
        from sklearn.model_selection import ShuffleSplit

        splitter = ShuffleSplit(n_splits=1, test_size=test_size, random_state=seed)
        return next(splitter.split(np.zeros(len(y))))

    def thin(self, y, n_kept, rng):
        return np.sort(rng.permutation(len(y))[:n_kept])

    def held_out_error(self, Z_train, y_train, Z_test, y_test, n_neighbors):
        return knn_regression_error(Z_train, y_train, Z_test, y_test, n_neighbors=n_neighbors)

    def training_error(self, Z, y, n_neighbors):
        return leave_one_out_regression_error(Z, y, n_neighbors=n_neighbors)


TASKS: dict[str, Task] = {task.name: task for task in (Classification(), Regression())}
