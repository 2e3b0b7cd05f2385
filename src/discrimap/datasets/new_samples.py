"""New samples for a model that is already fitted: the same features, in the same order."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from discrimap.datasets.archives import check_matrix, read_archive
from discrimap.datasets.dataset import Dataset
from discrimap.datasets.missing import count_nan, refuse_infinite, refuse_missing
from discrimap.datasets.table_files import read_frame
from discrimap.datasets.wording import list_names
from discrimap.errors import InputError

if TYPE_CHECKING:
    import polars as pl


def read_features(path: str | os.PathLike, feature_names: Sequence[str]) -> Dataset:
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
        X = _read_matrix(path, len(names))
        return Dataset(path.stem, X, feature_names=names)

    frame = read_frame(path)
    sources = {name: _find_column(name, frame.columns) for name in names}
    absent = [name for name, source in sources.items() if source is None]
    if absent:
        raise InputError(
            f"{path} lacks columns that the model was fitted with: {list_names(absent)}; it has "
            f"{list_names(frame.columns)}."
        )
    X = np.empty((frame.height, len(names)))
    missing: dict[str, int] = {}
    known: dict[str, list[str]] = {}
    for j, name in enumerate(names):
        source = sources[name]
        assert source is not None
        if source == name:
            X[:, j] = _numbers(path, frame[name])
            continue
        category = name[len(source) + 1 :]
        text = _text(frame[source])
        known.setdefault(source, []).append(category)
        if text.null_count():
            missing[source] = text.null_count()
        X[:, j] = (text == category).fill_null(False).to_numpy()
    refuse_infinite(path, X, names)
    refuse_missing(path, count_nan(X, names) | missing, frame.height)
    notices = []
    for source, categories in known.items():
        unknown = sorted(set(_text(frame[source]).unique().to_list()) - set(categories))
        if unknown:
            notices.append(
                f"column {source!r} holds categories that the model has not seen, 0 in each of its "
                f"columns: {list_names(unknown)}."
            )
    return Dataset(path.stem, X, feature_names=names, notices=tuple(notices))


def _read_matrix(path: Path, n_features: int):
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
        refuse_missing(path, count_nan(X, columns), X.shape[0])
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
