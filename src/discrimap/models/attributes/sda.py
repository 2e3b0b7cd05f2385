"""Fitted attributes of stochastic discriminant analysis."""

from __future__ import annotations

from discrimap.models.attributes.shared import (
    CLASSES,
    DESCENT,
    LINEAR,
    finish_linear,
)
from discrimap.models.fields import Array, Number
from discrimap.models.parts import Part

PARTS = {
    "StochasticDiscriminantAnalysis": Part(
        {
            **CLASSES,
            **LINEAR,
            **DESCENT,
            "epsilon_": Number(),
            "alpha_": Number(),
            "epsilons_": Array(("epsilons",), absent=True),
            "epsilon_errors_": Array(("epsilons",), finite=False, absent=True),
            "alphas_": Array(("alphas",), absent=True),
            "cv_errors_": Array(("alphas",), finite=False, absent=True),
        },
        finish=finish_linear,
    ),
}
