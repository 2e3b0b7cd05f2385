"""Read tables in batches of rows, for files that do not fit into memory.

Text files are split into blocks of whole lines, which polars parses one by one, so that memory does
not grow with the file. All columns of text files are returned as text, because the first rows do not
show what later rows hold; the fitted model stores how each column is read.
"""

from __future__ import annotations

import glob
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from discrimap.errors import InputError
from discrimap.tables.cells import find_empty_rows, mark_missing, skipped_rows
from discrimap.tables.column_names import check_column_names
from discrimap.tables.input_files import check_readable
from discrimap.tables.table_files import (
    ARROW_ENDINGS,
    PARQUET_ENDINGS,
    TABLE_ENDINGS,
    as_input_error,
    strip_table,
)
from discrimap.tables.text_files import STANDARD_INPUT
from discrimap.tables.text_tables import SEPARATOR_OF_ENDING, TextTable

if TYPE_CHECKING:
    import polars as pl


class TableBatches:
    """Read the column names of a table, and its rows in batches; the file is opened for reading only.

    Parameters
    ----------
    source : str or Path
        A CSV, TSV, Parquet or Arrow (Feather 2) file, or "-" for CSV from standard input.
    n_rows : int
        Number of rows of a batch; approximate for text files.

    Attributes
    ----------
    name : str or Path
        Name of the table in messages.
    columns : list of str
        The names of the columns.
    notices : list of str
        Messages for the user; complete when all rows have been read.
    """

    def __init__(self, source: str | Path, n_rows: int):
        self.n_rows = n_rows
        self.name: object = source
        self.notices: list[str] = []
        ending = "" if source == STANDARD_INPUT else check_readable(source).suffix.lower()
        if source == STANDARD_INPUT or ending in SEPARATOR_OF_ENDING:
            self._text = TextTable(source, in_parts=True)
            self.name, self.notices = self._text.name, self._text.notices
            self.columns = self._text.columns
            self._batches = self._text_batches
        elif ending in PARQUET_ENDINGS or ending in ARROW_ENDINGS:
            with as_input_error(source):
                self._lazy = _scan(Path(source))
                names = self._lazy.collect_schema().names()
            self.columns = [name.strip() for name in names]
            check_column_names(source, self.columns)
            self._name_in_file = dict(zip(self.columns, names, strict=True))
            self._batches = self._lazy_batches
        else:
            raise InputError(
                f"{source} cannot be read in parts; use one of {', '.join(TABLE_ENDINGS)}."
            )

    def read(self, columns: list[str]) -> Iterator[pl.DataFrame]:
        """Yield the given columns in batches of rows; rows without any value are skipped."""
        with as_input_error(self.name):
            yield from self._batches(columns)

    def _text_batches(self, columns: list[str]) -> Iterator[pl.DataFrame]:
        for frame in self._text.read_parts(self.n_rows):
            yield frame.select(columns)

    def _lazy_batches(self, columns: list[str]) -> Iterator[pl.DataFrame]:
        import polars as pl

        n_skipped = 0
        height = int(self._lazy.select(pl.len()).collect().item())
        in_file = [self._name_in_file[name] for name in columns]
        for start in range(0, height, self.n_rows):
            rows = self._lazy.slice(start, self.n_rows)
            frame = strip_table(self.name, rows.select(in_file).collect())
            is_empty = find_empty_rows(frame)
            if is_empty.any():
                # A row is empty only if the other columns, which are read here, are empty too.
                is_empty = find_empty_rows(strip_table(self.name, rows.collect()))
                n_skipped += int(is_empty.sum())
                frame = frame.filter(~is_empty)
            if frame.height:
                yield mark_missing(frame)
        if n_skipped:
            self.notices.append(skipped_rows(n_skipped))


def _scan(path: Path):
    import polars as pl

    # Patterns and "~" in the path are not expanded.
    literal = path.absolute()
    if path.suffix.lower() in PARQUET_ENDINGS:
        return pl.scan_parquet(literal, glob=False, hive_partitioning=False)
    with path.open("rb") as file:
        if file.read(6) != b"ARROW1":
            raise InputError(
                f"{path} is an Arrow stream, which cannot be read in parts; save it as a file "
                "(Feather 2), or leave out --chunk."
            )
    # Older releases of polars have no glob=False for Arrow files.
    return pl.scan_ipc(glob.escape(str(literal)), hive_partitioning=False)
