import os
import re

import numpy as np
import polars as pl
import pytest
import skops.io
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import StandardScaler

from discrimap import PLSDA, cli
from discrimap.datasets import load
from discrimap.errors import InputError
from discrimap.models import FORMAT, Model, fit_model, load_model, save_model
from discrimap.registry import METHODS, get_method


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_loaded_model_maps_as_the_saved_one(method, tmp_path):
    iris = load("iris")
    model = fit_model(iris, method)
    save_model(tmp_path / "model.skops", model)
    loaded = load_model(tmp_path / "model.skops")
    assert_allclose(loaded.transform(iris.X[:9]), model.transform(iris.X[:9]), rtol=1e-6)
    assert loaded.feature_names == iris.feature_names
    assert loaded.classes == ["setosa", "versicolor", "virginica"]
    assert (loaded.method, loaded.versions) == (method.name, model.versions)


def test_a_model_is_the_scaled_method_on_all_samples():
    X, y = load_wine(return_X_y=True)
    expected = PLSDA().fit_transform(StandardScaler().fit_transform(X), y)
    assert_allclose(fit_model(load("wine"), get_method("plsda")).transform(X), expected)
    raw = fit_model(load("wine"), get_method("plsda"), scale=False)
    assert_allclose(raw.transform(X), PLSDA().fit_transform(X, y))


class Stranger:
    pass


def test_a_file_with_other_types_is_refused_and_they_are_named(tmp_path):
    path = tmp_path / "hostile.skops"
    skops.io.dump({"format": FORMAT, "pipeline": Stranger()}, path)
    with pytest.raises(InputError, match=r"refused: it holds .*Stranger"):
        load_model(path)
    skops.io.dump({"format": FORMAT, "pipeline": os.system}, path)
    with pytest.raises(InputError, match=r"refused: it holds .*system"):
        load_model(path)


def test_a_file_that_is_no_model_is_refused(tmp_path):
    path = tmp_path / "m.skops"
    with pytest.raises(InputError, match="there is no model file"):
        load_model(path)
    path.write_bytes(b"not a zip")
    with pytest.raises(InputError, match="not a model file"):
        load_model(path)
    skops.io.dump({"a": 1}, path)
    with pytest.raises(InputError, match="not a model of discrimap"):
        load_model(path)


def run(*arguments):
    return cli.main([str(argument) for argument in arguments])


@pytest.fixture
def iris_csv(tmp_path):
    iris = load_iris(as_frame=True)
    table = pl.DataFrame(iris.data.to_numpy(), schema=["sl", "sw", "pl", "pw"])
    table = table.with_columns(kind=pl.Series(iris.target_names[iris.target]))
    table.write_csv(tmp_path / "iris.csv")
    return tmp_path / "iris.csv"


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow"])
def test_fit_and_transform_from_file_to_file(iris_csv, tmp_path, ending, capsys):
    model, out = tmp_path / "model.skops", tmp_path / f"map.{ending}"
    fit = ["fit", iris_csv, "--target", "kind", "--method", "plsda", "--model", model]
    assert run(*fit) == 0
    assert "150 samples, 4 features, 3 classes, 2 components" in capsys.readouterr().out
    assert run("transform", model, iris_csv, "--out", out) == 0
    read = {
        "csv": pl.read_csv,
        "tsv": lambda path: pl.read_csv(path, separator="\t"),
        "parquet": pl.read_parquet,
        "arrow": pl.read_ipc,
    }[ending]
    frame = read(out)
    assert frame.columns == ["plsda0", "plsda1"]
    assert_allclose(frame.to_numpy(), load_model(model).transform(load("iris").X), rtol=1e-9)


def test_columns_are_matched_by_name(iris_csv, tmp_path, capsys):
    model = tmp_path / "model.skops"
    assert run("fit", iris_csv, "--target", "kind", "--method", "lda", "--model", model) == 0
    frame = pl.read_csv(iris_csv)
    shuffled = tmp_path / "shuffled.csv"
    frame.select("pw", "sl", "pl", "sw").with_columns(extra=pl.lit(1)).write_csv(shuffled)
    for source, out in ((iris_csv, "a.csv"), (shuffled, "b.csv")):
        assert run("transform", model, source, "--out", tmp_path / out) == 0
    assert_array_equal(pl.read_csv(tmp_path / "a.csv"), pl.read_csv(tmp_path / "b.csv"))

    lacking = tmp_path / "lacking.csv"
    frame.drop("pl").write_csv(lacking)
    capsys.readouterr()
    assert run("transform", model, lacking, "--out", tmp_path / "c.csv") == cli.EXIT_INPUT
    assert re.search(r"lacks columns .*'pl'", capsys.readouterr().err)
    assert not (tmp_path / "c.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "iris", "--method", "nope", "--model", "m.skops"], "no method named 'nope'"),
        (["fit", "iris", "--model", "m.skops"], "--method"),
        (["fit", "iris", "--method", "pca", "--model", "."], "it is a folder"),
        (
            ["fit", "iris", "--method", "plsda", "--components", "9", "--model", "m.skops"],
            "n_components=9 exceeds n_features=4",
        ),
        (["transform", "absent.skops", "iris.csv", "--out", "z.csv"], "no model file"),
        (["transform", "absent.skops", "iris.csv", "--out", "z.xlsx"], "its ending"),
    ],
)
def test_bad_arguments_give_one_line_and_no_file(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(*arguments) == cli.EXIT_INPUT
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert message in captured.err
    assert os.listdir(tmp_path) == []


def test_a_model_by_hand_has_its_versions():
    model = Model(StandardScaler().fit(np.eye(2)), "none", ["a", "b"], ["x", "y"])
    assert model.versions["discrimap"] == "0.1.0"
    assert set(model.versions) > {"python", "numpy", "scikit-learn"}
