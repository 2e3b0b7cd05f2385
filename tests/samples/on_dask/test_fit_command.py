import json
import re
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from discrimap.cli import main
from discrimap.models import load_model


@pytest.fixture
def folder(classes, tmp_path):
    """Three Parquet files of two features of different scales and text labels."""
    X, y = classes
    for number, rows in enumerate(np.array_split(np.arange(len(X)), 3)):
        table = pd.DataFrame(X[rows] * np.logspace(0, 3, 8), columns=list("stuvwxyz"))
        table["kind"] = np.array(list("abcde"))[y[rows]]
        table.to_parquet(tmp_path / f"part{number}.parquet")
    return tmp_path


# Of dask and pandas among themselves, not of ours.
@pytest.mark.filterwarnings("ignore:The inplace keyword")
@pytest.mark.filterwarnings("ignore:An error occurred while calling the read_parquet")
def test_a_folder_is_fitted_on_the_cluster_as_in_memory(folder, cluster, capsys):
    pattern, address = str(folder / "part*.parquet"), cluster.scheduler_address
    model = folder / "there.skops"
    arguments = ["fit", pattern, "--target", "kind", "--method", "plsda", "--model", str(model)]
    assert main([*arguments, "--dask", address]) == 0
    out, err = capsys.readouterr()
    assert "PLS-DA: 1200 samples, 8 features, 5 classes, 2 components." in out
    assert "dask: 2 workers of 1.00 GiB, dashboard at http" in err

    table = pd.concat([pd.read_parquet(path) for path in sorted(folder.glob("*.parquet"))])
    table.to_csv(folder / "all.csv", index=False)
    here = folder / "here.skops"
    arguments = ["fit", str(folder / "all.csv"), "--target", "kind", "--method", "plsda"]
    assert main([*arguments, "--model", str(here), "--quiet"]) == 0
    rows = table.drop(columns="kind").to_numpy()[:50]
    np.testing.assert_allclose(
        load_model(model).transform(rows), load_model(here).transform(rows), atol=1e-6
    )


def test_without_an_address_processes_are_started_and_ended(folder):
    """Run the command in a process, with a memory limit and progress on stderr."""
    model = folder / "local.skops"
    arguments = ["fit", "part*.parquet", "--target", "kind", "--method", "sda", "--model", model]
    command = [sys.executable, "-m", "discrimap.cli", *map(str, arguments)]
    answer = subprocess.run(
        [*command, "--dask", "--workers", "2", "--memory", "900MiB"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert answer.returncode == 0, answer.stderr
    lines = answer.stderr.splitlines()
    match = re.match(r"dask: 2 workers of 900.00 MiB, dashboard at http://[\w.:]+/status", lines[0])
    assert match, answer.stderr
    assert lines[1] == "SDA: 8 features in 3 partitions ..."
    # A worker of Dask that sends a sign of life while the cluster is closed writes a traceback last.
    done = next(k for k, line in enumerate(lines) if line.startswith("SDA: done after"))
    assert any("iteration" in line for line in lines[2:done]), answer.stderr
    assert "SDA: 1200 samples, 8 features, 5 classes, 2 components." in answer.stdout
    assert load_model(model).transform(np.zeros((3, 8))).shape == (3, 2)


def test_a_scheduler_that_does_not_answer_is_one_line_within_ten_seconds(folder, capsys):
    started = time.monotonic()
    arguments = ["--target", "kind", "--method", "sda", "--model", str(folder / "m.skops")]
    code = main(["fit", str(folder / "*.parquet"), *arguments, "--dask", "tcp://127.0.0.1:9"])
    assert time.monotonic() - started < 10
    assert code == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "no Dask scheduler answered at 'tcp://127.0.0.1:9'" in err


@pytest.mark.filterwarnings("ignore:The inplace keyword")
@pytest.mark.filterwarnings("ignore:An error occurred while calling the read_parquet")
@pytest.mark.parametrize(
    ("pattern", "arguments", "word"),
    [
        ("none*.parquet", ["--target", "kind", "--method", "sda"], "no file matches"),
        ("part*.parquet", ["--target", "sort", "--method", "sda"], "no column 'sort'"),
        ("part*.parquet", ["--method", "sda"], "--target"),
        ("part*.parquet", ["--target", "kind", "--method", "fisher-tsne"], "does not run on Dask"),
        ("part*.parquet", ["--target", "s", "--method", "plsda"], "not numbers: kind"),
        (
            "part*.parquet",
            ["--target", "s", "--method", "plsda", "--task", "regression"],
            "needs class labels",
        ),
    ],
)
def test_bad_arguments_are_one_line(folder, cluster, capsys, pattern, arguments, word):
    where = ["--model", str(folder / "m.skops"), "--dask", cluster.scheduler_address, "--quiet"]
    assert main(["fit", str(folder / pattern), *arguments, *where]) == 2
    err = capsys.readouterr().err
    assert word in err
    assert err.count("\n") == 1


@pytest.mark.filterwarnings("ignore:The inplace keyword")
@pytest.mark.filterwarnings("ignore:An error occurred while calling the read_parquet")
def test_methods_are_compared_on_the_cluster(folder, cluster, capsys):
    result = folder / "result.json"
    arguments = ["--target", "kind", "--methods", "plsda,lslda,nca", "--repeats", "1"]
    where = ["--dask", cluster.scheduler_address, "--json", str(result)]
    assert main(["compare", str(folder / "part*.parquet"), *arguments, *where]) == 0
    out, err = capsys.readouterr()
    assert "dask: 2 workers of 1.00 GiB" in err
    assert "plsda: 1 of 1 splits" in err
    assert "1200 samples, 8 features, 5 classes" in out
    assert "NCA: skipped: needs all samples in memory" in out
    found = json.loads(result.read_text())["results"]
    assert [row["status"] for row in found] == ["done", "done", "skipped"]
    assert max(found[0]["test_errors"]) < 0.4 < min(found[0]["permuted_errors"])


def test_a_report_needs_samples_in_memory(folder, capsys):
    arguments = ["--target", "kind", "--out", str(folder / "report.html"), "--dask"]
    assert main(["compare", str(folder / "part*.parquet"), *arguments]) == 2
    assert "--out, --suspects and --impute cannot be used with --dask" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore:The inplace keyword")
@pytest.mark.filterwarnings("ignore:An error occurred while calling the read_parquet")
def test_a_comparison_of_numbers_is_refused(folder, cluster, capsys):
    arguments = ["--target", "s", "--task", "regression", "--dask", cluster.scheduler_address]
    assert main(["compare", str(folder / "part*.parquet"), *arguments]) == 2
    assert "leave out is_labelled, impute and task='regression'" in capsys.readouterr().err
