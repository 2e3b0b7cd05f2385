"""Data that worker processes share: arrays in files, which each process maps into its memory.

The files contain only numbers. The object that owns the arrays, such as a
:class:`~discrimap.comparison.problem.Problem`, is pickled without the arrays and sent through the
pipe between the processes, so that no code can be executed from the content of a file.
"""

from __future__ import annotations

import io
import pickle
import tempfile
from functools import cache
from typing import Any

import numpy as np


class Shared:
    """An object for the tasks of worker processes, with its arrays in files of a folder.

    A task that is sent to a process with this object receives the original object. Its arrays are
    memory-mapped and read-only.
    """

    def __init__(self, value: Any, folder: str):
        packed = io.BytesIO()
        _Pickler(packed, folder).dump(value)
        self.packed = packed.getvalue()

    def __reduce__(self) -> tuple[Any, ...]:
        return _load, (self.packed,)


@cache
def _load(packed: bytes) -> Any:
    return _Unpickler(io.BytesIO(packed)).load()


class _Pickler(pickle.Pickler):
    """Write arrays to files, and pickle the paths instead."""

    def __init__(self, file: io.BytesIO, folder: str):
        super().__init__(file)
        self._folder = folder

    def persistent_id(self, value: Any) -> str | None:
        if type(value) is not np.ndarray or value.dtype.hasobject:
            return None
        with tempfile.NamedTemporaryFile(dir=self._folder, suffix=".npy", delete=False) as file:
            np.save(file, value, allow_pickle=False)
        return file.name


class _Unpickler(pickle.Unpickler):
    """Map the arrays into memory."""

    def persistent_load(self, path: str) -> np.ndarray:
        return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
