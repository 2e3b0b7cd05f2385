"""Embeddings as tables in files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from discrimap.errors import InputError
from discrimap.files import check_writable, replacing

ENDINGS = (".csv", ".tsv", ".parquet", ".arrow", ".feather")


def check_table_path(path: Path) -> None:
    """Refuse a file that :func:`write_table` could not write, before any work is done."""
    if path.suffix.lower() not in ENDINGS:
        raise InputError(
            f"cannot write {path}: its ending must say the format, one of {', '.join(ENDINGS)}."
        )
    check_writable(path)


def write_table(path: Path, values: np.ndarray, names: Sequence[str]) -> None:
    """Write the columns of an array in the format of the file's ending, all or nothing.

    Parameters
    ----------
    path : Path
        A CSV, TSV, Parquet or Arrow (Feather 2) file.
    values : ndarray of shape (n_rows, n_columns)
        What to write.
    names : sequence of str
        The names of the columns.
    """
    import polars as pl

    check_table_path(path)
    frame = pl.DataFrame(values, schema=list(names), orient="row")
    ending = path.suffix.lower()
    with replacing(path) as temporary:
        if ending == ".parquet":
            frame.write_parquet(temporary)
        elif ending in (".arrow", ".feather"):
            frame.write_ipc(temporary)
        else:
            frame.write_csv(temporary, separator="\t" if ending == ".tsv" else ",")
