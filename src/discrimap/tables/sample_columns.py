"""Columns that are not features: groups, order and ids of the samples."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from discrimap.errors import InputError
from discrimap.tables.column_plan import is_named_like_an_id
from discrimap.tables.dataset import Dataset
from discrimap.tables.wording import suggest

if TYPE_CHECKING:
    import polars as pl

# Names such as "patient", "subject_code" or "DonorNumber", which often name groups of rows.
_GROUP_NAME = re.compile(
    r"patient|subject|participant|proband|person|donor|animal|mouse|speaker|writer|user|customer"
    r"|client|household|family|litter|cage|batch|plate|slide|specimen|individual|session",
    re.IGNORECASE,
)
_CODE = re.compile(r"[A-Za-z]*[-_ ]?\d+")
FEWEST_GROUPS = 4
# Options of the command line whose names differ from the argument.
OPTION_NAMES = {"ids": "id"}


def column_as_array(source: object, frame: pl.DataFrame, name: str, option: str) -> np.ndarray:
    """Return a column of a table as groups, order, ids, texts or image paths.

    Groups, ids, texts and paths may be of any type, and all but groups may have missing values. An
    order consists of numbers or dates, which may be written as text, without missing values.
    """
    import polars as pl

    if name not in frame.columns:
        raise InputError(
            f"{source} has no column {name!r} (--{OPTION_NAMES.get(option, option)}); "
            f"{suggest(name, frame.columns)}."
        )
    column = frame[name]
    if option in ("ids", "text", "image"):
        return as_ids(column)
    if column.null_count():
        raise InputError(
            f"{source}: {column.null_count()} rows have no value in the column {name!r} (--{option}); "
            "fill it in, or leave these rows out."
        )
    if option == "groups":
        return np.asarray(column.cast(pl.String).to_list())
    if column.dtype == pl.String:
        column = _parse(column)
    if column.dtype.is_temporal():
        column = column.to_physical()
    if not column.dtype.is_numeric():
        raise InputError(
            f"{source}: the column {name!r} (--order) must hold numbers or dates such as 2024-03-01, but "
            "holds other text; name another column."
        )
    return column.to_numpy()


def as_ids(column: pl.Series) -> np.ndarray:
    """Return a column as an array of text; missing values are empty."""
    import polars as pl

    if column.dtype.is_nested() or column.dtype == pl.Object:
        raise InputError(
            f"column {column.name!r} holds {column.dtype}, which cannot be ids; name another column."
        )
    return np.asarray(column.cast(pl.String).fill_null("").to_list(), dtype=str)


def _parse(text: pl.Series) -> pl.Series:
    """Convert text to numbers or dates; return it unchanged if it is neither."""
    import polars as pl

    for parse in (lambda: text.cast(pl.Float64), text.str.to_datetime, text.str.to_date):
        try:
            return parse()
        except pl.exceptions.PolarsError:
            continue
    return text


def take_from_extras(
    dataset: Dataset, *, groups: str | None, order: str | None, ids: str | None = None
) -> Dataset:
    """Return a data set whose groups, order or ids are the named arrays of ``extras``."""
    found: dict[str, Any] = {}
    for option, name in (("groups", groups), ("order", order), ("ids", ids)):
        if name is None:
            continue
        values = dataset.extras.get(name)
        if values is None or dataset.y is None or values.shape != (len(dataset.y),):
            usable = [
                other
                for other, array in dataset.extras.items()
                if dataset.y is not None and array.shape == (len(dataset.y),)
            ]
            raise InputError(
                f"{dataset.name} has no array {name!r} with one value for each sample "
                f"(--{OPTION_NAMES.get(option, option)}); {suggest(name, usable)}."
            )
        found[option] = values.astype(str) if option == "ids" else values
    if ids is not None:
        found["id_name"] = ids
    return replace(dataset, **found)


def warn_of_groups(frame: pl.DataFrame) -> list[str]:
    """Return warnings about columns that seem to hold groups of rows, such as patients."""
    return [
        f"the column {column.name!r} seems to name groups: {column.n_unique()} values in "
        f"{len(column)} rows. If rows with the same value belong together, like the rows of one patient, "
        f"they must be held out together; otherwise errors are too low and results look too significant. "
        f"Pass --groups {column.name!r}."
        for column in frame.iter_columns()
        if _seems_to_name_groups(column)
    ]


def _seems_to_name_groups(column: pl.Series) -> bool:
    import polars as pl

    if not (column.dtype == pl.String or column.dtype.is_integer()):
        return False
    known = column.drop_nulls()
    n_values = known.n_unique()
    if not FEWEST_GROUPS <= n_values <= len(known) / 2:
        return False
    if is_named_like_an_id(column.name) or _GROUP_NAME.search(column.name):
        return True
    if column.dtype != pl.String or n_values < 10:
        return False
    # "P017": letters, then digits, most of them different.
    values = known.unique().to_list()
    return all(_CODE.fullmatch(value) and not value.isdigit() for value in values)
