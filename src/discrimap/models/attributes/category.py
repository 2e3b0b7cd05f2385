"""Fitted attributes of category space."""

from __future__ import annotations

from discrimap.models.attributes.shared import (
    CLASSES,
    DESCENT,
    KERNEL,
    LINEAR,
    finish_kernel,
)
from discrimap.models.fields import Array, Matrices
from discrimap.models.parts import Part

_CERTIFICATE = {
    "_scatter_factors": Matrices(none=True),
    "_axes": Array(("any", "classes"), absent=True),
}

PARTS = {
    "CategorySpace": Part({**CLASSES, **LINEAR, **DESCENT, **_CERTIFICATE}),
    "KernelCategorySpace": Part(
        {**CLASSES, **KERNEL, **DESCENT, **_CERTIFICATE}, finish=finish_kernel
    ),
}
