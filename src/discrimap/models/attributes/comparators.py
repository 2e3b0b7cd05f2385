"""Fitted attributes of the comparators."""

from __future__ import annotations

from discrimap.models.attributes.shared import (
    CLASSES,
    DESCENT,
    EIGENVALUES,
    KERNEL,
    LINEAR,
    MAYBE_CLASSES,
    finish_kernel,
    finish_linear,
)
from discrimap.models.fields import Array, Flag, Labels, Number, Text
from discrimap.models.parts import Nested, Part


def _make_moments():
    from discrimap.samples.running_moments import RunningMoments

    return RunningMoments(1)


_MOMENTS = Part(
    {
        "classes": Labels(),
        "counts": Array(("classes",)),
        "class_means": Array(("classes", "features")),
        "mean": Array(("features",)),
        "scatter": Array(("features", "features")),
    }
)

PARTS = {
    "PLSDA": Part(
        {
            **CLASSES,
            **LINEAR,
            "n_iter_": Number(whole=True),
            "coef_": Array(("classes", "features")),
            "intercept_": Array(("classes",)),
            "vip_": Array(("features",), finite=False),
        },
        finish=finish_linear,
    ),
    "NeighborhoodComponents": Part({**CLASSES, **LINEAR, **DESCENT}, finish=finish_linear),
    "LocalityPreservingProjections": Part({**LINEAR, **EIGENVALUES}, finish=finish_linear),
    "ManifoldRegularization": Part(
        {
            **MAYBE_CLASSES,
            **LINEAR,
            "target_": Text(),
            "mu_": Number(),
            "intercept_": Array(("components",)),
            "_is_single_output": Flag(absent=True),
        },
    ),
    "SupervisedPCA": Part({**MAYBE_CLASSES, **LINEAR, **EIGENVALUES}, finish=finish_linear),
    "KernelSupervisedPCA": Part({**MAYBE_CLASSES, **KERNEL, **EIGENVALUES}, finish=finish_kernel),
    "SlicedAverageVariance": Part(
        {
            **MAYBE_CLASSES,
            **LINEAR,
            **EIGENVALUES,
            "n_slices_": Number(whole=True),
        },
        finish=finish_linear,
    ),
    "LeastSquaresLDA": Part(
        {
            **CLASSES,
            **LINEAR,
            **EIGENVALUES,
            "n_iter_": Number(whole=True),
            "_moments": Nested(_MOMENTS, make=_make_moments, none=True),
        },
        finish=finish_linear,
    ),
    "KernelDiscriminantAnalysis": Part({**CLASSES, **KERNEL, **EIGENVALUES}, finish=finish_kernel),
    "GradientKDR": Part(
        {
            **MAYBE_CLASSES,
            **LINEAR,
            **EIGENVALUES,
            "sigma_": Number(),
            "target_sigma_": Number(none=True),
            "ridge_": Number(),
        },
        finish=finish_linear,
    ),
}
