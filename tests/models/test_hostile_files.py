"""Malicious and damaged model files raise errors and run no code."""

import io
import json
import os
import sys
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from discrimap import FisherMetric, FisherTSNE, KernelDiscriminantAnalysis, cli
from discrimap.datasets import load
from discrimap.errors import InputError
from discrimap.models import Model, fit_model, load_model, save_model
from discrimap.models.attributes import METHOD_PARTS
from discrimap.registry import METHODS, get_method

sys.path.insert(0, str(Path(__file__).parent))
from hostile_skops import write_exploit


@pytest.fixture
def model_path(tmp_path):
    path = tmp_path / "model.skops"
    save_model(path, fit_model(load("iris"), get_method("lda")))
    return path


def members_of(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_members(path, members, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def with_array(path, name, array, **more):
    stream = io.BytesIO()
    np.save(stream, array)
    write_members(path, {**members_of(path), f"{name}.npy": stream.getvalue(), **more})


def with_json(path, change):
    members = members_of(path)
    document = json.loads(members["model.json"])
    change(document)
    write_members(path, {**members, "model.json": json.dumps(document)})


def test_a_crafted_archive_does_not_run_code(tmp_path, capsys):
    """In version 0.1.0 it did: the file named a module, through which it could call exec."""
    marker = tmp_path / "marker"
    write_exploit(tmp_path / "evil.skops", f"open({str(marker)!r}, 'w').close()")
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    out = tmp_path / "map.csv"
    arguments = ["transform", tmp_path / "evil.skops", tmp_path / "rows.csv", "--out", out]
    assert cli.main([str(argument) for argument in arguments]) == cli.EXIT_INPUT
    assert not marker.exists()
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "discrimap 0.1.0" in error
    assert "fit the model again with 'discrimap fit'" in error


def test_a_file_names_no_module_and_no_class(model_path):
    for name, content in members_of(model_path).items():
        for word in (b"discrimap.", b"sklearn", b"estimators", b"LinearDiscriminant", b"__"):
            assert word not in content.replace(b"scikit-learn", b""), (name, word)
    assert json.loads(members_of(model_path)["model.json"])["method"] == "lda"


def test_every_method_of_the_registry_can_be_stored():
    assert {method.class_name for method in METHODS} == set(METHOD_PARTS)


HOSTILE_VALUES = {
    "another method": (lambda d: d.update(method="pca"), "no parameter"),
    "a module as method": (lambda d: d.update(method="os:system"), "no method named"),
    "another format": (lambda d: d.update(format="discrimap model 5"), "cannot read"),
    "no format": (lambda d: d.update(format=3), "it has no format"),
    "a strange key": (lambda d: d.update(pipeline="x"), "'pipeline' is unknown"),
    "a missing key": (lambda d: d.pop("classes"), "'classes' is missing"),
    "a strange attribute": (
        lambda d: d["estimator"]["fitted"].update(transform=1),
        "no fitted attribute 'transform'",
    ),
    "a missing attribute": (
        lambda d: d["estimator"]["fitted"].pop("scalings_"),
        "scalings_ is missing",
    ),
    "a strange parameter": (
        lambda d: d["estimator"]["parameters"].update(copy_X=1),
        "no parameter 'copy_X'",
    ),
    "a parameter out of range": (
        lambda d: d["estimator"]["parameters"].update(solver="rm"),
        "solver",
    ),
    "too few names": (lambda d: d["feature_names"].pop(), "4 features, but 3 are needed"),
    "no names": (lambda d: d.update(feature_names=[]), "feature_names is empty"),
    "a name that is a number": (lambda d: d["feature_names"].append(3), "list of texts"),
    "a scaler without means": (
        lambda d: d["scaler"]["fitted"].update(mean_=None),
        "a scaler with with_mean=True needs mean_",
    ),
    "another scaler": (
        lambda d: d["scaler"]["parameters"].update(copy="no"),
        "no parameter 'copy'",
    ),
    "another imputer": (lambda d: d.update(impute="median"), "the imputer uses None"),
}


@pytest.mark.parametrize("case", HOSTILE_VALUES)
def test_values_that_no_model_has_are_refused(case, model_path):
    change, words = HOSTILE_VALUES[case]
    with_json(model_path, change)
    with pytest.raises(InputError, match=words):
        load_model(model_path)


MEANS = "estimator/xbar_"


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.ones(3), "3 features, but 4 are needed"),
        (np.ones((4, 1)), "must have 1 dimensions, but has 2"),
        (np.array([1, 2, np.nan, 4]), "must be finite"),
        (np.array([1, 2, np.inf, 4]), "must be finite"),
        (np.ones(4, dtype=int), "must not have the dtype int64"),
        (np.ones(4, dtype=complex), "cannot have the dtype complex128"),
        (np.ones(4, dtype=np.float16), "cannot have the dtype float16"),
        (np.array(["1", "2", "3", "4"]), "must not have the dtype <U1"),
    ],
    ids=["short", "wide", "nan", "infinite", "whole", "complex", "half", "text"],
)
def test_arrays_are_checked_before_use(array, words, model_path):
    with_array(model_path, MEANS, array)
    with pytest.raises(InputError, match=words):
        load_model(model_path)


def test_a_pickled_array_is_not_opened(model_path, tmp_path):
    class Runs:
        def __reduce__(self):
            return open, (str(tmp_path / "marker"), "w")

    stream = io.BytesIO()
    np.save(stream, np.array([Runs()], dtype=object), allow_pickle=True)
    write_members(model_path, {**members_of(model_path), f"{MEANS}.npy": stream.getvalue()})
    with pytest.raises(InputError, match="cannot have the dtype object"):
        load_model(model_path)
    assert not (tmp_path / "marker").exists()


def peak_of_refusing(path, words):
    """Load a bad file, and return the peak memory in bytes."""
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=words):
            load_model(path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_an_array_larger_than_the_file_is_refused_before_it_is_allocated(model_path):
    content = members_of(model_path)[f"{MEANS}.npy"]
    huge = content.replace(b"'shape': (4,), }          ", b"'shape': (40000000000,), }")
    assert huge != content
    write_members(model_path, {**members_of(model_path), f"{MEANS}.npy": huge})
    words = r"shape \(40000000000,\) and dtype float64 do not match 32 bytes"
    assert peak_of_refusing(model_path, words) < 2**20


def test_a_bomb_of_zeros_is_not_inflated(model_path):
    stream = io.BytesIO()
    np.save(stream, np.zeros(2**24))  # 128 MB, of which 130 kB are stored
    members = {**members_of(model_path), f"{MEANS}.npy": stream.getvalue()}
    write_members(model_path, members, zipfile.ZIP_DEFLATED)
    assert peak_of_refusing(model_path, "is compressed") < 2**20


def test_members_that_claim_more_than_the_file_are_not_read(model_path):
    content = bytearray(model_path.read_bytes())
    entry = content.index(b"PK\x01\x02", content.index(b"PK\x01\x02") + 1)
    content[entry + 20 : entry + 28] = (2**31).to_bytes(4, "little") * 2  # both sizes
    model_path.write_bytes(content)
    assert peak_of_refusing(model_path, "larger than the file") < 2**20


@pytest.mark.parametrize("depth", [100, 100_000])
def test_deep_nesting_is_refused(model_path, depth):
    members = members_of(model_path)
    members["model.json"] = b'{"format": ' + b"[" * depth + b"]" * depth + b"}"
    write_members(model_path, members)
    with pytest.raises(InputError, match="not a model file"):
        load_model(model_path)


def test_a_scale_of_zero_or_a_huge_factor_makes_no_map_of_nan(model_path, tmp_path, capsys):
    with_array(model_path, "estimator/scalings_", np.full((4, 2), 1e308))
    columns = ",".join(load("iris").feature_names)
    (tmp_path / "rows.csv").write_text(f"{columns}\n1e5,2e5,3e5,4e5\n")
    out = tmp_path / "map.csv"
    code = cli.main(["transform", str(model_path), str(tmp_path / "rows.csv"), "--out", str(out)])
    assert code == cli.EXIT_INPUT
    assert "the coordinates of row 1 in the map are not finite" in capsys.readouterr().err
    assert not out.exists()
    with_array(model_path, "scaler/scale_", np.full(4, 1e-300))
    assert cli.main(["export", str(model_path), "--onnx", str(out)]) == cli.EXIT_INPUT
    assert "is not finite" in capsys.readouterr().err
    assert not out.exists()
    with_array(model_path, "scaler/scale_", np.array([1.0, 0.0, 1.0, 1.0]))
    with pytest.raises(InputError, match="scale_ must be greater than 0"):
        load_model(model_path)


@pytest.mark.parametrize("far", [1e7, 1e30, 1e300])
def test_a_map_too_wide_for_opentsne_is_refused(far, tmp_path):
    """Its tree of cells would be too deep, and the process would end."""
    path = tmp_path / "model.skops"
    tsne = FisherTSNE(perplexity=10, max_iter=20, random_state=0)
    save_model(path, model_of(tsne, "fisher-tsne"))
    embedding = load_model(path).pipeline[-1].embedding_
    embedding[7, 1] = far
    with_array(path, "estimator/embedding_", embedding)
    with pytest.raises(InputError, match=r"must be at most 1e\+06"):
        load_model(path)


def model_of(estimator, name):
    iris = load("iris")
    return Model(make_pipeline(estimator.fit(iris.X, iris.y)), name, iris.feature_names, ["a"])


def test_what_could_run_is_not_saved(tmp_path):
    iris = load("iris")
    classifier = LogisticRegression(max_iter=500).fit(iris.X, iris.y)
    tsne = FisherTSNE(metric=FisherMetric(posterior=classifier), perplexity=10, max_iter=50)
    with pytest.raises(InputError, match=r"cannot be saved: posterior=LogisticRegression"):
        save_model(tmp_path / "m.skops", model_of(tsne, "fisher-tsne"))
    kernel = KernelDiscriminantAnalysis(kernel=lambda x, y: float(x @ y))
    with pytest.raises(InputError, match=r"cannot be saved: kernel=<function .* is a function"):
        save_model(tmp_path / "m.skops", model_of(kernel, "kda"))
    with pytest.raises(InputError, match="LogisticRegression"):
        save_model(tmp_path / "m.skops", Model(classifier, "lda", ["a"] * 4, ["a", "b"]))
    assert os.listdir(tmp_path) == []


def test_an_attribute_that_the_table_lacks_is_not_left_out_in_silence(tmp_path):
    model = fit_model(load("iris"), get_method("lda"))
    model.pipeline[-1].new_ = 3
    with pytest.raises(InputError, match="has the fitted attribute 'new_'"):
        save_model(tmp_path / "m.skops", model)


def test_the_same_model_gives_the_same_bytes(model_path, tmp_path):
    save_model(tmp_path / "again.skops", load_model(model_path))
    assert_array_equal(model_path.read_bytes(), (tmp_path / "again.skops").read_bytes())
