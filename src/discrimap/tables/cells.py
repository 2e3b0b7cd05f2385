"""Clean the cells of a table: spaces around text, marks for missing values, empty rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

# Text that marks a missing value.
MISSING_MARKS = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "?")


def strip_text(frame: pl.DataFrame) -> pl.DataFrame:
    """Remove spaces around text; empty text becomes null."""
    import polars as pl

    frame = frame.with_columns(pl.col(pl.String).str.strip_chars())
    return frame.with_columns(pl.when(pl.col(pl.String) != "").then(pl.col(pl.String)))


def find_empty_rows(frame: pl.DataFrame) -> pl.Series:
    """Find rows without any value. Marks for missing values, such as "NA", count as values."""
    import polars as pl

    return frame.select(pl.all_horizontal(pl.all().is_null())).to_series()


def mark_missing(frame: pl.DataFrame) -> pl.DataFrame:
    """Replace marks for missing values by null."""
    import polars as pl

    text = pl.col(pl.String)
    return frame.with_columns(pl.when(~text.is_in(list(MISSING_MARKS))).then(text))


def skipped_rows(n_rows: int) -> str:
    """Return the notice about skipped rows, which have no values."""
    return f"skipped {n_rows} row{'s' if n_rows > 1 else ''} without any value."
