"""Read AnnData files (.h5ad) with h5py alone: numbers and text, never Python objects.

Files are not trusted. Only members of the file itself are opened: links to other files, data stored
in other files, and arrays that are larger than the file can hold raise an error.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discrimap.errors import InputError
from discrimap.optional import is_installed
from discrimap.tables.archives import MAX_COMPRESSION, assemble_sparse
from discrimap.tables.input_files import check_readable, first_line
from discrimap.tables.output_files import replacing
from discrimap.tables.wording import list_names, suggest

if TYPE_CHECKING:
    import polars as pl

H5AD_ENDING = ".h5ad"
# A fill value, such as zero, is stored once for many values. Arrays up to this size are accepted even
# if they need no bytes in the file.
FREE_BYTES = 2**20


class H5adFile:
    """Context manager that reads samples and their annotations from an .h5ad file.

    Parameters
    ----------
    path : str or Path
        The file, which is opened for reading only.
    """

    def __init__(self, path: str | Path):
        self.path = path

    def __enter__(self) -> H5adFile:
        require_h5py(self.path)
        import h5py

        check_readable(self.path)
        with self._damage_in_words():
            if not h5py.is_hdf5(self.path):
                raise InputError(
                    f"{self.path} is not an HDF5 file, although its extension is .h5ad; write it with "
                    "AnnData.write_h5ad."
                )
            self._file = h5py.File(self.path, "r")
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def obs(self) -> tuple[pl.DataFrame, list[str]]:
        """Return the columns of ``obs``, and the names of the samples.

        Columns that are neither numbers, true/false nor text are skipped.
        """
        import polars as pl

        with self._damage_in_words():
            group = self._group(self._file, "obs")
            names = self._index(group, "obs")
            columns = {}
            for key in group:
                column = None if key == group.attrs.get("_index") else self._column(group, key)
                if column is not None and len(column) == len(names):
                    columns[key] = column
            return pl.DataFrame(columns), names

    def samples(self, layer: str | None) -> tuple[Any, list[str]]:
        """Return the matrix of the samples, dense or in CSR format, and the names of its columns.

        Parameters
        ----------
        layer : str, optional
            Name of a matrix in ``layers`` or ``obsm``; by default ``X``.
        """
        with self._damage_in_words():
            if layer is None:
                place, key = self._file, "X"
            else:
                place, key = self._find(layer), layer
            X = self._matrix(place, key)
            if layer is not None and place.name.lstrip("/") == "obsm":
                return X, [f"{layer}{number}" for number in range(1, X.shape[1] + 1)]
            names = self._index(self._group(self._file, "var"), "var")
        if len(names) != X.shape[1]:
            raise InputError(
                f"{self.path} is damaged: {key!r} has {X.shape[1]} columns, but there are {len(names)} names "
                "in 'var'."
            )
        return X, names

    def _find(self, layer: str) -> Any:
        known: list[str] = []
        for name in ("layers", "obsm"):
            if name in self._file:
                group = self._group(self._file, name)
                if layer in list(group):
                    return group
                known += list(group)
        raise InputError(f"{self.path} has no layer {layer!r} (--layer); {suggest(layer, known)}.")

    def _matrix(self, place: Any, key: str) -> Any:
        import h5py

        member = self._member(place, key)
        if isinstance(member, h5py.Dataset):
            X = self._numbers(member)
        else:
            X = self._sparse(member)
        if X.ndim != 2 or X.shape[1] == 0:
            raise InputError(f"{self.path}: {key!r} must be a matrix, but its shape is {X.shape}.")
        return X

    def _sparse(self, group: Any) -> Any:
        kind = str(group.attrs.get("encoding-type", group.attrs.get("h5sparse_format", "")))
        shape = np.asarray(group.attrs.get("shape", group.attrs.get("h5sparse_shape", ())))
        if (
            not kind.startswith(("csr", "csc"))
            or shape.shape != (2,)
            or shape.dtype.kind not in "iu"
        ):
            raise InputError(
                f"{self.path}: {group.name} must be a matrix of numbers, but is {kind or 'something else'!r}; "
                "name another layer (--layer)."
            )
        data, indices, indptr = (
            self._numbers(self._member(group, key)) for key in ("data", "indices", "indptr")
        )
        if kind.startswith("csr"):
            return assemble_sparse(self.path, data, indices, indptr, shape)
        return assemble_sparse(self.path, data, indices, indptr, shape[::-1]).T.tocsr()

    def _index(self, group: Any, name: str) -> list[str]:
        key = group.attrs.get("_index")
        if not isinstance(key, str) or key not in group:
            raise InputError(
                f"{self.path} is damaged, or was written by AnnData before 0.7: {name!r} has no index; write "
                "it again with AnnData.write_h5ad."
            )
        values = self._column(group, key)
        if values is None:
            raise InputError(f"{self.path} is damaged: the index of {name!r} is not text.")
        return [str(value) for value in values.to_list()]

    def _column(self, group: Any, key: str) -> pl.Series | None:
        """Return a column of ``obs`` or ``var``, or None if its type is not supported."""
        import h5py
        import polars as pl

        member = self._member(group, key)
        if isinstance(member, h5py.Dataset):
            values = self._values(member)
            return None if values is None or values.ndim != 1 else pl.Series(key, values)
        kind = str(member.attrs.get("encoding-type", ""))
        if kind == "categorical":
            codes = self._values(self._member(member, "codes"))
            categories = self._values(self._member(member, "categories"))
            if codes is None or categories is None or codes.dtype.kind not in "iu":
                return None
            if len(codes) and codes.max() >= len(categories):
                raise InputError(
                    f"{self.path} is damaged: {key!r} has codes that exceed its {len(categories)} categories."
                )
            listed = [*categories.tolist(), None]
            return pl.Series(key, [listed[code] if code >= 0 else None for code in codes])
        if kind.startswith("nullable"):
            values = self._values(self._member(member, "values"))
            mask = self._values(self._member(member, "mask"))
            if values is None or mask is None or values.shape != mask.shape:
                return None
            pairs = zip(values.tolist(), mask.tolist(), strict=True)
            return pl.Series(key, [None if is_missing else value for value, is_missing in pairs])
        return None

    def _values(self, dataset: Any) -> np.ndarray | None:
        """Return numbers, true/false or text; None for anything else."""
        import h5py

        if not isinstance(dataset, h5py.Dataset):
            return None
        if h5py.check_string_dtype(dataset.dtype) is not None:
            self._check_stored_here(dataset)
            return np.asarray(dataset.asstr(errors="replace")[()])
        return self._numbers(dataset) if dataset.dtype.kind in "biuf" else None

    def _numbers(self, dataset: Any) -> np.ndarray:
        kind = getattr(dataset, "dtype", "that of a group")
        if getattr(kind, "kind", "") not in ("b", "i", "u", "f"):
            raise InputError(
                f"{self.path}: {dataset.name} must hold real numbers, but its type is {kind}."
            )
        self._check_stored_here(dataset)
        return dataset[()]

    def _check_stored_here(self, dataset: Any) -> None:
        """Raise an error for data stored in other files, and for more values than the file can hold."""
        if dataset.external or dataset.is_virtual:
            raise InputError(
                f"{self.path}: {dataset.name} is stored in another file; copy it here."
            )
        stored = dataset.id.get_storage_size()
        if dataset.size and dataset.nbytes > stored * MAX_COMPRESSION + FREE_BYTES:
            raise InputError(
                f"{self.path} is damaged at {dataset.name}: its {stored} stored bytes cannot hold "
                f"{dataset.nbytes} bytes of data."
            )

    def _group(self, place: Any, key: str) -> Any:
        import h5py

        group = self._member(place, key)
        if not isinstance(group, h5py.Group):
            raise InputError(
                f"{self.path} was written by AnnData before 0.7, or is damaged: {key!r} is not a group; write "
                "it again with AnnData.write_h5ad."
            )
        return group

    def _member(self, place: Any, key: str) -> Any:
        return member_of(self.path, place, key)

    @contextlib.contextmanager
    def _damage_in_words(self) -> Iterator[None]:
        try:
            yield
        except InputError:
            raise
        except (OSError, KeyError, ValueError, TypeError, RuntimeError, OverflowError) as error:
            raise InputError(f"{self.path} is damaged: {first_line(error)}.") from error
        except MemoryError:
            raise InputError(f"{self.path} does not fit into memory.") from None


def member_of(path: object, place: Any, key: str) -> Any:
    """Return a member of an HDF5 group; raise an error if it is a link to another place."""
    import h5py

    if key not in list(place):
        raise InputError(
            f"{path} has no {key!r} in {place.name}; it has {list_names(list(place))}."
        )
    if not isinstance(place.get(key, getlink=True), h5py.HardLink):
        raise InputError(
            f"{path}: {key!r} is a link to another place; copy the data into the file."
        )
    return place[key]


def require_h5py(path: object) -> None:
    """Raise an error with instructions if h5py is not installed."""
    if not is_installed("h5py"):
        raise InputError(
            f"{path}: AnnData files need the package h5py, which is not installed; get it with: "
            "python -m pip install 'discrimap[anndata]'."
        )


def write_map(path: Path, source: str | Path, key: str, Z: np.ndarray) -> None:
    """Copy an .h5ad file and add a map to ``obsm`` of the copy.

    The new file is written completely or not at all.

    Parameters
    ----------
    path : Path
        The new file.
    source : str or Path
        The file to copy, which is not modified.
    key : str
        Name of the map; an existing array of this name is replaced.
    Z : ndarray of shape (n_samples, n_components)
        The map.
    """
    import h5py

    with replacing(path) as temporary:
        shutil.copyfile(source, temporary)
        with h5py.File(temporary, "r+") as file:
            if "obsm" not in list(file):
                file.create_group("obsm").attrs.update(
                    {"encoding-type": "dict", "encoding-version": "0.1.0"}
                )
            # If "obsm" were a link, another file would be written.
            group = member_of(source, file, "obsm")
            if key in list(group):
                del group[key]
            group.create_dataset(key, data=Z).attrs.update(
                {"encoding-type": "array", "encoding-version": "0.2.0"}
            )
