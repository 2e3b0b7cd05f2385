"""Store the parameters of an estimator: numbers, text, arrays, Fisher metrics, landmark models."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from discrimap.errors import InputError
from discrimap.models.archive import DamagedError
from discrimap.models.fields import Reader, Writer, number_from_json, number_to_json

# Parameters that affect how a fit runs, not its result.
NOT_STORED = ("callback", "n_jobs", "verbose")
# Keys of the estimators that can be parameters: a Fisher metric, and the model of its posterior.
METRIC = "fisher-metric"
LANDMARK_MODELS = {
    "landmark-posterior": "LandmarkPosterior",
    "landmark-regression": "LandmarkRegression",
}
# Upper limit of n_steps, the number of evaluations for one distance, in a file.
MOST_STEPS = 10_000


def parameters_to_json(
    where: str, estimator: Any, writer: Writer, fixed: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Any]:
    """Convert the parameters of an estimator to JSON; arrays are added to the writer.

    Parameters in ``fixed`` must have the values given there and are not stored.
    """
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


def make_with_parameters(
    where: str,
    make: type,
    content: Any,
    reader: Reader,
    fixed: Mapping[str, Any] = MappingProxyType({}),
) -> Any:
    """Build an estimator of the class ``make``, not fitted, from stored and fixed parameters.

    Unknown parameters, and values outside the parameter constraints of the class, raise an error.
    """
    if not isinstance(content, dict):
        raise DamagedError(f"{where} must be an object of parameters")
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


def _value_to_json(where: str, value: Any, writer: Writer) -> Any:
    import discrimap
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
    for key, class_name in LANDMARK_MODELS.items():
        if type(value) is getattr(discrimap, class_name):
            return {key: parameters_to_json(where, value, writer)}
    name = where.rpartition(".")[2]
    raise InputError(
        f"the model cannot be saved: {name}={value!r} is a {type(value).__name__}, but a model "
        "file can hold only numbers, text and arrays, not code. Leave this parameter at its "
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
        return make_metric(where, content[METRIC], reader)
    for key in LANDMARK_MODELS:
        if set(content) == {key}:
            return make_landmark_model(where, key, content[key], reader)
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


def make_metric(where: str, content: Any, reader: Reader) -> Any:
    """Build a Fisher metric, not fitted."""
    from discrimap.fisher.metric import FisherMetric

    metric = make_with_parameters(where, FisherMetric, content, reader)
    if metric.n_steps > MOST_STEPS:
        raise DamagedError(f"{where}.n_steps must be at most {MOST_STEPS}")
    return metric


def make_landmark_model(where: str, key: str, content: Any, reader: Reader) -> Any:
    """Build a landmark model, not fitted."""
    import discrimap

    return make_with_parameters(where, getattr(discrimap, LANDMARK_MODELS[key]), content, reader)
