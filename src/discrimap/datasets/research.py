"""Research data sets from a folder of the user: ``<folder>/<name>.npz``."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from discrimap.datasets.archives import check_samples, read_archive
from discrimap.datasets.dataset import Dataset
from discrimap.errors import InputError

FOLDER_VARIABLE = "DISCRIMAP_DATA"

# A sparse X is stored as the parts of a CSR matrix.
_CSR_KEYS = ("data", "indices", "indptr", "shape")


def find_research_file(name: str) -> Path | None:
    """Find the file of a set in the folder that DISCRIMAP_DATA names; None if it is not there."""
    folder = os.environ.get(FOLDER_VARIABLE)
    if not folder:
        return None
    if not Path(folder).is_dir():
        raise InputError(
            f"{FOLDER_VARIABLE} is set to {folder}, which is not a folder; set it to the folder "
            "with the research data sets, or unset it."
        )
    path = Path(folder) / f"{name}.npz"
    return path if path.is_file() else None


def load_research_file(name: str, path: Path) -> Dataset:
    """Read a research set: vectors X (sparse ones as CSR), or similarities and distances only.

    Parameters
    ----------
    name : str
        What to call the set.
    path : Path
        NPZ file with y and either X, the parts of a CSR matrix, or square matrices; see
        :class:`~discrimap.datasets.Dataset` for where each array goes.

    Returns
    -------
    dataset : Dataset
    """
    arrays = read_archive(path)
    if "y" not in arrays:
        raise InputError(
            f"{path} has no array 'y' with the labels; it has {', '.join(arrays) or 'none'}."
        )
    if set(_CSR_KEYS) <= arrays.keys():
        arrays["X"] = _assemble_sparse(path, *(arrays.pop(key) for key in _CSR_KEYS))
    if "X" in arrays:
        check_samples(path, arrays)

    X, y = arrays.pop("X", None), arrays.pop("y")
    feature_names, target_names = (
        arrays.pop("feature_names", None),
        arrays.pop("target_names", None),
    )
    return Dataset(
        name=name,
        X=X,
        # Stored in the smallest type; signed here, because -1 marks an unlabelled sample.
        y=y.astype(np.int64),
        feature_names=None if feature_names is None else [str(name) for name in feature_names],
        target_names=None if target_names is None else [str(name) for name in target_names],
        extras=arrays,
    )


def _assemble_sparse(path, data, indices, indptr, shape):
    from scipy import sparse

    try:
        matrix = sparse.csr_array((data, indices, indptr), shape=tuple(shape.tolist()))
        matrix.check_format(full_check=True)
    except (ValueError, TypeError) as error:
        raise InputError(f"{path} holds no valid sparse matrix: {error}.") from None
    return matrix
