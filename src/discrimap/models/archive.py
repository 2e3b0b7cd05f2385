"""The container of a model file: a zip archive with one JSON document and arrays.

Members are stored without compression, so that no array can be larger than the file: sizes are
compared before memory is allocated. Arrays are ``.npy`` members without pickles, of floats,
integers, booleans or text. :mod:`discrimap.models.parts` checks the values.
"""

from __future__ import annotations

import io
import json
import math
import struct
import tokenize
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

DOCUMENT = "model.json"
# In bytes. A million feature names take tens of megabytes.
LARGEST_DOCUMENT = 1 << 28
# In characters. The header of a .npy member, with type, order and shape, has about 100.
LARGEST_HEADER = 1000
DTYPES = ("f4", "f8", "i4", "i8", "b1")  # and text of any width
# A constant date, so that equal models give equal files.
NO_DATE = (1980, 1, 1, 0, 0, 0)


class DamagedError(ValueError):
    """Error in a model file that :func:`pack` cannot have written; the message says where."""


def pack(document: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """Return the content of a file that holds a JSON document and arrays.

    Parameters
    ----------
    document : dict
        Values that JSON can represent; NaN and infinity raise an error.
    arrays : dict of ndarray
        The arrays, keyed by the names of their members without extension.

    Returns
    -------
    content : bytes
    """
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        text = json.dumps(document, indent=1, allow_nan=False)
        archive.writestr(zipfile.ZipInfo(DOCUMENT, NO_DATE), text)
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy", NO_DATE)
            with archive.open(member, "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, version=(1, 0), allow_pickle=False)
    return stream.getvalue()


def unpack(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Read a file that :func:`pack` wrote.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    document : dict
    arrays : dict of ndarray

    Raises
    ------
    DamagedError
        If any part of the file is not valid.
    """
    n_bytes = path.stat().st_size
    try:
        with zipfile.ZipFile(path) as archive:
            members = _members(archive, n_bytes)
            document = _parse(archive.read(members.pop(DOCUMENT)))
            arrays = {
                name.removesuffix(".npy"): _read_array(name, archive.read(member))
                for name, member in members.items()
            }
    except DamagedError:
        raise
    # The errors that zipfile raises for archives that are truncated, changed, encrypted or foreign.
    except (
        zipfile.BadZipFile,
        EOFError,
        KeyError,
        NotImplementedError,
        OSError,
        OverflowError,
        RuntimeError,
        struct.error,
        ValueError,
    ) as error:
        raise DamagedError(str(error) or type(error).__name__) from error
    return document, arrays


def member_names(path: Path) -> list[str]:
    """Return the names in a zip archive; an empty list if the file is not an archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, struct.error):
        return []


def _members(archive: zipfile.ZipFile, n_bytes: int) -> dict[str, zipfile.ZipInfo]:
    members: dict[str, zipfile.ZipInfo] = {}
    for member in archive.infolist():
        name = member.filename
        if name != DOCUMENT and not name.endswith(".npy"):
            raise DamagedError(f"it holds {name!r}, which is neither {DOCUMENT} nor an array")
        if name in members:
            raise DamagedError(f"it holds {name!r} twice")
        if member.compress_type != zipfile.ZIP_STORED or member.file_size != member.compress_size:
            raise DamagedError(f"{name!r} is compressed")
        members[name] = member
    if DOCUMENT not in members:
        raise DamagedError(f"it holds no {DOCUMENT}")
    if sum(member.file_size for member in members.values()) > n_bytes:
        raise DamagedError(f"its members are larger than the file of {n_bytes} bytes")
    if members[DOCUMENT].file_size > LARGEST_DOCUMENT:
        raise DamagedError(f"{DOCUMENT} is larger than {LARGEST_DOCUMENT} bytes")
    return members


def _parse(text: bytes) -> dict[str, Any]:
    try:
        document = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise DamagedError(f"{DOCUMENT} is nested too deeply") from None
    except ValueError as error:
        raise DamagedError(f"{DOCUMENT}: {error}") from error
    if not isinstance(document, dict):
        raise DamagedError(f"{DOCUMENT} must be an object, but is {type(document).__name__}")
    return document


def _refuse_constant(name: str):
    raise DamagedError(f"{DOCUMENT} holds {name}, which is not valid JSON")


def _read_array(name: str, content: bytes) -> np.ndarray:
    stream = io.BytesIO(content)
    shape, is_fortran, dtype = _read_header(name, stream)
    if dtype.kind != "U" and dtype.newbyteorder("<").str[1:] not in DTYPES:
        raise DamagedError(f"{name}: arrays of a model cannot have the dtype {dtype}")
    n_left = len(content) - stream.tell()
    if math.prod(shape) * dtype.itemsize != n_left:
        raise DamagedError(f"{name}: shape {shape} and dtype {dtype} do not match {n_left} bytes")
    # A bytearray, so that the array is writable, like the arrays of a fitted estimator.
    values = np.frombuffer(bytearray(content[stream.tell() :]), dtype)
    array = values.reshape(shape, order="F" if is_fortran else "C")
    return array.astype(dtype.newbyteorder("="), copy=False)


def _read_header(name: str, stream) -> tuple[tuple[int, ...], bool, np.dtype]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            version = np.lib.format.read_magic(stream)
            if version != (1, 0):
                raise DamagedError(f"{name}: its format is {version}, not (1, 0)")
            header = np.lib.format.read_array_header_1_0(stream, max_header_size=LARGEST_HEADER)
    except DamagedError:
        raise
    # NumPy reads the header with Python's parser, which can raise many errors.
    except (
        ArithmeticError,
        LookupError,
        MemoryError,
        RecursionError,
        SyntaxError,
        TypeError,
        ValueError,
        Warning,
        tokenize.TokenError,
    ) as error:
        raise DamagedError(f"{name}: its header cannot be read") from error
    if any(isinstance(length, bool) or length < 0 for length in header[0]):
        raise DamagedError(f"{name}: {header[0]} is not a valid shape")
    return header
