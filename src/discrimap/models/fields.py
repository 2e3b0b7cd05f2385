"""Types of values in a model file, each with its checks.

A field converts the value of a fitted attribute to JSON and back; arrays are stored separately. Every
value that is read is checked: a wrong type, length or range raises a ``DamagedError``.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from discrimap.errors import InputError
from discrimap.models.archive import DamagedError

# Upper limit of 64-bit integers.
MOST = 2**63
# Text of the numbers that do not exist in JSON.
NOT_FINITE = ("nan", "inf", "-inf")


@dataclass
class Writer:
    """Collects the arrays of a model by name."""

    arrays: dict[str, np.ndarray] = field(default_factory=dict)

    def add(self, where: str, array: np.ndarray) -> dict[str, str]:
        name = where.replace(".", "/")
        self.arrays[name] = array
        return {"array": name}


@dataclass
class Reader:
    """Returns the arrays of a file, and stores lengths that must be equal in several arrays."""

    arrays: dict[str, np.ndarray]
    lengths: dict[str, int]

    def get(self, where: str, content: Any) -> np.ndarray:
        name = content.get("array") if isinstance(content, dict) and len(content) == 1 else None
        if not isinstance(name, str) or name not in self.arrays:
            raise DamagedError(f"{where} must name an array of the file")
        return self.arrays[name]

    def agree(self, where: str, shape: tuple[int, ...], names: tuple[str, ...]) -> None:
        """Compare a shape with the known lengths of these names, and store new lengths."""
        if len(shape) != len(names):
            raise DamagedError(f"{where} must have {len(names)} dimensions, but has {len(shape)}")
        for length, name in zip(shape, names, strict=True):
            if name == "any":
                continue
            if length < 1:
                raise DamagedError(f"{where} has no {name}")
            known = self.lengths.setdefault(name, length)
            if length != known:
                raise DamagedError(f"{where} has {length} {name}, but {known} are needed")


@dataclass(frozen=True)
class Field(ABC):
    """How one fitted attribute is stored.

    Parameters
    ----------
    absent : bool
        Whether the attribute may be missing, because some fits do not set it.
    none : bool
        Whether the attribute may be None.
    """

    absent: bool = field(default=False, kw_only=True)
    none: bool = field(default=False, kw_only=True)

    @abstractmethod
    def to_json(self, where: str, value: Any, writer: Writer) -> Any:
        """Convert a value to JSON."""

    @abstractmethod
    def from_json(self, where: str, content: Any, reader: Reader) -> Any:
        """Check the output of :meth:`to_json` and convert it back to a value."""


@dataclass(frozen=True)
class Array(Field):
    """An array of floats, integers or booleans whose axes have names.

    Parameters
    ----------
    shape : tuple of str
        Names of the axes. Axes of the same name must have the same length in all attributes, except
        for the name "any".
    kind : {"f", "i", "b"}
        Floats, integers or booleans.
    finite : bool
        Whether NaN and infinity raise an error.
    above : float, optional
        All values must be greater than this.
    below : str, optional
        Name of an axis: integers must be nonnegative and less than its length.
    as_list : bool
        Whether the attribute is a list of numbers.
    """

    shape: tuple[str, ...]
    kind: str = "f"
    finite: bool = True
    above: float | None = None
    below: str | None = None
    as_list: bool = False

    def to_json(self, where, value, writer):
        array = np.asarray(value)
        if array.dtype.kind in "iu":
            array = array.astype(np.int64)
        return writer.add(where, array)

    def from_json(self, where, content, reader):
        array = reader.get(where, content)
        if array.dtype.kind != self.kind:
            raise DamagedError(f"{where} must not have the dtype {array.dtype}")
        reader.agree(where, array.shape, self.shape)
        if self.kind == "f" and self.finite and not np.isfinite(array).all():
            raise DamagedError(f"{where} must be finite, but holds NaN or infinity")
        if self.above is not None and not (array > self.above).all():
            raise DamagedError(f"{where} must be greater than {self.above:g}")
        if self.below is not None and array.size:
            most = reader.lengths[self.below]
            if array.min() < 0 or array.max() >= most:
                raise DamagedError(f"{where} must be from 0 to {most - 1}")
        return array.tolist() if self.as_list else array


@dataclass(frozen=True)
class Labels(Field):
    """Distinct class labels in ascending order: numbers or text."""

    shape: tuple[str, ...] = ("classes",)

    def to_json(self, where, value, writer):
        array = np.asarray(value)
        if array.dtype.kind == "O" and all(isinstance(label, str) for label in array):
            array = array.astype(str)
        if array.dtype.kind not in "iufbU":
            raise InputError(
                f"{where} holds {array.ravel()[0]!r}, but in a model file classes must be text or numbers."
            )
        return writer.add(where, array.astype(np.int64) if array.dtype.kind in "iu" else array)

    def from_json(self, where, content, reader):
        array = reader.get(where, content)
        reader.agree(where, array.shape, self.shape)
        _check_text(where, array)
        if not (array[1:] > array[:-1]).all():
            raise DamagedError(f"{where} must be distinct labels in ascending order")
        return array


@dataclass(frozen=True)
class Names(Field):
    """One string for each feature."""

    def to_json(self, where, value, writer):
        return writer.add(where, np.asarray(value).astype(str))

    def from_json(self, where, content, reader):
        array = reader.get(where, content)
        reader.agree(where, array.shape, ("features",))
        if array.dtype.kind != "U":
            raise DamagedError(f"{where} must be text")
        _check_text(where, array)
        return array.astype(object)


@dataclass(frozen=True)
class Matrices(Field):
    """One matrix for each class: a single array, or a list of arrays if the shapes differ."""

    def to_json(self, where, value, writer):
        return [writer.add(f"{where}.{k}", np.asarray(one)) for k, one in enumerate(value)]

    def from_json(self, where, content, reader):
        if not isinstance(content, list) or len(content) != reader.lengths["classes"]:
            raise DamagedError(f"{where} must be a list of one matrix for each class")
        one_matrix = Array(("any", "any"))
        found = [one_matrix.from_json(f"{where}.{k}", one, reader) for k, one in enumerate(content)]
        return np.stack(found) if len({one.shape for one in found}) == 1 else found


@dataclass(frozen=True)
class Number(Field):
    """A number from ``least`` to ``most``."""

    least: float = -math.inf
    most: float = math.inf
    whole: bool = False
    finite: bool = True

    def to_json(self, where, value, writer):
        return number_to_json(value)

    def from_json(self, where, content, reader):
        number = number_from_json(where, content)
        if self.whole and not isinstance(number, int):
            raise DamagedError(f"{where} must be a whole number")
        if self.finite and not math.isfinite(number):
            raise DamagedError(f"{where} must be finite")
        if number < self.least or number > self.most:
            raise DamagedError(f"{where} must be from {self.least:g} to {self.most:g}")
        return number


@dataclass(frozen=True)
class Text(Field):
    """A string."""

    def to_json(self, where, value, writer):
        return str(value)

    def from_json(self, where, content, reader):
        if not isinstance(content, str):
            raise DamagedError(f"{where} must be text")
        return content


@dataclass(frozen=True)
class Flag(Field):
    """True or false."""

    def to_json(self, where, value, writer):
        return bool(value)

    def from_json(self, where, content, reader):
        if not isinstance(content, bool):
            raise DamagedError(f"{where} must be true or false")
        return content


def number_to_json(value: Any) -> Any:
    """Return an int or float; NaN and infinity, which do not exist in JSON, become an object."""
    if isinstance(value, (int, np.integer)):
        return int(value)
    number = float(value)
    return number if math.isfinite(number) else {"number": str(number)}


def number_from_json(where: str, content: Any) -> int | float:
    """Check the output of :func:`number_to_json` and convert it back to a number."""
    if isinstance(content, dict) and len(content) == 1 and content.get("number") in NOT_FINITE:
        return float(content["number"])
    if isinstance(content, bool) or not isinstance(content, (int, float)):
        raise DamagedError(f"{where} must be a number")
    # 1e999 is valid JSON but infinite as a float; integers in JSON can have any number of digits.
    if not -MOST <= content < MOST and (isinstance(content, int) or not math.isfinite(content)):
        raise DamagedError(f"{where} is a number that is too large")
    return content


def _check_text(where: str, array: np.ndarray) -> None:
    """Raise an error if text has code points that are not characters."""
    try:
        array.tolist()
    except ValueError as error:
        raise DamagedError(f"{where} holds invalid text") from error
