"""What a model file can be turned into: an exact list of classes and their attributes.

A file names a method by its name in the registry and parts by the short names below, never by a
module or a class. The class is then known, its parameters are checked by its own constraints, and
its fitted attributes are those of one table: other names are refused, and so are missing ones. What
follows from stored attributes is computed anew.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import Any

import numpy as np

from discrimap.errors import InputError
from discrimap.models.archive import DamagedError
from discrimap.models.fields import (
    Array,
    Field,
    Flag,
    Labels,
    Matrices,
    Names,
    Number,
    Reader,
    Text,
    Writer,
    number_from_json,
    number_to_json,
)
from discrimap.registry import Method

# They belong to the run of a fit, not to its result.
NOT_STORED = ("callback", "n_jobs", "verbose")
# Their squares and the inverses of these are numbers.
NARROWEST, WIDEST = 1e-150, 1e150
# Of a Fisher metric: a distance takes so many evaluations.
MOST_STEPS = 10_000
# Of a map by t-SNE. openTSNE divides it into cells until points a millionth apart are in different
# ones; far out, where numbers are coarser than that, it would never end, and the process crashes.
FARTHEST = 1e6


@dataclass(frozen=True)
class Part:
    """How the objects of one class are stored.

    Parameters
    ----------
    fields : dict of Field
        The fitted attributes.
    derived : tuple of str
        Attributes that are not stored.
    fixed : dict
        Parameters that are the same in every model, and not stored.
    read : callable
        Gives the values of the fields of a fitted object; its attributes by default.
    finish : callable
        ``finish(instance, values, reader)`` makes an instance whose attributes have been set a
        fitted one, and refuses values that do not go together.
    """

    fields: Mapping[str, Field]
    derived: tuple[str, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    read: Callable[[Any], dict[str, Any]] = vars
    finish: Callable[[Any, dict[str, Any], Reader], None] = lambda instance, values, reader: None


@dataclass(frozen=True)
class Nested(Field):
    """An object inside of another one."""

    part: Part
    make: Callable[[], Any] = field(kw_only=True)

    def to_json(self, where, value, writer):
        return _fitted_to_json(where, value, self.part, writer)

    def from_json(self, where, content, reader):
        return _set_fitted(where, self.make(), content, self.part, reader)


@dataclass(frozen=True)
class Unfitted(Field):
    """A Fisher metric, of which the object around it keeps what was fitted."""

    def to_json(self, where, value, writer):
        return {METRIC: parameters_to_json(where, value, writer)}

    def from_json(self, where, content, reader):
        if not isinstance(content, dict) or set(content) != {METRIC}:
            raise DamagedError(f"{where} must be a {METRIC}")
        return _make_metric(where, content[METRIC], reader)


METRIC = "fisher-metric"


def save_step(where: str, step: Any, part: Part, writer: Writer) -> dict[str, Any]:
    """Turn a fitted step of a pipeline into JSON; arrays go to the writer."""
    return {
        "parameters": parameters_to_json(where, step, writer, part.fixed),
        "fitted": _fitted_to_json(where, step, part, writer),
    }


def load_step(where: str, make: type, content: Any, part: Part, reader: Reader) -> Any:
    """Build what :func:`save_step` stored."""
    if not isinstance(content, dict) or set(content) != {"parameters", "fitted"}:
        raise DamagedError(f"{where} must be parameters and fitted values")
    step = _with_parameters(where, make, content["parameters"], reader, part.fixed)
    step.n_features_in_ = reader.lengths["features"]
    return _set_fitted(where, step, content["fitted"], part, reader)


def method_class(method: Method) -> type:
    """The class of a method of the registry."""
    return getattr(import_module(method.module), method.class_name)


def method_part(method: Method) -> Part:
    """How the estimators of a method of the registry are stored."""
    return METHOD_PARTS[method.class_name]


def parameters_to_json(
    where: str, estimator: Any, writer: Writer, fixed: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Any]:
    parameters = estimator.get_params(deep=False)
    for name, value in fixed.items():
        found = parameters.pop(name)
        if repr(found) != repr(value):  # NaN is not equal to itself
            raise InputError(
                f"the model cannot be saved: {name}={found!r} of {type(estimator).__name__} must be "
                f"{value!r}, as in every model of discrimap."
            )
    return {
        name: _value_to_json(f"{where}.{name}", value, writer)
        for name, value in parameters.items()
        if name not in NOT_STORED
    }


def _value_to_json(where: str, value: Any, writer: Writer) -> Any:
    from discrimap.fisher.metric import FisherMetric

    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, (int, float, np.integer, np.floating)):
        return number_to_json(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "iufb":
        return writer.add(where, value)
    if isinstance(value, dict):
        pairs = [
            [_value_to_json(where, key, writer), _value_to_json(where, one, writer)]
            for key, one in value.items()
        ]
        return {"pairs": pairs}
    if type(value) is FisherMetric:
        return {METRIC: parameters_to_json(where, value, writer)}
    name = where.rpartition(".")[2]
    raise InputError(
        f"the model cannot be saved: {name}={value!r} is a {type(value).__name__}, and a model "
        "file holds numbers, text and arrays, nothing that runs. Leave this parameter at its "
        "default, or keep the model in memory."
    )


def _value_from_json(where: str, content: Any, reader: Reader) -> Any:
    if content is None or isinstance(content, (bool, str)):
        return content
    if not isinstance(content, dict):
        return number_from_json(where, content)
    if set(content) == {"array"}:
        array = reader.get(where, content)
        if array.dtype.kind == "U" or (array.dtype.kind == "f" and not np.isfinite(array).all()):
            raise DamagedError(f"{where} must be an array of finite numbers")
        return array
    if set(content) == {"pairs"}:
        return _dict_from_json(where, content["pairs"], reader)
    if set(content) == {METRIC}:
        return _make_metric(where, content[METRIC], reader)
    return number_from_json(where, content)


def _dict_from_json(where: str, pairs: Any, reader: Reader) -> dict:
    if not isinstance(pairs, list) or not all(isinstance(p, list) and len(p) == 2 for p in pairs):
        raise DamagedError(f"{where} must be a list of pairs")
    if any(isinstance(one, (dict, list)) for pair in pairs for one in pair):
        raise DamagedError(f"{where} must be pairs of labels and numbers")
    return {
        _value_from_json(where, key, reader): _value_from_json(where, value, reader)
        for key, value in pairs
    }


def _with_parameters(
    where: str,
    make: type,
    content: Any,
    reader: Reader,
    fixed: Mapping[str, Any] = MappingProxyType({}),
) -> Any:
    if not isinstance(content, dict):
        raise DamagedError(f"{where} must have parameters by name")
    known = set(make().get_params(deep=False)) - {*NOT_STORED, *fixed}
    unknown = sorted(set(content) - known)
    if unknown:
        raise DamagedError(f"{where} has no parameter {unknown[0]!r}")
    found = {
        name: _value_from_json(f"{where}.{name}", one, reader) for name, one in content.items()
    }
    estimator = make(**found, **fixed)
    try:
        estimator._validate_params()
    except ValueError as error:
        raise DamagedError(f"{where}: {error}") from error
    return estimator


def _make_metric(where: str, content: Any, reader: Reader) -> Any:
    from discrimap.fisher.metric import FisherMetric

    metric = _with_parameters(where, FisherMetric, content, reader)
    if metric.n_steps > MOST_STEPS:
        raise DamagedError(f"{where}.n_steps must be at most {MOST_STEPS}")
    return metric


def _fitted_to_json(where: str, instance: Any, part: Part, writer: Writer) -> dict[str, Any]:
    values = part.read(instance)
    parameters = instance.get_params(deep=False) if hasattr(instance, "get_params") else ()
    strange = set(values) - set(part.fields) - {*part.derived, *COMMON, *parameters}
    if strange:
        raise InputError(
            f"the model cannot be saved: {type(instance).__name__} has the fitted attribute "
            f"{sorted(strange)[0]!r}, which model files do not know."
        )
    found = {}
    for name, one in {**part.fields, **OPTIONAL}.items():
        if name in values:
            value = values[name]
            place = f"{where}.{name}"
            found[name] = None if value is None else one.to_json(place, value, writer)
    return found


def _set_fitted(where: str, instance: Any, content: Any, part: Part, reader: Reader) -> Any:
    if not isinstance(content, dict):
        raise DamagedError(f"{where} must have fitted values by name")
    fields = {**part.fields, **OPTIONAL}
    unknown = sorted(set(content) - set(fields))
    if unknown:
        raise DamagedError(f"{where} has no fitted attribute {unknown[0]!r}")
    values: dict[str, Any] = {}
    for name, one in fields.items():
        place = f"{where}.{name}"
        if name not in content:
            if not one.absent:
                raise DamagedError(f"{place} is not there")
        elif content[name] is None:
            if not one.none:
                raise DamagedError(f"{place} must not be null")
            values[name] = None
        else:
            values[name] = one.from_json(place, content[name], reader)
    for name, value in values.items():
        setattr(instance, name, value)
    part.finish(instance, values, reader)
    return instance


def _finish_imputer(imputer, values, reader):
    """Fit it to one row: the statistics of that are the row, and the rest is as sklearn wants."""
    statistics = values["statistics_"]
    imputer.fit(statistics[None, :])
    imputer.statistics_ = statistics


def _finish_scaler(scaler, values, reader):
    for parameter, name in (("with_mean", "mean_"), ("with_std", "scale_")):
        if getattr(scaler, parameter) and values[name] is None:
            raise DamagedError(f"a scaler {parameter} needs {name}")


def _finish_pca(pca, values, reader):
    pca.n_components_ = len(pca.components_)
    _check_components(pca, pca.n_components_)


def _finish_lda(lda, values, reader):
    most = min(len(lda.classes_) - 1, lda.n_features_in_)
    wanted = most if lda.n_components is None else lda.n_components
    # Fewer where the classes differ in fewer directions.
    lda._max_components = lda._n_features_out = min(wanted, lda.scalings_.shape[1])
    if lda.solver == "lsqr":
        raise DamagedError("solver='lsqr' makes no map")
    if lda.solver == "svd" and "xbar_" not in values:
        raise DamagedError("the mean of the samples is not there")


def _finish_pls(pls, values, reader):
    pls._x_scores, pls._y_scores = pls.x_scores_, pls.y_scores_
    pls._norm_y_weights = False
    pls._n_features_out = pls.x_rotations_.shape[1]
    _check_components(pls, pls._n_features_out)


def _finish_linear(estimator, values, reader):
    _check_components(estimator, len(estimator.components_))


def _check_components(estimator, n_components):
    wanted = estimator.get_params(deep=False).get("n_components")
    if isinstance(wanted, int) and wanted != n_components:
        raise DamagedError(f"n_components is {wanted}, but there are {n_components}")


def _finish_kernel(estimator, values, reader):
    _check_components(estimator, len(estimator.dual_coef_))
    n_features, n_landmarks = reader.lengths["features"], reader.lengths["landmarks"]
    if estimator.kernel != "precomputed":
        if estimator.landmarks_ is None:
            raise DamagedError("a kernel of features needs the features of its landmarks")
    elif estimator.n_landmarks is None and n_landmarks != n_features:
        raise DamagedError(f"{n_features} similarities cannot be of {n_landmarks} landmarks")
    elif estimator.landmark_indices_.max() >= n_features:
        raise DamagedError(f"a landmark is beyond the {n_features} similarities")


def _make_moments():
    from discrimap.samples.running_moments import RunningMoments

    return RunningMoments(1)


def _read_fisher_tsne(estimator):
    """Its attributes, with those of the metric that cannot be computed anew."""
    metric = estimator.metric_
    if metric.get_params(deep=False)["posterior"] is not None:
        # Refused here with the words for parameters: a classifier can be anything.
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
    from discrimap.fisher.centres import Centres

    _check_components(estimator, estimator.embedding_.shape[1])
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
        # What there was to warn of was said when the metric was fitted.
        warnings.simplefilter("ignore")
        metric._restore(
            estimator._X,
            estimator.classes_,
            Centres(places, labels, values["centre_weights"], values["centre_folds"]),
            folds=folds,
            bandwidth=values["bandwidth"],
            perplexity_bandwidth=values["perplexity_bandwidth"],
        )
    for name in _METRIC_FIELDS:
        delattr(estimator, name)


# Attributes of every estimator.
COMMON = ("n_features_in_",)
OPTIONAL = {"feature_names_in_": Names(absent=True)}

_CLASSES = {"classes_": Labels()}
_MAYBE_CLASSES = {"classes_": Labels(absent=True)}
_LINEAR = {
    "mean_": Array(("features",)),
    "components_": Array(("components", "features")),
}
_VALUES_OF_COMPONENTS = {"eigenvalues_": Array(("components",), finite=False)}
_DESCENT = {
    "objective_": Number(finite=False),
    "loss_curve_": Array(("any",), finite=False),
    "n_iter_": Number(whole=True),
    "stopping_reason_": Text(),
}
_WIDTH = Number(NARROWEST, WIDEST)
_KERNEL = {
    "landmark_indices_": Array(("landmarks",), "i", above=-1),
    "landmarks_": Array(("landmarks", "features"), none=True),
    "sigma_": Number(NARROWEST, WIDEST, none=True),
    "dual_coef_": Array(("components", "landmarks")),
    "offset_": Array(("components",)),
}
_CERTIFICATE = {
    "_scatter_factors": Matrices(none=True),
    "_axes": Array(("any", "classes"), absent=True),
}
_BANDWIDTH_SEARCH = {
    "bandwidth_": Number(finite=False),
    "bandwidths_": Array(("bandwidths",), finite=False, absent=True),
    "bandwidth_scores_": Array(("bandwidths",), finite=False, absent=True),
}
_METRIC_FIELDS = {
    "folds": Array(("samples",), "i", none=True),
    "bandwidth": _WIDTH,
    "perplexity_bandwidth": Number(finite=False, none=True),
    "centre_places": Array(("centres", "features"), none=True),
    "centre_indices": Array(("centres",), "i", below="samples", none=True),
    "centre_labels": Array(("centres",), "i", below="classes"),
    "centre_weights": Array(("centres",), above=0.0, none=True),
    "centre_folds": Array(("centres",), "i"),
}
_MOMENTS = Part(
    {
        "classes": Labels(),
        "counts": Array(("classes",)),
        "class_means": Array(("classes", "features")),
        "mean": Array(("features",)),
        "scatter": Array(("features", "features")),
    }
)

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

# By the name of the class in the registry. A name in the file that is not here is refused.
METHOD_PARTS: dict[str, Part] = {
    "PCA": Part(
        {
            **_LINEAR,
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
            **_CLASSES,
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
    "NeighborhoodComponentsAnalysis": Part(
        {"components_": _LINEAR["components_"], "n_iter_": Number(whole=True)},
        derived=("random_state_",),
        finish=_finish_linear,
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
            # Of its constructor; no parameters.
            *("algorithm", "deflation_mode", "mode"),
            *("_x_scores", "_y_scores", "_norm_y_weights", "_n_features_out"),
        ),
        finish=_finish_pls,
    ),
    "PLSDA": Part(
        {
            **_CLASSES,
            **_LINEAR,
            "n_iter_": Number(whole=True),
            "coef_": Array(("classes", "features")),
            "intercept_": Array(("classes",)),
            "vip_": Array(("features",), finite=False),
        },
        finish=_finish_linear,
    ),
    "CategorySpace": Part({**_CLASSES, **_LINEAR, **_DESCENT, **_CERTIFICATE}),
    "KernelCategorySpace": Part(
        {**_CLASSES, **_KERNEL, **_DESCENT, **_CERTIFICATE}, finish=_finish_kernel
    ),
    "DiscriminativeProjections": Part(
        {
            **_MAYBE_CLASSES,
            **_LINEAR,
            **_VALUES_OF_COMPONENTS,
            "target_": Text(),
            "mu_": Number(),
            "spread_": Number(),
            "n_iter_": Number(whole=True),
            "prototypes_": Array(("classes", "components"), absent=True),
            "target_mean_": Array(("targets",), absent=True),
            "label_components_": Array(("components", "any")),
        },
        finish=_finish_linear,
    ),
    "LocalityPreservingProjections": Part(
        {**_LINEAR, **_VALUES_OF_COMPONENTS}, finish=_finish_linear
    ),
    "ManifoldRegularization": Part(
        {
            **_MAYBE_CLASSES,
            **_LINEAR,
            "target_": Text(),
            "mu_": Number(),
            "intercept_": Array(("components",)),
            "_is_single_output": Flag(absent=True),
        },
    ),
    "FisherTSNE": Part(
        {
            **_CLASSES,
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
    "StochasticDiscriminantAnalysis": Part(
        {
            **_CLASSES,
            **_LINEAR,
            **_DESCENT,
            "epsilon_": Number(),
            "alpha_": Number(),
            "epsilons_": Array(("epsilons",), absent=True),
            "epsilon_errors_": Array(("epsilons",), finite=False, absent=True),
            "alphas_": Array(("alphas",), absent=True),
            "cv_errors_": Array(("alphas",), finite=False, absent=True),
        },
        finish=_finish_linear,
    ),
    "SupervisedPCA": Part(
        {**_MAYBE_CLASSES, **_LINEAR, **_VALUES_OF_COMPONENTS}, finish=_finish_linear
    ),
    "KernelSupervisedPCA": Part(
        {**_MAYBE_CLASSES, **_KERNEL, **_VALUES_OF_COMPONENTS}, finish=_finish_kernel
    ),
    "SlicedAverageVariance": Part(
        {
            **_MAYBE_CLASSES,
            **_LINEAR,
            **_VALUES_OF_COMPONENTS,
            "n_slices_": Number(whole=True),
        },
        finish=_finish_linear,
    ),
    "LeastSquaresLDA": Part(
        {
            **_CLASSES,
            **_LINEAR,
            **_VALUES_OF_COMPONENTS,
            "n_iter_": Number(whole=True),
            "_moments": Nested(_MOMENTS, make=_make_moments, none=True),
        },
        finish=_finish_linear,
    ),
    "KernelDiscriminantAnalysis": Part(
        {**_CLASSES, **_KERNEL, **_VALUES_OF_COMPONENTS}, finish=_finish_kernel
    ),
    "GradientKDR": Part(
        {
            **_MAYBE_CLASSES,
            **_LINEAR,
            **_VALUES_OF_COMPONENTS,
            "sigma_": Number(),
            "target_sigma_": Number(none=True),
            "ridge_": Number(),
        },
        finish=_finish_linear,
    ),
    "DiscriminativeComponents": Part(
        {
            **_CLASSES,
            **_LINEAR,
            **_DESCENT,
            **_BANDWIDTH_SEARCH,
            "log_likelihood_": Number(finite=False),
            "mutual_information_": Number(finite=False),
            "embedding_": Array(("centres", "components"), absent=True),
            "_centre_labels": Array(("centres",), "i", below="classes", absent=True),
            "centres_": Array(("kernels", "components"), absent=True),
            "weights_": Array(("any", "any"), absent=True),
        },
        finish=_finish_linear,
    ),
    "RenyiComponents": Part(
        {
            **_CLASSES,
            **_LINEAR,
            **_DESCENT,
            **_BANDWIDTH_SEARCH,
            "renyi_information_": Number(finite=False),
        },
        finish=_finish_linear,
    ),
}
