"""Encode the feature columns of a table as one matrix of numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from discrimap.errors import InputError
from discrimap.tables.column_plan import ColumnPlan, plan_columns
from discrimap.tables.missing import (
    count_nan,
    fill_nan,
    refuse_infinite,
    refuse_missing,
    report_kept,
)
from discrimap.tables.wording import list_names

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Features:
    """A matrix of features with the names of its columns, and notices about the encoding."""

    X: np.ndarray
    names: list[str] | None
    notices: tuple[str, ...]
    # How each used column was read, so that new rows are read in the same way.
    columns: list[dict] = field(default_factory=list)
    # The column that identifies the rows, as text; it is not a feature.
    id_name: str | None = None
    ids: np.ndarray | None = None
    kernel: str | None = None  # as in Dataset


def encode_features(source: object, frame: pl.DataFrame, how: str | None) -> Features:
    """Encode every column of a table as numbers.

    - Numbers stay numbers, true/false becomes 1/0. Text in which every value is a number in the same
      notation (``1,234``, ``3,14``, ``5%``, ``$5``) becomes numbers, see ``readings.py`` for the rules;
      codes with leading zeros stay text.
    - Other text becomes one 0/1 column ``name=category`` for each category that occurs. Text that differs
      in every row, or has more than 100 categories (fewer in short tables), is dropped: such columns
      identify rows. Text that is mostly numbers, or numbers in different notations, raises an error.
    - Whole numbers that differ in every row are dropped if the column is named like an id or counts
      the rows, because in a table sorted by class they would reveal the labels; otherwise they are kept.
      A dropped column that identifies the rows is in ``ids``.
    - Constant columns of numbers are kept; empty columns, text with one category, dates (also as text)
      and nested values are dropped. Each of these is reported.

    Parameters
    ----------
    source : object
        Name of the data in messages, such as its path.
    frame : polars.DataFrame
        The columns, without the target.
    how : {"median", "mean", "keep"} or None
        How to fill in missing numbers; missing text becomes the most frequent category. "keep"
        leaves missing numbers as NaN, and missing text is 0 in the column of each category. With None,
        missing values raise an error.

    Returns
    -------
    features : Features
        X is float64, or float32 if every column is float32.

    Raises
    ------
    InputError
        If no column can be used, or values are infinite, or missing with ``how=None``.
    """
    notices: list[str] = []
    plan = plan_columns(source, frame)
    for reason, names in plan.dropped.items():
        notices.append(f"dropped {_columns(names)}: {reason}.")
    for words, names in plan.read.items():
        if names:
            notices.append(f"{_columns(names)}: {words}.")
    if not plan.used:
        raise InputError(
            f"{source} has no usable feature column apart from the target; "
            f"{'; '.join(notices).replace('.;', ';') if notices else 'add columns of numbers.'}"
        )

    number_names = list(plan.numbers)
    numbers = _numeric_matrix(frame.height, list(plan.numbers.values()))
    refuse_infinite(source, numbers, number_names)
    missing = count_nan(numbers, number_names)
    missing |= {name: n for name in plan.categories if (n := plan.used[name].null_count())}
    # In the order of the columns in the table.
    missing = {name: missing[name] for name in plan.used if name in missing}
    if how is None:
        refuse_missing(source, missing, frame.height)
    elif missing and how == "keep":
        notices.append(report_kept(missing))
    elif missing:
        fill_nan(numbers, how)
        notices.append(
            f"imputed {sum(missing.values())} missing values in {_columns(list(missing))}: numbers "
            f"by the {how}, text by the most frequent category, each over all rows."
        )

    X, names = _assemble(plan, numbers, fill_text=how != "keep")
    if len(set(names)) < len(names):
        repeated = [name for name, count in Counter(names).items() if count > 1]
        raise InputError(
            f"{source}: 0/1 columns for text would have the same names as other columns: "
            f"{list_names(repeated)}; rename these or leave them out (drop)."
        )
    if plan.categories:
        encoded = [f"{name} ({len(values)})" for name, values in plan.categories.items()]
        notices.append(
            "encoded text as one 0/1 column for each category (their number): "
            f"{list_names(encoded, quote=False)}."
        )
    notices.extend(_report_numbers(plan, numbers))
    return Features(X, names, tuple(notices), plan.describe_columns(), *_ids_as_text(plan.ids))


def _ids_as_text(ids: pl.Series | None) -> tuple[str | None, np.ndarray | None]:
    import polars as pl

    return (None, None) if ids is None else (ids.name, ids.cast(pl.String).to_numpy())


# How the notice about constant columns begins.
CONSTANT = "constant, so without any effect: "


def report_constant(names: Sequence[str]) -> list[str]:
    """Return the notice about constant columns."""
    return [f"{CONSTANT}{_columns(names)}."] if names else []


def is_constant(X: np.ndarray) -> np.ndarray:
    """Find the constant columns of a matrix without NaN."""
    return (X[:1] == X).all(axis=0)


def _numeric_matrix(n_rows: int, columns: list[pl.Series]) -> np.ndarray:
    import polars as pl

    if not columns:
        return np.empty((n_rows, 0))
    all_single = all(column.dtype == pl.Float32 for column in columns)
    dtype = pl.Float32 if all_single else pl.Float64
    frame = pl.DataFrame([column.cast(dtype) for column in columns])
    return frame.to_numpy(order="c", writable=True)


def _assemble(plan: ColumnPlan, numbers: np.ndarray, *, fill_text: bool):
    if not plan.categories:
        return numbers, list(plan.used)
    n_columns = numbers.shape[1] + sum(len(values) for values in plan.categories.values())
    X = np.empty((len(numbers), n_columns))
    names: list[str] = []
    next_number = iter(range(numbers.shape[1]))
    for name, column in plan.used.items():
        if name not in plan.categories:
            X[:, len(names)] = numbers[:, next(next_number)]
            names.append(name)
            continue
        if fill_text:
            # Of equally frequent categories the first in sorted order, so that the result is unique.
            column = column.fill_null(sorted(column.drop_nulls().mode().to_list())[0])
        for category in plan.categories[name]:
            X[:, len(names)] = (column == category).fill_null(False).to_numpy()
            names.append(f"{name}={category}")
    return X, names


def _report_numbers(plan: ColumnPlan, numbers: np.ndarray) -> list[str]:
    columns = plan.numbers
    if not columns:
        return []
    names = list(columns)
    constant = [names[j] for j in np.flatnonzero(is_constant(numbers))]
    distinct = [
        name
        for name, column in columns.items()
        if column.dtype.is_integer()
        and not column.null_count()
        and column.n_unique() == len(column)
    ]
    notices = report_constant(constant)
    if distinct:
        notices.append(
            f"a different whole number in every row of {_columns(distinct)}; kept, but leave it "
            "out (drop) if it only identifies the rows."
        )
    return notices


def _columns(names: Sequence[str]) -> str:
    return f"column{'s' if len(names) > 1 else ''} {list_names(names)}"
