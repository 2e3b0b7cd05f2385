"""All classes that can be built from a model file, with their fitted attributes.

A file contains the name of a method in the registry, never of a module or a class. The parameters
are checked by the parameter constraints of the class, and the fitted attributes by a table in this
folder, in the file of the subpackage. A new fitted attribute needs one line there.
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

# By the name of the class in the registry. A method that is not listed cannot be stored.
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
