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
    """Samples with a target, and the names of features and rows.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The samples. Missing values are NaN; each fit fills them in from its training rows.
    y : ndarray of shape (n_samples,)
        Class codes 0, 1, ..., or numbers; -1 or NaN for samples without a label.
    task_name : {"classification", "regression"}
        Type of the target.
    class_names : tuple of str
        Names of the classes; empty for regression.
    groups : ndarray of shape (n_samples,), or None
        Codes of the groups of samples that are held out together.
    order : ndarray of shape (n_samples,), or None
        Position of each sample in the order.
    kernel : {"precomputed", "precomputed_distance"} or None
        Whether X holds similarities or distances between the samples.
    feature_names : tuple of str
        Names of the columns of X.
    id_name : str or None
        Name of the column with the ids.
    ids : ndarray of str of shape (n_samples,), or None
        Text that identifies each sample.
    texts : ndarray of str of shape (n_samples,), or None
        Text shown with each sample.
    images : ndarray or None
        Paths or pixels of the image shown with each sample.

    Examples
    --------
    >>> from discrimap.datasets import load
    >>> from discrimap.inspection import NamedProblem
    >>> samples = NamedProblem.from_dataset(load("iris"))
    >>> samples.class_names, samples.feature_names[0]
    (('setosa', 'versicolor', 'virginica'), 'sepal length (cm)')
    """

    feature_names: tuple[str, ...] = ()  # one for each column of X
    id_name: str | None = None
    ids: np.ndarray | None = None  # text that identifies each row
    texts: np.ndarray | None = None  # shown with each row
    images: np.ndarray | None = None  # paths or pixels, shown with each row

    def prepared(self, rows: np.ndarray, *, scale: bool, impute: str | None) -> Any:
        """Impute and standardise the given rows, with the medians, means and scales of these rows.

        Parameters
        ----------
        rows : ndarray of int
            Indices of the rows.
        scale : bool
            Whether to standardise the features.
        impute : {"median", "mean"} or None
            How to fill in missing values.

        Returns
        -------
        X : ndarray or sparse matrix of shape (len(rows), n_features)
        """
        X = self.X[rows]
        for step in preparing_steps(scale=scale, impute=impute, is_sparse=sparse.issparse(X)):
            X = step.fit_transform(X)
        return X

    @classmethod
    def from_dataset(cls, dataset: Any) -> NamedProblem:
        """Return the samples of a data set.

        Parameters
        ----------
        dataset : Dataset
            Samples with labels.

        Returns
        -------
        problem : NamedProblem
        """
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
