"""``discrimap export``: linear models as ONNX files, checked by onnxruntime."""

import json
import os
import sys

import numpy as np
import onnxruntime
import pytest
from numpy.testing import assert_allclose

from discrimap.datasets import Dataset, load
from discrimap.models import fit_model, load_model, save_model
from discrimap.registry import METHODS, get_method

LINEAR = [method for method in METHODS if method.family == "linear"]


def run_onnx(path, X):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(["map"], {"features": X})[0], session.get_modelmeta()


@pytest.mark.parametrize("method", LINEAR, ids=lambda method: method.name)
def test_onnxruntime_maps_as_the_model(method, run, tmp_path):
    iris = load("iris")
    if not method.classes:
        iris = Dataset("petals", iris.X[:, :3], iris.X[:, 3], iris.feature_names[:3])
    save_model(tmp_path / "m.skops", fit_model(iris, method))
    code, out, _ = run("export", tmp_path / "m.skops", "--onnx", tmp_path / "m.onnx")
    assert code == 0
    assert str(tmp_path / "m.onnx") in out
    Z, meta = run_onnx(tmp_path / "m.onnx", iris.X)
    model = load_model(tmp_path / "m.skops")
    expected = model.transform(iris.X)
    assert_allclose(Z, expected, atol=1e-9 * np.abs(expected).max())
    properties = meta.custom_metadata_map
    assert json.loads(properties["feature_names"]) == iris.feature_names
    assert json.loads(properties["classes"]) == model.classes
    assert properties["method"] == method.name
    assert json.loads(properties["versions"]) == model.versions


@pytest.mark.parametrize("scale", [True, False])
def test_missing_values_are_filled_in_as_by_the_model(scale, run, tmp_path, rng):
    X = rng.standard_normal((50, 3))
    X[::5, 1] = np.nan
    data = Dataset("gaps", X, np.arange(50) % 2)
    model = fit_model(data, get_method("lda"), n_components=1, scale=scale, impute="mean")
    save_model(tmp_path / "m.skops", model)
    assert run("export", tmp_path / "m.skops", "--onnx", tmp_path / "m.onnx")[0] == 0
    assert_allclose(run_onnx(tmp_path / "m.onnx", X)[0], model.transform(X), atol=1e-12)


def test_digits_are_kept_far_from_the_origin(run, tmp_path):
    iris = load("iris")
    far = Dataset("far", iris.X + 1e4, iris.y)
    model = fit_model(far, get_method("lda"))
    save_model(tmp_path / "m.skops", model)
    assert run("export", tmp_path / "m.skops", "--onnx", tmp_path / "m.onnx")[0] == 0
    assert_allclose(run_onnx(tmp_path / "m.onnx", far.X)[0], model.transform(far.X), atol=1e-8)


def test_what_is_not_linear_is_refused(fails, tmp_path):
    save_model(tmp_path / "m.skops", fit_model(load("iris"), get_method("kda")))
    fails("is not linear", "export", tmp_path / "m.skops", "--onnx", tmp_path / "m.onnx")
    assert os.listdir(tmp_path) == ["m.skops"]


def test_without_the_package_one_line_says_how_to_get_it(fails, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    save_model(tmp_path / "m.skops", fit_model(load("iris"), get_method("pca")))
    fails(
        "pip install 'discrimap[onnx]'",
        *("export", tmp_path / "m.skops", "--onnx", tmp_path / "m.onnx"),
    )


def test_bad_arguments_give_one_line(fails, tmp_path):
    fails("no.skops does not exist", "export", tmp_path / "no.skops", "--onnx", tmp_path / "m.onnx")
    fails("it is a folder", "export", tmp_path / "no.skops", "--onnx", tmp_path)
    fails("--onnx", "export", tmp_path / "no.skops")
