"""Check that a file can be read."""

from __future__ import annotations

import difflib
import os
import stat
from pathlib import Path

from discrimap.errors import InputError


def check_readable(path: str | os.PathLike) -> Path:
    """Raise an error if a path is not a readable, non-empty file.

    Parameters
    ----------
    path : str or path
        The file to read. It is opened for reading only.

    Returns
    -------
    path : Path

    Raises
    ------
    InputError
        If the file does not exist, cannot be read, or is empty.
    """
    path = Path(path)
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder; name a file in it.")
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            # Opening a named pipe would wait for a writer, and reading a device may never end.
            raise InputError(
                f"{path} is a {_kind_of_file(mode)}, not a file; to read CSV from a pipe, pass - and "
                "send it to standard input."
            )
        with path.open("rb") as file:
            is_empty = not file.read(1)
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"{path} does not exist{_similar_file(path)}.") from None
    except PermissionError:
        raise InputError(f"{path} cannot be read: permission denied; ask its owner.") from None
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        raise InputError(f"{path} cannot be read: {first_line(error)}.") from None
    if is_empty:
        raise InputError(f"{path} is empty (0 bytes); a table with a header row is needed.")
    return path


def first_line(error: BaseException) -> str:
    """Return the first line of an error message, without a full stop."""
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).strip().rstrip(".")


def _kind_of_file(mode: int) -> str:
    kinds = {stat.S_ISFIFO: "named pipe", stat.S_ISSOCK: "socket"}
    return next((name for is_kind, name in kinds.items() if is_kind(mode)), "device")


def _similar_file(path: Path) -> str:
    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return f", nor can its folder {path.parent} be listed"
    nearest = difflib.get_close_matches(path.name, names, n=1)
    return f"; the nearest name in its folder is {nearest[0]}" if nearest else ""
