"""AnnData objects and files: sparse counts stay sparse, names are kept, bad files raise errors."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import anndata
import h5py
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from discrimap import cli
from discrimap.comparison import Protocol, compare
from discrimap.datasets import read_features, read_table
from discrimap.errors import InputError
from discrimap.models import load_model

FAST = Protocol(n_repeats=2)


@pytest.fixture
def cells(rng):
    """Counts of 80 cells of two types with 12 genes, the first three of which differ."""
    n = 80
    kind = np.arange(n) % 2
    rates = np.ones((n, 12))
    rates[:, :3] += 6 * kind[:, np.newaxis]
    counts = sparse.csr_matrix(rng.poisson(rates).astype(np.float32))
    obs = pd.DataFrame(
        {
            "cell_type": pd.Categorical(np.where(kind, "T cell", "B cell")),
            "donor": [f"D{i // 8}" for i in range(n)],
            "depth": np.asarray(counts.sum(axis=1)).ravel(),
            "score": pd.array([None if i % 9 == 0 else i % 3 for i in range(n)], dtype="Int64"),
            "is_good": pd.array(
                [None if i == 4 else i % 2 == 0 for i in range(n)], dtype="boolean"
            ),
            "batch": rng.integers(0, 2, n),
        },
        index=[f"AAAC-{i}" for i in range(n)],
    )
    obs.loc["AAAC-3", "cell_type"] = None
    data = anndata.AnnData(counts, obs=obs, var=pd.DataFrame(index=[f"gene{j}" for j in range(12)]))
    data.obsm["X_pca"] = rng.standard_normal((n, 4)) + 2 * kind[:, np.newaxis]
    data.layers["dense"] = counts.toarray() * 2
    data.layers["csc"] = sparse.csc_matrix(counts)
    return data


@pytest.fixture
def path(cells, tmp_path):
    cells.write_h5ad(tmp_path / "cells.h5ad")
    return tmp_path / "cells.h5ad"


HOW = {"target": "cell_type", "unlabelled": "keep", "task": "auto"}


def test_columns_of_obs_are_shown_with_the_points(cells, tmp_path, monkeypatch):
    """Paths of pictures begin at the folder of the file, or at the current one."""
    cells.obs["note"] = [f"note {i}" for i in range(80)]
    cells.obs["photo"] = [f"{i}.png" for i in range(80)]
    (tmp_path / "7.png").write_bytes(b"a picture")
    cells.write_h5ad(tmp_path / "cells.h5ad")
    monkeypatch.chdir(tmp_path)
    for source, folder in ((cells, Path()), (tmp_path / "cells.h5ad", tmp_path)):
        found = read_table(source, **HOW, text="note", image="photo")
        assert found.texts.tolist() == cells.obs["note"].tolist()
        assert found.images.tolist() == [str(folder / f"{i}.png") for i in range(80)]
        assert found.feature_names == [f"gene{j}" for j in range(12)]
    with pytest.raises(InputError, match="no column 'words'"):
        read_table(cells, **HOW, text="words")


@pytest.mark.parametrize("layer", [None, "dense", "csc", "X_pca"])
def test_the_file_is_read_as_the_object(cells, path, layer):
    here, there = (read_table(data, layer=layer, **HOW) for data in (cells, path))
    expected = cells.obsm["X_pca"] if layer == "X_pca" else cells.X.toarray()
    expected = expected * 2 if layer == "dense" else expected
    for dataset in (here, there):
        assert sparse.issparse(dataset.X) == (layer in (None, "csc"))
        X = dataset.X.toarray() if sparse.issparse(dataset.X) else dataset.X
        assert_allclose(X, expected)
        assert dataset.X.dtype == (np.float64 if layer == "X_pca" else np.float32)
        assert dataset.ids.tolist() == cells.obs_names.tolist()
        assert dataset.id_name == "obs_names"
        assert dataset.target_names == ["B cell", "T cell"]
        assert_array_equal(np.flatnonzero(~dataset.is_labelled), [3])
        assert "donor" in dataset.notices[0]  # seems to name groups
    names = [f"X_pca{j}" for j in range(1, 5)] if layer == "X_pca" else list(cells.var_names)
    assert here.feature_names == there.feature_names == names
    assert here.notices == there.notices


@pytest.mark.parametrize("target", ["depth", "score", "is_good", "batch"])
def test_columns_of_every_kind_can_be_the_target(cells, path, target):
    how = {**HOW, "target": target}
    here, there = read_table(cells, **how), read_table(path, **how)
    assert_array_equal(here.y, there.y)
    assert_array_equal(here.is_labelled, there.is_labelled)
    assert here.target_names == there.target_names
    assert_array_equal(here.is_labelled, cells.obs[target].notna())


def test_the_figures_of_the_object_are_those_of_its_file_on_the_command_line(cells, path, tmp_path):
    json_path, page = tmp_path / "r.json", tmp_path / "r.html"
    before = path.read_bytes()
    arguments = (
        "--target cell_type --groups donor --methods pca,sda --repeats 2 --jobs 1 --budget 0"
    )
    outputs = ["--json", str(json_path), "--out", str(page), "--quiet"]
    assert cli.main(["compare", str(path), *arguments.split(), *outputs]) == 0
    result = json.loads(json_path.read_text())
    here = compare(cells, target="cell_type", groups="donor", methods=["pca", "sda"], protocol=FAST)
    assert {one["name"]: one["test_errors"] for one in result["results"]} == {
        one.name: list(one.test_errors) for one in here.done
    }
    assert len(here.done) == 2
    assert sparse.issparse(here.dataset.X)
    assert here.dataset.ids[2] == "AAAC-2"
    assert path.read_bytes() == before


def test_a_layer_is_compared_and_arrays_beside_the_object_serve(cells):
    comparison = compare(
        cells, target="cell_type", layer="X_pca", methods=["lda"], protocol=FAST,
        groups=np.arange(80) // 4, ids=np.arange(80),
    )  # fmt: skip
    assert comparison.n_features == 4
    assert comparison.held_out != "at random"
    assert comparison.dataset.ids[7] == "7"
    with pytest.raises(InputError, match="needs target"):
        compare(cells, cells.obs["batch"])
    with pytest.raises(InputError, match="the nearest is 'X_pca'"):
        compare(cells, target="cell_type", layer="X_pcaa")


def test_the_object_is_left_alone_when_values_are_imputed(cells):
    cells.layers["dense"][5, 2] = np.nan
    before = cells.layers["dense"].copy()
    dataset = read_table(cells, layer="dense", impute="median", **HOW)
    assert np.isfinite(dataset.X).all()
    assert_array_equal(cells.layers["dense"], before)
    with pytest.raises(InputError, match="missing values"):
        read_table(cells, layer="dense", **HOW)


@pytest.fixture
def model(path, tmp_path):
    model = tmp_path / "model.skops"
    arguments = ["fit", str(path), "--target", "cell_type", "--method", "sda", "--quiet"]
    assert cli.main([*arguments, "--model", str(model)]) == 0
    return model


def test_a_map_is_added_to_a_copy_of_the_file(cells, path, model, tmp_path):
    out, before = tmp_path / "mapped.h5ad", path.read_bytes()
    assert cli.main(["transform", str(model), str(path), "--out", str(out)]) == 0
    assert path.read_bytes() == before
    mapped = anndata.read_h5ad(out)
    expected = load_model(model).transform(cells.X)
    assert_allclose(mapped.obsm["X_sda"], expected, rtol=1e-5, atol=1e-6)
    # All else is as it was.
    del mapped.obsm["X_sda"]
    original = anndata.read_h5ad(path)
    assert_array_equal(mapped.X.toarray(), original.X.toarray())
    assert mapped.obs.equals(original.obs)
    assert list(mapped.layers) == list(original.layers)
    # Mapping the copy again replaces the map.
    again = tmp_path / "again.h5ad"
    assert cli.main(["transform", str(model), str(out), "--out", str(again)]) == 0
    assert_allclose(anndata.read_h5ad(again).obsm["X_sda"], expected, rtol=1e-5, atol=1e-6)


def test_a_map_as_a_table_has_the_names_of_the_cells(cells, path, model, tmp_path):
    out = tmp_path / "map.csv"
    assert cli.main(["transform", str(model), str(path), "--out", str(out)]) == 0
    frame = pl.read_csv(out)
    assert frame.columns == ["obs_names", "sda1", "sda2"]
    assert frame["obs_names"].to_list() == cells.obs_names.tolist()
    assert cli.main(["transform", str(model), str(path), "--out", str(out), "--id", "donor"]) == 0
    assert pl.read_csv(out)["donor"].to_list() == cells.obs["donor"].tolist()


def test_genes_are_matched_by_name(cells, model, tmp_path):
    shuffled = cells[:, ::-1].copy()
    other = tmp_path / "other.h5ad"
    shuffled.write_h5ad(other)
    names = load_model(model).feature_names
    assert_array_equal(read_features(other, names).X.toarray(), cells.X.toarray())
    cells[:, 1:].copy().write_h5ad(other)
    with pytest.raises(InputError, match=r"lacks 1 of the 12 columns.*first 'gene0'"):
        read_features(other, names)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("{path}", "--out", "{path}"), "would overwrite the data"),
        (("{csv}", "--out", "{out}"), "the data must be an .h5ad file too"),
        (("{path}", "--out", "{out}", "--chunk", "5"), "cannot be read in parts"),
        (("{path}", "--out", "{out}", "--layer", "nothing"), "has no layer 'nothing'"),
        (("{path}", "--out", "{out}.csv", "--id", "donr"), "the nearest is 'donor'"),
        (("{csv}", "--out", "{out}.csv", "--layer", "X_pca"), "is for .h5ad files"),
    ],
)
def test_transforms_that_cannot_be_done_leave_nothing(
    path, model, tmp_path, capsys, arguments, message
):
    (tmp_path / "data.csv").write_text("a,b\n1,2\n")
    places = {"path": path, "csv": tmp_path / "data.csv", "out": tmp_path / "out.h5ad"}
    before = path.read_bytes()
    code = cli.main(["transform", str(model), *(word.format(**places) for word in arguments)])
    assert code == cli.EXIT_INPUT
    assert message in capsys.readouterr().err
    assert not places["out"].exists()
    assert path.read_bytes() == before
    assert not list(tmp_path.glob(".*"))


def _replace(file, key, make):
    del file[key]
    make(file)


def _link_out(file, key, other):
    del file[key]
    file[key] = h5py.ExternalLink(str(other), "/secret")


def _store_outside(file, other):
    del file["X"]
    file.create_dataset("X", (80, 12), "u1", external=[(str(other), 0, 960)])


def _promise_much(file):
    del file["X"]
    file.create_dataset("X", (80, 2**40), "f8", chunks=(1, 1000), compression="gzip")


HOSTILE = {
    "X in another file": (lambda f, o: _link_out(f, "X", o), "'X' is a link"),
    "obs in another file": (lambda f, o: _link_out(f, "obs", o), "'obs' is a link"),
    "a column in another file": (lambda f, o: _link_out(f, "obs/cell_type", o), "is a link"),
    "bytes of another file": (_store_outside, "stored in another file"),
    "a soft link": (
        lambda f, o: f.move("X", "Y") or f.__setitem__("X", h5py.SoftLink("/Y")),
        "is a link",
    ),
    "more than it holds": (lambda f, o: _promise_much(f), "cannot hold"),
    "objects": (
        lambda f, o: _replace(f, "X", lambda f: f.create_dataset("X", (80,), h5py.ref_dtype)),
        "must hold real numbers",
    ),
    "a group of numbers": (
        lambda f, o: _replace(f, "X/data", lambda f: f["X"].create_group("data")),
        "must hold real numbers",
    ),
    "categories in a group": (
        lambda f, o: _replace(
            f, "obs/cell_type/categories", lambda f: f["obs/cell_type"].create_group("categories")
        ),
        "no column 'cell_type'",
    ),
    "no X": (lambda f, o: f.__delitem__("X"), "has no 'X'"),
    "no obs": (lambda f, o: f.__delitem__("obs"), "has no 'obs'"),
    "a table as X": (
        lambda f, o: f.__delitem__("X") or f.copy("obs", "X"),
        "must be a matrix of numbers",
    ),
    "too few names": (
        lambda f, o: _replace(
            f, "var/_index", lambda f: f["var"].create_dataset("_index", data=["a"])
        ),
        "12 columns, but there are 1 names",
    ),
    "too many cells": (
        lambda f, o: f["X"].attrs.__setitem__("shape", [90, 12]),
        "not hold a valid sparse matrix",
    ),
    "wild indices": (
        lambda f, o: f["X/indices"].__setitem__(0, 10**6),
        "not hold a valid sparse matrix",
    ),
    "wild codes": (
        lambda f, o: f["obs/cell_type/codes"].__setitem__(0, 9),
        "codes that exceed its",
    ),
    "an old table": (
        lambda f, o: _replace(f, "obs", lambda f: f.create_dataset("obs", data=np.ones(3))),
        "before 0.7",
    ),
    "no index": (lambda f, o: f["obs"].attrs.__delitem__("_index"), "has no index"),
}


@pytest.mark.parametrize("fault", HOSTILE)
def test_hostile_and_odd_files_are_refused_in_words(path, tmp_path, fault):
    change, message = HOSTILE[fault]
    other = tmp_path / "other.h5"
    with h5py.File(other, "w") as file:
        file["secret"] = np.arange(960.0).reshape(80, 12)
    with h5py.File(path, "r+") as file:
        change(file, other)
    with pytest.raises(InputError, match=message):
        read_table(path, **HOW)


def test_a_map_is_never_written_behind_a_link(path, model, tmp_path, capsys):
    """A copy whose obsm is in another file would change that file."""
    other = tmp_path / "other.h5"
    with h5py.File(other, "w") as file:
        file.create_group("secret")
    with h5py.File(path, "r+") as file:
        _link_out(file, "obsm", other)
    before, out = other.read_bytes(), tmp_path / "out.h5ad"
    assert cli.main(["transform", str(model), str(path), "--out", str(out)]) == cli.EXIT_INPUT
    assert "'obsm' is a link" in capsys.readouterr().err
    assert other.read_bytes() == before
    assert not out.exists()


def test_damaged_files_are_refused(path, tmp_path, rng):
    whole = path.read_bytes()
    damaged = tmp_path / "damaged.h5ad"
    damaged.write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="not an HDF5 file"):
        read_table(damaged, **HOW)
    for end in (600, len(whole) // 2, len(whole) - 200):
        damaged.write_bytes(whole[:end])
        with pytest.raises(InputError):
            read_table(damaged, **HOW)
    shutil.copy(path, damaged)
    with pytest.raises(InputError, match="the nearest is 'cell_type'"):
        read_table(damaged, **{**HOW, "target": "cell_typ"})


def test_neither_package_is_imported_without_need():
    program = (
        "import sys, discrimap.datasets, discrimap.comparison, discrimap.cli; "
        "print(*({'anndata', 'h5py'} & set(sys.modules)))"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (answer.stdout.split(), answer.stderr) == ([], "")


def test_a_file_without_h5py_says_what_to_install(path, monkeypatch):
    monkeypatch.setattr("discrimap.tables.h5ad_files.is_installed", lambda package: False)
    with pytest.raises(InputError, match=r"pip install 'discrimap\[anndata\]'"):
        read_table(path, **HOW)
