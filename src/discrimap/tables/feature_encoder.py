"""Encode the columns of new tables as the features of a fitted model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from discrimap.errors import InputError
from discrimap.tables.column_names import check_column_names
from discrimap.tables.missing import count_nan, refuse_infinite, refuse_missing_later
from discrimap.tables.readings import PLAIN, TRUTH, Reading, describe, to_numbers
from discrimap.tables.sample_columns import as_ids
from discrimap.tables.wording import list_names

if TYPE_CHECKING:
    import polars as pl


class FeatureEncoder:
    """Encode the rows of a new table as the features of a fitted model.

    A table can be encoded in parts; all parts must have the same columns.

    Parameters
    ----------
    source : object
        Name of the table in messages.
    names : list of str
        The features of the model.
    described : sequence of mapping
        The columns that the model was fitted to, as :class:`~discrimap.datasets.Dataset` describes
        them; empty if they are not known.
    columns : list of str
        The columns of the table.
    keep_missing : bool
        Whether missing numbers become NaN; otherwise they raise an error.
    id_name : str, optional
        The column that identifies the rows; ``ids`` holds its values in the rows encoded last.
    """

    def __init__(
        self,
        source: object,
        names: list[str],
        described: Sequence[Mapping[str, Any]],
        columns: list[str],
        keep_missing: bool,
        id_name: str | None = None,
    ):
        self.source, self.names, self.keep_missing = source, names, keep_missing
        check_column_names("the model", names)
        self.n_rows = 0
        self.id_name = id_name
        self.ids: np.ndarray | None = None
        self._unknown: dict[str, set[str]] = {}
        self._readings = {
            str(one["name"]): Reading(one["kind"], one["decimal"], one["group"], one["unit"])
            for one in described
            if one["kind"] != "text"
        }
        # feature -> its column; for text also the category
        self._places: dict[str, tuple[str, str | None]] = {}
        for one in described:
            name = str(one["name"])
            if one["kind"] == "text":
                for category in one["categories"]:
                    self._places[f"{name}={category}"] = (name, str(category))
            else:
                self._places[name] = (name, None)
        present = set(columns)
        for feature in names:
            if feature not in self._places:
                self._places[feature] = _guess_place(feature, present)
        absent = [name for name in names if self._places[name][0] not in present]
        if absent:
            raise InputError(
                f"{source} lacks columns that the model was fitted with: {list_names(absent)}; it "
                f"has {list_names(columns)}."
            )
        needed = [self._places[name][0] for name in names]
        self.columns = list(dict.fromkeys(needed if id_name is None else [*needed, id_name]))
        self._categories: dict[str, set[str]] = {}
        for feature in names:
            column, category = self._places[feature]
            if category is not None:
                self._categories.setdefault(column, set()).add(category)

    def encode(self, frame: pl.DataFrame) -> np.ndarray:
        """Encode the next rows. Row numbers in messages count from the first call."""
        # Looking up a column by name takes time proportional to the number of columns.
        columns = dict(zip(frame.columns, frame.get_columns(), strict=True))
        text = {name: _text(columns[name]) for name in self._categories}
        X = np.empty((frame.height, len(self.names)))
        for j, name in enumerate(self.names):
            source, category = self._places[name]
            if category is None:
                X[:, j] = self._numbers(columns[source])
            else:
                X[:, j] = (text[source] == category).fill_null(False).to_numpy()
        self.n_rows += frame.height
        if self.id_name is not None:
            self.ids = as_ids(columns[self.id_name])
        refuse_infinite(self.source, X, self.names)
        if not self.keep_missing:
            missing = {name: n for name, values in text.items() if (n := values.null_count())}
            refuse_missing_later(self.source, count_nan(X, self.names) | missing, frame.height)
        for name, values in text.items():
            seen = set(values.drop_nulls().unique().to_list())
            self._unknown.setdefault(name, set()).update(seen - self._categories[name])
        return X

    def _numbers(self, column: pl.Series) -> np.ndarray:
        import polars as pl

        reading = self._readings.get(column.name, PLAIN)
        if column.dtype == pl.String:
            # Without a description of the columns, numbers and true/false are both accepted.
            numbers = to_numbers(column, self._readings.get(column.name, TRUTH))
            is_odd = numbers.is_null() & column.is_not_null()
            if is_odd.any():
                row = int(is_odd.arg_max() or 0)
                raise InputError(
                    f"{self.source}: column {column.name!r} must hold {describe(reading)}, as it did "
                    f"when the model was fitted, but row {self.n_rows + row + 1} holds "
                    f"{column[row]!r}."
                )
            return numbers.to_numpy()
        is_number = column.dtype.is_numeric() or column.dtype == pl.Boolean
        is_empty = column.null_count() == len(column)
        if not (is_number or is_empty) or (reading.unit == "%" and not is_empty):
            raise InputError(
                f"{self.source}: column {column.name!r} must hold {describe(reading)}, as it did "
                f"when the model was fitted, but holds {column.dtype}, first "
                f"{column.drop_nulls()[0]!r}."
            )
        return column.cast(pl.Float64, strict=False).to_numpy()

    def notices(self) -> tuple[str, ...]:
        return tuple(
            f"column {source!r} holds categories that did not occur when the model was fitted; they are "
            f"encoded as 0 in each column of {source!r}: {list_names(sorted(unknown))}."
            for source, unknown in self._unknown.items()
            if unknown
        )


def _guess_place(feature: str, columns: set[str]) -> tuple[str, str | None]:
    """Return the column of a feature, and the category if the feature is ``column=category``."""
    if feature in columns:
        return feature, None
    # The name of a column may contain "=", so the longest name that exists is used.
    for end in reversed([k for k, letter in enumerate(feature) if letter == "="]):
        if feature[:end] in columns:
            return feature[:end], feature[end + 1 :]
    return feature, None


def _text(column: pl.Series) -> pl.Series:
    import polars as pl

    if column.dtype.is_nested():
        raise InputError(f"column {column.name!r} must hold text, but holds {column.dtype}.")
    return column.cast(pl.String, strict=False)
