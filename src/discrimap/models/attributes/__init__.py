"""The exact list of what a model file can be turned into.

A file names a method by its name in the registry, never a module or a class. The class is then
known, its parameters are checked by its own constraints, and its fitted attributes are those of one
table: the file of its room in this folder. A fitted attribute that is new has one line there.
"""

from __future__ import annotations

from importlib import import_module

from discrimap.models.attributes import (
    category,
    comparators,
    components,
    fisher,
    projections,
    scikit_learn,
    sda,
)
from discrimap.models.attributes.scikit_learn import IMPUTER, SCALER
from discrimap.models.parts import Part
from discrimap.registry import Method

# By the name of the class in the registry. A method that is not here cannot be stored.
METHOD_PARTS: dict[str, Part] = {
    **category.PARTS,
    **comparators.PARTS,
    **components.PARTS,
    **fisher.PARTS,
    **projections.PARTS,
    **scikit_learn.PARTS,
    **sda.PARTS,
}


def method_class(method: Method) -> type:
    """Return the class of a method of the registry."""
    return getattr(import_module(method.module), method.class_name)


def method_part(method: Method) -> Part:
    """Return how the estimators of a method of the registry are stored."""
    return METHOD_PARTS[method.class_name]


__all__ = ["IMPUTER", "METHOD_PARTS", "SCALER", "method_class", "method_part"]
