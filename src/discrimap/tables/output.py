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

# Besides, a map can be added to a copy of an AnnData file, see h5ad_files.py.
ENDINGS = (".csv", ".tsv", ".parquet", ".arrow", ".feather")


def check_table_path(path: str | os.PathLike[str]) -> None:
    """Refuse a file that :func:`write_table` could not write, before anything is computed."""
    path = Path(path)
    if path.suffix.lower() not in ENDINGS:
        raise InputError(
            f"cannot write {path}: its ending must say the format, one of {', '.join(ENDINGS)}."
        )
    check_writable(path)


def write_table(path: str | os.PathLike[str], values: np.ndarray, names: Sequence[str]) -> None:
    """Write the columns of an array in the format of the file's ending, all or nothing.

    Parameters
    ----------
    path : str or path
        A CSV, TSV, Parquet or Arrow (Feather 2) file.
    values : ndarray of shape (n_rows, n_columns)
        What to write.
    names : sequence of str
        The names of the columns.
    """
    with TableWriter(path, names) as table:
        table.write(values)


class TableWriter:
    """Write a table some rows at a time, all or nothing.

    Each batch is written to a temporary file beside the target. At the end these are joined to one
    file, which replaces the target. The memory needed is that of one batch.

    Parameters
    ----------
    path : str or path
        A CSV, TSV, Parquet or Arrow (Feather 2) file.
    names : sequence of str
        The names of the columns.
    id_name : str, optional
        Name of a first column, of text that names the rows.

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
                f"the column {id_name!r} that names the rows is called as a dimension of the map; rename "
                "it, or name another one (--id)."
            )
        self.n_rows = 0
        self._parts: list[Path] = []

    def __enter__(self) -> Self:
        target = resolve(self.path)
        self._folder = tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.")
        return self

    def write(self, values: np.ndarray, ids: np.ndarray | None = None) -> None:
        """Add rows, with their ids if there is a column for them."""
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
