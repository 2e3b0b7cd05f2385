"""Read new samples with the features of a fitted model."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from discrimap.errors import InputError
from discrimap.tables.anndata_tables import ID_NAME, is_h5ad, read_named_columns
from discrimap.tables.archives import SAMPLE_KEYS, read_archive, take_samples
from discrimap.tables.batches import TableBatches
from discrimap.tables.dataset import Dataset
from discrimap.tables.feature_encoder import FeatureEncoder
from discrimap.tables.missing import count_nan, refuse_infinite, refuse_missing_later
from discrimap.tables.sample_columns import column_as_array
from discrimap.tables.table_files import read_frame
from discrimap.tables.text_files import NAME_OF_STANDARD_INPUT, STANDARD_INPUT
from discrimap.tables.wording import list_names, suggest


def read_features(
    path: str | os.PathLike[str],
    feature_names: Sequence[str],
    *,
    columns: Sequence[Mapping[str, Any]] = (),
    keep_missing: bool = False,
    ids: str | None = None,
    must_have_ids: bool = True,
    layer: str | None = None,
) -> Dataset:
    r"""Read new samples with the features of an earlier data set.

    :func:`read_table` encodes a column by the values in its rows, such as the categories that occur.
    This function encodes the new rows in the same way as the earlier ones, so that a model fitted to
    those can be applied.

    Parameters
    ----------
    path : str or path
        A file in a format that ``read_table`` reads, or "-" for CSV from standard input. Columns that
        are not needed are ignored; the target is not needed.
    feature_names : sequence of str
        The ``feature_names`` of the first data set; ``name=category`` is 1 if the text in column
        ``name`` is this category, otherwise 0. For an archive only their number is used.
    columns : sequence of mapping, default=()
        The ``columns`` of the first data set, which describe how each column is read. Without them, a
        column with the name of a feature must hold plain numbers or true/false, and others hold text.
    keep_missing : bool, default=False
        Keep missing numbers as NaN, for a model with an imputer; missing text is 0 in the column of
        each category. Otherwise missing values raise an error.
    ids : str, default=None
        The column that identifies the rows; in an archive, the array.
    must_have_ids : bool, default=True
        Whether a file without this column raises an error.
    layer : str, default=None
        Of an AnnData file, the matrix in ``layers`` or ``obsm`` to be used instead of X. The ids are
        ``obs_names``.

    Returns
    -------
    dataset : Dataset
        Without labels, with ids if there are any; X has one column for each name, in this order.

    Raises
    ------
    InputError
        If a column does not exist, does not hold numbers where numbers are needed, or has missing
        values that are not kept.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from discrimap.datasets import read_features
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "one.csv"
    ...     _ = path.write_text("fur,legs,name\nnone,2,Tweety\n")
    ...     one = read_features(path, ["legs", "fur=long", "fur=none"])
    >>> one.X
    array([[2., 0., 1.]])
    """
    names = list(feature_names)
    if is_h5ad(path):
        return _read_h5ad(Path(path), names, keep_missing, layer, ids if must_have_ids else None)
    if layer is not None:
        raise InputError(f"layer={layer!r} is for .h5ad files only; leave it out (--layer).")
    if _is_archive(path):
        path = Path(path)
        X, extras = _read_matrix(path, len(names), keep_missing)
        dataset = Dataset(path.stem, X, extras=extras, feature_names=names)
        usable = [name for name, array in extras.items() if array.shape == (X.shape[0],)]
        ids = _find_ids(path, usable, ids, must_have_ids)
        return (
            dataset if ids is None else replace(dataset, id_name=ids, ids=extras[ids].astype(str))
        )
    source, stem = _name_of(path)
    table = read_frame(path, as_text=True)
    found = _find_ids(source, table.frame.columns, ids, must_have_ids)
    encoder = FeatureEncoder(source, names, columns, table.frame.columns, keep_missing, found)
    X = encoder.encode(table.frame)
    notices = (*table.notices, *encoder.notices())
    return Dataset(stem, X, feature_names=names, notices=notices, id_name=found, ids=encoder.ids)


class FeatureBatches(Iterator[np.ndarray]):
    r"""Iterator over the features of a file in batches of rows, for files larger than memory.

    Parameters
    ----------
    path : str or path
        A CSV, TSV, Parquet or Arrow (Feather 2) file, or "-" for CSV from standard input.
    feature_names : sequence of str
        As in :func:`read_features`.
    n_rows : int
        Number of rows of a batch; approximate for text files.
    columns : sequence of mapping, default=()
        As in :func:`read_features`.
    keep_missing : bool, default=False
        As in :func:`read_features`.
    ids : str, default=None
        As in :func:`read_features`.
    must_have_ids : bool, default=True
        As in :func:`read_features`.

    Attributes
    ----------
    ids : ndarray of str of shape (n_batch,), or None
        The ids of the rows of the last batch.
    id_name : str or None
        Name of the column with the ids.
    notices : tuple of str
        Messages for the user; complete when all batches have been read.

    Yields
    ------
    X : ndarray of shape (n_batch, n_features)
        The features, encoded as by :func:`read_features`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from discrimap.datasets import FeatureBatches
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "new.csv"
    ...     _ = path.write_text("a,b\n1,2\n3,4\n5,6\n")
    ...     for X in FeatureBatches(path, ["b"], n_rows=1000):
    ...         print(X.ravel())
    [2. 4. 6.]
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        feature_names: Sequence[str],
        n_rows: int,
        *,
        columns: Sequence[Mapping[str, Any]] = (),
        keep_missing: bool = False,
        ids: str | None = None,
        must_have_ids: bool = True,
    ) -> None:
        if n_rows < 1:
            raise InputError(f"n_rows={n_rows} is too small; pass at least 1.")
        if _is_archive(path) or is_h5ad(path):
            raise InputError(
                f"{path} is an archive, which cannot be read in parts; leave out --chunk."
            )
        source, _ = _name_of(path)
        self._table = TableBatches(path if path == STANDARD_INPUT else Path(path), n_rows)
        names = list(feature_names)
        self.id_name = _find_ids(source, self._table.columns, ids, must_have_ids)
        self._encoder = FeatureEncoder(
            source, names, columns, self._table.columns, keep_missing, self.id_name
        )
        self._frames = self._table.read(self._encoder.columns)

    def __next__(self) -> np.ndarray:
        frame = next(self._frames, None)
        if frame is not None:
            return self._encoder.encode(frame)
        if self._encoder.n_rows == 0:
            raise InputError(
                f"{self._table.name} has a header but no rows; there is nothing to map."
            )
        raise StopIteration

    @property
    def ids(self) -> np.ndarray | None:
        """The ids of the rows of the last batch."""
        return self._encoder.ids

    @property
    def notices(self) -> tuple[str, ...]:
        """Messages for the user; complete when all batches have been read."""
        return (*self._table.notices, *self._encoder.notices())


def _is_archive(path: str | os.PathLike[str]) -> bool:
    return Path(path).suffix.lower() == ".npz"


def _name_of(path: str | os.PathLike[str]) -> tuple[object, str]:
    """Return the name of a table in messages, and the name of its data set."""
    if path == STANDARD_INPUT:
        return NAME_OF_STANDARD_INPUT, "stdin"
    return Path(path), Path(path).stem


def _find_ids(source: object, columns: Sequence[str], name: str | None, is_needed: bool) -> Any:
    """Return the name of the column of ids; None if it does not exist and is not needed."""
    if name is None or name in columns:
        return name
    if is_needed:
        raise InputError(f"{source} has no column {name!r} (--id); {suggest(name, columns)}.")
    return None


def _read_h5ad(
    path: Path, names: list[str], keep_missing: bool, layer: str | None, id_name: str | None
) -> Dataset:
    X, obs, obs_names = read_named_columns(path, names, layer)
    if not obs_names:
        raise InputError(f"{path} has no samples; there is nothing to map.")
    _refuse_faults(path, X, names, keep_missing)
    ids = np.asarray(obs_names)
    if id_name is not None:
        ids = column_as_array(path, obs, id_name, "ids")
    return Dataset(path.stem, X, feature_names=names, id_name=id_name or ID_NAME, ids=ids)


def _read_matrix(path: Path, n_features: int, keep_missing: bool) -> Any:
    """Return the samples of an archive, and its other arrays."""
    arrays = read_archive(path)
    X = take_samples(path, arrays)
    if X is None:
        raise InputError(
            f"{path} has no array 'X' with the samples; it has {list_names(list(arrays))}."
        )
    if X.shape[0] == 0:
        raise InputError(f"{path}: X has no rows; there is nothing to map.")
    if X.shape[1] != n_features:
        raise InputError(
            f"{path}: X has {X.shape[1]} columns, but the model was fitted with {n_features}; the "
            "features must be the same."
        )
    _refuse_faults(path, X, [f"X[:, {j}]" for j in range(n_features)], keep_missing)
    return X, {name: array for name, array in arrays.items() if name not in SAMPLE_KEYS}


def _refuse_faults(path: Path, X: Any, columns: list[str], keep_missing: bool) -> None:
    """Raise an error for infinite values, and for missing values unless they are kept."""
    from scipy import sparse

    if sparse.issparse(X):
        # Missing values of sparse data are not imputed: the median of a sparse column is mostly zero.
        refuse_infinite(path, X.data[:, np.newaxis], ["X"])
        refuse_missing_later(path, count_nan(X.data[:, np.newaxis], ["X"]), X.shape[0])
    elif X.dtype.kind == "f":
        refuse_infinite(path, X, columns)
        if not keep_missing:
            refuse_missing_later(path, count_nan(X, columns), X.shape[0])
