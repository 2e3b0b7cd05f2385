"""Read NumPy archives (NPZ) without unpickling anything."""

from __future__ import annotations

import math
import os
import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from discrimap.errors import InputError
from discrimap.tables.dataset import Dataset
from discrimap.tables.input_files import check_readable, first_line
from discrimap.tables.wording import list_names, suggest

# Methods store a name and at least one number for each column of a sparse matrix. Hashed text has
# 2**20 columns by default in scikit-learn.
MAX_SPARSE_COLUMNS = 2**22
# The largest compression ratio of deflate, the compression of these files.
MAX_COMPRESSION = 1032

# A sparse X is stored as the parts of a CSR matrix.
_CSR_KEYS = ("data", "indices", "indptr", "shape")
SAMPLE_KEYS = ("X", *_CSR_KEYS)


def read_archive(path: str | os.PathLike) -> dict[str, np.ndarray]:
    """Read all arrays of an NPZ file; pickled objects, which could run code, raise an error.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    arrays : dict of str to ndarray

    Raises
    ------
    InputError
        If the file is not an NPZ archive, is damaged, or holds pickled objects.
    """
    path = check_readable(path)
    if not zipfile.is_zipfile(path):
        raise InputError(
            f"{path} is not an NPZ archive, although its extension is .npz; write it with numpy.savez."
        )
    arrays = {}
    key = None
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                key = entry.filename.removesuffix(".npy")
                _check_size(path, archive, entry)
        with np.load(path, allow_pickle=False) as archive:
            for key in archive.files:
                arrays[key] = archive[key]
    except InputError:
        raise
    except ValueError as error:
        if "pickle" not in str(error):
            raise InputError(f"{path} is broken at {key!r}: {first_line(error)}.") from None
        raise InputError(
            f"{path}: array {key!r} holds pickled Python objects, which could run code when "
            "loaded; save it as plain numbers or fixed-length text (astype(str))."
        ) from None
    except (
        OSError,
        EOFError,
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        RuntimeError,
    ) as error:
        # RuntimeError: an encrypted entry
        raise InputError(f"{path} is broken: {first_line(error)}; write it again.") from None
    # np.load returns an entry that is not a NumPy array as raw bytes.
    foreign = [key for key, value in arrays.items() if not isinstance(value, np.ndarray)]
    if foreign:
        raise InputError(
            f"{path}: {foreign[0]!r} is not a NumPy array; write the file with numpy.savez."
        )
    return arrays


def _check_size(path: Path, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> None:
    """Raise an error if an array is larger than its entry, before memory is allocated."""
    if not entry.filename.endswith(".npy"):
        return
    if entry.file_size > entry.compress_size * MAX_COMPRESSION + 1024:
        raise InputError(
            f"{path} is broken at {entry.filename!r}: its {entry.compress_size} stored bytes cannot hold "
            f"{entry.file_size} bytes of data; write it again."
        )
    with archive.open(entry) as file:
        version = np.lib.format.read_magic(file)
        old = version == (1, 0)
        read = np.lib.format.read_array_header_1_0 if old else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(file)
    n_bytes = math.prod(shape) * dtype.itemsize
    if not dtype.hasobject and n_bytes > entry.file_size:
        raise InputError(
            f"{path} is broken at {entry.filename!r}: its header declares {n_bytes} bytes, but it "
            f"has {entry.file_size}; write it again."
        )


def take_samples(source: object, arrays: Mapping[str, np.ndarray]):
    """Return the samples of an archive, which are ``X`` or the parts of a CSR matrix.

    Parameters
    ----------
    source : object
        Name of the archive in messages, such as its path.
    arrays : mapping of str to ndarray
        The samples as ``X`` or as the parts of a CSR matrix (``data``, ``indices``, ``indptr``,
        ``shape``), if there are any.

    Returns
    -------
    X : ndarray or scipy CSR array of shape (n_samples, n_features), or None
    """
    if set(_CSR_KEYS) <= arrays.keys():
        X = assemble_sparse(source, *(arrays[key] for key in _CSR_KEYS))
    else:
        X = arrays.get("X")
    if X is not None:
        _check_matrix(source, X)
    return X


def split_archive(
    name: str, source: object, arrays: Mapping[str, np.ndarray], target: str = "y"
) -> Dataset:
    """Split the arrays of an archive into samples, labels, names and extras.

    Parameters
    ----------
    name : str
        Name of the data set.
    source : object
        Name of the archive in messages, such as its path.
    arrays : mapping of str to ndarray
        The labels under the key ``target``; the samples as ``X`` or as the parts of a CSR matrix
        (``data``, ``indices``, ``indptr``, ``shape``), if there are any.
    target : str
        Key of the labels.

    Returns
    -------
    dataset : Dataset
        X is None without samples. Arrays are not converted.
    """
    rest = dict(arrays)
    if target in SAMPLE_KEYS:
        raise InputError(
            f"{source}: {target!r} holds the samples, so it cannot be the target; "
            f"{suggest(target, [key for key in rest if key not in SAMPLE_KEYS])}."
        )
    if target not in rest:
        raise InputError(
            f"{source} has no array {target!r} with the labels; {suggest(target, list(rest))}."
        )
    X, y = take_samples(source, rest), rest.pop(target)
    if X is not None:
        for key in ("X",) if isinstance(X, np.ndarray) else _CSR_KEYS:
            del rest[key]
        _check_labels(source, X, y, target)
    feature_names, target_names = (
        [str(value) for value in rest.pop(key).ravel()] if key in rest else None
        for key in ("feature_names", "target_names")
    )
    if target_names is not None and len(set(target_names)) < len(target_names):
        repeated = [name for name, count in Counter(target_names).items() if count > 1]
        raise InputError(
            f"{source}: target_names has the same name for different classes: "
            f"{list_names(repeated)}; rename them, or give these classes one code."
        )
    if X is not None and feature_names is not None and len(feature_names) != X.shape[1]:
        raise InputError(
            f"{source}: feature_names has {len(feature_names)} names, but X has {X.shape[1]} "
            "columns; they must match one to one."
        )
    return Dataset(name, X, y, feature_names, target_names, extras=rest)


def assemble_sparse(source, data, indices, indptr, shape):
    """Return the CSR matrix with these parts; raise an error if they are not valid."""
    from scipy import sparse

    try:
        n_columns = max(shape.tolist(), default=0)
        if n_columns > MAX_SPARSE_COLUMNS:
            raise InputError(
                f"{source}: a sparse matrix of {n_columns} columns is too wide; at most "
                f"{MAX_SPARSE_COLUMNS} are possible, because methods store numbers for each column."
            )
        matrix = sparse.csr_array((data, indices, indptr), shape=tuple(shape.tolist()))
        matrix.check_format(full_check=True)
    except InputError:
        raise
    except (ValueError, TypeError, OverflowError, IndexError) as error:
        raise InputError(
            f"{source} does not hold a valid sparse matrix: {first_line(error)}; write it again."
        ) from None
    return matrix


def _check_matrix(source: object, X) -> None:
    """Raise an error if X is not a matrix of real numbers."""
    if X.ndim != 2:
        raise InputError(
            f"{source}: X must be 2-D (samples x features), but is {X.ndim}-D with shape "
            f"{X.shape}; reshape it, for one feature with X.reshape(-1, 1), for images with "
            "X.reshape(len(X), -1)."
        )
    if X.dtype.kind not in "biuf":
        raise InputError(
            f"{source}: X must hold real numbers, but its type is {X.dtype}; encode it as numbers."
        )
    if X.shape[1] == 0:
        raise InputError(f"{source}: X has no columns; at least one feature is needed.")


def _check_labels(source, X, y, target):
    """Raise an error if the labels do not match the samples one to one."""
    if y.ndim != 1:
        raise InputError(
            f"{source}: {target} must be 1-D, one label for each sample, but has shape {y.shape}."
        )
    if len(y) != X.shape[0]:
        raise InputError(
            f"{source}: {target} has {len(y)} labels, but X has {X.shape[0]} samples; they must "
            "match one to one."
        )
