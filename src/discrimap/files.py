"""Result files that are written completely or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from discrimap.errors import InputError


def check_writable(path: Path) -> None:
    """Refuse an output that cannot be written, before any work is done."""
    if path.is_dir():
        raise InputError(f"cannot write {path}: it is a folder; name a file.")
    if not path.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {path.parent}; make it first.")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"cannot write {path}: no permission to write in {path.parent}.")


def write_text(path: Path, text: str) -> None:
    """Write a text file in one step, see :func:`write_bytes`."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file in one step.

    The content goes to a file of its own beside the target, which then takes the target's place: a
    reader, or a second writer, sees the old file or the new one, never a part.
    """
    with replacing(path) as temporary:
        temporary.write_bytes(content)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a file to write to, which takes the place of ``path`` when all went well."""
    check_writable(path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        # mkstemp makes the file private; give it the mode that an ordinary new file would have.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
