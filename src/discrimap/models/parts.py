"""Store fitted estimators in a model file, and build them again.

A :class:`Part` lists the fitted attributes of one class. Unknown and missing attributes in a file
raise an error. Attributes that follow from stored ones are computed again. The parts of all methods
are in :mod:`discrimap.models.attributes`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from discrimap.errors import InputError
from discrimap.models.archive import DamagedError
from discrimap.models.fields import Field, Names, Reader, Writer
from discrimap.models.parameters import make_with_parameters, parameters_to_json

# Attributes of every estimator.
COMMON = ("n_features_in_",)
OPTIONAL = {"feature_names_in_": Names(absent=True)}


@dataclass(frozen=True)
class Part:
    """How the objects of one class are stored.

    Parameters
    ----------
    fields : dict of Field
        The fitted attributes that are stored.
    derived : tuple of str
        Fitted attributes that are not stored, because ``finish`` computes them or they are not needed.
    fixed : dict
        Parameters that have the same value in every model and are not stored.
    read : callable
        ``read(instance)`` returns the values of the fields of a fitted object; by default its
        attributes.
    finish : callable
        ``finish(instance, values, reader)`` is called after the attributes have been set. It sets the
        derived attributes, and raises an error if values are inconsistent.
    """

    fields: Mapping[str, Field]
    derived: tuple[str, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    read: Callable[[Any], dict[str, Any]] = vars
    finish: Callable[[Any, dict[str, Any], Reader], None] = lambda instance, values, reader: None


@dataclass(frozen=True)
class Nested(Field):
    """An attribute that is itself an object with attributes."""

    part: Part
    make: Callable[[], Any] = field(kw_only=True)

    def to_json(self, where, value, writer):
        return _fitted_to_json(where, value, self.part, writer)

    def from_json(self, where, content, reader):
        return _set_fitted(where, self.make(), content, self.part, reader)


def save_step(where: str, step: Any, part: Part, writer: Writer) -> dict[str, Any]:
    """Convert a fitted step of a pipeline to JSON; arrays are added to the writer."""
    return {
        "parameters": parameters_to_json(where, step, writer, part.fixed),
        "fitted": _fitted_to_json(where, step, part, writer),
    }


def load_step(where: str, make: type, content: Any, part: Part, reader: Reader) -> Any:
    """Build a step from the output of :func:`save_step`."""
    if not isinstance(content, dict) or set(content) != {"parameters", "fitted"}:
        raise DamagedError(f"{where} must have parameters and fitted values")
    step = make_with_parameters(where, make, content["parameters"], reader, part.fixed)
    step.n_features_in_ = reader.lengths["features"]
    return _set_fitted(where, step, content["fitted"], part, reader)


def _fitted_to_json(where: str, instance: Any, part: Part, writer: Writer) -> dict[str, Any]:
    values = part.read(instance)
    parameters = instance.get_params(deep=False) if hasattr(instance, "get_params") else ()
    strange = set(values) - set(part.fields) - {*part.derived, *COMMON, *parameters}
    if strange:
        raise InputError(
            f"the model cannot be saved: {type(instance).__name__} has the fitted attribute "
            f"{sorted(strange)[0]!r}, which model files cannot store."
        )
    found = {}
    for name, one in {**part.fields, **OPTIONAL}.items():
        if name in values:
            value = values[name]
            place = f"{where}.{name}"
            found[name] = None if value is None else one.to_json(place, value, writer)
    return found


def _set_fitted(where: str, instance: Any, content: Any, part: Part, reader: Reader) -> Any:
    if not isinstance(content, dict):
        raise DamagedError(f"{where} must be an object of fitted values")
    fields = {**part.fields, **OPTIONAL}
    unknown = sorted(set(content) - set(fields))
    if unknown:
        raise DamagedError(f"{where} has no fitted attribute {unknown[0]!r}")
    values: dict[str, Any] = {}
    for name, one in fields.items():
        place = f"{where}.{name}"
        if name not in content:
            if not one.absent:
                raise DamagedError(f"{place} is missing")
        elif content[name] is None:
            if not one.none:
                raise DamagedError(f"{place} must not be null")
            values[name] = None
        else:
            values[name] = one.from_json(place, content[name], reader)
    for name, value in values.items():
        setattr(instance, name, value)
    part.finish(instance, values, reader)
    return instance
