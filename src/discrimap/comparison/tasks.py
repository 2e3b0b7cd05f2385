"""What differs between telling classes apart and predicting a number."""

from __future__ import annotations

import numpy as np

from discrimap.metrics import (
    knn_error,
    knn_regression_error,
    leave_one_out_error,
    leave_one_out_regression_error,
)


class Classification:
    """Classes, coded 0, 1, ...; the error is the share of points that the neighbours mistake."""

    name = "classification"
    unlabelled = -1

    def split(self, y, test_size, seed):
        """Training rows and held-out rows, with the same shares of the classes."""
        from sklearn.model_selection import StratifiedShuffleSplit

        splitter = StratifiedShuffleSplit(n_splits=1, test_size=test_size, random_state=seed)
        return next(splitter.split(np.zeros(len(y)), y))

    def thin(self, y, n_kept, rng):
        """Choose rows such that each class keeps its share, and at least two rows."""
        kept = []
        for code in np.unique(y):
            rows = rng.permutation(np.flatnonzero(y == code))
            kept.append(rows[: max(2, round(n_kept * len(rows) / len(y)))])
        return np.sort(np.concatenate(kept))

    def held_out_error(self, Z_train, y_train, Z_test, y_test, n_neighbors):
        return knn_error(Z_train, y_train, Z_test, y_test, n_neighbors=n_neighbors)

    def training_error(self, Z, y, n_neighbors):
        return leave_one_out_error(Z, y, n_neighbors=n_neighbors)


class Regression:
    """Numbers; the error is the squared one of the neighbours' mean, relative to the mean of all."""

    name = "regression"
    unlabelled = np.nan

    def split(self, y, test_size, seed):
        """Training rows and held-out rows, at random."""
        from sklearn.model_selection import ShuffleSplit

        splitter = ShuffleSplit(n_splits=1, test_size=test_size, random_state=seed)
        return next(splitter.split(np.zeros(len(y))))

    def thin(self, y, n_kept, rng):
        """Choose rows at random."""
        return np.sort(rng.permutation(len(y))[:n_kept])

    def held_out_error(self, Z_train, y_train, Z_test, y_test, n_neighbors):
        return knn_regression_error(Z_train, y_train, Z_test, y_test, n_neighbors=n_neighbors)

    def training_error(self, Z, y, n_neighbors):
        return leave_one_out_regression_error(Z, y, n_neighbors=n_neighbors)


TASKS = {task.name: task for task in (Classification(), Regression())}
