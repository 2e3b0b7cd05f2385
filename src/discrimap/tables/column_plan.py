"""Decide how each feature column of a table is used: as numbers, as categories, or not at all."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from discrimap.tables.readings import (
    PLAIN,
    TRUTH,
    Reading,
    as_plain,
    describe,
    find_reading,
    to_numbers,
)

if TYPE_CHECKING:
    import polars as pl

# Text columns with more categories are dropped, because each category becomes a column. So are columns
# with more categories than half of the rows, but ten are always allowed.
MAX_CATEGORIES = 100
MAX_CATEGORIES_OF_SHORT_TABLES = 10

DATES_ARE_LEFT_OUT = (
    "dates or times, which are not used as features; to use them, add columns of numbers, such as the "
    "year, the month or the days since a fixed day"
)

# A column of integers that increase by 1 counts the rows if the table has at least this many.
MIN_ROWS_OF_A_COUNTER = 10

# "id", "ID", "patient_id", "customerId", "index", "rownames", "uuid", "key", "nr"
_ID_NAME = re.compile(
    r"(^|.*[_\W])(id|ids|idx|index|uuid|guid|key|nr|no|rownames?|row)$", re.IGNORECASE
)
_ID_CAMEL_CASE = re.compile(r".*[a-z](Id|ID)$")
# Names of an index that pandas has written to a file: "", "Unnamed: 0"
_NO_NAME = re.compile(r"(unnamed.*)?$", re.IGNORECASE)


@dataclass
class ColumnPlan:
    """How each column is used, in the order of the table."""

    # The columns that are used, as numbers or as text.
    used: dict[str, pl.Series] = field(default_factory=dict)
    readings: dict[str, Reading] = field(default_factory=dict)
    categories: dict[str, list[str]] = field(default_factory=dict)
    # reason -> columns, for the notices
    dropped: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    # how text was converted -> columns, for the notices
    read: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    # Dropped columns that have a different value in every row.
    row_names: list[pl.Series] = field(default_factory=list)

    @property
    def numbers(self) -> dict[str, pl.Series]:
        return {name: self.used[name] for name in self.used if name not in self.categories}

    @property
    def ids(self) -> pl.Series | None:
        """The column with the ids of the rows, or None.

        If there are several, columns named like an id come first, then columns that do not merely
        count the rows.
        """

        def rank(column: pl.Series) -> tuple[bool, bool]:
            return not is_named_like_an_id(column.name), _counts_rows(column)

        return min(self.row_names, key=rank, default=None)

    def describe_columns(self) -> list[dict]:
        """Describe each used column as a dict of plain values, which can be saved with a model."""
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


def plan_columns(source: object, frame: pl.DataFrame) -> ColumnPlan:
    """Decide how each column is used; ``source`` is the name of the data in messages."""
    plan = ColumnPlan()
    for column in frame.iter_columns():
        reason = _place(source, column, plan)
        if reason is not None:
            plan.dropped[reason].append(column.name)
    return plan


def _place(source: object, column: pl.Series, plan: ColumnPlan) -> str | None:
    """Add a column to the plan, or return the reason why it is dropped."""
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
        return "neither numbers nor text (nested values cannot be features)"
    if column.dtype == pl.Boolean:
        plan.readings[column.name] = TRUTH
    if column.dtype.is_integer() and _names_rows(column):
        # The notice about dropped columns is enough.
        for names in plan.read.values():
            if column.name in names:
                names.remove(column.name)
        plan.row_names.append(column)
        return "a different whole number in every row, which identifies or counts the rows"
    plan.used[column.name] = column
    return None


def _place_text(text: pl.Series, reading: Reading, plan: ColumnPlan) -> str | None:
    present = text.drop_nulls()
    categories = sorted(present.unique().to_list())
    if len(categories) == 1:
        return "the same text in every row"
    if len(categories) == len(present):
        if not text.null_count():
            plan.row_names.append(text)
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
    """Return the notice about text read as numbers; columns with equal notices are listed together."""
    if reading.kind == "truth":
        return "text read as true and false, 1 and 0"
    words = f"text read as {describe(reading)}"
    if reading.unit:
        words += ", which is left out"
    if reading.is_guess:
        words += (
            "; a comma before three digits could also be a decimal comma: if it is, write a decimal "
            "point instead"
        )
    return words


def _names_rows(column: pl.Series) -> bool:
    if column.null_count() or column.n_unique() < len(column):
        return False
    has_no_name = _NO_NAME.match(column.name.strip()) is not None
    return has_no_name or is_named_like_an_id(column.name) or _counts_rows(column)


def is_named_like_an_id(name: str) -> bool:
    """Return whether a column is named like an id, such as "id", "patientId" or "index"."""
    name = name.strip()
    return (_ID_NAME.match(name) or _ID_CAMEL_CASE.match(name)) is not None


def _counts_rows(column: pl.Series) -> bool:
    if not column.dtype.is_integer() or len(column) < MIN_ROWS_OF_A_COUNTER:
        return False
    return bool((column.diff().drop_nulls() == 1).all())
