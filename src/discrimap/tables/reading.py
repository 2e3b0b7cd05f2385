"""Read samples and labels from a table or an archive."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from discrimap.errors import InputError
from discrimap.tables.column_names import looks_like_data
from discrimap.tables.dataset import Dataset
from discrimap.tables.encoding import encode_features
from discrimap.tables.missing import check_impute
from discrimap.tables.npz_tables import read_npz
from discrimap.tables.readings import (
    PLAIN,
    WHOLE_BEYOND_64_BITS,
    as_plain,
    describe,
    find_reading,
    to_numbers,
)
from discrimap.tables.sample_columns import column_as_array, take_from_extras, warn_of_groups
from discrimap.tables.table_files import read_frame
from discrimap.tables.targets import check_rows, check_task, check_unlabelled, encode_target
from discrimap.tables.text_files import NAME_OF_STANDARD_INPUT, STANDARD_INPUT
from discrimap.tables.wording import list_names, suggest

if TYPE_CHECKING:
    import polars as pl


def read_table(
    path: str | os.PathLike,
    target: str | None = None,
    *,
    drop: Sequence[str] = (),
    impute: str | None = None,
    keep_missing: bool = False,
    unlabelled: str = "error",
    task: str | None = None,
    groups: str | None = None,
    order: str | None = None,
) -> Dataset:
    r"""Read samples and labels from a file, which is never modified.

    Parameters
    ----------
    path : str or path
        A table with named columns in CSV, TSV, Parquet or Arrow (Feather 2) format, or a NumPy
        archive (NPZ) with X and y; the ending of the name says which. The name is taken literally,
        without patterns. The string "-" is standard input, from which CSV is read.
    target : str
        The column with the classes, or with numbers. In an archive, the array with the labels,
        "y" if not given; ``feature_names`` and ``target_names`` are used where the archive has
        them, and its further arrays are in ``extras``.
    drop : sequence of str
        Columns to leave out; not for archives.
    impute : {"median", "mean"} or None
        How to fill in missing numbers, from all rows (before any split, so that held-out rows have
        a small influence). Missing text becomes the most frequent category. None refuses missing
        values.
    keep_missing : bool
        Instead leave missing numbers as NaN, for an imputer that is fitted on training rows only;
        missing text is then 0 in the column of each category.
    unlabelled : {"error", "keep", "drop"}
        What to do with rows whose target is missing. "keep" codes classes 0..C-1 with their names
        in ``target_names``, so that -1 can mark the rows without one; numbers are NaN there. With
        "keep" and "drop", -1 among the whole numbers of an archive marks a row without a label.
    task : {"auto", "classification", "regression"} or None
        What the target is. With one of the first three, ``y`` holds floating-point numbers if and
        only if the target is continuous; "auto" judges by the values. None keeps the values.
    groups : str, optional
        The column that names what several rows belong to, such as a patient. It becomes ``groups`` of
        the data set and is no feature. In an archive, the array.
    order : str, optional
        The column of numbers or dates that orders the rows; it becomes ``order`` and is no feature.

    Returns
    -------
    dataset : Dataset
        ``y`` holds the target's values: text, whole numbers, or other numbers; true/false is 1/0.
        How columns become features is described in :func:`~.encoding.encode_features`; all that
        was changed or looks odd is in ``notices``.

    Raises
    ------
    InputError
        If the file or the table cannot be used; the message says why and what to do.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from discrimap.datasets import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("legs,fur,pet\n4,long,cat\n2,none,bird\n4,none,cat\n")
    ...     pets = read_table(path, target="pet")
    >>> pets
    Dataset('pets', X 3 x 3 float64, y 3 <U4)
    >>> pets.feature_names
    ['legs', 'fur=long', 'fur=none']
    """
    check_impute(impute)
    check_unlabelled(unlabelled)
    check_task(task)
    if impute is not None and keep_missing:
        raise InputError(f"impute={impute!r} leaves no missing values to keep; pass one of both.")
    missing = "keep" if keep_missing else impute
    if not (target is None or isinstance(target, str)):
        raise TypeError(f"target must be the name of a column, but is {type(target).__name__}.")
    drop = (drop,) if isinstance(drop, str) else tuple(drop)
    from_standard_input = path == STANDARD_INPUT
    source: object = NAME_OF_STANDARD_INPUT if from_standard_input else path
    if not from_standard_input:
        path = Path(path)
    if isinstance(path, Path) and path.suffix.lower() == ".npz":
        if drop:
            raise InputError(f"drop={list(drop)} needs named columns, which {path} has not.")
        dataset = read_npz(path, "y" if target is None else target, missing, unlabelled, task)
        return take_from_extras(dataset, groups=groups, order=order)

    table = read_frame(path)
    frame = table.frame
    _check_columns(source, frame.columns, target, drop)
    assert target is not None
    check_rows(source, frame.height)
    values, words = _as_array(source, frame[target])
    labels = encode_target(source, target, values, unlabelled, task)
    named = {
        option: (name, column_as_array(source, frame, name, option))
        for option, name in (("groups", groups), ("order", order))
        if name is not None
    }
    frame = frame.drop(target, *drop, *(name for name, _ in named.values()))
    rows = labels.is_labelled if unlabelled == "drop" else slice(None)
    if unlabelled == "drop":
        frame = frame.filter(labels.is_labelled)
    features = encode_features(source, frame, missing)
    warnings = warn_of_groups(frame) if groups is None else []
    return Dataset(
        name="stdin" if from_standard_input else Path(path).stem,
        X=features.X,
        y=labels.y[rows],
        feature_names=features.names,
        target_names=labels.names,
        notices=(*warnings, *table.notices, *words, *labels.notices, *features.notices),
        is_labelled=labels.is_labelled[rows],
        columns=features.columns,
        groups=named["groups"][1][rows] if "groups" in named else None,
        order=named["order"][1][rows] if "order" in named else None,
        id_name=features.id_name,
        ids=features.ids,
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
        raise InputError(f"column {target!r} is both target and in drop; take it out of one.")


def _as_array(source: object, column: pl.Series) -> tuple[np.ndarray, list[str]]:
    """Return a column as objects, with None for missing values, and notices.

    Integers and text of NumPy cannot be missing.
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
            # Whole numbers beyond 64 bits name classes: floats would merge some of them.
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
