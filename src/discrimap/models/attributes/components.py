"""Fitted attributes of discriminative and Renyi components."""

from __future__ import annotations

from discrimap.models.attributes.shared import (
    CLASSES,
    DESCENT,
    LINEAR,
    finish_linear,
)
from discrimap.models.fields import Array, Number
from discrimap.models.parts import Part

_BANDWIDTH_SEARCH = {
    "bandwidth_": Number(finite=False),
    "bandwidths_": Array(("bandwidths",), finite=False, absent=True),
    "bandwidth_scores_": Array(("bandwidths",), finite=False, absent=True),
}

PARTS = {
    "DiscriminativeComponents": Part(
        {
            **CLASSES,
            **LINEAR,
            **DESCENT,
            **_BANDWIDTH_SEARCH,
            "log_likelihood_": Number(finite=False),
            "mutual_information_": Number(finite=False),
            "embedding_": Array(("centres", "components"), absent=True),
            "_centre_labels": Array(("centres",), "i", below="classes", absent=True),
            "centres_": Array(("kernels", "components"), absent=True),
            "weights_": Array(("any", "any"), absent=True),
        },
        finish=finish_linear,
    ),
    "RenyiComponents": Part(
        {
            **CLASSES,
            **LINEAR,
            **DESCENT,
            **_BANDWIDTH_SEARCH,
            "renyi_information_": Number(finite=False),
        },
        finish=finish_linear,
    ),
}
