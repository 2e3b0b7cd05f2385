"""The data of a comparison, as the parts of an inspection take it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from discrimap.comparison.tasks import TASKS, Task
from discrimap.models.pipelines import preparing_steps
from discrimap.samples.targets import encode_classes


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples with classes or numbers.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The samples as they were given, NaN where a value is missing. Each fit fills in missing
        values from the rows that it is fitted to.
    y : ndarray of shape (n_samples,)
        Class codes 0..C-1 with -1 where unlabelled, or numbers with NaN where unlabelled.
    class_names : tuple of str
        The classes in the order of their codes, as they are written; empty for numbers.
    feature_names : tuple of str
        One for each column of X.
    """

    X: Any
    y: np.ndarray
    class_names: tuple[str, ...]
    feature_names: tuple[str, ...]

    @property
    def is_continuous(self) -> bool:
        return not self.class_names

    @property
    def task(self) -> Task:
        return TASKS["regression" if self.is_continuous else "classification"]

    @property
    def labelled_rows(self) -> np.ndarray:
        return self.task.labelled_rows(self.y)

    def prepared(self, rows: np.ndarray, *, scale: bool, impute: str | None):
        """Fill in and standardise some rows with their own medians, means and scales."""
        X = self.X[rows]
        for step in preparing_steps(scale=scale, impute=impute, is_sparse=sparse.issparse(X)):
            X = step.fit_transform(X)
        return X

    @classmethod
    def from_dataset(cls, dataset) -> Samples:
        """Take a :class:`~discrimap.datasets.Dataset`."""
        X, y = dataset.X, dataset.y
        names = dataset.feature_names or [f"feature {i}" for i in range(X.shape[1])]
        if not np.issubdtype(X.dtype, np.floating):
            X = X.astype(np.float64)
        if dataset.is_continuous:
            return cls(X, y.astype(np.float64), (), tuple(map(str, names)))
        labels = dataset.class_labels
        is_labelled = dataset.is_labelled
        y = np.full(X.shape[0], -1, dtype=np.intp)
        class_names, y[is_labelled] = encode_classes(labels[is_labelled])
        return cls(X, y, tuple(class_names), tuple(map(str, names)))
