"""Annotated matrices: AnnData objects, and the files in which they are kept."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discrimap.errors import InputError
from discrimap.tables.cells import mark_missing
from discrimap.tables.dataset import Dataset
from discrimap.tables.encoding import Features
from discrimap.tables.frames import pandas_to_polars
from discrimap.tables.h5ad_files import H5AD_ENDING, H5adFile
from discrimap.tables.labelled_tables import TableOptions, dataset_from_table
from discrimap.tables.npz_tables import clean_samples
from discrimap.tables.table_files import Table, strip_table
from discrimap.tables.wording import suggest

if TYPE_CHECKING:
    import polars as pl

# What the names of the samples are called.
ID_NAME = "obs_names"


def is_anndata(data: Any) -> bool:
    """Return whether this is an AnnData object, without importing the package."""
    module = sys.modules.get("anndata")
    return module is not None and isinstance(data, module.AnnData)


def is_h5ad(path: Any) -> bool:
    """Return whether this is the path of an AnnData file."""
    return isinstance(path, (str, Path)) and Path(path).suffix.lower() == H5AD_ENDING


def read_anndata(data: Any, options: TableOptions, layer: str | None) -> Dataset:
    """Return the samples of an AnnData object or file; a column of ``obs`` is the target.

    Parameters
    ----------
    data : AnnData, str or Path
        Sparse matrices stay sparse. Samples keep their names as ids.
    options : TableOptions
        Names of columns of ``obs``.
    layer : str, optional
        A matrix of ``layers`` or ``obsm`` instead of X.
    """
    source, name, obs, obs_names, X, names = _open(data, layer)
    if X.shape[0] != len(obs_names):
        raise InputError(
            f"{source} is damaged: the matrix has {X.shape[0]} rows for the {len(obs_names)} samples of 'obs'."
        )
    if options.drop:
        raise InputError(
            f"drop={list(options.drop)} needs columns that are features; {source} has none."
        )
    import polars as pl

    table = Table(mark_missing(strip_table(source, obs)), (), pl.Series(ID_NAME, obs_names))
    # X of an object belongs to the user.
    X = X.copy() if is_anndata(data) and options.missing in ("median", "mean") else X
    notices = clean_samples(source, X, names, options.missing)
    return dataset_from_table(source, name, table, options, Features(X, names, tuple(notices)))


def read_named_columns(
    path: Path, names: list[str], layer: str | None
) -> tuple[Any, pl.DataFrame, list[str]]:
    """Return the columns of these names of an AnnData file, its ``obs`` and the names of its samples."""
    source, _, obs, obs_names, X, found = _open(path, layer)
    if found == names:
        return X, obs, obs_names
    places = {name: place for place, name in enumerate(found)}
    absent = [name for name in names if name not in places]
    if absent:
        raise InputError(
            f"{source} lacks {len(absent)} of the {len(names)} columns that the model was fitted with, first "
            f"{absent[0]!r}; {suggest(absent[0], found)}."
        )
    return X[:, [places[name] for name in names]], obs, obs_names


def _open(data: Any, layer: str | None) -> tuple[Any, str, Any, list[str], Any, list[str]]:
    """Return words for messages, the name, ``obs``, the names of samples, the matrix and its names."""
    if is_anndata(data):
        X, names = _matrix_of(data, layer)
        obs_names = [str(name) for name in data.obs_names]
        return "the AnnData", "data", pandas_to_polars(data.obs), obs_names, X, names
    with H5adFile(data) as file:
        obs, obs_names = file.obs()
        X, names = file.samples(layer)
    return data, Path(data).stem, obs, obs_names, X, names


def _matrix_of(data: Any, layer: str | None) -> tuple[Any, list[str]]:
    """Return a matrix of an AnnData object as an array or in CSR format, and names of its columns."""
    from scipy import sparse

    if layer is None:
        X, names = data.X, [str(name) for name in data.var_names]
    elif layer in data.layers:
        X, names = data.layers[layer], [str(name) for name in data.var_names]
    elif layer in data.obsm:
        X, names = data.obsm[layer], []
    else:
        known = [*data.layers, *data.obsm]
        raise InputError(f"the AnnData has no layer {layer!r}; {suggest(layer, known)}.")
    if X is None:
        raise InputError("the AnnData has no X; name a layer.")
    if hasattr(X, "to_memory"):  # backed by a file
        X = X.to_memory()
    X = sparse.csr_array(X) if sparse.issparse(X) else np.asarray(X)
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise InputError(
            f"the AnnData: {layer or 'X'} must be a matrix of real numbers, but has the shape {X.shape} and "
            f"the type {X.dtype}."
        )
    return X, names or [f"{layer}{number}" for number in range(1, X.shape[1] + 1)]
