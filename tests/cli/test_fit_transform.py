"""``discrimap fit`` and ``discrimap transform``: files in, files out, columns matched by name."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

from discrimap import cli
from discrimap.datasets import load
from discrimap.models import load_model

READERS = {
    "csv": pl.read_csv,
    "tsv": lambda path: pl.read_csv(path, separator="\t"),
    "parquet": pl.read_parquet,
    "arrow": pl.read_ipc,
    "feather": pl.read_ipc,
}


@pytest.fixture
def iris_csv(tmp_path):
    iris = load_iris(as_frame=True)
    table = pl.DataFrame(iris.data.to_numpy(), schema=["sl", "sw", "pl", "pw"])
    table = table.with_columns(kind=pl.Series(iris.target_names[iris.target]))
    table.write_csv(tmp_path / "iris.csv")
    return tmp_path / "iris.csv"


@pytest.fixture
def model(iris_csv, run, tmp_path):
    path = tmp_path / "model.skops"
    code, out, _ = run("fit", iris_csv, "--target", "kind", "--method", "plsda", "--model", path)
    assert code == 0
    assert "150 samples, 4 features, 3 classes, 2 components" in out
    return path


@pytest.mark.parametrize("chunk", [(), ("--chunk", "40")], ids=["whole", "chunks"])
@pytest.mark.parametrize("ending", READERS)
def test_a_map_in_every_format(iris_csv, model, run, tmp_path, ending, chunk):
    out = tmp_path / f"map.{ending}"
    code, printed, _ = run("transform", model, iris_csv, "--out", out, *chunk)
    assert code == 0
    assert printed == f"150 rows in 2 dimensions: {out}\n"
    frame = READERS[ending](out)
    assert frame.columns == ["plsda1", "plsda2"]
    assert_allclose(frame.to_numpy(), load_model(model).transform(load("iris").X), rtol=1e-9)
    assert sorted(os.listdir(tmp_path)) == ["iris.csv", out.name, "model.skops"]


@pytest.mark.parametrize("ending", ["tsv", "parquet", "arrow"])
def test_other_kinds_of_tables_are_read_in_chunks(iris_csv, model, run, tmp_path, ending):
    frame, source = pl.read_csv(iris_csv), tmp_path / f"iris.{ending}"
    if ending == "tsv":
        frame.write_csv(source, separator="\t")
    else:
        (frame.write_parquet if ending == "parquet" else frame.write_ipc)(source)
    for chunk, out in (((), "whole.csv"), (("--chunk", "37"), "parts.csv")):
        assert run("transform", model, source, "--out", tmp_path / out, *chunk)[0] == 0
    whole, parts = (pl.read_csv(tmp_path / name) for name in ("whole.csv", "parts.csv"))
    # Products of the last rows of a block may be rounded differently.
    assert_allclose(parts, whole, rtol=1e-12)


@pytest.mark.parametrize("chunk", [(), ("--chunk", "40")], ids=["whole", "chunks"])
def test_columns_are_matched_by_name(iris_csv, model, run, fails, tmp_path, chunk):
    frame = pl.read_csv(iris_csv)
    shuffled = tmp_path / "shuffled.csv"
    frame.select("pw", "sl", "pl", "sw").with_columns(extra=pl.lit("x")).write_csv(shuffled)
    for source, out in ((iris_csv, "a.csv"), (shuffled, "b.csv")):
        assert run("transform", model, source, "--out", tmp_path / out, *chunk)[0] == 0
    assert_array_equal(pl.read_csv(tmp_path / "a.csv"), pl.read_csv(tmp_path / "b.csv"))

    lacking = tmp_path / "lacking.csv"
    frame.drop("pl").write_csv(lacking)
    out = tmp_path / "c.csv"
    fails(
        "lacks columns that the model was fitted with: 'pl'",
        *("transform", model, lacking, "--out", out, *chunk),
    )
    assert not out.exists()


@pytest.mark.parametrize("chunk", [(), ("--chunk", "20")], ids=["whole", "chunks"])
def test_missing_values_are_filled_only_by_a_model_that_learnt_how(
    table, change_cells, run, fails, tmp_path, chunk
):
    path, model, out = table(), tmp_path / "m.skops", tmp_path / "map.csv"
    fit = ["fit", path, "--target", "kind", "--method", "lda", "--components", "1"]
    assert run(*fit, "--model", model)[0] == 0
    new = tmp_path / "new.csv"
    new.write_text(path.read_text())
    change_cells(new, {(50, "size"): "", (51, "colour"): "NA"})
    fails("fit the model with --impute", "transform", model, new, "--out", out, *chunk)
    assert not out.exists()

    code, printed, _ = run(*fit, "--model", model, "--impute", "median")
    assert code == 0
    assert "Missing values, also of new samples, are replaced by the median" in printed
    code, _, err = run("transform", model, new, "--out", out, *chunk)
    assert code == 0
    assert "1 missing values were replaced by the median" in err

    frame = pl.read_csv(path)
    median = frame["size"].median()
    change_cells(new, {(50, "size"): str(median), (51, "colour"): "green"})
    expected = pl.read_csv(out)
    assert run("transform", model, new, "--out", out, *chunk)[0] == 0
    assert_allclose(pl.read_csv(out), expected, rtol=1e-12)


def test_text_in_a_column_of_numbers_is_found_in_a_late_chunk(
    iris_csv, model, change_cells, fails, tmp_path
):
    change_cells(iris_csv, {(140, "pl"): "about 5"})
    out = tmp_path / "map.csv"
    fails(
        "column 'pl' must hold numbers, as it did when the model was fitted, but row 141 holds "
        "'about 5'",
        *("transform", model, iris_csv, "--out", out, "--chunk", "30"),
    )
    assert sorted(os.listdir(tmp_path)) == ["iris.csv", "model.skops"]


def test_fitting_a_continuous_target(run, tmp_path, rng):
    X = rng.standard_normal((40, 2))
    path, model = tmp_path / "n.csv", tmp_path / "m.skops"
    path.write_text("a,b,y\n" + "\n".join(f"{a},{b},{a * 2}" for a, b in X))
    code, out, _ = run("fit", path, "--target", "y", "--method", "pls", "--model", model)
    assert code == 0
    assert "a continuous target" in out
    assert load_model(model).classes == []


BAD_ARGUMENTS = {
    "unknown method": (["fit", "iris", "--method", "nope", "--model", "m"], "no method named"),
    "no method": (["fit", "iris", "--model", "m.skops"], "--method"),
    "model is a folder": (["fit", "iris", "--method", "pca", "--model", "."], "it is a folder"),
    "folder missing": (["fit", "iris", "--method", "pca", "--model", "no/m"], "there is no folder"),
    "too many components": (
        ["fit", "iris", "--method", "plsda", "--components", "9", "--model", "m.skops"],
        "n_components=9 exceeds n_features=4",
    ),
    "no components": (
        ["fit", "iris", "--method", "plsda", "--components", "0", "--model", "m.skops"],
        "n_components",
    ),
    "data absent": (
        ["fit", "no.csv", "--target", "y", "--method", "pca", "--model", "m"],
        "no.csv",
    ),
    "model absent": (
        ["transform", "absent.skops", "iris.csv", "--out", "z.csv"],
        "absent.skops does not exist",
    ),
    "unknown format": (
        ["transform", "absent.skops", "iris.csv", "--out", "z.xlsx"],
        "its extension",
    ),
    "empty chunk": (["transform", "m", "iris.csv", "--out", "z.csv", "--chunk", "0"], "--chunk 0"),
}


@pytest.mark.parametrize("case", BAD_ARGUMENTS)
def test_bad_arguments_give_one_line_and_no_file(case, fails, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments, message = BAD_ARGUMENTS[case]
    fails(message, *arguments)
    assert os.listdir(tmp_path) == []


def test_points_that_are_placed_together_are_not_cut_into_chunks(iris_csv, run, fails, tmp_path):
    model = tmp_path / "m.skops"
    fit = ["fit", iris_csv, "--target", "kind", "--method", "fisher-tsne", "--model", model]
    assert run(*fit)[0] == 0
    out = tmp_path / "map.csv"
    fails("leave it out", "transform", model, iris_csv, "--out", out, "--chunk", "50")


def test_two_processes_writing_one_file_leave_one_whole_file(iris_csv, model, tmp_path, rng):
    """Both maps differ in every row, so that a mixture of them would show."""
    frame = pl.read_csv(iris_csv).drop("kind")
    out, maps = tmp_path / "map.csv", []
    for k in (1, 1000):
        many = pl.concat([frame * k] * 200)
        many.write_parquet(tmp_path / f"rows{k}.parquet")
        maps.append(load_model(model).transform(many.to_numpy()))
    environment = os.environ | {"PYTHONPATH": str(Path(cli.__file__).parents[2])}
    command = [sys.executable, "-m", "discrimap.cli", "transform", str(model)]
    processes = [
        subprocess.Popen(
            [*command, tmp_path / f"rows{k}.parquet", "--out", out, "--chunk", "500"],
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        for k in (1, 1000)
        for _ in range(2)
    ]
    assert [process.wait(timeout=120) for process in processes] == [0, 0, 0, 0]
    written = pl.read_csv(out).to_numpy()
    assert any(np.array_equal(written, Z) or np.allclose(written, Z) for Z in maps)
    names = ["iris.csv", "map.csv", "model.skops", "rows1.parquet", "rows1000.parquet"]
    assert sorted(os.listdir(tmp_path)) == names


@pytest.fixture
def named_csv(iris_csv):
    """The table with codes of the rows, whose leading zeros must stay."""
    named = iris_csv.with_name("named.csv")
    codes = pl.Series("plant_id", [f"{number:03d}" for number in range(150)])
    pl.read_csv(iris_csv).insert_column(2, codes).write_csv(named)
    return named


@pytest.fixture
def named_model(named_csv, run, tmp_path):
    path = tmp_path / "named.skops"
    arguments = ("--target", "kind", "--method", "plsda", "--model", path)
    assert run("fit", named_csv, *arguments)[0] == 0
    return path


@pytest.mark.parametrize("chunk", [(), ("--chunk", "40")], ids=["whole", "chunks"])
def test_ids_travel_from_the_table_to_the_map(
    named_csv, named_model, iris_csv, model, run, fails, tmp_path, chunk
):
    assert load_model(named_model).id_name == "plant_id"
    out = tmp_path / "map.parquet"
    assert run("transform", named_model, named_csv, "--out", out, *chunk)[0] == 0
    frame = pl.read_parquet(out)
    assert frame.columns == ["plant_id", "plsda1", "plsda2"]
    assert frame["plant_id"].to_list() == [f"{number:03d}" for number in range(150)]
    # The map is that of a model without ids.
    assert run("transform", model, iris_csv, "--out", tmp_path / "plain.parquet")[0] == 0
    plain = pl.read_parquet(tmp_path / "plain.parquet")
    assert_allclose(frame.drop("plant_id").to_numpy(), plain.to_numpy(), rtol=1e-9)

    # A table without that column is mapped without ids, unless the user asks for them.
    assert run("transform", named_model, iris_csv, "--out", out, *chunk)[0] == 0
    assert pl.read_parquet(out).columns == ["plsda1", "plsda2"]
    assert run("transform", model, named_csv, "--out", out, "--id", "kind", *chunk)[0] == 0
    assert pl.read_parquet(out)["kind"].n_unique() == 3
    message = "has no column 'plant' (--id); the nearest is 'plant_id'"
    fails(message, "transform", model, named_csv, "--out", out, "--id", "plant", *chunk)


def test_an_id_that_is_named_is_no_feature_and_kept_in_the_model(named_csv, run, tmp_path):
    model = tmp_path / "m.skops"
    arguments = ("--target", "kind", "--id", "sl", "--method", "plsda", "--model", model)
    assert run("fit", named_csv, *arguments)[0] == 0
    loaded = load_model(model)
    assert loaded.id_name == "sl"
    assert loaded.feature_names == ["sw", "pl", "pw"]


def test_ids_of_an_archive(iris_csv, model, run, fails, tmp_path):
    path, out = tmp_path / "iris.npz", tmp_path / "map.csv"
    iris = load("iris")
    np.savez(path, X=iris.X, y=iris.y, sample=np.arange(150) + 7, other=np.ones(3))
    assert run("transform", model, path, "--out", out, "--id", "sample")[0] == 0
    assert pl.read_csv(out)["sample"].to_list() == list(range(7, 157))
    fails("no column 'other' (--id)", "transform", model, path, "--out", out, "--id", "other")


def test_an_id_column_named_as_a_dimension_is_refused(iris_csv, model, fails, tmp_path):
    again = tmp_path / "again.csv"
    pl.read_csv(iris_csv).with_columns(plsda1=pl.col("sl")).write_csv(again)
    arguments = (model, again, "--out", tmp_path / "map.csv", "--id", "plsda1")
    fails("has the same name as a dimension of the map", "transform", *arguments)


def test_an_estimator_of_the_user_is_not_saved(iris_csv, fails, tmp_path):
    arguments = ("--target", "kind", "--method", "sklearn.decomposition:PCA")
    message = "your own estimators can be compared but not saved"
    fails(message, "fit", iris_csv, *arguments, "--model", tmp_path / "m.skops")


@pytest.mark.parametrize("option", ["--id", "--layer"])
@pytest.mark.parametrize("command", ["fit", "compare"])
def test_options_that_need_data_in_memory_are_refused_with_dask(
    iris_csv, fails, tmp_path, option, command
):
    model = ("--method", "sda", "--model", tmp_path / "m.skops") if command == "fit" else ()
    arguments = ("--target", "kind", "--dask", "local", option, "sl", *model)
    fails(f"{option} cannot be used with --dask; leave it out", command, iris_csv, *arguments)
