"""Fitted attributes of discriminative projections."""

from __future__ import annotations

from discrimap.models.attributes.shared import (
    EIGENVALUES,
    LINEAR,
    MAYBE_CLASSES,
    finish_linear,
)
from discrimap.models.fields import Array, Number, Text
from discrimap.models.parts import Part

PARTS = {
    "DiscriminativeProjections": Part(
        {
            **MAYBE_CLASSES,
            **LINEAR,
            **EIGENVALUES,
            "target_": Text(),
            "mu_": Number(),
            "spread_": Number(),
            "n_iter_": Number(whole=True),
            "prototypes_": Array(("classes", "components"), absent=True),
            "target_mean_": Array(("targets",), absent=True),
            "label_components_": Array(("components", "any")),
        },
        finish=finish_linear,
    ),
}
