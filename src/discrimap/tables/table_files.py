"""Read CSV, TSV, Parquet and Arrow files as polars data frames."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from discrimap.errors import InputError
from discrimap.tables.cells import find_empty_rows, mark_missing, skipped_rows, strip_text
from discrimap.tables.column_names import check_column_names
from discrimap.tables.input_files import check_readable, first_line
from discrimap.tables.readings import (
    PLAIN,
    WHOLE_BEYOND_64_BITS,
    as_plain,
    find_reading,
    to_numbers,
)
from discrimap.tables.text_files import STANDARD_INPUT
from discrimap.tables.text_tables import SEPARATOR_OF_ENDING, TextTable
from discrimap.tables.wording import list_names

if TYPE_CHECKING:
    import polars as pl

PARQUET_ENDINGS = (".parquet", ".pq")
ARROW_ENDINGS = (".arrow", ".feather", ".ipc")
TABLE_ENDINGS = (*SEPARATOR_OF_ENDING, *PARQUET_ENDINGS, *ARROW_ENDINGS)


@dataclass(frozen=True)
class Table:
    """A polars data frame with distinct column names, and notices about how it was read."""

    frame: pl.DataFrame
    notices: tuple[str, ...] = ()
    row_names: pl.Series | None = (
        None  # names of rows that are not a column, such as a pandas index
    )


def read_frame(path: str | os.PathLike, *, as_text: bool = False) -> Table:
    """Read a CSV, TSV, Parquet or Arrow (Feather 2) file; the extension sets the format.

    Parameters
    ----------
    path : str or path
        The file, which is opened for reading only. Patterns in its name are not expanded. The string
        "-" means CSV from standard input.
    as_text : bool
        Do not convert the numbers and true/false of text files, for a caller that knows the type of
        each column.

    Returns
    -------
    table : Table
        At least one column and one row; column names are distinct. Spaces around names and text are
        removed, the marks in ``MISSING_MARKS`` are missing values, and rows without any value are
        skipped.
    """
    if path == STANDARD_INPUT:
        return _read_text(STANDARD_INPUT, as_text)
    path = check_readable(path)
    ending = path.suffix.lower()
    if ending in SEPARATOR_OF_ENDING:
        return _read_text(path, as_text)
    if ending not in TABLE_ENDINGS:
        raise InputError(
            f"{path} {f'ends in {ending}' if ending else 'has no extension'}, which is not a known format "
            f"of tables; use one of {', '.join((*TABLE_ENDINGS, '.npz', '.h5ad'))}."
        )
    kind = "Parquet file" if ending in PARQUET_ENDINGS else "Arrow file"
    with as_input_error(path, f"cannot be read as a {kind}"):
        frame = (_read_parquet if ending in PARQUET_ENDINGS else _read_arrow)(path)
        return clean_frame(path, frame)


def clean_frame(source: object, frame: pl.DataFrame, row_names: pl.Series | None = None) -> Table:
    """Clean names, text and empty rows of a data frame by the rules for text files."""
    frame = strip_table(source, frame)
    is_empty = find_empty_rows(frame)
    n_empty = int(is_empty.sum())
    frame = mark_missing(frame.filter(~is_empty))
    refuse_no_rows(source, frame)
    if row_names is not None:
        row_names = row_names.filter(~is_empty)
    return Table(frame, (skipped_rows(n_empty),) if n_empty else (), row_names)


def _read_text(source: str | Path, as_text: bool) -> Table:
    import polars as pl

    text = TextTable(source)
    frame = text.read()
    refuse_no_rows(text.name, frame)
    if not as_text:
        # As a dict, because polars renames a column with an empty name in a list of columns.
        frame = pl.DataFrame({one.name: _type_plain_column(one) for one in frame.get_columns()})
    return Table(frame, tuple(text.notices))


def refuse_no_rows(source: object, frame: pl.DataFrame) -> None:
    """Raise an error if a table has no rows."""
    if frame.height == 0:
        raise InputError(
            f"{source} has a header ({list_names(frame.columns)}) but no rows; add at least 2."
        )


class as_input_error:  # noqa: N801 - a context manager, named like a function
    """Convert errors that polars raises on a damaged file into an InputError of one line."""

    def __init__(self, path: object, words: str = "cannot be read"):
        self.path, self.words = path, words

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        import polars as pl

        # PanicException, which polars raises on some damaged files, is not derived from Exception.
        errors = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
        if isinstance(error, errors):
            raise InputError(
                f"{self.path} {self.words}: {first_line(error)}; correct the file or export it again."
            ) from None


def strip_table(path: object, frame: pl.DataFrame) -> pl.DataFrame:
    """Strip spaces from names and text of a data frame, and convert categories to text."""
    import polars as pl

    names = [name.strip() for name in frame.columns]
    check_column_names(path, names)
    frame.columns = names
    categorical = [
        name
        for name, dtype in zip(names, frame.dtypes, strict=True)
        if dtype in (pl.Categorical, pl.Enum)
    ]
    return strip_text(frame.with_columns(pl.col(categorical).cast(pl.String)))


def _type_plain_column(column: pl.Series) -> pl.Series:
    """Convert a column of plain numbers or true/false; any other column stays text."""
    import polars as pl

    if column.null_count() == len(column):
        return column
    # A mixture of numbers and text is not an error here: the column may be the target, or dropped.
    reading = find_reading("", column, is_target=True)
    if reading.kind == "truth":
        return to_numbers(column, reading).cast(pl.Boolean)
    if reading != PLAIN:
        return column
    numbers = as_plain(column)
    # Integers beyond 64 bits can only be class names; as floats, different ones could be equal.
    is_long = numbers.dtype.is_float() and column.str.contains(WHOLE_BEYOND_64_BITS).any()
    return column if is_long else numbers


def _read_parquet(path: Path) -> pl.DataFrame:
    import polars as pl

    # Patterns and "~" in the path are not expanded.
    return pl.read_parquet(path.absolute(), glob=False, hive_partitioning=False)


def _read_arrow(path: Path) -> pl.DataFrame:
    import polars as pl

    with path.open("rb") as file:
        is_random_access = file.read(6) == b"ARROW1"
    # An open file, not the path: polars would map the path into memory, and later changes of the file
    # would change the array.
    with path.open("rb") as file:
        # Older releases of polars read truncated files without an error, unless they scan them.
        return pl.scan_ipc(file).collect() if is_random_access else pl.read_ipc_stream(file)
