"""Read new samples for a fitted model: the same features, in the same order."""

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
    r"""Read the features that :func:`read_table` gave before, from another file.

    How ``read_table`` encodes a column depends on its rows: which categories occur, which columns
    name rows. New rows must be encoded as those the model was fitted to, whatever they hold.

    Parameters
    ----------
    path : str or path
        A file of any kind that ``read_table`` takes, or "-" for CSV from standard input. Columns
        that are not needed are left out; a target need not be there.
    feature_names : sequence of str
        The ``feature_names`` of the first data set; ``name=category`` means 1 where the text in
        column ``name`` is this category, else 0. For an archive only their number counts.
    columns : sequence of mapping
        The ``columns`` of the first data set: what each column is, whatever the new rows hold, so
        that text of digits stays text. Where they are not known, a column with the name of a feature
        holds plain numbers, and others hold text.
    keep_missing : bool
        Leave missing numbers as NaN, for a model that can fill them in; missing text is 0 in the
        column of each category. Else missing values are refused.
    ids : str, optional
        The column that names the rows; in an archive, the array.
    must_have_ids : bool
        Whether a file without this column is refused.
    layer : str, optional
        Of an AnnData file, the matrix of ``layers`` or ``obsm`` instead of X. Samples are named by
        ``obs_names``.

    Returns
    -------
    dataset : Dataset
        Without labels, with ids if there are any; X has one column for each name, in this order.

    Raises
    ------
    InputError
        If a column is absent, holds no numbers where numbers are needed, or has missing values.

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
        raise InputError(
            f"layer={layer!r} names a matrix of an .h5ad file; leave it out (--layer)."
        )
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
    """The features of a file in batches of rows, for files that do not fit into memory.

    Parameters
    ----------
    path : str or path
        A CSV, TSV, Parquet or Arrow (Feather 2) file, or "-" for CSV from standard input.
    feature_names, columns, keep_missing, ids, must_have_ids
        As in :func:`read_features`.
    n_rows : int
        Number of rows of a batch; approximate for text files.

    Yields
    ------
    X : ndarray of shape (n_batch, n_features)
        As :func:`read_features` gives them. The ids of these rows are in the attribute ``ids``.
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
            raise InputError(f"{n_rows} rows at a time are too few; at least 1 is needed.")
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
        """The ids of the rows that were read last."""
        return self._encoder.ids

    @property
    def notices(self) -> tuple[str, ...]:
        """What the user should know; complete when all batches have been read."""
        return (*self._table.notices, *self._encoder.notices())


def _is_archive(path: str | os.PathLike[str]) -> bool:
    return Path(path).suffix.lower() == ".npz"


def _name_of(path: str | os.PathLike[str]) -> tuple[object, str]:
    """Return the name of a table in messages, and that of the data set."""
    if path == STANDARD_INPUT:
        return NAME_OF_STANDARD_INPUT, "stdin"
    return Path(path), Path(path).stem


def _find_ids(source: object, columns: Sequence[str], name: str | None, is_needed: bool) -> Any:
    """Return the column that names the rows, or None if it is not there and need not be."""
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
    """Refuse infinite values, and missing ones unless the model fills them in."""
    from scipy import sparse

    if sparse.issparse(X):
        # The median of a sparse column is mostly zero, which is no substitute for a stored NaN.
        refuse_infinite(path, X.data[:, np.newaxis], ["X"])
        refuse_missing_later(path, count_nan(X.data[:, np.newaxis], ["X"]), X.shape[0])
    elif X.dtype.kind == "f":
        refuse_infinite(path, X, columns)
        if not keep_missing:
            refuse_missing_later(path, count_nan(X, columns), X.shape[0])
