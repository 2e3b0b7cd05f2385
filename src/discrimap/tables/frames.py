"""Convert pandas, polars and Arrow tables to the table that reading them from a file would give."""

from __future__ import annotations

import datetime
import numbers
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from discrimap.errors import InputError
from discrimap.tables.column_names import check_column_names
from discrimap.tables.table_files import Table, as_input_error, clean_frame

if TYPE_CHECKING:
    import polars as pl

# Name of a data frame in messages.
NAME_OF_A_FRAME = "the table"
_CLASSES = {
    "pandas": ("DataFrame",),
    "polars": ("DataFrame", "LazyFrame"),
    "pyarrow": ("Table", "RecordBatch"),
}
_TIMES = (datetime.date, datetime.time, datetime.timedelta)  # a datetime is a date


def is_frame(data: Any) -> bool:
    """Return whether ``data`` is a pandas, polars or Arrow table, without importing these packages."""
    return isinstance(data, Table) or _library_of(data) is not None


def _library_of(data: Any) -> str | None:
    """Return the library of a table, also of a subclass of its classes; None for other objects."""
    for library, names in _CLASSES.items():
        # An object of a library cannot exist before the library has been imported.
        module = sys.modules.get(library)
        if module is not None and isinstance(data, tuple(getattr(module, name) for name in names)):
            return library
    return None


def frame_as_table(data: Any) -> Table:
    """Convert a data frame as :func:`~discrimap.tables.table_files.read_frame` reads a file.

    Spaces around names and text are removed, marks such as "NA" are missing values, and rows without
    any value are skipped. The data frame is not modified.

    Parameters
    ----------
    data : pandas, polars or Arrow table, or Table
        The columns. A pandas index that does not merely count the rows becomes ``row_names``; it is
        never a column.

    Returns
    -------
    table : Table
    """
    import polars as pl

    with as_input_error(NAME_OF_A_FRAME, "cannot be used"):
        table = data if isinstance(data, Table) else Table(_to_polars(data), (), _row_names(data))
        frame = table.frame
        if not frame.width:
            raise InputError(f"{NAME_OF_A_FRAME} has no columns; it needs features and a target.")
        # Arrays mark a missing number by NaN; in a file its cell is empty.
        frame = frame.with_columns(pl.col(pl.Float32, pl.Float64).fill_nan(None))
        return clean_frame(NAME_OF_A_FRAME, frame, table.row_names)


def add_columns(data: Any, columns: Mapping[str, Any]) -> Table:
    """Add columns to a data frame, such as labels in a separate array; rows are matched by position."""
    frame = _to_polars(data)
    for name, values in columns.items():
        if name in frame.columns:
            raise InputError(
                f"{NAME_OF_A_FRAME} already has a column {name!r}, which would be used as a feature; remove it, "
                f"or pass its name instead of the values."
            )
        frame = frame.with_columns(_added_column(name, values, frame.height))
    return Table(frame, (), _row_names(data))


def _to_polars(data: Any) -> pl.DataFrame:
    import polars as pl

    library = _library_of(data)
    if library == "polars":
        return data.collect() if isinstance(data, pl.LazyFrame) else data
    if library == "pyarrow":
        check_column_names(NAME_OF_A_FRAME, list(data.schema.names))
        return pl.DataFrame(pl.from_arrow(data))
    return pandas_to_polars(data)


def pandas_to_polars(data: Any) -> pl.DataFrame:
    """Convert a pandas data frame to polars, without its index.

    ``pl.from_pandas`` would need pyarrow for text.
    """
    import polars as pl

    names = [_name_of(label) for label in data.columns]
    check_column_names(NAME_OF_A_FRAME, names)
    columns = {name: _from_pandas(name, data.iloc[:, j]) for j, name in enumerate(names)}
    return pl.DataFrame(columns)


def _name_of(label: Any) -> str:
    """Return the name of a pandas column; the levels of a MultiIndex label are joined."""
    parts = label if isinstance(label, tuple) else (label,)
    return " ".join(str(part) for part in parts).strip()


def _from_pandas(name: str, column: Any) -> pl.Series:
    import polars as pl

    if hasattr(column.dtype, "tz"):
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    if not isinstance(column.dtype, np.dtype) or column.dtype.kind == "O":
        present = column.notna().to_numpy()
        values = column.astype(object).to_numpy()
        return series_of_objects(
            name,
            [value if is_there else None for value, is_there in zip(values, present, strict=True)],
        )
    values = column.to_numpy()
    if values.dtype.kind in "mM":
        values = values.astype(f"{values.dtype.kind}8[us]")
    elif values.dtype.kind == "c":
        raise InputError(f"{NAME_OF_A_FRAME}: column {name!r} holds complex numbers; split them.")
    elif values.dtype.kind == "f" and values.dtype.itemsize not in (4, 8):
        values = values.astype(np.float32 if values.dtype.itemsize < 4 else np.float64)
    return pl.Series(name, values)


def series_of_objects(name: str, values: Iterable[Any]) -> pl.Series:
    """Convert Python objects to the column that reading them from a text file would give.

    Numbers, true/false and dates are kept; a mixture of them becomes text. None is a missing value.
    Lists and other objects stay objects, which cannot be features.
    """
    import polars as pl

    values = [value.item() if isinstance(value, np.generic) else value for value in values]
    values = [None if isinstance(value, float) and value != value else value for value in values]
    present = [value for value in values if value is not None]
    if all(isinstance(value, str) for value in present):
        return pl.Series(name, values, dtype=pl.String)
    if all(isinstance(value, bool) for value in present):
        return pl.Series(name, values, dtype=pl.Boolean)
    if not any(isinstance(value, bool) for value in present):
        if all(isinstance(value, int) and -(2**63) <= value < 2**63 for value in present):
            return pl.Series(name, values, dtype=pl.Int64)
        is_whole = all(isinstance(value, int) for value in present)
        if not is_whole and all(_is_number(value) for value in present):
            numbers_ = [None if value is None else float(value) for value in values]
            return pl.Series(name, numbers_, dtype=pl.Float64)
    if all(isinstance(value, _TIMES) for value in present) and len({*map(type, present)}) == 1:
        return pl.Series(name, values)
    if all(isinstance(value, (str, *_TIMES)) or _is_number(value) for value in present):
        text = [None if value is None else str(value) for value in values]
        return pl.Series(name, text, dtype=pl.String)
    return pl.Series(name, values, dtype=pl.Object)


def _is_number(value: Any) -> bool:
    # Decimal is not a numbers.Real, but can be converted to float.
    return isinstance(value, numbers.Real) or type(value).__name__ == "Decimal"


def _added_column(name: str, values: Any, n_rows: int) -> pl.Series:
    import polars as pl

    values = values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values)
    if values.shape != (n_rows,):
        raise InputError(
            f"{name} must have one value for each of the {n_rows} rows of the table; its shape is "
            f"{values.shape}."
        )
    if values.dtype.kind in "OSU":
        return series_of_objects(name, values.tolist())
    if values.dtype.kind in "mM":
        values = values.astype(f"{values.dtype.kind}8[us]")
    return pl.Series(name, values)


def _row_names(data: Any) -> pl.Series | None:
    """Return the index of a pandas data frame, or None if it only counts the rows or is not unique."""
    if _library_of(data) != "pandas":
        return None
    index = data.index
    if type(index).__name__ == "RangeIndex" or not index.is_unique or index.hasnans:
        return None
    name = _name_of(index.name) if index.name is not None else "index"
    labels = ["/".join(map(str, one)) if isinstance(one, tuple) else str(one) for one in index]
    return series_of_objects(name, labels)
