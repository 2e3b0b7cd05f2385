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
    assert "dask: 2 workers, dashboard at http" in err

    table = pd.concat([pd.read_parquet(path) for path in sorted(folder.glob("*.parquet"))])
    table.to_csv(folder / "all.csv", index=False)
    here = folder / "here.skops"
    arguments = ["fit", str(folder / "all.csv"), "--target", "kind", "--method", "plsda"]
    assert main([*arguments, "--model", str(here), "--quiet"]) == 0
    rows = table.drop(columns="kind").to_numpy()[:50]
    np.testing.assert_allclose(
        load_model(model).transform(rows), load_model(here).transform(rows), atol=1e-6
    )


def test_a_scheduler_that_does_not_answer_is_one_line_within_ten_seconds(folder, capsys):
    started = time.monotonic()
    arguments = ["--target", "kind", "--method", "sda", "--model", str(folder / "m.skops")]
    code = main(["fit", str(folder / "*.parquet"), *arguments, "--dask", "tcp://127.0.0.1:9"])
    assert time.monotonic() - started < 10
    assert code == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "no Dask scheduler answers at 'tcp://127.0.0.1:9'" in err


@pytest.mark.filterwarnings("ignore:The inplace keyword")
@pytest.mark.filterwarnings("ignore:An error occurred while calling the read_parquet")
@pytest.mark.parametrize(
    ("pattern", "arguments", "word"),
    [
        ("none*.parquet", ["--target", "kind", "--method", "sda"], "no file matches"),
        ("part*.parquet", ["--target", "sort", "--method", "sda"], "no column 'sort'"),
        ("part*.parquet", ["--method", "sda"], "--target"),
        ("part*.parquet", ["--target", "kind", "--method", "fisher-tsne"], "on Dask there are"),
        ("part*.parquet", ["--target", "s", "--method", "plsda"], "not numbers: kind"),
    ],
)
def test_bad_arguments_are_one_line(folder, cluster, capsys, pattern, arguments, word):
    where = ["--model", str(folder / "m.skops"), "--dask", cluster.scheduler_address, "--quiet"]
    assert main(["fit", str(folder / pattern), *arguments, *where]) == 2
    err = capsys.readouterr().err
    assert word in err
    assert err.count("\n") == 1
