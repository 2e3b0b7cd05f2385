"""Data that worker processes share: arrays in one file, which each process maps into its memory.

The file contains only numbers. The object that owns the arrays, such as a
:class:`~discrimap.comparison.problem.Problem`, is pickled without the arrays and sent through the
pipe between the processes, so that no code can be executed from the content of the file.
"""

from __future__ import annotations

import io
import pickle
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ALIGNMENT = 64  # bytes of a cache line; all numeric types need less


class SharedData(NamedTuple):
    """A pickled object without its arrays, and the positions of the arrays in the file."""

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
    """Return the object, cached in each process. Its arrays are memory-mapped and read-only."""
    mapped = np.memmap(shared.path, np.uint8, mode="r") if shared.places else np.empty(0, np.uint8)
    return pickle.loads(shared.packed, buffers=[mapped[start:end] for start, end in shared.places])


class _Pickler(pickle.Pickler):
    """Make arrays contiguous, because other arrays would be pickled with the object."""

    def reducer_override(self, value: Any) -> Any:
        if type(value) is np.ndarray and not value.flags.forc:
            return np.ascontiguousarray(value).__reduce_ex__(5)
        return NotImplemented
