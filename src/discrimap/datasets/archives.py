"""NumPy archives, read without ever running what is in them."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Mapping

import numpy as np

from discrimap.datasets.dataset import Dataset
from discrimap.datasets.files import check_readable, first_line
from discrimap.datasets.wording import suggest
from discrimap.errors import InputError

# A sparse X is stored as the parts of a CSR matrix.
_CSR_KEYS = ("data", "indices", "indptr", "shape")
_SAMPLE_KEYS = ("X", *_CSR_KEYS)


def read_archive(path: str | os.PathLike) -> dict[str, np.ndarray]:
    """Read all arrays of an NPZ file; pickled objects, which could run code, are refused.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    arrays : dict of str to ndarray
    """
    path = check_readable(path)
    if not zipfile.is_zipfile(path):
        raise InputError(
            f"{path} is not an NPZ archive, whatever its ending; write it with numpy.savez."
        )
    arrays = {}
    key = None
    try:
        with np.load(path, allow_pickle=False) as archive:
            for key in archive.files:
                arrays[key] = archive[key]
    except ValueError as error:
        if "pickle" not in str(error):
            raise InputError(f"{path} is broken at {key!r}: {first_line(error)}.") from None
        raise InputError(
            f"{path}: array {key!r} holds pickled Python objects, which could run code when "
            "loaded; save it as plain numbers or fixed-length text (astype(str))."
        ) from None
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError) as error:
        raise InputError(f"{path} is broken: {first_line(error)}; write it again.") from None
    # An entry that is no NumPy array comes back as raw bytes.
    foreign = [key for key, value in arrays.items() if not isinstance(value, np.ndarray)]
    if foreign:
        raise InputError(
            f"{path}: {foreign[0]!r} is not a NumPy array; write the file with numpy.savez."
        )
    return arrays


def split_archive(
    name: str, source: object, arrays: Mapping[str, np.ndarray], target: str = "y"
) -> Dataset:
    """Sort the arrays of an archive into samples, labels, names and extras.

    Parameters
    ----------
    name : str
        What to call the data set.
    source : object
        What to call the archive in messages, such as its path.
    arrays : mapping of str to ndarray
        The labels under the key ``target``; the samples as ``X`` or as the parts of a CSR matrix
        (``data``, ``indices``, ``indptr``, ``shape``), if there are any.
    target : str
        Key of the labels.

    Returns
    -------
    dataset : Dataset
        X is None without samples. Nothing is converted.
    """
    rest = dict(arrays)
    if target in _SAMPLE_KEYS:
        raise InputError(
            f"{source}: {target!r} holds the samples, so it cannot be the target; "
            f"{suggest(target, [key for key in rest if key not in _SAMPLE_KEYS])}."
        )
    if target not in rest:
        raise InputError(
            f"{source} has no array {target!r} with the labels; {suggest(target, list(rest))}."
        )
    if set(_CSR_KEYS) <= rest.keys():
        rest["X"] = _assemble_sparse(source, *(rest.pop(key) for key in _CSR_KEYS))
    X, y = rest.pop("X", None), rest.pop(target)
    if X is not None:
        check_matrix(source, X)
        _check_labels(source, X, y, target)
    feature_names, target_names = (
        [str(value) for value in rest.pop(key).ravel()] if key in rest else None
        for key in ("feature_names", "target_names")
    )
    if X is not None and feature_names is not None and len(feature_names) != X.shape[1]:
        raise InputError(
            f"{source}: feature_names has {len(feature_names)} names, but X has {X.shape[1]} "
            "columns; they must match one to one."
        )
    return Dataset(name, X, y, feature_names, target_names, extras=rest)


def _assemble_sparse(source, data, indices, indptr, shape):
    from scipy import sparse

    try:
        matrix = sparse.csr_array((data, indices, indptr), shape=tuple(shape.tolist()))
        matrix.check_format(full_check=True)
    except (ValueError, TypeError) as error:
        raise InputError(
            f"{source} holds no valid sparse matrix: {first_line(error)}; write it again."
        ) from None
    return matrix


def check_matrix(source: object, X) -> None:
    """Refuse X that is not a matrix of real numbers."""
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
    """Refuse labels that do not match the samples one to one."""
    if y.ndim != 1:
        raise InputError(
            f"{source}: {target} must be 1-D, one label for each sample, but has shape {y.shape}."
        )
    if len(y) != X.shape[0]:
        raise InputError(
            f"{source}: {target} has {len(y)} labels, but X has {X.shape[0]} samples; they must "
            "match one to one."
        )
