"""Fitted attributes of FisherTSNE and of the Fisher metric that it keeps."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from discrimap.models.archive import DamagedError
from discrimap.models.attributes.shared import (
    CLASSES,
    NARROWEST,
    WIDEST,
    check_components,
)
from discrimap.models.fields import Array, Field, Number, Writer
from discrimap.models.parameters import METRIC, make_metric, parameters_to_json
from discrimap.models.parts import Part

# The largest coordinate of a map by t-SNE. openTSNE divides the map into cells until points a millionth
# apart are in different cells. Beyond this limit floating-point numbers are coarser than that, the
# division never ends, and the process crashes.
FARTHEST = 1e6


@dataclass(frozen=True)
class Unfitted(Field):
    """A Fisher metric as its parameters; what was fitted is in the attributes of FisherTSNE."""

    def to_json(self, where, value, writer):
        return {METRIC: parameters_to_json(where, value, writer)}

    def from_json(self, where, content, reader):
        if not isinstance(content, dict) or set(content) != {METRIC}:
            raise DamagedError(f"{where} must be a {METRIC}")
        return make_metric(where, content[METRIC], reader)


def _read_fisher_tsne(estimator):
    """Return the attributes, with those of the metric that cannot be computed again."""
    metric = estimator.metric_
    if metric.get_params(deep=False)["posterior"] is not None:
        # A classifier can be any object: this raises the error for such parameters.
        parameters_to_json("metric", metric, Writer())
    centres = metric._assembly.fields.centres
    return {
        **vars(estimator),
        "folds": metric.folds_,
        "bandwidth": metric.bandwidth_,
        "perplexity_bandwidth": metric.perplexity_bandwidth_,
        "centre_places": centres.places if metric.kernel == "euclidean" else None,
        "centre_indices": None if metric.kernel == "euclidean" else centres.places,
        "centre_labels": centres.labels,
        "centre_weights": centres.weights,
        "centre_folds": centres.folds,
    }


def _finish_fisher_tsne(estimator, values, reader):
    """Fit the metric again from its stored centres."""
    from discrimap.fisher.centres import Centres

    check_components(estimator, estimator.embedding_.shape[1])
    if np.abs(estimator.embedding_).max() > FARTHEST:
        raise DamagedError(f"places of the map must be within {FARTHEST:g} of its middle")
    metric = estimator.metric_
    is_euclidean = metric.kernel == "euclidean"
    places = values["centre_places" if is_euclidean else "centre_indices"]
    labels, folds = values["centre_labels"], values["folds"]
    if metric.get_params(deep=False)["posterior"] is not None:
        raise DamagedError("a metric in a file has no classifier")
    if places is None:
        raise DamagedError("the centres of the metric are not there")
    if (np.diff(labels) < 0).any():
        raise DamagedError("the centres of the metric must be in the order of their classes")
    if (folds is not None) != metric.cross_fit:
        raise DamagedError("the folds of the metric do not go with cross_fit")
    for name in ("folds", "centre_folds"):
        if values[name] is not None and not 0 <= values[name].min() <= values[name].max() < 1000:
            raise DamagedError(f"{name} must number the folds of the samples")
    with warnings.catch_warnings():
        # The same warnings were given when the metric was fitted.
        warnings.simplefilter("ignore")
        metric._restore(
            estimator._X,
            estimator.classes_,
            Centres(places, labels, values["centre_weights"], values["centre_folds"]),
            folds=folds,
            plain=None,
            regularisation=0.0,
            widths=(values["bandwidth"], values["perplexity_bandwidth"]),
        )
    for name in _METRIC_FIELDS:
        delattr(estimator, name)


_METRIC_FIELDS = {
    "folds": Array(("samples",), "i", none=True),
    "bandwidth": Number(NARROWEST, WIDEST),
    "perplexity_bandwidth": Number(finite=False, none=True),
    "centre_places": Array(("centres", "features"), none=True),
    "centre_indices": Array(("centres",), "i", below="samples", none=True),
    "centre_labels": Array(("centres",), "i", below="classes"),
    "centre_weights": Array(("centres",), above=0.0, none=True),
    "centre_folds": Array(("centres",), "i"),
}

PARTS = {
    "FisherTSNE": Part(
        {
            **CLASSES,
            "perplexity_": Number(),
            "loss_curve_": Array(("any",), finite=False, as_list=True),
            "objective_": Number(finite=False),
            "n_iter_": Number(whole=True),
            "embedding_": Array(("samples", "components")),
            "_X": Array(("samples", "features")),
            "_labels": Array(("samples",), "i", below="classes"),
            "_held_out_error": Number(none=True),
            "metric_": Unfitted(),
            **_METRIC_FIELDS,
        },
        read=_read_fisher_tsne,
        finish=_finish_fisher_tsne,
    ),
}
