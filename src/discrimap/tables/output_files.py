"""Write output files completely or not at all, and never overwrite an input file."""

from __future__ import annotations

import contextlib
import glob
import itertools
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from discrimap.errors import InputError

# Paths that are neither a file nor a folder.
NOT_A_FILE = {
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a pipe (FIFO)",
    stat.S_IFSOCK: "a socket",
}
# Paths of the open streams of this process. A stream may be a file that the shell has opened.
OPEN_FILES = ("/dev/stdout", "/dev/stderr", "/dev/fd", "/proc")


def check_writable(path: Path) -> None:
    """Raise an error if an output file cannot be written; to be called before the computation."""
    if path.is_dir():
        raise InputError(f"cannot write {path}: it is a folder; name a file.")
    _refuse_devices(path)
    target = resolve(path)
    if not target.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {target.parent}; make it first.")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"cannot write {path}: no permission to write in {target.parent}.")
    if target.exists() and not os.access(target, os.W_OK):
        raise InputError(
            f"cannot write {path}: the file exists and is read-only; name another file, or change its permissions."
        )


def check_outputs(
    outputs: Mapping[str, Path | None], inputs: Mapping[str, str | os.PathLike]
) -> None:
    """Check output files before anything is computed.

    Parameters
    ----------
    outputs : dict
        The paths, keyed by option; None if an option was not given.
    inputs : dict
        The inputs, keyed by their description in messages: a file, a folder of files, a pattern, or
        the name of a data set.

    Raises
    ------
    InputError
        If an output cannot be written, or is the same file as an input or another output. Links are
        resolved first.
    """
    named = {option: path for option, path in outputs.items() if path is not None}
    for option, path in named.items():
        check_writable(path)
        for words, source in inputs.items():
            for file in _files_of(source):
                if _is_same_file(path, file):
                    raise InputError(
                        f"{option} {path} would overwrite {words}, {file}; pass another file name."
                    )
    for (one, path), (other, other_path) in itertools.combinations(named.items(), 2):
        if _is_same_file(path, other_path):
            raise InputError(
                f"{one} and {other} both name {resolve(path)}; pass different file names."
            )


def resolve(path: Path) -> Path:
    """Return the path with all links resolved."""
    return Path(os.path.realpath(path))


def write_text(path: Path, text: str) -> None:
    """Write a text file completely or not at all, see :func:`replacing`."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file completely or not at all, see :func:`replacing`."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary file to write to, which replaces ``path`` unless an error occurs.

    The temporary file is in the same folder and is moved in one step, so that other processes see the
    old file or the new one, never a part. Permissions of an existing file and links are preserved.
    """
    check_writable(path)
    target = resolve(path)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        # The file of mkstemp is readable by its owner only.
        os.chmod(temporary, _mode_of(target))
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _mode_of(target: Path) -> int:
    """Return the permissions of an existing file, or the default permissions of a new one."""
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _refuse_devices(path: Path) -> None:
    absolute = os.path.abspath(path)
    if any(absolute == name or absolute.startswith(f"{name}/") for name in OPEN_FILES):
        raise InputError(
            f"cannot write {path}: it is an output stream of this program; name a file."
        )
    try:
        kind = stat.S_IFMT(path.stat().st_mode)
    except FileNotFoundError:
        return
    except OSError as error:  # circular links, or a folder without permission to enter
        raise InputError(f"cannot write {path}: {error.strerror}.") from error
    if kind in NOT_A_FILE:
        raise InputError(
            f"cannot write {path}: it is {NOT_A_FILE[kind]}, which would be replaced by a file; name a "
            "file."
        )


def _files_of(source: str | os.PathLike) -> Iterator[Path]:
    """Yield the files of an argument, which is a file, a folder or a pattern."""
    path = Path(source)
    if path.is_dir():
        yield from (file for file in path.rglob("*") if file.is_file())
    elif path.exists():
        yield path
    else:
        yield from map(Path, glob.iglob(str(source), recursive=True))


def _is_same_file(one: Path, other: Path) -> bool:
    try:
        return os.path.samefile(one, other)  # detects hard links too
    except OSError:  # one of them does not exist
        return resolve(one) == resolve(other)
