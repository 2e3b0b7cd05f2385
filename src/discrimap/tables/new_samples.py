"""New samples for a model that is already fitted: the same features, in the same order."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discrimap.errors import InputError
from discrimap.tables.archives import read_archive, take_samples
from discrimap.tables.batches import TableBatches
from discrimap.tables.column_names import check_column_names
from discrimap.tables.dataset import Dataset
from discrimap.tables.missing import count_nan, refuse_infinite
from discrimap.tables.readings import PLAIN, TRUTH, Reading, describe, to_numbers
from discrimap.tables.table_files import read_frame
from discrimap.tables.text_files import NAME_OF_STANDARD_INPUT, STANDARD_INPUT
from discrimap.tables.wording import list_names

if TYPE_CHECKING:
    import polars as pl


def read_features(
    path: str | os.PathLike,
    feature_names: Sequence[str],
    *,
    columns: Sequence[Mapping[str, Any]] = (),
    keep_missing: bool = False,
) -> Dataset:
    r"""Read the features that :func:`read_table` gave before, from another file.

    What ``read_table`` makes of a column depends on the rows it sees: which categories occur, which
    columns name rows. New rows must be encoded as the old ones were, whatever they hold.

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

    Returns
    -------
    dataset : Dataset
        Without labels; X has one column for each name, in this order.

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
    if _is_archive(path):
        path = Path(path)
        return Dataset(path.stem, _read_matrix(path, len(names), keep_missing), feature_names=names)
    source, stem = _name_of(path)
    table = read_frame(path, as_text=True)
    encoder = _Encoder(source, names, columns, table.frame.columns, keep_missing)
    X = encoder.encode(table.frame)
    return Dataset(stem, X, feature_names=names, notices=(*table.notices, *encoder.notices()))


class FeatureBatches(Iterator[np.ndarray]):
    """The features of a file that need not fit into memory, some rows at a time.

    Parameters
    ----------
    path : str or path
        A CSV, TSV, Parquet or Arrow (Feather 2) file, or "-" for CSV from standard input.
    feature_names, columns, keep_missing
        As in :func:`read_features`.
    n_rows : int
        Rows of a batch; of a text file about so many.

    Yields
    ------
    X : ndarray of shape (n_batch, n_features)
        As :func:`read_features` gives them.
    """

    def __init__(
        self,
        path: str | os.PathLike,
        feature_names: Sequence[str],
        n_rows: int,
        *,
        columns: Sequence[Mapping[str, Any]] = (),
        keep_missing: bool = False,
    ):
        if n_rows < 1:
            raise InputError(f"{n_rows} rows at a time are too few; at least 1 is needed.")
        if _is_archive(path):
            raise InputError(
                f"{path} is an archive, which cannot be read in parts; leave out --chunk."
            )
        source, _ = _name_of(path)
        self._table = TableBatches(path if path == STANDARD_INPUT else Path(path), n_rows)
        names = list(feature_names)
        self._encoder = _Encoder(source, names, columns, self._table.columns, keep_missing)
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
    def notices(self) -> tuple[str, ...]:
        """What the user should know; complete when all batches have been read."""
        return (*self._table.notices, *self._encoder.notices())


class _Encoder:
    """Features of a model from the columns of other tables, all with the same columns.

    Parameters
    ----------
    source : object
        What to call the table in messages.
    names : list of str
        The features of the model.
    described : sequence of mapping
        What the columns were that the model was fitted to; empty if it does not know.
    columns : list of str
        The columns of the table.
    keep_missing : bool
        Whether missing numbers stay as NaN.
    """

    def __init__(
        self,
        source: object,
        names: list[str],
        described: Sequence[Mapping[str, Any]],
        columns: list[str],
        keep_missing: bool,
    ):
        self.source, self.names, self.keep_missing = source, names, keep_missing
        check_column_names("the model", names)
        self.n_rows = 0
        self._unknown: dict[str, set[str]] = {}
        self._readings = {
            str(one["name"]): Reading(one["kind"], one["decimal"], one["group"], one["unit"])
            for one in described
            if one["kind"] != "text"
        }
        # feature -> its column; for text also the category
        self._places: dict[str, tuple[str, str | None]] = {}
        for one in described:
            name = str(one["name"])
            if one["kind"] == "text":
                for category in one["categories"]:
                    self._places[f"{name}={category}"] = (name, str(category))
            else:
                self._places[name] = (name, None)
        present = set(columns)
        for feature in names:
            if feature not in self._places:
                self._places[feature] = _guess_place(feature, present)
        absent = [name for name in names if self._places[name][0] not in present]
        if absent:
            raise InputError(
                f"{source} lacks columns that the model was fitted with: {list_names(absent)}; it "
                f"has {list_names(columns)}."
            )
        self.columns = list(dict.fromkeys(self._places[name][0] for name in names))
        self._categories: dict[str, set[str]] = {}
        for feature in names:
            column, category = self._places[feature]
            if category is not None:
                self._categories.setdefault(column, set()).add(category)

    def encode(self, frame: pl.DataFrame) -> np.ndarray:
        """Encode some rows; those before them have been counted, for messages."""
        # Looking a column up by its name takes time in the number of columns.
        columns = dict(zip(frame.columns, frame.get_columns(), strict=True))
        text = {name: _text(columns[name]) for name in self._categories}
        X = np.empty((frame.height, len(self.names)))
        for j, name in enumerate(self.names):
            source, category = self._places[name]
            if category is None:
                X[:, j] = self._numbers(columns[source])
            else:
                X[:, j] = (text[source] == category).fill_null(False).to_numpy()
        self.n_rows += frame.height
        refuse_infinite(self.source, X, self.names)
        if not self.keep_missing:
            missing = {name: n for name, values in text.items() if (n := values.null_count())}
            _refuse_missing_later(self.source, count_nan(X, self.names) | missing, frame.height)
        for name, values in text.items():
            seen = set(values.drop_nulls().unique().to_list())
            self._unknown.setdefault(name, set()).update(seen - self._categories[name])
        return X

    def _numbers(self, column: pl.Series) -> np.ndarray:
        import polars as pl

        reading = self._readings.get(column.name, PLAIN)
        if column.dtype == pl.String:
            # A model that does not know its columns had numbers or true/false.
            numbers = to_numbers(column, self._readings.get(column.name, TRUTH))
            is_odd = numbers.is_null() & column.is_not_null()
            if is_odd.any():
                row = int(is_odd.arg_max() or 0)
                raise InputError(
                    f"{self.source}: column {column.name!r} must hold {describe(reading)}, as it did "
                    f"when the model was fitted, but row {self.n_rows + row + 1} holds "
                    f"{column[row]!r}."
                )
            return numbers.to_numpy()
        is_number = column.dtype.is_numeric() or column.dtype == pl.Boolean
        is_empty = column.null_count() == len(column)
        if not (is_number or is_empty) or (reading.unit == "%" and not is_empty):
            raise InputError(
                f"{self.source}: column {column.name!r} must hold {describe(reading)}, as it did "
                f"when the model was fitted, but holds {column.dtype}, first "
                f"{column.drop_nulls()[0]!r}."
            )
        return column.cast(pl.Float64, strict=False).to_numpy()

    def notices(self) -> tuple[str, ...]:
        return tuple(
            f"column {source!r} holds categories that the model has not seen, 0 in each of its "
            f"columns: {list_names(sorted(unknown))}."
            for source, unknown in self._unknown.items()
            if unknown
        )


def _refuse_missing_later(path: object, counts: dict[str, int], n_rows: int) -> None:
    """Name the columns with missing values that a model cannot fill in."""
    if counts:
        columns = [f"{name} ({count})" for name, count in counts.items()]
        raise InputError(
            f"{path}: missing values ({sum(counts.values())} in {n_rows} rows), by column: "
            f"{list_names(columns, quote=False)}; fill them in, or fit the model with --impute, so "
            "that it keeps the medians of its own rows for this."
        )


def _is_archive(path: str | os.PathLike) -> bool:
    return Path(path).suffix.lower() == ".npz"


def _name_of(path: str | os.PathLike) -> tuple[object, str]:
    """What to call a table in messages, and as a data set."""
    if path == STANDARD_INPUT:
        return NAME_OF_STANDARD_INPUT, "stdin"
    return Path(path), Path(path).stem


def _read_matrix(path: Path, n_features: int, keep_missing: bool):
    from scipy import sparse

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
    if sparse.issparse(X):
        # A stored NaN in a sparse matrix has no sensible substitute: most of a column is zero.
        refuse_infinite(path, X.data[:, np.newaxis], ["X"])
        _refuse_missing_later(path, count_nan(X.data[:, np.newaxis], ["X"]), X.shape[0])
    elif X.dtype.kind == "f":
        columns = [f"X[:, {j}]" for j in range(n_features)]
        refuse_infinite(path, X, columns)
        if not keep_missing:
            _refuse_missing_later(path, count_nan(X, columns), X.shape[0])
    return X


def _guess_place(feature: str, columns: set[str]) -> tuple[str, str | None]:
    """Find the column of a feature: its own, or the text whose category it is."""
    if feature in columns:
        return feature, None
    # A name may itself hold "=", so the longest that fits is meant.
    for end in reversed([k for k, letter in enumerate(feature) if letter == "="]):
        if feature[:end] in columns:
            return feature[:end], feature[end + 1 :]
    return feature, None


def _text(column: pl.Series) -> pl.Series:
    import polars as pl

    if column.dtype.is_nested():
        raise InputError(f"column {column.name!r} must hold text, but holds {column.dtype}.")
    return column.cast(pl.String, strict=False)
