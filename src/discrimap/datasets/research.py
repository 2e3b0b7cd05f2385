"""Research data sets from a folder of the user: ``<folder>/<name>.npz``."""

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
    dataset = split_archive(name, path, read_archive(path))
    assert dataset.y is not None
    is_index = dataset.y.dtype.kind in "iu" and np.can_cast(dataset.y.dtype, np.int64)
    if not is_index:
        raise InputError(
            f"{path}: y of a research set holds class indices, whole numbers of up to 63 bits, but "
            f"this is {dataset.y.dtype}; pass the path of the file instead of the name of the set."
        )
    # Stored in the smallest type; signed here, because -1 marks an unlabelled sample.
    return replace(dataset, y=dataset.y.astype(np.int64))
