"""Data that worker processes share: arrays in one file, which each process maps into its memory.

The file holds numbers only. What they belong to, such as a
:class:`~discrimap.comparison.problem.Problem`, is pickled without them and sent through the pipe between
the processes, so that nothing that is read from a file can run code.
"""

from __future__ import annotations

import io
import pickle
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ALIGNMENT = 64  # bytes, a cache line; every type of numbers needs less


class SharedData(NamedTuple):
    """An object without its arrays, and where these are."""

    packed: bytes
    path: str
    places: tuple[tuple[int, int], ...]  # first byte and end of each array


def share(value: Any, path: Path) -> SharedData:
    """Write the arrays of an object to a file."""
    buffers: list[pickle.PickleBuffer] = []
    description = io.BytesIO()
    _Pickler(description, protocol=5, buffer_callback=buffers.append).dump(value)
    places = []
    with path.open("wb") as file:
        for buffer in buffers:
            file.seek(-(-file.tell() // ALIGNMENT) * ALIGNMENT)
            start = file.tell()
            file.write(buffer.raw())
            places.append((start, file.tell()))
    return SharedData(description.getvalue(), str(path), tuple(places))


@cache
def load_shared(shared: SharedData) -> Any:
    """Return the object, once in each process. Its arrays are mapped, not copied, and read-only."""
    mapped = np.memmap(shared.path, np.uint8, mode="r") if shared.places else np.empty(0, np.uint8)
    return pickle.loads(shared.packed, buffers=[mapped[start:end] for start, end in shared.places])


class _Pickler(pickle.Pickler):
    """Makes arrays contiguous: others would be pickled with the object."""

    def reducer_override(self, value: Any) -> Any:
        if type(value) is np.ndarray and not value.flags.forc:
            return np.ascontiguousarray(value).__reduce_ex__(5)
        return NotImplemented
