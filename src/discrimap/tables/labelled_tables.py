"""Convert a table to a data set: features, labels, groups, order and ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from discrimap.errors import InputError
from discrimap.tables.column_names import looks_like_data
from discrimap.tables.dataset import Dataset
from discrimap.tables.encoding import Features, encode_features
from discrimap.tables.pair_matrices import encode_pairs
from discrimap.tables.readings import (
    PLAIN,
    WHOLE_BEYOND_64_BITS,
    as_plain,
    describe,
    find_reading,
    to_numbers,
)
from discrimap.tables.sample_columns import column_as_array, warn_of_groups
from discrimap.tables.table_files import Table
from discrimap.tables.targets import check_rows, encode_target
from discrimap.tables.wording import list_names, suggest

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class TableOptions:
    """Roles of the columns of a table, see :func:`~discrimap.tables.reading.read_table`.

    ``missing`` is "median", "mean", "keep", or None to raise an error for missing values.
    """

    target: str | None = None
    drop: tuple[str, ...] = ()
    missing: str | None = None
    unlabelled: str = "error"
    task: str | None = None
    groups: str | None = None
    order: str | None = None
    ids: str | None = None
    kernel: str | None = None
    text: str | None = None
    image: str | None = None


def dataset_from_table(
    source: object,
    name: str,
    table: Table,
    options: TableOptions,
    features: Features | None = None,
) -> Dataset:
    """Encode the target and the features of a table.

    Parameters
    ----------
    source : object
        Name of the table in messages, such as its path.
    name : str
        Name of the data set.
    table : Table
        The columns.
    options : TableOptions
        The roles of the columns.
    features : Features, optional
        The features of the rows, if they are not columns of the table.

    Returns
    -------
    dataset : Dataset
    """
    frame, target = table.frame, options.target
    _check_columns(source, frame.columns, target, options.drop)
    assert target is not None
    check_rows(source, frame.height)
    values, words = target_as_array(source, frame[target])
    labels = encode_target(source, target, values, options.unlabelled, options.task)
    named = {
        option: column_as_array(source, frame, column, option)
        for option in ("groups", "order", "ids", "text", "image")
        if (column := getattr(options, option)) is not None
    }
    taken = [getattr(options, option) for option in named]
    frame = frame.drop(target, *options.drop, *taken)
    rows = np.ones(frame.height, dtype=bool)
    if options.unlabelled == "drop":
        rows = labels.is_labelled
    if features is not None:
        features = replace(features, X=features.X if rows.all() else features.X[rows])
    elif options.kernel is not None:
        features = encode_pairs(source, frame, options.kernel, rows)
    else:
        frame = frame.filter(rows)
        features = encode_features(source, frame, options.missing)
    id_name, ids = features.id_name, features.ids
    if options.ids is not None:
        id_name, ids = options.ids, named["ids"][rows]
    elif ids is None and table.row_names is not None:
        id_name, ids = table.row_names.name, table.row_names.to_numpy()[rows]
    is_table = options.kernel is None
    warnings = warn_of_groups(frame) if is_table and options.groups is None else []
    return Dataset(
        name=name,
        X=features.X,
        y=labels.y[rows],
        feature_names=features.names,
        target_names=labels.names,
        notices=(*warnings, *table.notices, *words, *labels.notices, *features.notices),
        is_labelled=labels.is_labelled[rows],
        columns=features.columns,
        groups=named["groups"][rows] if "groups" in named else None,
        order=named["order"][rows] if "order" in named else None,
        id_name=id_name,
        ids=ids,
        kernel=features.kernel,
        texts=named["text"][rows] if "text" in named else None,
        images=named["image"][rows] if "image" in named else None,
    )


def _check_columns(
    path: object, columns: list[str], target: str | None, drop: Sequence[str]
) -> None:
    if target is None:
        raise InputError(
            f"no target is given for {path}; name the column with the classes (--target), one of "
            f"{list_names(columns, limit=20)}."
        )
    for argument, name in [("target", target), *(("drop", name) for name in drop)]:
        if name not in columns:
            hint = "; is the header row missing?" if looks_like_data(columns) else "."
            raise InputError(
                f"{path} has no column {name!r} ({argument}); {suggest(name, columns)}{hint}"
            )
    if target in drop:
        raise InputError(f"column {target!r} is the target and cannot be in drop; remove it there.")


def target_as_array(source: object, column: pl.Series) -> tuple[np.ndarray, list[str]]:
    """Return a column as an array of objects, with None for missing values, and notices.

    Objects are used because integers and text of NumPy have no missing values.
    """
    import polars as pl

    notices = []
    held = "dates or times" if column.dtype.is_temporal() else str(column.dtype)
    is_usable = not (column.dtype.is_nested() or column.dtype.is_temporal())
    if column.dtype == pl.String and column.null_count() < len(column):
        reading = find_reading(source, column, is_target=True)
        if reading.kind == "date":
            held, is_usable = "dates or times", False
        elif reading.kind == "truth":
            column = to_numbers(column, reading).cast(pl.Boolean)
        elif reading.kind == "number":
            numbers = as_plain(column) if reading == PLAIN else to_numbers(column, reading)
            # Integers beyond 64 bits are class names; as floats, different ones could be equal.
            if numbers.dtype.is_integer() or not column.str.contains(WHOLE_BEYOND_64_BITS).any():
                notices.append(f"the target {column.name!r}: text read as {describe(reading)}.")
                column = numbers
    if not is_usable:
        raise InputError(
            f"{source}: the target {column.name!r} holds {held}, neither text nor numbers; name "
            "another column, or add one that names the classes."
        )
    values = np.empty(len(column), dtype=object)
    values[:] = [float(v) for v in column] if column.dtype.is_decimal() else column.to_list()
    return values, notices
