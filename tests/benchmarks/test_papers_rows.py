"""Scripts of the papers' tables: a row that fails, a run that goes on, a data set that is missing."""

import importlib
import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "papers"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module


@pytest.fixture
def no_data(monkeypatch, tmp_path):
    """An empty folder of data sets, and no network."""
    folder = tmp_path / "no_data"
    folder.mkdir()
    monkeypatch.setenv("DISCRIMAP_DATA", str(folder))

    def no_network(*arguments, **options):
        raise OSError("no network")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", no_network)


def comparators_with(script, monkeypatch, tmp_path, **rows):
    """Run the script with these rows; its results."""
    module = script("comparators")
    made = [module.Row(data, data, make, 0.9, 0.1) for data, make in rows.items()]
    monkeypatch.setattr(module, "ROWS", made)
    monkeypatch.setattr("sys.argv", ["comparators", "--repeats", "2", "--out", str(tmp_path)])
    module.main()
    assert (tmp_path / "comparators.md").is_file()
    return json.loads((tmp_path / "comparators.json").read_text())["rows"]


def test_a_broken_row_of_the_comparators_loses_nothing(script, monkeypatch, tmp_path, no_data):
    module = script("comparators")
    calls = []

    def counted(seed, X):
        calls.append(seed)
        return module.spca(seed, X)

    def broken(seed, X):
        raise ZeroDivisionError

    rows = comparators_with(script, monkeypatch, tmp_path, wine=broken, usps=counted, iris=counted)
    found = {
        key.split("/")[1]: (row.get("problem"), list(row["runs"])) for key, row in rows.items()
    }
    assert found["wine"] == ("failed: ZeroDivisionError", [])
    assert found["usps"][0].startswith("not available (the data set 'usps'")
    assert found["iris"] == (None, ["0", "1"])
    assert calls == [0, 1]
    # A second call makes only what is missing, and the repaired row.
    rows = comparators_with(script, monkeypatch, tmp_path, wine=counted, iris=counted)
    assert calls == [0, 1, 0, 1]
    assert all(len(row["runs"]) == 2 for key, row in rows.items() if "usps" not in key)


def test_a_broken_column_of_category_space_loses_nothing(script, monkeypatch, no_data):
    category = script("category")
    calls, saved = [], []

    def score(name, method, origin, run):
        calls.append((name, method, run))
        if method == "PCA" and run == 1:
            raise ZeroDivisionError
        return {"accuracy": 50.0, "seconds": 0.0}

    columns = [("PCA", ""), ("CQS", "global")]
    monkeypatch.setitem(category.TABLES, "table1", (columns, score, 3))
    results = {"table1": {"iris": {"CQS global": {"0": {"accuracy": 1.0, "seconds": 0.0}}}}}

    def save(*keys):
        saved.append(keys)

    category.fill_table("table1", results, ["seeds", "iris"], 3, 1, save)
    table = results["table1"]
    assert table["seeds"]["problem"].startswith("not available (the data set 'seeds'")
    assert list(table["iris"]["PCA"]) == ["0"]  # kept, as it was made before the failure
    assert list(table["iris"]["CQS global"]) == ["0", "1", "2"]
    assert ("iris", "CQS", 0) not in calls  # it was there
    assert saved.count(("table1", "iris", "CQS global")) == 2  # run by run


def test_a_broken_reading_loses_nothing(script, monkeypatch, tmp_path, no_data):
    readings, comparators = script("readings"), script("comparators")

    def broken(seed, X):
        raise ZeroDivisionError

    monkeypatch.setitem(readings.PAPER, ("iris", "SPCA"), (0.9, 0.1))
    monkeypatch.setitem(readings.PAPER, ("usps", "SPCA"), (0.9, 0.1))
    made = [
        readings.Reading("usps", "SPCA", "missing", comparators.spca),
        readings.Reading("iris", "SPCA", "broken", broken),
        readings.Reading("iris", "SPCA", "plain", comparators.spca),
    ]
    monkeypatch.setattr(readings, "READINGS", made)
    assert [entry.words for entry in readings.left_to_run({})] == ["broken", "plain"]
    readings.main(["--out", str(tmp_path)])
    stored = json.loads((tmp_path / "comparators.json").read_text())["readings"]
    assert list(stored) == ["iris/SPCA/standardised/plain"]
    assert list(stored["iris/SPCA/standardised/plain"]["runs"]) == ["50"]
    assert [entry.words for entry in readings.left_to_run(stored)] == ["broken"]
    page = (tmp_path / "comparators.md").read_text()
    assert "- iris, SPCA: 1 reading gives 0." in page


def test_other_scripts_leave_out_what_is_missing(script, monkeypatch, tmp_path, no_data, capsys):
    assert script("fisher_maps").problems() == {}
    assert "Aural Sonar: not available (the data set 'aural_sonar'" in capsys.readouterr().out
    components = script("components")
    monkeypatch.setattr(components, "DOCS", tmp_path)
    components.run("mfeat", ["PCA"], "components")
    components.dimension_curve((2,), "components")
    assert "isolet: not available (the data set 'isolet'" in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", ["projections", "--out", str(tmp_path)])
    projections = script("projections")
    projections.main()
    text = capsys.readouterr().out
    for part in projections.PARTS:
        assert f"{part}: not available (the data set " in text
    assert (tmp_path / "projections.md").is_file()


def test_one_data_set_of_a_table_without_the_other(script, monkeypatch, no_data):
    projections = script("projections")
    samples = ([[0.0]], [0])
    monkeypatch.setattr(projections, "load_mushroom", lambda: samples)
    projections.load_table_1.cache_clear()
    assert projections.load_table_1() == {"Mushroom": samples}
    projections.load_table_1.cache_clear()
    row = {"n_samples": 1, "majority": 0.5}
    methods = ("DP 1-D", "DP 30-D", "LDA 1-D", "LPP 1-D", "LPP 30-D", "PCA 30-D", "original")
    lines = projections.table_1_page({"Mushroom": [row | dict.fromkeys(methods, 0.5)]})
    assert any(line.startswith("| Mushroom (1) | ours | 50.0") for line in lines)
