"""The feature columns of a table -> one matrix of numbers, and what was noticed on the way."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from discrimap.errors import InputError
from discrimap.tables.missing import (
    count_nan,
    fill_nan,
    refuse_infinite,
    refuse_missing,
    report_kept,
)
from discrimap.tables.readings import (
    PLAIN,
    TRUTH,
    Reading,
    as_plain,
    describe,
    find_reading,
    to_numbers,
)
from discrimap.tables.wording import list_names

if TYPE_CHECKING:
    import polars as pl

# More indicator columns than this drown the other features; a text with more categories than half
# the rows is rather a name than a property, but in a short table ten are always allowed.
MAX_CATEGORIES = 100
MAX_CATEGORIES_OF_SHORT_TABLES = 10

DATES_ARE_LEFT_OUT = (
    "dates or times, which no method takes; to use them, add columns of numbers, such as the year, the "
    "month or the days since a fixed day"
)

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
    # What each used column is, so that new rows are read alike: see ``describe_columns``.
    columns: list[dict] = field(default_factory=list)


@dataclass
class _Plan:
    """What becomes of each column, in the order of the table."""

    # The columns that are used, numbers as numbers and the others as text.
    used: dict[str, pl.Series] = field(default_factory=dict)
    readings: dict[str, Reading] = field(default_factory=dict)
    categories: dict[str, list[str]] = field(default_factory=dict)
    # reason -> columns, for the notices
    dropped: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    # what was done to text -> columns, for the notices
    read: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @property
    def numbers(self) -> dict[str, pl.Series]:
        return {name: self.used[name] for name in self.used if name not in self.categories}

    def describe_columns(self) -> list[dict]:
        """What each used column is, in plain values that can be saved with a model."""
        described: list[dict] = []
        for name in self.used:
            if name in self.categories:
                described.append(
                    {"name": name, "kind": "text", "categories": self.categories[name]}
                )
                continue
            reading = self.readings.get(name, PLAIN)
            described.append(
                {
                    "name": name,
                    "kind": reading.kind,
                    "decimal": reading.decimal,
                    "group": reading.group,
                    "unit": reading.unit,
                }
            )
        return described


def encode_features(source: object, frame: pl.DataFrame, how: str | None) -> Features:
    """Encode every column of a table as numbers.

    - Numbers stay numbers, true/false becomes 1/0. Text in which every value is a number in the same
      notation (``1,234``, ``3,14``, ``5%``, ``$5``) becomes numbers, see ``readings.py`` for the rules;
      codes with leading zeros stay text.
    - Other text becomes one 0/1 column ``name=category`` for each category that occurs. Text that differs
      in every row, or has more than 100 categories (fewer in short tables), is dropped: such
      columns would name rows, not properties. Text that is mostly numbers, or numbers in different
      notations, is refused.
    - Whole numbers that differ in every row are dropped if the column is named like an id or counts
      the rows, because a table sorted by class would give its labels away; else they are kept.
    - Constant columns of numbers are kept; empty columns, text with one category, dates (also as text)
      and nested values are dropped. Each of these is reported.

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
    for column in frame.iter_columns():
        reason = _place(source, column, plan)
        if reason is not None:
            plan.dropped[reason].append(column.name)
    for reason, names in plan.dropped.items():
        notices.append(f"dropped {_columns(names)}: {reason}.")
    for words, names in plan.read.items():
        if names:
            notices.append(f"{_columns(names)}: {words}.")
    if not plan.used:
        raise InputError(
            f"{source} has no usable feature column beside the target; "
            f"{'; '.join(notices).replace('.;', ';') if notices else 'add columns of numbers.'}"
        )

    number_names = list(plan.numbers)
    numbers = _numeric_matrix(frame.height, list(plan.numbers.values()))
    refuse_infinite(source, numbers, number_names)
    missing = count_nan(numbers, number_names)
    missing |= {name: n for name in plan.categories if (n := plan.used[name].null_count())}
    # In the order of the table, for whoever goes through it.
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
            f"{source}: 0/1 columns for text would be named as other columns are: "
            f"{list_names(repeated)}; rename these or leave them out (drop)."
        )
    if plan.categories:
        encoded = [f"{name} ({len(values)})" for name, values in plan.categories.items()]
        notices.append(
            "encoded text as one 0/1 column for each category (their number): "
            f"{list_names(encoded, quote=False)}."
        )
    notices.extend(_report_numbers(plan, numbers))
    return Features(X, names, tuple(notices), plan.describe_columns())


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
    if column.dtype.is_temporal():
        return DATES_ARE_LEFT_OUT
    if column.dtype in (pl.String, pl.Categorical, pl.Enum):
        text = column.cast(pl.String)
        reading = find_reading(source, text)
        if reading.kind == "date":
            return DATES_ARE_LEFT_OUT
        if reading.kind == "text":
            return _place_text(text, reading, plan)
        plan.readings[column.name] = reading
        plan.read[_word_numbers(text, reading)].append(column.name)
        column = as_plain(text) if reading == PLAIN else to_numbers(text, reading)
    elif not (column.dtype.is_numeric() or column.dtype == pl.Boolean):
        return "neither numbers nor text (nested values cannot be used as they are)"
    if column.dtype == pl.Boolean:
        plan.readings[column.name] = TRUTH
    if column.dtype.is_integer() and _names_rows(column):
        # The reason says it all.
        for names in plan.read.values():
            if column.name in names:
                names.remove(column.name)
        return "a different whole number in every row, which names or counts the rows"
    plan.used[column.name] = column
    return None


def _place_text(text: pl.Series, reading: Reading, plan: _Plan) -> str | None:
    present = text.drop_nulls()
    categories = sorted(present.unique().to_list())
    if len(categories) == 1:
        return "the same text in every row"
    if len(categories) == len(present):
        return "a different text in every row"
    limit = min(MAX_CATEGORIES, max(MAX_CATEGORIES_OF_SHORT_TABLES, len(present) // 2))
    if len(categories) > limit:
        return f"text with more than {limit} categories, too many for 0/1 columns"
    if reading.has_codes:
        plan.read["digits with leading zeros are codes, kept as text"].append(text.name)
    plan.categories[text.name] = categories
    plan.used[text.name] = text
    return None


def _word_numbers(text: pl.Series, reading: Reading) -> str:
    """Word that text was read as numbers, in the same words for columns in the same notation."""
    if reading.kind == "truth":
        return "text read as true and false, 1 and 0"
    words = f"text read as {describe(reading)}"
    if reading.unit:
        words += ", which is left out"
    if reading.is_guess:
        words += (
            "; a comma before three digits could be a decimal comma too: if it is, write a decimal "
            "point"
        )
    return words


def _names_rows(column: pl.Series) -> bool:
    n_rows = len(column)
    if column.null_count() or column.n_unique() < n_rows:
        return False
    counts_rows = n_rows >= MIN_ROWS_OF_A_COUNTER and bool((column.diff().drop_nulls() == 1).all())
    is_named = _ID_NAME.match(column.name.strip()) or _ID_CAMEL_CASE.match(column.name.strip())
    return counts_rows or is_named is not None


def _numeric_matrix(n_rows: int, columns: list[pl.Series]) -> np.ndarray:
    import polars as pl

    if not columns:
        return np.empty((n_rows, 0))
    all_single = all(column.dtype == pl.Float32 for column in columns)
    dtype = pl.Float32 if all_single else pl.Float64
    frame = pl.DataFrame([column.cast(dtype) for column in columns])
    return frame.to_numpy(order="c", writable=True)


def _assemble(plan: _Plan, numbers: np.ndarray, *, fill_text: bool):
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
            # Of equally frequent categories the first in sorted order, so that the result is one.
            column = column.fill_null(sorted(column.drop_nulls().mode().to_list())[0])
        for category in plan.categories[name]:
            X[:, len(names)] = (column == category).fill_null(False).to_numpy()
            names.append(f"{name}={category}")
    return X, names


def _report_numbers(plan: _Plan, numbers: np.ndarray) -> list[str]:
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
            "out (drop) if it only names the rows."
        )
    return notices


def _columns(names: Sequence[str]) -> str:
    return f"column{'s' if len(names) > 1 else ''} {list_names(names)}"
