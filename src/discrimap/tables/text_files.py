"""Read text files in any encoding, and standard input, as UTF-8 bytes."""

from __future__ import annotations

import codecs
import contextlib
import io
import shutil
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from discrimap.errors import InputError
from discrimap.tables.input_files import check_readable

# The argument that means standard input, and its name in messages.
STANDARD_INPUT = "-"
NAME_OF_STANDARD_INPUT = "standard input"

# Number of bytes that are decoded at a time.
BLOCK_SIZE = 2**20

_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    # Before UTF-16, because this mark begins with the mark of UTF-16.
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_CONTROL_BYTES = bytes({*range(9), *range(14, 32)})


class TextFile:
    """A text file whose encoding is detected from all of its bytes.

    Parameters
    ----------
    source : str or Path
        A file, which is opened for reading only, or "-" for standard input.
    on_disk : bool
        Whether standard input is copied to a temporary file instead of memory.

    Attributes
    ----------
    name : str or Path
        Name of the file in messages.
    encoding : str
        The encoding that was detected.
    notices : list of str
        Messages about the encoding.
    """

    def __init__(self, source: str | Path, *, on_disk: bool = False):
        self.notices: list[str] = []
        if source == STANDARD_INPUT:
            self.name: object = NAME_OF_STANDARD_INPUT
            kept = _keep_standard_input(on_disk)
            weakref.finalize(self, kept.close)
            self._open: Callable = lambda: _from_start(kept)
        else:
            path = self.name = check_readable(source)
            self._open = lambda: path.open("rb")
        self.encoding = self._find_encoding()

    def _find_encoding(self) -> str:
        """Detect the encoding from a byte order mark, from null bytes, or from the whole file."""
        with self._open() as file:
            start = file.read(4096)
        if not start:
            raise InputError(
                f"{self.name} is empty (0 bytes); a table with a header row is needed."
            )
        for mark, encoding in _BYTE_ORDER_MARKS.items():
            if start.startswith(mark):
                if encoding != "utf-8":
                    self.notices.append(
                        f"read as {encoding.upper()}, because of its byte order mark."
                    )
                    self._check_decodes(encoding)
                    return encoding
                break
        if b"\0" in start:
            return self._find_unmarked_utf16(start)
        try:
            self._check_decodes("utf-8")
        except InputError:
            if not self._looks_like_latin1():
                raise
            self.notices.append(
                "its text is not UTF-8 and was read as Latin-1 (Windows-1252); check letters with "
                "accents, or save the file as UTF-8."
            )
            return self._find_latin1()
        return "utf-8"

    def _find_latin1(self) -> str:
        """Return Windows-1252 if it can decode the file, otherwise Latin-1.

        Windows-1252 has letters in place of most control characters of Latin-1.
        """
        try:
            self._check_decodes("cp1252")
        except InputError:
            return "latin-1"
        return "cp1252"

    def _find_unmarked_utf16(self, start: bytes) -> str:
        start = start[: len(start) // 2 * 2]
        for encoding, high_bytes, low_bytes in (
            ("utf-16-le", start[1::2], start[::2]),
            ("utf-16-be", start[::2], start[1::2]),
        ):
            if high_bytes.count(0) > len(high_bytes) / 2 and 0 not in low_bytes:
                self._check_decodes(encoding)
                self.notices.append(f"read as {encoding.upper()}, because of its null bytes.")
                return encoding
        raise self._not_text()

    def _check_decodes(self, encoding: str) -> None:
        decoder = codecs.getincrementaldecoder(encoding)()
        with self._open() as file:
            try:
                while block := file.read(BLOCK_SIZE):
                    if "\0" in decoder.decode(block):
                        raise self._not_text()
                decoder.decode(b"", final=True)
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{self.name} is not text in {encoding.upper()} throughout ({error.reason}); "
                    "save it again with the encoding UTF-8."
                ) from None

    def _looks_like_latin1(self) -> bool:
        """Return whether no letter is UTF-8 (or the file mixes encodings) and no byte is a control byte."""
        found_utf8 = False
        decoder = codecs.getincrementaldecoder("utf-8")(errors="ignore")
        with self._open() as file:
            while block := file.read(BLOCK_SIZE):
                if block.translate(None, _CONTROL_BYTES) != block:
                    return False
                found_utf8 = found_utf8 or not decoder.decode(block).isascii()
        return not found_utf8

    def _not_text(self) -> InputError:
        return InputError(
            f"{self.name} is not text: it holds null bytes; save it again as CSV in UTF-8."
        )

    @contextlib.contextmanager
    def open_utf8(self) -> Iterator[BinaryIO | _Utf8Reader]:
        """Open the file as UTF-8 bytes, without a byte order mark."""
        with self._open() as file:
            if self.encoding == "utf-8":
                if file.read(3) != codecs.BOM_UTF8:
                    file.seek(0)
                yield file
            else:
                yield _Utf8Reader(file, self.encoding)


class _Utf8Reader:
    """Read a file in another encoding as UTF-8 bytes, without a byte order mark."""

    def __init__(self, file: BinaryIO, encoding: str):
        self._file = file
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._rest = b""

    def read(self, size: int = -1) -> bytes:
        while size < 0 or len(self._rest) < size:
            block = self._file.read(BLOCK_SIZE)
            self._rest += self._decoder.decode(block, final=not block).encode("utf-8")
            if not block:
                break
        if size < 0:
            size = len(self._rest)
        read, self._rest = self._rest[:size], self._rest[size:]
        return read


def _keep_standard_input(on_disk: bool) -> BinaryIO:
    """Copy standard input, which can be read only once, to memory or to a temporary file."""
    if not on_disk:
        return io.BytesIO(sys.stdin.buffer.read())
    kept = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the table is deleted
    shutil.copyfileobj(sys.stdin.buffer, kept)
    return kept


@contextlib.contextmanager
def _from_start(file: BinaryIO) -> Iterator[BinaryIO]:
    file.seek(0)
    yield file
