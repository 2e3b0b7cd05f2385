"""New samples for a model that is already fitted: the same features, in the same order."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from discrimap.datasets.archives import check_matrix, read_archive
from discrimap.datasets.dataset import Dataset
from discrimap.datasets.missing import count_nan, refuse_infinite
from discrimap.datasets.table_batches import TableBatches, as_numbers
from discrimap.datasets.table_files import read_frame
from discrimap.datasets.wording import list_names
from discrimap.errors import InputError

if TYPE_CHECKING:
    import polars as pl


def read_features(
    path: str | os.PathLike, feature_names: Sequence[str], *, keep_missing: bool = False
) -> Dataset:
    r"""Read the features that :func:`read_table` gave before, from another file.

    What ``read_table`` makes of a column depends on the rows it sees: which categories occur, which
    columns name rows. New rows must be encoded as the old ones were, whatever they hold.

    Parameters
    ----------
    path : str or path
        A file of any kind that ``read_table`` takes. Columns that are not needed are left out; a
        target need not be there.
    feature_names : sequence of str
        The ``feature_names`` of the first data set; ``name=category`` means 1 where the text in
        column ``name`` is this category, else 0. For an archive only their number counts.
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
    path = Path(path)
    names = list(feature_names)
    if path.suffix.lower() == ".npz":
        X = _read_matrix(path, len(names), keep_missing)
        return Dataset(path.stem, X, feature_names=names)
    frame = read_frame(path)
    encoder = _Encoder(path, names, frame.columns, keep_missing)
    X = encoder.encode(frame)
    return Dataset(path.stem, X, feature_names=names, notices=encoder.notices())


def read_feature_batches(
    path: str | os.PathLike,
    feature_names: Sequence[str],
    n_rows: int,
    *,
    keep_missing: bool = False,
) -> Iterator[np.ndarray]:
    """Read the features of a file that need not fit into memory, some rows at a time.

    Parameters
    ----------
    path : str or path
        A CSV, TSV, Parquet or Arrow (Feather 2) file.
    feature_names, keep_missing
        As in :func:`read_features`.
    n_rows : int
        Rows of a batch; of a text file about so many.

    Yields
    ------
    X : ndarray of shape (n_batch, n_features)
        As :func:`read_features` gives them, except that categories which the model has not seen
        are not reported.
    """
    if n_rows < 1:
        raise InputError(f"{n_rows} rows at a time are too few; at least 1 is needed.")
    path = Path(path)
    if path.suffix.lower() == ".npz":
        raise InputError(f"{path} is an archive, which cannot be read in parts; leave out --chunk.")
    table = TableBatches(path, n_rows)
    encoder = _Encoder(path, list(feature_names), table.columns, keep_missing)
    n_before = 0
    for frame in table.read(encoder.columns):
        numbers = [as_numbers(path, frame[name], n_before) for name in encoder.number_columns]
        yield encoder.encode(frame.with_columns(numbers))
        n_before += frame.height
    if n_before == 0:
        raise InputError(f"{path} has a header but no rows; there is nothing to map.")


class _Encoder:
    """Features of a model from the columns of other tables, all with the same columns."""

    def __init__(self, path: Path, names: list[str], columns: list[str], keep_missing: bool):
        self.path, self.names, self.keep_missing = path, names, keep_missing
        sources = {name: _find_column(name, columns) for name in names}
        absent = [name for name, source in sources.items() if source is None]
        if absent:
            raise InputError(
                f"{path} lacks columns that the model was fitted with: {list_names(absent)}; it "
                f"has {list_names(columns)}."
            )
        self.sources = {name: source for name, source in sources.items() if source is not None}
        self.columns = list(dict.fromkeys(self.sources.values()))
        self.number_columns = [name for name, source in self.sources.items() if source == name]
        self.unknown: dict[str, list[str]] = {}

    def encode(self, frame: pl.DataFrame) -> np.ndarray:
        X = np.empty((frame.height, len(self.names)))
        missing: dict[str, int] = {}
        known: dict[str, list[str]] = {}
        for j, name in enumerate(self.names):
            source = self.sources[name]
            if source == name:
                X[:, j] = _numbers(self.path, frame[name])
                continue
            category = name[len(source) + 1 :]
            text = _text(frame[source])
            known.setdefault(source, []).append(category)
            if text.null_count():
                missing[source] = text.null_count()
            X[:, j] = (text == category).fill_null(False).to_numpy()
        refuse_infinite(self.path, X, self.names)
        if not self.keep_missing:
            _refuse_missing_later(self.path, count_nan(X, self.names) | missing, frame.height)
        for source, categories in known.items():
            seen = _text(frame[source]).drop_nulls().unique().to_list()
            self.unknown[source] = sorted(set(seen) - set(categories))
        return X

    def notices(self) -> tuple[str, ...]:
        return tuple(
            f"column {source!r} holds categories that the model has not seen, 0 in each of its "
            f"columns: {list_names(unknown)}."
            for source, unknown in self.unknown.items()
            if unknown
        )


def _refuse_missing_later(path: Path, counts: dict[str, int], n_rows: int) -> None:
    """Name the columns with missing values that a model cannot fill in."""
    if counts:
        columns = [f"{name} ({count})" for name, count in counts.items()]
        raise InputError(
            f"{path}: missing values ({sum(counts.values())} in {n_rows} rows), by column: "
            f"{list_names(columns, quote=False)}; fill them in, or fit the model with --impute, so "
            "that it keeps the medians of its own rows for this."
        )


def _read_matrix(path: Path, n_features: int, keep_missing: bool):
    arrays = read_archive(path)
    if "X" not in arrays:
        raise InputError(
            f"{path} has no array 'X' with the samples; it has {list_names(list(arrays))}."
        )
    X = arrays["X"]
    check_matrix(path, X)
    if X.shape[1] != n_features:
        raise InputError(
            f"{path}: X has {X.shape[1]} columns, but the model was fitted with {n_features}; the "
            "features must be the same."
        )
    if X.dtype.kind == "f":
        columns = [f"X[:, {j}]" for j in range(n_features)]
        refuse_infinite(path, X, columns)
        if not keep_missing:
            _refuse_missing_later(path, count_nan(X, columns), X.shape[0])
    return X


def _find_column(feature: str, columns: list[str]) -> str | None:
    """Find the column of a feature: its own, or the text whose category it is."""
    if feature in columns:
        return feature
    # A name may itself hold "=", so the longest that fits is meant.
    fitting = [column for column in columns if feature.startswith(f"{column}=")]
    return max(fitting, key=len, default=None)


def _numbers(path: Path, column: pl.Series) -> np.ndarray:
    import polars as pl

    column = as_numbers(path, column, 0)
    numbers = column.cast(pl.Float64, strict=False) if _is_numeric(column) else None
    if numbers is None:
        raise InputError(
            f"{path}: column {column.name!r} must hold numbers, as it did when the model was "
            f"fitted, but holds {column.dtype}, first {column.drop_nulls()[0]!r}."
        )
    return numbers.to_numpy()


def _is_numeric(column: pl.Series) -> bool:
    import polars as pl

    is_empty = column.null_count() == len(column)
    return column.dtype.is_numeric() or column.dtype == pl.Boolean or is_empty


def _text(column: pl.Series) -> pl.Series:
    import polars as pl

    return column.cast(pl.String)
