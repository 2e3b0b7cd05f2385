"""Fitted attributes of FisherTSNE and of its Fisher metric."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from discrimap.models.archive import DamagedError
from discrimap.models.attributes.shared import (
    MAYBE_CLASSES,
    NARROWEST,
    WIDEST,
    check_components,
)
from discrimap.models.fields import Array, Field, Number, Text, Writer
from discrimap.models.parameters import METRIC, make_metric, parameters_to_json
from discrimap.models.parts import Part

# The largest coordinate of a t-SNE map. openTSNE divides the map into cells until points at a distance of
# 1e-6 are in different cells. For larger coordinates the rounding errors exceed this distance, so that
# the division would not end and the process would crash.
FARTHEST = 1e6


@dataclass(frozen=True)
class Unfitted(Field):
    """A Fisher metric, stored as its parameters; its fitted values are attributes of FisherTSNE."""

    def to_json(self, where, value, writer):
        return {METRIC: parameters_to_json(where, value, writer)}

    def from_json(self, where, content, reader):
        if not isinstance(content, dict) or set(content) != {METRIC}:
            raise DamagedError(f"{where} must be a {METRIC}")
        return make_metric(where, content[METRIC], reader)


@dataclass(frozen=True)
class Reduction(Field):
    """Axes of the reduction of sparse samples."""

    def to_json(self, where, value, writer):
        return _AXES.to_json(where, value.axes, writer)

    def from_json(self, where, content, reader):
        from discrimap.fisher.sparse_reduction import SparseReduction

        return SparseReduction(_AXES.from_json(where, content, reader))


_AXES = Array(("features", "coordinates"))


def _read_fisher_tsne(estimator):
    """Return the attributes, and those attributes of the metric that cannot be computed again."""
    metric = estimator.metric_
    found = dict.fromkeys([*_PARZEN_FIELDS, *_LANDMARK_FIELDS, *_PLAIN_FIELDS])
    found |= {"folds": metric.folds_, "regularisation": metric.regularisation_}
    if metric._has_landmarks:
        found |= _read_landmarks(metric.posterior_)
    else:
        if metric.get_params(deep=False)["posterior"] is not None:
            # A classifier cannot be stored; this raises the error for such a parameter.
            parameters_to_json("metric", metric, Writer())
        found |= _read_parzen(metric)
    if metric._plain is not None:
        plain = metric._plain
        found |= {"plain_mean": plain.mean, "plain_axes": plain.axes, "plain_unit": plain.unit}
    return {**vars(estimator), **found}


def _read_parzen(metric):
    centres = metric._assembly.fields.centres
    return {
        "bandwidth": metric.bandwidth_,
        "perplexity_bandwidth": metric.perplexity_bandwidth_,
        "centre_places": centres.places if metric.kernel == "euclidean" else None,
        "centre_indices": None if metric.kernel == "euclidean" else centres.places,
        "centre_labels": centres.labels,
        "centre_weights": centres.weights,
        "centre_folds": centres.folds,
    }


def _read_landmarks(model):
    ridge = model._ridge
    return {
        "landmarks": ridge.landmarks,
        "landmark_centre": ridge.centre,
        "landmark_weights": ridge.weights,
        "landmark_means": ridge.means,
        "landmark_folds": model.folds_,
        "gamma": ridge.gamma,
        "alpha": ridge.alpha,
        **{name: getattr(model, attribute, None) for name, attribute in _CALIBRATION.items()},
    }


def _finish_fisher_tsne(estimator, values, reader):
    """Fit the metric again from its stored centres or landmarks."""
    check_components(estimator, estimator.embedding_.shape[1])
    if np.abs(estimator.embedding_).max() > FARTHEST:
        raise DamagedError(f"coordinates of the map must be at most {FARTHEST:g} from its centre")
    metric = estimator.metric_
    _check_fisher_tsne(estimator, values, reader)
    restored = _landmark_model if metric._has_landmarks else _parzen_centres
    with warnings.catch_warnings():
        # The same warnings were shown when the metric was fitted.
        warnings.simplefilter("ignore")
        metric._restore(
            estimator._X,
            values.get("classes_"),
            restored(metric, values),
            folds=values["folds"],
            plain=_plain_part(values),
            regularisation=values["regularisation"],
            widths=(values["bandwidth"], values["perplexity_bandwidth"]),
        )
    for name in _METRIC_FIELDS:
        delattr(estimator, name)


def _check_fisher_tsne(estimator, values, reader):
    metric, n_classes = estimator.metric_, reader.lengths.get("classes")
    if (values["_labels"] is None) == (values["_values"] is None):
        raise DamagedError("the target of a map must be class labels or numbers")
    if metric._is_continuous != (values["_labels"] is None):
        raise DamagedError("the target does not match the metric")
    if values["_labels"] is not None and (
        n_classes is None or values["_labels"].max() >= n_classes
    ):
        raise DamagedError("_labels must be indices of the classes")
    if estimator._reduction is None and reader.lengths["coordinates"] != reader.lengths["features"]:
        raise DamagedError("the samples of the map must have as many features as the model")
    if (values["folds"] is not None) != metric.cross_fit:
        raise DamagedError("the folds of the metric do not match cross_fit")
    for name in ("folds", "centre_folds", "landmark_folds"):
        if values[name] is not None and not 0 <= values[name].min() <= values[name].max() < 1000:
            raise DamagedError(f"{name} must be indices of folds")


def _parzen_centres(metric, values):
    from discrimap.fisher.centres import Centres

    is_euclidean = metric.kernel == "euclidean"
    places = values["centre_places" if is_euclidean else "centre_indices"]
    labels, folds = values["centre_labels"], values["centre_folds"]
    if metric.get_params(deep=False)["posterior"] is not None:
        raise DamagedError("a metric in a file cannot have a classifier")
    if any(one is None for one in (places, labels, folds, values["bandwidth"])):
        raise DamagedError("the centres of the metric are missing")
    if (np.diff(labels) < 0).any():
        raise DamagedError("the centres of the metric must be in the order of their classes")
    return Centres(places, labels, values["centre_weights"], folds)


def _landmark_model(metric, values):
    from discrimap.fisher.landmark_ridge import LandmarkRidge

    names = ("centre", "weights", "means", "folds")
    parts = {name: values[f"landmark_{name}"] for name in names}
    scalars = values["landmarks"], values["gamma"], values["alpha"]
    needed = _NUMBERS if metric._is_continuous else _CLASSES
    if any(one is None for one in (*parts.values(), *scalars, *(values[name] for name in needed))):
        raise DamagedError("the landmarks of the metric are missing")
    if values["plain_unit"] is None:
        raise DamagedError("the Euclidean part of the metric is missing")
    if parts["folds"].max() >= len(parts["weights"]) - 1:
        raise DamagedError("landmark_folds must be indices of folds")
    n_targets = 0 if metric._is_continuous else len(values["classes_"])
    if n_targets and parts["weights"].shape[3] != n_targets:
        raise DamagedError("the landmarks of the metric must have one weight for each class")
    landmarks, gamma, alpha = scalars
    model = metric.posterior.__class__(**metric.posterior.get_params(deep=False))
    model.n_features_in_, model.folds_ = landmarks.shape[1], parts["folds"]
    model._set_ridge(
        LandmarkRidge(parts["centre"], landmarks, gamma, alpha, parts["weights"], parts["means"])
    )
    for name in needed:
        setattr(model, _CALIBRATION[name], values[name])
    if metric._is_continuous:
        model._is_flat = values["target_mean"].shape == (1,)
    else:
        model.classes_ = values["classes_"]
    return model


def _plain_part(values):
    from discrimap.fisher.plain_part import PlainPart

    if values["plain_unit"] is None or values["plain_mean"] is None:
        return None
    return PlainPart(values["plain_mean"], values["plain_axes"], values["plain_unit"])


# Names of the stored calibration parameters of a landmark model.
_CLASSES = ("temperature", "offsets")
_NUMBERS = ("slope", "error_root", "spread", "target_mean")
_CALIBRATION = {
    "temperature": "temperature_",
    "offsets": "offsets_",
    "slope": "slope_",
    "error_root": "_root",
    "spread": "_spread",
    "target_mean": "target_mean_",
}
_PARZEN_FIELDS = {
    "bandwidth": Number(NARROWEST, WIDEST, none=True),
    "perplexity_bandwidth": Number(finite=False, none=True),
    "centre_places": Array(("centres", "coordinates"), none=True),
    "centre_indices": Array(("centres",), "i", below="samples", none=True),
    "centre_labels": Array(("centres",), "i", below="classes", none=True),
    "centre_weights": Array(("centres",), above=0.0, none=True),
    "centre_folds": Array(("centres",), "i", none=True),
}
_LANDMARK_FIELDS = {
    "landmarks": Array(("landmarks", "coordinates"), none=True),
    "landmark_centre": Array(("coordinates",), none=True),
    "landmark_weights": Array(("models", "models", "landmarks", "targets"), none=True),
    "landmark_means": Array(("models", "models", "targets"), none=True),
    "landmark_folds": Array(("samples",), "i", none=True),
    "gamma": Number(0, none=True),
    "alpha": Number(0, none=True),
    "temperature": Number(0, none=True),
    "offsets": Array(("targets",), none=True),
    "slope": Number(0, 1, none=True),
    "error_root": Array(("targets", "targets"), none=True),
    "spread": Array(("targets",), above=0.0, none=True),
    "target_mean": Array(("targets",), none=True),
}
_PLAIN_FIELDS = {
    "plain_mean": Array(("coordinates",), none=True),
    "plain_axes": Array(("coordinates", "axes"), none=True),
    "plain_unit": Number(NARROWEST, WIDEST, none=True),
}
_METRIC_FIELDS = {
    "folds": Array(("samples",), "i", none=True),
    "regularisation": Number(0),
    **_PARZEN_FIELDS,
    **_LANDMARK_FIELDS,
    **_PLAIN_FIELDS,
}

PARTS = {
    "FisherTSNE": Part(
        {
            **MAYBE_CLASSES,
            "target_": Text(),
            "perplexity_": Number(),
            "loss_curve_": Array(("any",), finite=False, as_list=True),
            "objective_": Number(finite=False),
            "n_iter_": Number(whole=True),
            "embedding_": Array(("samples", "components")),
            "_reduction": Reduction(none=True),
            "_X": Array(("samples", "coordinates")),
            "_labels": Array(("samples",), "i", above=-2, none=True),
            "_values": Array(("samples", "targets"), finite=False, none=True),
            "_held_out_error": Number(none=True),
            "metric_": Unfitted(),
            **_METRIC_FIELDS,
        },
        read=_read_fisher_tsne,
        finish=_finish_fisher_tsne,
    ),
}
