"""The data of a comparison with the names of its features, for the parts of an inspection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from discrimap.comparison.problem import Problem, encode_groups, encode_order
from discrimap.models.pipelines import preparing_steps
from discrimap.samples.targets import encode_classes


@dataclass(frozen=True, eq=False)
class NamedProblem(Problem):
    """Samples with a target, which may be missing for some of them, and names of the features.

    Missing values in X are NaN: each fit fills them in from the rows that it is fitted to.
    """

    feature_names: tuple[str, ...] = ()  # one for each column of X
    id_name: str | None = None
    ids: np.ndarray | None = None  # text that names each row
    texts: np.ndarray | None = None  # shown with each row
    images: np.ndarray | None = None  # paths or pixels, shown with each row

    def prepared(self, rows: np.ndarray, *, scale: bool, impute: str | None) -> Any:
        """Fill in and standardise some rows with their own medians, means and scales."""
        X = self.X[rows]
        for step in preparing_steps(scale=scale, impute=impute, is_sparse=sparse.issparse(X)):
            X = step.fit_transform(X)
        return X

    @classmethod
    def from_dataset(cls, dataset: Any) -> NamedProblem:
        """Return the samples of a :class:`~discrimap.datasets.Dataset`."""
        X, y = dataset.X, dataset.y
        names = dataset.feature_names or [f"feature {i}" for i in range(X.shape[1])]
        if not np.issubdtype(X.dtype, np.floating):
            X = X.astype(np.float64)
        n_samples = X.shape[0]
        more: dict[str, Any] = {
            "feature_names": tuple(map(str, names)),
            "id_name": dataset.id_name,
            "ids": dataset.ids,
            "texts": dataset.texts,
            "images": dataset.images,
            "groups": None if dataset.groups is None else encode_groups(dataset.groups, n_samples),
            "kernel": dataset.kernel,
            "order": None if dataset.order is None else encode_order(dataset.order, n_samples),
        }
        if dataset.is_continuous:
            return cls(X, y.astype(np.float64), "regression", **more)
        labels, is_labelled = dataset.class_labels, dataset.is_labelled
        y = np.full(n_samples, -1, dtype=np.intp)
        class_names, y[is_labelled] = encode_classes(labels[is_labelled])
        return cls(X, y, "classification", tuple(class_names), **more)
