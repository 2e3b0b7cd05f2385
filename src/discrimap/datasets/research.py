"""Read research data sets from the user's folder: ``<folder>/<name>.npz``."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from discrimap.errors import InputError
from discrimap.tables.archives import read_archive, split_archive
from discrimap.tables.dataset import Dataset

FOLDER_VARIABLE = "DISCRIMAP_DATA"


def find_research_file(name: str) -> Path | None:
    """Return the file of a data set in the folder DISCRIMAP_DATA, or None if it does not exist."""
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
    """Read a research data set: features (dense or CSR), or similarities and distances only.

    Parameters
    ----------
    name : str
        Name of the data set.
    path : Path
        NPZ file with y and either X, the parts of a CSR matrix, or square matrices, which are then in
        ``extras`` of the :class:`~discrimap.datasets.Dataset`.

    Returns
    -------
    dataset : Dataset
    """
    dataset = split_archive(name, path, read_archive(path))
    assert dataset.y is not None
    is_index = dataset.y.dtype.kind in "iu" and np.can_cast(dataset.y.dtype, np.int64)
    if not is_index:
        raise InputError(
            f"{path}: y of a research data set must hold class indices, integers of up to 63 bits, but "
            f"its type is {dataset.y.dtype}; pass the path of the file instead of the name of the data set."
        )
    # Files store the smallest dtype. It is signed here, because -1 means unlabelled.
    return replace(dataset, y=dataset.y.astype(np.int64))
