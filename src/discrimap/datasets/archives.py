"""NumPy archives, read without ever running what is in them."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Mapping

import numpy as np

from discrimap.datasets.files import check_readable, first_line
from discrimap.errors import InputError


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


def check_samples(source: object, arrays: Mapping[str, np.ndarray], target: str = "y") -> None:
    """Refuse X that is not a numeric matrix, and labels that do not match it in length.

    Parameters
    ----------
    source : object
        What to call the data in messages, such as the path.
    arrays : mapping of str to ndarray
        Holds X and the labels under the key ``target``.
    target : str
        Key of the labels.
    """
    X, y = arrays["X"], arrays[target]
    if X.ndim != 2:
        shape = f"{X.ndim}-D with shape {X.shape}"
        raise InputError(
            f"{source}: X must be 2-D (samples x features), but is {shape}; reshape it, for one "
            "feature with X.reshape(-1, 1), for images with X.reshape(len(X), -1)."
        )
    if X.dtype.kind not in "biuf":
        raise InputError(
            f"{source}: X must hold real numbers, but its type is {X.dtype}; encode it as numbers."
        )
    if y.ndim != 1:
        raise InputError(
            f"{source}: {target} must be 1-D, one label for each sample, but has shape {y.shape}."
        )
    if len(y) != X.shape[0]:
        raise InputError(
            f"{source}: {target} has {len(y)} labels, but X has {X.shape[0]} samples; they must "
            "match one to one."
        )
