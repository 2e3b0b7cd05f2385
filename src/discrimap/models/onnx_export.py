"""Write linear models in the ONNX format: imputation and one matrix product."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from discrimap._version import __version__
from discrimap.errors import InputError
from discrimap.models.affine_maps import affine_map
from discrimap.models.model import Model

# The oldest operator set that has all operators used here, so that old runtimes can read the file.
OPSET = 13
IR_VERSION = 7


def to_onnx(model: Model) -> bytes:
    """Convert a linear model to the ONNX format.

    The graph has one input ``features`` (rows, n_features) and one output ``map`` (rows,
    n_components), both double. Missing values are replaced first if the model has an imputer; scaler
    and projection are one matrix product (Gemm). The metadata contain the names of the features and
    components and the classes as JSON lists, the method and the versions.

    Parameters
    ----------
    model : Model
        A model of a linear method.

    Returns
    -------
    content : bytes
        The content of the ONNX file.

    Raises
    ------
    InputError
        If the model is not linear, its matrix is not finite, or the package onnx is not installed.
    """
    try:
        import onnx
    except ImportError:
        raise InputError(
            "writing ONNX files needs the package onnx; install it with: "
            "python -m pip install 'discrimap[onnx]'"
        ) from None
    from onnx import helper, numpy_helper

    try:
        with np.errstate(all="ignore"):  # the result is checked below
            affine = affine_map(model.pipeline)
    except TypeError:
        raise InputError(
            f"{model.label} is not linear, so it cannot be written as an ONNX file; 'discrimap "
            "methods' lists the linear ones."
        ) from None

    if not (np.isfinite(affine.matrix).all() and np.isfinite(affine.offset).all()):
        raise InputError(
            f"the matrix of this {model.label} model is not finite, so it cannot be written as an "
            "ONNX file; its features are too large or too small, or the model is damaged."
        )

    nodes, constants = [], {"matrix": affine.matrix, "offset": affine.offset}
    features = "features"
    if affine.fill is not None:
        constants["fill"] = affine.fill
        nodes.append(helper.make_node("IsNaN", [features], ["is_missing"]))
        nodes.append(helper.make_node("Where", ["is_missing", "fill", features], ["filled"]))
        features = "filled"
    nodes.append(helper.make_node("Gemm", [features, "matrix", "offset"], ["map"]))
    graph = helper.make_graph(
        nodes,
        f"discrimap {model.method}",
        [_rows_of("features", len(model.feature_names))],
        [_rows_of("map", len(model.component_names))],
        [numpy_helper.from_array(np.ascontiguousarray(a), n) for n, a in constants.items()],
    )
    written = helper.make_model(
        graph,
        producer_name="discrimap",
        producer_version=__version__,
        ir_version=IR_VERSION,
        opset_imports=[helper.make_opsetid("", OPSET)],
    )
    helper.set_model_props(
        written,
        {
            "method": model.method,
            "feature_names": json.dumps(model.feature_names),
            "component_names": json.dumps(model.component_names),
            "classes": json.dumps(model.classes),
            "versions": json.dumps(model.versions),
        },
    )
    onnx.checker.check_model(written)
    return written.SerializeToString()


def _rows_of(name: str, n_columns: int) -> Any:
    from onnx import TensorProto, helper

    return helper.make_tensor_value_info(name, TensorProto.DOUBLE, ["rows", n_columns])
