"""Files with a table in them -> a polars frame, or one line that says what is wrong."""

from __future__ import annotations

import csv
import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from discrimap.datasets.files import check_readable, first_line
from discrimap.datasets.wording import list_names
from discrimap.errors import InputError

if TYPE_CHECKING:
    import polars as pl

# What people write in text files where a value is missing.
MISSING_MARKS = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "?")

SEPARATOR_OF_ENDING = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
PARQUET_ENDINGS = (".parquet", ".pq")
ARROW_ENDINGS = (".arrow", ".feather", ".ipc")
TABLE_ENDINGS = (*SEPARATOR_OF_ENDING, *PARQUET_ENDINGS, *ARROW_ENDINGS)


def read_frame(path: str | os.PathLike) -> pl.DataFrame:
    """Read a CSV, TSV, Parquet or Arrow (Feather 2) file; its ending says which.

    Parameters
    ----------
    path : str or path
        The file. It is opened for reading only.

    Returns
    -------
    frame : polars.DataFrame
        At least one column and one row; column names are distinct. In text files, columns of
        numbers are numbers even where they hold spaces or ``inf``, names and text lose spaces
        around them, the marks in ``MISSING_MARKS``
        are missing values, and blank lines are skipped.
    """
    import polars as pl

    path = check_readable(path)
    ending = path.suffix.lower()
    if ending in SEPARATOR_OF_ENDING:
        read, kind = _read_text, "table"
    elif ending in PARQUET_ENDINGS:
        read, kind = _read_parquet, "Parquet file"
    elif ending in ARROW_ENDINGS:
        read, kind = _read_arrow, "Arrow file"
    else:
        raise InputError(
            f"{path} {f'ends in {ending}' if ending else 'has no ending'}, which is not a known kind "
            f"of table; use one of {', '.join((*TABLE_ENDINGS, '.npz'))}."
        )
    try:
        frame = read(path)
    # A panic of the reader on a garbled file is not derived from Exception.
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise InputError(
            f"{path} cannot be read as a {kind}: {first_line(error)}; mend or export it again."
        ) from None
    if frame.height == 0:
        raise InputError(
            f"{path} has a header ({list_names(frame.columns)}) but no rows; add at least 2."
        )
    return frame


def _read_text(path: Path) -> pl.DataFrame:
    import polars as pl

    separator = SEPARATOR_OF_ENDING[path.suffix.lower()]
    header = read_header(path, separator)
    try:
        frame = pl.read_csv(
            path,
            separator=separator,
            # All rows: a column whose first text comes late is text, not an error.
            infer_schema_length=None,
            null_values=list(MISSING_MARKS),
        )
    except pl.exceptions.ComputeError as error:
        if "utf-8" in str(error):
            raise _wrong_encoding(path) from None
        if "more fields" in str(error):
            raise _ragged(path, separator, len(header)) from None
        raise
    # Not polars' names, in which a doubled quote stays doubled.
    frame.columns = header
    frame = frame.with_columns(_as_numbers(column) for column in frame if column.dtype == pl.String)
    # A blank line, as many programs leave at the end, is read as a row without values.
    return frame.filter(~pl.all_horizontal(pl.all().is_null()))


def read_header(path: Path, separator: str) -> list[str]:
    """Read the column names ourselves.

    polars renames duplicates, lets any bytes through and leaves doubled quotes as they are.
    """
    with path.open("rb") as file:
        start = file.read(8192)
    # UTF-16 without a mark at its start, and most binary files, would pass as UTF-8.
    if b"\0" in start:
        raise _wrong_encoding(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            header = next((row for row in csv.reader(file, delimiter=separator) if row), [])
    except UnicodeDecodeError:
        raise _wrong_encoding(path) from None
    except csv.Error as error:
        raise InputError(f"{path} has no readable header row: {first_line(error)}.") from None
    header = [name.strip() for name in header]
    if not any(header):
        raise InputError(f"{path} has no header row; its first row must name the columns.")
    if len(header) == 1:
        others = [mark for mark in ",;\t|" if mark != separator and mark in header[0]]
        if others:
            raise InputError(
                f"{path} has one column, {header[0]!r}, which looks separated by {others[0]!r} "
                f"instead of {separator!r}; export it again as comma-separated .csv or "
                "tab-separated .tsv."
            )
    repeated = [name for name, count in Counter(header).items() if count > 1]
    if repeated:
        hint = "; is the header row missing?" if looks_like_data(header) else "; rename them."
        raise InputError(f"{path} has columns of the same name: {list_names(repeated)}{hint}")
    return header


def _read_parquet(path: Path) -> pl.DataFrame:
    import polars as pl

    return pl.read_parquet(path)


def _read_arrow(path: Path) -> pl.DataFrame:
    import polars as pl

    with path.open("rb") as file:
        is_random_access = file.read(6) == b"ARROW1"
    # Not from the path: polars would map the file into memory, and the array with it.
    with path.open("rb") as file:
        return pl.read_ipc(file) if is_random_access else pl.read_ipc_stream(file)


def looks_like_data(header: list[str]) -> bool:
    """Whether most column names are numbers, as in a file without a header row."""
    return sum(_is_number(name) for name in header) > len(header) / 2


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _as_numbers(column: pl.Series) -> pl.Series:
    """Numbers with spaces around them, or with inf among them, are not recognised by polars."""
    import polars as pl

    stripped = column.str.strip_chars()
    numbers = stripped.cast(pl.Float64, strict=False)
    is_numeric = numbers.null_count() == column.null_count() < len(column)
    return numbers if is_numeric else stripped


def _wrong_encoding(path: Path) -> InputError:
    return InputError(f"{path} is not text in UTF-8; save it again with the encoding UTF-8.")


def _ragged(path: Path, separator: str, n_columns: int) -> InputError:
    """Find the first row that is too long: polars does not say which."""
    with path.open(encoding="utf-8-sig", newline="", errors="replace") as file:
        rows = csv.reader(file, delimiter=separator)
        for row in rows:
            if len(row) > n_columns:
                return InputError(
                    f"{path}: line {rows.line_num} has {len(row)} fields, but the header has "
                    f"{n_columns}; mend the line, or quote fields that hold {separator!r}."
                )
    return InputError(f"{path} has rows with more fields than the header's {n_columns}.")
