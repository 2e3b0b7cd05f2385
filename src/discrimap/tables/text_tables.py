"""Parse text files with a table: find separator and header, and read the rows in blocks.

Encoding, separator and header are found before the rows are read, so that the whole file and its
parts are read in the same way. All columns are returned as text without surrounding spaces;
``readings.py`` decides which columns are numbers, true/false or dates.
"""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from discrimap.errors import InputError
from discrimap.tables.cells import find_empty_rows, mark_missing, skipped_rows, strip_text
from discrimap.tables.column_names import check_column_names
from discrimap.tables.input_files import first_line
from discrimap.tables.text_files import STANDARD_INPUT, TextFile

if TYPE_CHECKING:
    import polars as pl

SEPARATOR_OF_ENDING = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}

# Size of the first block in bytes; the length of a row is estimated from it.
FIRST_BLOCK = 2**20
# Number of bytes after the header, and of rows, from which the separator is found.
SAMPLE_BYTES = 2**16
SAMPLE_ROWS = 20


class TextTable:
    """Read the header and the rows of a text file with a table.

    Parameters
    ----------
    source : str or Path
        A file, which is opened for reading only, or "-" for standard input.
    in_parts : bool
        Whether the rows will be read in parts. Standard input is then copied to a temporary file
        instead of memory.

    Attributes
    ----------
    columns : list of str
        Distinct names, without surrounding spaces.
    notices : list of str
        Messages about the encoding, the separator and, once the rows have been read, skipped rows.
    """

    def __init__(self, source: str | Path, *, in_parts: bool = False):
        self._file = TextFile(source, on_disk=in_parts)
        self.name, self.notices = self._file.name, self._file.notices
        self._n_skipped = 0
        # Standard input is read as CSV.
        ending = ".csv" if source == STANDARD_INPUT else Path(source).suffix.lower()
        usual = SEPARATOR_OF_ENDING[ending]
        with self._file.open_utf8() as text:
            start, begin, self._header_size = _read_header(text)
        header = start[: self._header_size]
        self.separator = _find_separator(start[begin:].decode("utf-8", errors="ignore"), usual)
        if self.separator != usual:
            self.notices.append(
                f"columns are separated by {SEPARATORS[self.separator]}, not {SEPARATORS[usual]}."
            )
        self.columns = self._split_header(header[begin:].decode("utf-8"))
        # Simple names for polars, which does not remove quotes from names.
        names = (f"c{j}" for j in range(len(self.columns)))
        self._own_header = (self.separator.join(names) + "\n").encode()
        self._n_header_lines = header.count(b"\n")

    def read(self) -> pl.DataFrame:
        """Read all rows."""
        import polars as pl

        frames = list(self._frames(None))
        return frames[0] if frames else pl.DataFrame(schema=dict.fromkeys(self.columns, pl.String))

    def read_parts(self, n_rows: int) -> Iterator[pl.DataFrame]:
        """Read about ``n_rows`` rows at a time; the memory needed is that of one part."""
        yield from self._frames(n_rows)

    def _frames(self, n_rows: int | None) -> Iterator[pl.DataFrame]:
        n_lines, n_empty = self._n_header_lines, 0
        for block in self._blocks(n_rows):
            frame = strip_text(self._parse(block, n_lines))
            n_lines += block.count(b"\n")
            is_empty = find_empty_rows(frame)
            if is_empty.any():
                # Empty rows at the end of a file are common, so they are not reported.
                filled = (~is_empty).arg_true()
                if len(filled):
                    n_last = frame.height - 1 - filled[-1]
                    self._n_skipped += n_empty + int(is_empty.sum()) - n_last
                    n_empty = n_last
                else:
                    n_empty += frame.height
                frame = frame.filter(~is_empty)
            elif frame.height:
                self._n_skipped += n_empty
                n_empty = 0
            if frame.height:
                yield mark_missing(frame)
        if self._n_skipped:
            self.notices.append(skipped_rows(self._n_skipped))

    def _parse(self, block: bytes, n_lines: int) -> pl.DataFrame:
        import polars as pl

        if b'"' in block:
            self._check_quotes(block, n_lines)
        try:
            frame = pl.read_csv(
                io.BytesIO(self._own_header + block),
                separator=self.separator,
                infer_schema=False,
            )
        except pl.exceptions.PolarsError as error:
            raise self._ragged(block, n_lines) or InputError(
                f"{self.name} cannot be read as a table: rows after line {n_lines}: "
                f"{first_line(error)}; correct the file or export it again."
            ) from None
        frame.columns = self.columns
        return frame

    def _check_quotes(self, block: bytes, n_lines: int) -> None:
        """Raise an error for quotes inside a field, which different programs read differently."""
        separator = re.escape(self.separator.encode())
        enclosed = rb'(?:^|(?<=[\n%s]))"(?:[^"]|"")*"(?=\r?\n|%s|\r?$)' % (separator, separator)
        left = re.sub(enclosed, lambda match: b"\n" * match[0].count(b"\n"), block)
        if b'"' in left:
            line = n_lines + left.count(b"\n", 0, left.index(b'"')) + 1
            raise InputError(
                f"{self.name} cannot be read as a table: line {line} has a quote that does not "
                "enclose a whole field; enclose the field in quotes, and double the quotes inside it."
            )

    def _ragged(self, block: bytes, n_lines: int) -> InputError | None:
        """Return an error that names the first row with too many fields; polars does not name it."""
        rows = csv.reader(io.StringIO(block.decode("utf-8"), newline=""), delimiter=self.separator)
        with contextlib.suppress(csv.Error):
            for row in rows:
                if len(row) > len(self.columns):
                    return InputError(
                        f"{self.name}: line {n_lines + rows.line_num} has {len(row)} fields, but "
                        f"the header has {len(self.columns)}; correct the line, or quote fields that "
                        f"hold {self.separator!r}."
                    )
        return None

    def _blocks(self, n_rows: int | None) -> Iterator[bytes]:
        """Yield the text after the header in blocks of whole rows; quoted fields may hold line ends."""
        with self._file.open_utf8() as text:
            text.read(self._header_size)
            if n_rows is None:
                yield text.read()
                return
            rest, size = b"", FIRST_BLOCK
            while read := text.read(size):
                block = rest + read
                end = _last_line_end(block)
                if end == 0:
                    rest, size = block, max(size, len(block))  # a line longer than the block
                    continue
                lines, rest = block[:end], block[end:]
                size = max(1, len(lines) * n_rows // max(1, lines.count(b"\n")))
                yield lines
            if rest:
                yield rest

    def _split_header(self, text: str) -> list[str]:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=self.separator)
        try:
            header = [name.strip() for name in next(rows, [])]
            rest = next(rows, None)
        except csv.Error as error:
            raise InputError(
                f"{self.name} has no readable header row: {first_line(error)}."
            ) from None
        if rest is not None:
            raise InputError(
                f"{self.name} has carriage returns without line feeds at the ends of its first "
                "lines; save it again with ordinary line ends."
            )
        if not any(header):
            raise InputError(f"{self.name} has no header row; its first row must name the columns.")
        check_column_names(self.name, header)
        return header


def _find_separator(start: str, usual: str) -> str:
    """Return the separator that splits the first rows into equally many fields.

    The usual separator is tried first, and is returned if none does.
    """
    for separator in (usual, *(mark for mark in SEPARATORS if mark != usual)):
        rows = csv.reader(io.StringIO(start, newline=""), delimiter=separator)
        widths: list[int] = []
        try:
            for row in rows:
                # Blank rows are skipped. The last row may be truncated and is removed below.
                if any(field.strip() for field in row):
                    widths.append(len(row))
                if len(widths) > SAMPLE_ROWS:
                    break
        except csv.Error:
            continue
        if len(start) >= SAMPLE_BYTES and len(widths) > 2:
            widths = widths[:-1]
        if len(set(widths)) == 1 and widths[0] > 1:
            return separator
    return usual


def _read_header(text) -> tuple[bytes, int, int]:
    """Read the first line that is not blank, and a sample of the following lines.

    Returns
    -------
    start : bytes
        All bytes that were read.
    begin, end : int
        Position of the header line in ``start``.
    """
    start = b""
    begin = end = 0
    # The size doubles each time, so that a long line is searched only a few times.
    while not end and (read := text.read(max(SAMPLE_BYTES, len(start)))):
        start += read
        if blank := re.match(rb"\s*\n", start):
            begin = blank.end()
        end = _first_line_end(start, begin)
    return start + text.read(SAMPLE_BYTES), begin, end or len(start)


def _first_line_end(start: bytes, begin: int) -> int:
    """Return the position after the first line end outside quotes, or 0."""
    n_quotes = 0
    while (cut := start.find(b"\n", begin)) >= 0:
        n_quotes += start.count(b'"', begin, cut)
        if n_quotes % 2 == 0:
            return cut + 1
        begin = cut + 1
    return 0


def _last_line_end(block: bytes) -> int:
    """Return the position after the last line end outside quotes, or 0.

    The block must start outside quotes.
    """
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
