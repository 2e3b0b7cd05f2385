"""The feature columns of a table -> one matrix of numbers, and what was noticed on the way."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from discrimap.datasets.missing import (
    count_nan,
    fill_nan,
    refuse_infinite,
    refuse_missing,
    report_kept,
)
from discrimap.datasets.wording import list_names
from discrimap.errors import InputError

if TYPE_CHECKING:
    import polars as pl

# More indicator columns than this drown the other features; a text with more categories than half
# the rows is rather a name than a property, but in a short table ten are always allowed.
MAX_CATEGORIES = 100
MAX_CATEGORIES_OF_SHORT_TABLES = 10

# A sequence this long is no coincidence: it counts the rows.
MIN_ROWS_OF_A_COUNTER = 10

# "", "id", "ID", "patient_id", "customerId", "index", "Unnamed: 0", "rownames", "uuid", "key", "nr"
_ID_NAME = re.compile(
    r"(^|.*[_\W])(id|ids|idx|index|uuid|guid|key|nr|no|rownames?|row)$|^(unnamed.*)?$",
    re.IGNORECASE,
)
_ID_CAMEL_CASE = re.compile(r".*[a-z](Id|ID)$")


@dataclass(frozen=True)
class Features:
    """A matrix with the names of its columns."""

    X: np.ndarray
    names: list[str]
    notices: tuple[str, ...]


@dataclass
class _Plan:
    """What becomes of each column, in the order of the table."""

    numbers: list[str] = field(default_factory=list)
    categories: dict[str, list[str]] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    # reason -> columns, for the notices
    dropped: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


def encode_features(source: object, frame: pl.DataFrame, how: str | None) -> Features:
    """Encode every column of a table as numbers.

    - Numbers stay numbers, true/false becomes 1/0.
    - Text becomes one 0/1 column ``name=category`` for each category that occurs. Text that differs
      in every row, or has more than 100 categories (fewer in short tables), is dropped: such
      columns would name rows, not properties. Text that is mostly numbers is refused as a slip of the pen.
    - Whole numbers that differ in every row are dropped if the column is named like an id or counts
      the rows, because a table sorted by class would give its labels away; else they are kept.
    - Constant columns of numbers are kept; empty columns, text with one category, dates and nested
      values are dropped. Each of these is reported.

    Parameters
    ----------
    source : object
        What to call the data in messages, such as the path.
    frame : polars.DataFrame
        The columns, without the target.
    how : {"median", "mean", "keep"} or None
        How to fill in missing numbers; missing text becomes the most frequent category. "keep"
        leaves missing numbers as NaN, and missing text is 0 in the column of each category. None
        refuses missing values.

    Returns
    -------
    features : Features
        float64, or float32 where every column is.
    """
    notices: list[str] = []
    plan = _Plan()
    for column in frame:
        reason = _place(source, column, plan)
        if reason is not None:
            plan.dropped[reason].append(column.name)
    for reason, names in plan.dropped.items():
        notices.append(f"dropped {_columns(names)}: {reason}.")
    if not plan.order:
        raise InputError(
            f"{source} has no usable feature column beside the target; "
            f"{'; '.join(notices).replace('.;', ';') if notices else 'add columns of numbers.'}"
        )

    numbers = _numeric_matrix(frame, plan.numbers)
    refuse_infinite(source, numbers, plan.numbers)
    missing = count_nan(numbers, plan.numbers)
    missing |= {name: n for name in plan.categories if (n := frame[name].null_count())}
    # In the order of the table, for whoever goes through it.
    missing = {name: missing[name] for name in plan.order if name in missing}
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

    X, names = _assemble(frame, plan, numbers, fill_text=how != "keep")
    if len(set(names)) < len(names):
        repeated = [name for name, count in Counter(names).items() if count > 1]
        raise InputError(
            f"{source}: 0/1 columns for text would be named as other columns are: "
            f"{list_names(repeated)}; rename these or leave them out (drop)."
        )
    if plan.categories:
        encoded = [f"{name} ({len(values)})" for name, values in plan.categories.items()]
        notices.append(
            "encoded text as one 0/1 column for each category (their number): "
            f"{list_names(encoded, quote=False)}."
        )
    notices.extend(_report_numbers(frame, plan, numbers))
    return Features(X, names, tuple(notices))


def report_constant(names: Sequence[str]) -> list[str]:
    """Word the notice on columns that hold one value only."""
    return [f"constant, and of no use to any method: {_columns(names)}."] if names else []


def is_constant(X: np.ndarray) -> np.ndarray:
    """Tell which columns of a matrix without NaN hold one value only."""
    return (X[:1] == X).all(axis=0)


def _place(source: object, column: pl.Series, plan: _Plan) -> str | None:
    """Put a column where it belongs, or return why it is dropped."""
    import polars as pl

    if column.null_count() == len(column):
        return "they are empty"
    if column.dtype.is_integer() and _names_rows(column):
        return "a different whole number in every row, which names or counts the rows"
    if column.dtype.is_numeric() or column.dtype == pl.Boolean:
        plan.numbers.append(column.name)
        plan.order.append(column.name)
        return None
    if column.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return "neither numbers nor text (dates and nested values cannot be used as they are)"

    present = column.drop_nulls().cast(pl.String)
    _refuse_stray_text(source, column, present)
    categories = sorted(present.unique().to_list())
    if len(categories) == 1:
        return "the same text in every row"
    if len(categories) == len(present):
        return "a different text in every row"
    limit = min(MAX_CATEGORIES, max(MAX_CATEGORIES_OF_SHORT_TABLES, len(present) // 2))
    if len(categories) > limit:
        return f"text with more than {limit} categories, too many for 0/1 columns"
    plan.categories[column.name] = categories
    plan.order.append(column.name)
    return None


def _names_rows(column: pl.Series) -> bool:
    n_rows = len(column)
    if column.null_count() or column.n_unique() < n_rows:
        return False
    counts_rows = n_rows >= MIN_ROWS_OF_A_COUNTER and bool((column.diff().drop_nulls() == 1).all())
    is_named = _ID_NAME.match(column.name.strip()) or _ID_CAMEL_CASE.match(column.name.strip())
    return counts_rows or is_named is not None


def _refuse_stray_text(source: object, column: pl.Series, present: pl.Series) -> None:
    """Refuse a column of numbers with a few texts: as text it would silently lose its numbers."""
    import polars as pl

    is_stray = present.cast(pl.Float64, strict=False).is_null()
    n_stray = int(is_stray.sum())
    if 0 < n_stray < len(present) / 2:
        first = present.filter(is_stray)[0]
        raise InputError(
            f"{source}: column {column.name!r} holds numbers in {len(present) - n_stray} rows but "
            f"text in {n_stray}, the first {first!r}; mend these, empty them, or leave the column "
            "out (drop)."
        )


def _numeric_matrix(frame: pl.DataFrame, names: list[str]) -> np.ndarray:
    import polars as pl

    selected = frame.select(names)
    all_single = bool(names) and all(dtype == pl.Float32 for dtype in selected.dtypes)
    dtype = pl.Float32 if all_single else pl.Float64
    if not names:
        return np.empty((frame.height, 0))
    return selected.cast(dtype).to_numpy(order="c", writable=True)


def _assemble(frame: pl.DataFrame, plan: _Plan, numbers: np.ndarray, *, fill_text: bool):
    import polars as pl

    if not plan.categories:
        return numbers, list(plan.numbers)
    n_columns = len(plan.numbers) + sum(len(values) for values in plan.categories.values())
    X = np.empty((frame.height, n_columns))
    names: list[str] = []
    place = {name: j for j, name in enumerate(plan.numbers)}
    for name in plan.order:
        if name in place:
            X[:, len(names)] = numbers[:, place[name]]
            names.append(name)
            continue
        column = frame[name].cast(pl.String)
        if fill_text:
            # Of equally frequent categories the first in sorted order, so that the result is one.
            column = column.fill_null(sorted(column.drop_nulls().mode().to_list())[0])
        for category in plan.categories[name]:
            X[:, len(names)] = (column == category).fill_null(False).to_numpy()
            names.append(f"{name}={category}")
    return X, names


def _report_numbers(frame: pl.DataFrame, plan: _Plan, numbers: np.ndarray) -> list[str]:
    if not plan.numbers:
        return []
    constant = [plan.numbers[j] for j in np.flatnonzero(is_constant(numbers))]
    distinct = [
        name
        for name in plan.numbers
        if frame.schema[name].is_integer()
        and not frame[name].null_count()
        and frame[name].n_unique() == frame.height
    ]
    notices = report_constant(constant)
    if distinct:
        notices.append(
            f"a different whole number in every row of {_columns(distinct)}; kept, but leave it "
            "out (drop) if it only names the rows."
        )
    return notices


def _columns(names: Sequence[str]) -> str:
    return f"column{'s' if len(names) > 1 else ''} {list_names(names)}"
