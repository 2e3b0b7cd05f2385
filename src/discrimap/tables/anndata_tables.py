"""Read AnnData objects and .h5ad files."""

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

# Name of the column of ids: the attribute of AnnData that holds the names of the samples.
ID_NAME = "obs_names"


def is_anndata(data: Any) -> bool:
    """Return whether ``data`` is an AnnData object, without importing anndata."""
    module = sys.modules.get("anndata")
    return module is not None and isinstance(data, module.AnnData)


def is_h5ad(path: Any) -> bool:
    """Return whether ``path`` is a path that ends in .h5ad."""
    return isinstance(path, (str, Path)) and Path(path).suffix.lower() == H5AD_ENDING


def read_anndata(data: Any, options: TableOptions, layer: str | None) -> Dataset:
    """Read samples and labels from an AnnData object or file; the target is a column of ``obs``.

    Parameters
    ----------
    data : AnnData, str or Path
        The object or the .h5ad file. Sparse matrices stay sparse. The names of the samples become ids.
    options : TableOptions
        Which columns of ``obs`` are the target, the groups and so on.
    layer : str, optional
        Name of a matrix in ``layers`` or ``obsm`` to be used instead of X.

    Returns
    -------
    dataset : Dataset
    """
    source, name, obs, obs_names, X, names = _open(data, layer)
    if X.shape[0] != len(obs_names):
        raise InputError(
            f"{source} is damaged: the matrix has {X.shape[0]} rows for the {len(obs_names)} samples of 'obs'."
        )
    if options.drop:
        raise InputError(
            f"drop={list(options.drop)} is for tables, whose columns are features, not for AnnData; leave it out."
        )
    import polars as pl

    table = Table(mark_missing(strip_table(source, obs)), (), pl.Series(ID_NAME, obs_names))
    # Imputation works in place, and X of an object belongs to the user.
    X = X.copy() if is_anndata(data) and options.missing in ("median", "mean") else X
    notices = clean_samples(source, X, names, options.missing)
    return dataset_from_table(source, name, table, options, Features(X, names, tuple(notices)))


def read_named_columns(
    path: Path, names: list[str], layer: str | None
) -> tuple[Any, pl.DataFrame, list[str]]:
    """Read the named columns of an AnnData file, its ``obs`` and the names of its samples."""
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
    """Return the source for messages, its name, ``obs``, sample names, the matrix and its column names."""
    if is_anndata(data):
        X, names = _matrix_of(data, layer)
        obs_names = [str(name) for name in data.obs_names]
        return "the AnnData", "data", pandas_to_polars(data.obs), obs_names, X, names
    with H5adFile(data) as file:
        obs, obs_names = file.obs()
        X, names = file.samples(layer)
    return data, Path(data).stem, obs, obs_names, X, names


def _matrix_of(data: Any, layer: str | None) -> tuple[Any, list[str]]:
    """Return a matrix of an AnnData object, dense or in CSR format, and the names of its columns."""
    from scipy import sparse

    if layer is None:
        X, names = data.X, [str(name) for name in data.var_names]
    elif layer in data.layers:
        X, names = data.layers[layer], [str(name) for name in data.var_names]
    elif layer in data.obsm:
        X, names = data.obsm[layer], []
    else:
        # From anndata 0.13 on, X is the layer None.
        known = [name for name in (*data.layers, *data.obsm) if name is not None]
        raise InputError(f"the AnnData has no layer {layer!r}; {suggest(layer, known)}.")
    if X is None:
        raise InputError("the AnnData has no X; name a layer (layer).")
    if hasattr(X, "to_memory"):  # backed by a file
        X = X.to_memory()
    X = sparse.csr_array(X) if sparse.issparse(X) else np.asarray(X)
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise InputError(
            f"the AnnData: {layer or 'X'} must be a matrix of real numbers, but has the shape {X.shape} and "
            f"the type {X.dtype}."
        )
    return X, names or [f"{layer}{number}" for number in range(1, X.shape[1] + 1)]
