"""The class of data set that every loader returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Samples, their labels, and messages about how they were loaded.

    Attributes
    ----------
    name : str
        Name of the data set, or the file name without its extension.
    X : ndarray or scipy CSR array of shape (n_samples, n_features), or None
        The samples, in the dtype in which they are stored. Images and counts are small integers, which
        overflow in arithmetic: convert them first (estimators do so). None if the data set has only
        similarities or distances, which are then in ``extras``.
    y : ndarray of shape (n_samples,), or None
        Class codes, class names or numbers, one for each sample; None without a target.
    feature_names : list of str, or None
        Names of the columns of X, if they are known.
    target_names : list of str, or None
        ``target_names[code]`` is the name of the class with this code. None if y holds the names or
        numbers themselves, or if the classes have no names.
    extras : mapping of str to ndarray
        Other arrays of the data set, such as ``is_test``, ``speaker``, ``image_shape``, ``S``, ``D``.
    notices : tuple of str
        Messages for the user about how the data was read, one line each.
    is_labelled : ndarray of bool of shape (n_samples,), or None
        Which samples have a label; by default all. For samples without a label, y is -1 (classes) or
        NaN (numbers). None if y is None.
    groups : ndarray of shape (n_samples,), or None
        The group of each sample, such as a patient, from the column given as ``groups``.
    order : ndarray of shape (n_samples,), or None
        Numbers or dates that order the samples, from the column given as ``order``.
    columns : list of dict
        How each column of a table was read as features: its ``name`` and ``kind`` ("number", "truth"
        or "text"), the notation of numbers and the ``categories`` of text. Empty for data without
        named columns.
    id_name : str, or None
        Name of the column that identifies the rows of a table, if it has one. It is not a feature.
    ids : ndarray of str of shape (n_samples,), or None
        The values of this column.
    kernel : {"precomputed", "precomputed_distance"} or None
        "precomputed" if X holds similarities between the samples, "precomputed_distance" if it holds
        distances, one column for each sample; None if it holds features.
    texts : ndarray of str of shape (n_samples,), or None
        Text shown with each sample, from the column given as ``text``. It is not a feature.
    images : ndarray, or None
        Images shown with the samples: paths of shape (n_samples,), or pixels of shape
        (n_samples, height, width), with a last axis of length 3 for colours.

    Examples
    --------
    >>> from discrimap.datasets import load
    >>> wine = load("wine")
    >>> wine
    Dataset('wine', X 178 x 13 float64, y 178 int64)
    >>> wine.class_labels[:2]
    array(['class_0', 'class_0'], dtype='<U7')
    """

    name: str
    X: Any = None
    y: np.ndarray | None = None
    feature_names: list[str] | None = None
    target_names: list[str] | None = None
    extras: Mapping[str, np.ndarray] = field(default_factory=lambda: MappingProxyType({}))
    notices: tuple[str, ...] = ()
    is_labelled: np.ndarray | None = None
    columns: list[dict[str, Any]] = field(default_factory=list)
    groups: np.ndarray | None = None
    order: np.ndarray | None = None
    id_name: str | None = None
    ids: np.ndarray | None = None
    kernel: str | None = None
    texts: np.ndarray | None = None
    images: np.ndarray | None = None

    def __post_init__(self) -> None:
        if self.y is not None and self.is_labelled is None:
            object.__setattr__(self, "is_labelled", np.ones(len(self.y), dtype=bool))

    @property
    def class_labels(self) -> np.ndarray | None:
        """The class of each sample: its name if it has one, otherwise its value in y.

        The name is empty for samples without a label. A continuous target is returned unchanged.
        """
        if self.y is None or self.target_names is None or self.is_labelled is None:
            return self.y
        return np.where(self.is_labelled, np.asarray(self.target_names)[self.y], "")

    @property
    def is_continuous(self) -> bool:
        """Whether y holds a continuous target instead of classes, see ``task`` of :func:`read_table`."""
        return self.y is not None and self.y.dtype.kind == "f"

    def __repr__(self) -> Any:
        # Arrays and notices are too long to print.
        parts = [repr(self.name)]
        if self.X is not None:
            parts.append(f"X {self.X.shape[0]} x {self.X.shape[1]} {self.X.dtype}")
        if self.y is not None:
            parts.append(f"y {len(self.y)} {self.y.dtype}")
        parts.extend(self.extras)
        return f"Dataset({', '.join(parts)})"
