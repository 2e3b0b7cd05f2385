"""Read table files that may not fit into memory as Dask collections."""

from __future__ import annotations

import glob

from discrimap.errors import InputError


def read_collection(pattern: str, target: str | None):
    """Read features and target of Parquet or CSV files as Dask data frames.

    Parameters
    ----------
    pattern : str
        A file, a folder of Parquet files, or a pattern such as ``data/*.parquet``.
    target : str
        Column with the classes.

    Returns
    -------
    X : dask dataframe
    y : dask series

    Raises
    ------
    InputError
        If no file matches, a file cannot be read, or the target is not a column.
    """
    import dask.dataframe as dd

    if "://" not in pattern and not glob.glob(pattern):
        raise InputError(f"no file matches {pattern!r}; check the path and the pattern.")
    if target is None:
        raise InputError("no target is given; name the column with the classes (--target).")
    is_csv = pattern.endswith((".csv", ".tsv"))
    try:
        if is_csv:
            table = dd.read_csv(pattern, sep="\t" if pattern.endswith(".tsv") else ",")
        else:
            table = dd.read_parquet(pattern)
    except (OSError, ValueError) as error:
        raise InputError(f"{pattern!r} cannot be read: {str(error).splitlines()[0]}") from error
    names = [str(name) for name in table.columns]
    if target not in names:
        shown = ", ".join(names[:10]) + (" ..." if len(names) > 10 else "")
        raise InputError(f"{pattern!r} has no column {target!r}; its columns are {shown}.")
    return table.drop(columns=[target]), table[target]
