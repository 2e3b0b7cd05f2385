"""Fitted attributes of scikit-learn's estimators: imputer and scaler, and the methods."""

from __future__ import annotations

import numpy as np

from discrimap.models.archive import DamagedError
from discrimap.models.attributes.shared import (
    CLASSES,
    LINEAR,
    check_components,
)
from discrimap.models.fields import Array, Flag, Number, Text
from discrimap.models.parts import Part


def _finish_imputer(imputer, values, reader):
    """Fit the imputer to its statistics as a single row, to set scikit-learn's private attributes."""
    statistics = values["statistics_"]
    imputer.fit(statistics[None, :])
    imputer.statistics_ = statistics


def _finish_scaler(scaler, values, reader):
    for parameter, name in (("with_mean", "mean_"), ("with_std", "scale_")):
        if getattr(scaler, parameter) and values[name] is None:
            raise DamagedError(f"a scaler with {parameter}=True needs {name}")


def _finish_pca(pca, values, reader):
    pca.n_components_ = len(pca.components_)
    check_components(pca, pca.n_components_)


def _finish_lda(lda, values, reader):
    most = min(len(lda.classes_) - 1, lda.n_features_in_)
    wanted = most if lda.n_components is None else lda.n_components
    # There are fewer if the class means lie in a smaller subspace.
    lda._max_components = lda._n_features_out = min(wanted, lda.scalings_.shape[1])
    if lda.solver == "lsqr":
        raise DamagedError("solver='lsqr' has no transform")
    if lda.solver == "svd" and "xbar_" not in values:
        raise DamagedError("the mean of the samples is missing")


def _finish_pls(pls, values, reader):
    pls._x_scores, pls._y_scores = pls.x_scores_, pls.y_scores_
    pls._norm_y_weights = False
    pls._n_features_out = pls.x_rotations_.shape[1]
    check_components(pls, pls._n_features_out)


IMPUTER = Part(
    {"statistics_": Array(("features",))},
    derived=("_fit_dtype", "_fill_dtype", "indicator_"),
    fixed={
        "missing_values": np.nan,
        "fill_value": None,
        "copy": True,
        "add_indicator": False,
        "keep_empty_features": True,
    },
    finish=_finish_imputer,
)
SCALER = Part(
    {
        "mean_": Array(("features",), none=True),
        "var_": Array(("features",), none=True),
        "scale_": Array(("features",), above=0.0, none=True),
        "n_samples_seen_": Number(0),
    },
    fixed={"copy": True},
    finish=_finish_scaler,
)

PARTS = {
    "PCA": Part(
        {
            **LINEAR,
            "explained_variance_": Array(("components",)),
            "explained_variance_ratio_": Array(("components",), finite=False),
            "singular_values_": Array(("components",)),
            "noise_variance_": Number(),
            "n_samples_": Number(0, whole=True),
            "_fit_svd_solver": Text(absent=True),
        },
        derived=("n_components_",),
        finish=_finish_pca,
    ),
    "LinearDiscriminantAnalysis": Part(
        {
            **CLASSES,
            "priors_": Array(("classes",)),
            "means_": Array(("classes", "features")),
            "xbar_": Array(("features",), absent=True),
            "covariance_": Array(("features", "features"), absent=True),
            "scalings_": Array(("features", "components")),
            "explained_variance_ratio_": Array(("any",), finite=False, absent=True),
            "coef_": Array(("decisions", "features")),
            "intercept_": Array(("decisions",)),
        },
        derived=("_max_components", "_n_features_out"),
        finish=_finish_lda,
    ),
    "PLSRegression": Part(
        {
            "_x_mean": Array(("features",)),
            "_x_std": Array(("features",), above=0.0),
            "_y_mean": Array(("targets",)),
            "_y_std": Array(("targets",)),
            "_predict_1d": Flag(),
            "x_weights_": Array(("features", "components")),
            "x_loadings_": Array(("features", "components")),
            "x_rotations_": Array(("features", "components")),
            "x_scores_": Array(("samples", "components")),
            "y_weights_": Array(("targets", "components")),
            "y_loadings_": Array(("targets", "components")),
            "y_rotations_": Array(("targets", "components")),
            "y_scores_": Array(("samples", "components")),
            "coef_": Array(("targets", "features")),
            "intercept_": Array(("targets",)),
            "n_iter_": Array(("any",), "i", as_list=True),
        },
        derived=(
            # Set by its constructor, but not parameters.
            *("algorithm", "deflation_mode", "mode"),
            *("_x_scores", "_y_scores", "_norm_y_weights", "_n_features_out"),
        ),
        finish=_finish_pls,
    ),
}
