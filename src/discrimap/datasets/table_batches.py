"""A table that need not fit into memory, some rows at a time.

Text files are cut into blocks of whole lines, which polars parses one by one: memory is that of a
block, whatever the size of the file. Every column arrives as text, because what a column looks like
can change after the rows that were seen; :func:`as_numbers` says where it is no number.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from discrimap.datasets.files import check_readable, first_line
from discrimap.datasets.table_files import (
    ARROW_ENDINGS,
    MISSING_MARKS,
    PARQUET_ENDINGS,
    SEPARATOR_OF_ENDING,
    TABLE_ENDINGS,
    read_header,
)
from discrimap.errors import InputError

if TYPE_CHECKING:
    import polars as pl

# The first block, from which the length of a row is estimated.
FIRST_BLOCK = 2**20


class TableBatches:
    """The columns of a table, and its rows in batches; the file is opened for reading only.

    Parameters
    ----------
    path : Path
        A CSV, TSV, Parquet or Arrow (Feather 2) file.
    n_rows : int
        Rows of a batch; of a text file about so many.
    """

    def __init__(self, path: Path, n_rows: int):
        self.path = check_readable(path)
        self.n_rows = n_rows
        ending = path.suffix.lower()
        if ending in SEPARATOR_OF_ENDING:
            self._separator = SEPARATOR_OF_ENDING[ending]
            self.columns = read_header(path, self._separator)
            self._batches = self._text_batches
        elif ending in PARQUET_ENDINGS or ending in ARROW_ENDINGS:
            with self._mishaps():
                self._lazy = _scan(path)
                self.columns = self._lazy.collect_schema().names()
            self._batches = self._lazy_batches
        else:
            raise InputError(
                f"{path} cannot be read in parts; use one of {', '.join(TABLE_ENDINGS)}."
            )

    def read(self, columns: list[str]) -> Iterator[pl.DataFrame]:
        """Yield some of the columns, in batches of rows; blank lines are left out."""
        with self._mishaps():
            yield from self._batches(columns)

    def _lazy_batches(self, columns: list[str]) -> Iterator[pl.DataFrame]:
        import polars as pl

        height = int(self._lazy.select(pl.len()).collect().item())
        for start in range(0, height, self.n_rows):
            yield self._lazy.slice(start, self.n_rows).select(columns).collect()

    def _text_batches(self, columns: list[str]) -> Iterator[pl.DataFrame]:
        import polars as pl

        n_before = 0
        for lines in _blocks_of_lines(self.path, self.n_rows):
            # The number of columns is taken from the first line, which must not be blank.
            block = lines.lstrip(b"\r\n")
            if not block:
                continue
            try:
                frame = pl.read_csv(
                    io.BytesIO(block),
                    has_header=False,
                    new_columns=self.columns,
                    separator=self._separator,
                    infer_schema=False,
                    null_values=list(MISSING_MARKS),
                )
            except pl.exceptions.NoDataError:
                continue
            except pl.exceptions.PolarsError as error:
                raise InputError(
                    f"{self.path}: rows after the first {n_before} cannot be read: "
                    f"{first_line(error)}; mend or export it again."
                ) from None
            n_before += frame.height
            if frame.width != len(self.columns):
                raise InputError(
                    f"{self.path}: rows after the first {n_before - frame.height} have "
                    f"{frame.width} fields, but the header has {len(self.columns)}."
                )
            frame = frame.filter(~pl.all_horizontal(pl.all().is_null())).select(columns)
            if frame.height:
                yield frame

    def _mishaps(self):
        return _as_input_error(self.path)


class _as_input_error:  # noqa: N801 - reads as the phrase it is
    """Turn what polars raises on a garbled file into one line."""

    def __init__(self, path: Path):
        self.path = path

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        import polars as pl

        if isinstance(error, (pl.exceptions.PolarsError, pl.exceptions.PanicException)):
            raise InputError(
                f"{self.path} cannot be read: {first_line(error)}; mend or export it again."
            ) from None


def as_numbers(path: Path, column: pl.Series, n_before: int) -> pl.Series:
    """Text as numbers, with true/false as 1/0; anything else is refused with its row."""
    import polars as pl

    if column.dtype != pl.String:
        return column
    text = column.str.strip_chars()
    numbers = text.cast(pl.Float64, strict=False)
    if numbers.null_count() > column.null_count():
        lower = text.str.to_lowercase()
        truth = pl.select(
            pl.when(lower == "true").then(1.0).when(lower == "false").then(0.0)
        ).to_series()
        numbers = numbers.fill_null(truth)
    is_odd = numbers.is_null() & text.is_not_null() & ~text.is_in(list(MISSING_MARKS))
    if is_odd.any():
        row = int(is_odd.arg_max() or 0)
        raise InputError(
            f"{path}: column {column.name!r} must hold numbers, as it did when the model was "
            f"fitted, but row {n_before + row + 1} holds {text[row]!r}."
        )
    return numbers


def _scan(path: Path):
    import polars as pl

    if path.suffix.lower() in PARQUET_ENDINGS:
        return pl.scan_parquet(path)
    with path.open("rb") as file:
        if file.read(6) != b"ARROW1":
            raise InputError(
                f"{path} is an Arrow stream, which cannot be read in parts; save it as a file "
                "(Feather 2), or leave out --chunk."
            )
    return pl.scan_ipc(path)


def _blocks_of_lines(path: Path, n_rows: int) -> Iterator[bytes]:
    """Cut a text file, without its header, after lines; a quoted field may hold line ends."""
    with path.open("rb") as file:
        _skip_header(file)
        rest, size = b"", FIRST_BLOCK
        while read := file.read(size):
            block = rest + read
            end = _end_of_lines(block)
            if end == 0:
                rest, size = block, max(size, len(block))  # a line longer than the block
                continue
            lines, rest = block[:end], block[end:]
            size = max(1, len(lines) * n_rows // max(1, lines.count(b"\n")))
            yield lines
        if rest.strip():
            yield rest


def _skip_header(file) -> None:
    line = file.readline()
    while line and (line.count(b'"') % 2 or not line.strip(b"\xef\xbb\xbf\r\n ")):
        line = line + file.readline() if line.count(b'"') % 2 else file.readline()


def _end_of_lines(block: bytes) -> int:
    """The place after the last line end that is outside quotes, given that the start is."""
    end = len(block)
    n_quotes = block.count(b'"')
    while True:
        cut = block.rfind(b"\n", 0, end)
        if cut < 0:
            return 0
        n_quotes -= block.count(b'"', cut, end)
        if n_quotes % 2 == 0:
            return cut + 1
        end = cut
