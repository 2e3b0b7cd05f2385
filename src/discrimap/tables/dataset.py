"""The data set that every loader returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Samples with their labels, and notices from loading them.

    Attributes
    ----------
    name : str
        Name of the set, or of the file without its ending.
    X : ndarray or scipy CSR array of shape (n_samples, n_features), or None
        The samples, in the type they are stored in: small integers for images and counts, so
        convert before doing arithmetic by hand (estimators do). None where the set has only
        similarities or distances, which are then in ``extras``.
    y : ndarray of shape (n_samples,), or None
        Class codes, class names or numbers, one for each sample; None without a target.
    feature_names : list of str, or None
        Names of the columns of X, where they have any.
    target_names : list of str, or None
        ``target_names[code]`` names the class with this code; None where y holds the names or
        numbers themselves, or where classes have no names.
    extras : mapping of str to ndarray
        Further arrays of the set, such as ``is_test``, ``speaker``, ``image_shape``, ``S``, ``D``.
    notices : tuple of str
        What the loader did or saw that the user should know, one line each.
    is_labelled : ndarray of bool of shape (n_samples,), or None
        Which samples have a label. Without one, y is -1 (classes) or NaN (numbers). None where y is
        None; all true unless said.
    groups : ndarray of shape (n_samples,), or None
        The group of each sample, such as its patient, from the column that was said to hold it.
    order : ndarray of shape (n_samples,), or None
        Numbers or dates that order the samples, from the column that was said to hold them.
    columns : list of dict
        What each column of a table was that became features, in plain values: its ``name`` and
        ``kind`` ("number", "truth" or "text"), the notation of numbers and the ``categories`` of
        text. Empty for data without named columns.
    id_name : str, or None
        Name of the column that names the rows of a table, where it has one. It is no feature.
    ids : ndarray of str of shape (n_samples,), or None
        The values of this column.
    kernel : {"precomputed", "precomputed_distance"} or None
        X holds similarities or distances between the samples, one column for each of them; None if it
        holds features.
    texts : ndarray of str of shape (n_samples,), or None
        Text that is shown with each sample, from the column that was said to hold it. It is no feature.
    images : ndarray, or None
        Pictures that are shown with the samples: paths of shape (n_samples,), or pixels of shape
        (n_samples, height, width), with a last axis of 3 for colours.
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
        """The class of each sample: its name if it has one, else its value.

        Samples without a label get an empty name; numbers stay as they are.
        """
        if self.y is None or self.target_names is None or self.is_labelled is None:
            return self.y
        return np.where(self.is_labelled, np.asarray(self.target_names)[self.y], "")

    @property
    def is_continuous(self) -> bool:
        """Whether y holds numbers instead of classes, as said in :func:`read_table`."""
        return self.y is not None and self.y.dtype.kind == "f"

    def __repr__(self) -> Any:
        # Arrays and notices are too long to be shown.
        parts = [repr(self.name)]
        if self.X is not None:
            parts.append(f"X {self.X.shape[0]} x {self.X.shape[1]} {self.X.dtype}")
        if self.y is not None:
            parts.append(f"y {len(self.y)} {self.y.dtype}")
        parts.extend(self.extras)
        return f"Dataset({', '.join(parts)})"
