"""Write embeddings as tables."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from discrimap.errors import InputError
from discrimap.tables.output_files import check_writable, replacing, resolve

# A map can also be added to a copy of an AnnData file, see h5ad_files.py.
ENDINGS = (".csv", ".tsv", ".parquet", ".arrow", ".feather")


def check_table_path(path: str | os.PathLike[str]) -> None:
    """Raise an error if :func:`write_table` could not write this file.

    Parameters
    ----------
    path : str or path
        The file to write.

    Raises
    ------
    InputError
        If the extension is not known, or the file cannot be written.

    Examples
    --------
    >>> from discrimap.datasets import check_table_path
    >>> check_table_path("map.xlsx")
    Traceback (most recent call last):
        ...
    discrimap.errors.InputError: cannot write map.xlsx: its extension must be one of .csv, .tsv,
    .parquet, .arrow, .feather, which sets the format.
    """
    path = Path(path)
    if path.suffix.lower() not in ENDINGS:
        raise InputError(
            f"cannot write {path}: its extension must be one of {', '.join(ENDINGS)}, which sets the format."
        )
    check_writable(path)


def write_table(path: str | os.PathLike[str], values: np.ndarray, names: Sequence[str]) -> None:
    """Write an array as a table; the extension of the file sets the format.

    The file is written completely or not at all.

    Parameters
    ----------
    path : str or path
        A CSV, TSV, Parquet or Arrow (Feather 2) file.
    values : ndarray of shape (n_rows, n_columns)
        The rows of the table.
    names : sequence of str
        The names of the columns.

    Raises
    ------
    InputError
        If the file cannot be written, or its extension is not known.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from discrimap.datasets import write_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "map.csv"
    ...     write_table(path, np.array([[1.0, 2.0], [3.0, 4.5]]), ["x", "y"])
    ...     print(path.read_text())
    x,y
    1.0,2.0
    3.0,4.5
    """
    with TableWriter(path, names) as table:
        table.write(values)


class TableWriter:
    """Write a table in batches of rows.

    Each batch is written to a temporary file. On leaving the ``with`` block these are joined into one
    file, which replaces the target; after an error the target is unchanged. The memory needed is that
    of one batch.

    Parameters
    ----------
    path : str or path
        A CSV, TSV, Parquet or Arrow (Feather 2) file.
    names : sequence of str
        The names of the columns.
    id_name : str, optional
        Name of a first column with the ids of the rows, which are text.

    Attributes
    ----------
    n_rows : int
        Number of rows written so far.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from discrimap.datasets import TableWriter
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with TableWriter(Path(folder) / "map.csv", ["x", "y"]) as table:
    ...         table.write(np.array([[1.0, 2.0]]))
    ...         table.write(np.array([[3.0, 4.5]]))
    ...     print((Path(folder) / "map.csv").read_text())
    x,y
    1.0,2.0
    3.0,4.5
    """

    def __init__(
        self, path: str | os.PathLike[str], names: Sequence[str], id_name: str | None = None
    ) -> None:
        check_table_path(path)
        self.path, self.names, self.id_name = Path(path), list(names), id_name
        if id_name in self.names:
            raise InputError(
                f"the column {id_name!r} with the ids of the rows has the same name as a dimension of the map; "
                "rename it, or name another column (--id)."
            )
        self.n_rows = 0
        self._parts: list[Path] = []

    def __enter__(self) -> Self:
        target = resolve(self.path)
        self._folder = tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.")
        return self

    def write(self, values: np.ndarray, ids: np.ndarray | None = None) -> None:
        """Add rows.

        Parameters
        ----------
        values : ndarray of shape (n_batch, n_columns)
            The rows to add.
        ids : ndarray of str of shape (n_batch,), optional
            Their ids, if ``id_name`` was given.
        """
        import polars as pl

        part = Path(self._folder.name) / f"{len(self._parts):08d}.arrow"
        frame = pl.DataFrame(values, schema=self.names, orient="row")
        if self.id_name is not None:
            frame.insert_column(0, pl.Series(self.id_name, ids, dtype=pl.String))
        frame.write_ipc(part)
        self._parts.append(part)
        self.n_rows += len(values)

    def __exit__(self, kind: Any, *_: Any) -> None:
        with self._folder:
            if kind is None:
                self._join_parts()

    def _join_parts(self) -> None:
        import polars as pl

        rows = pl.scan_ipc(self._parts)
        ending = self.path.suffix.lower()
        with replacing(self.path) as temporary:
            if ending == ".parquet":
                rows.sink_parquet(temporary)
            elif ending in (".arrow", ".feather"):
                rows.sink_ipc(temporary)
            else:
                rows.sink_csv(temporary, separator="\t" if ending == ".tsv" else ",")
