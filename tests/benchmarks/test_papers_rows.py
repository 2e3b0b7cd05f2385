"""Scripts of the papers' tables: a row that fails, a run that goes on, a data set that is missing."""

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def script(monkeypatch):
    """Import an experiment of the papers by its name."""
    monkeypatch.syspath_prepend(str(ROOT))
    return lambda name: importlib.import_module(f"benchmarks.papers.{name}")


@pytest.fixture
def store(script, tmp_path):
    """Open the store of an experiment by its name."""
    results = importlib.import_module("benchmarks.results")
    return lambda name: results.Store(name, tmp_path)


@pytest.fixture
def no_data(monkeypatch, tmp_path):
    """An empty folder of data sets, and no network."""
    folder = tmp_path / "no_data"
    folder.mkdir()
    monkeypatch.setenv("DISCRIMAP_DATA", str(folder))

    def no_network(*arguments, **options):
        raise OSError("no network")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", no_network)


def comparators_with(script, monkeypatch, store, **rows):
    """Run the experiment with these rows; its results."""
    module = script("comparators")
    made = [module.Row(data, data, make, 0.9, 0.1) for data, make in rows.items()]
    monkeypatch.setattr(module, "ROWS", made)
    module.main(["--repeats", "2", "--results", str(store("comparators").path.parent)])
    return store("comparators").tree("rows")


def test_a_broken_row_of_the_comparators_loses_nothing(script, monkeypatch, store, no_data):
    module = script("comparators")
    calls = []

    def counted(seed, X):
        calls.append(seed)
        return module.spca(seed, X)

    def broken(seed, X):
        raise ZeroDivisionError

    rows = comparators_with(script, monkeypatch, store, wine=broken, usps=counted, iris=counted)
    found = {
        key.split("/")[1]: (row.get("problem"), list(row.get("runs", [])))
        for key, row in rows.items()
    }
    assert found["wine"] == ("failed: ZeroDivisionError", [])
    assert found["usps"][0].startswith("not available (the data set 'usps'")
    assert found["iris"] == (None, ["0", "1"])
    assert calls == [0, 1]
    # A second call makes only what is missing, and the repaired row.
    rows = comparators_with(script, monkeypatch, store, wine=counted, iris=counted)
    assert calls == [0, 1, 0, 1]
    assert all(len(row["runs"]) == 2 for key, row in rows.items() if "usps" not in key)


def test_a_broken_column_of_category_space_loses_nothing(script, monkeypatch, store, no_data):
    category = script("category")
    calls, stored_before = [], []
    category_store = store("category")

    def score(name, method, origin, run):
        calls.append((name, method, run))
        stored_before.append(len(category_store.rows("table1", "iris", "CQS global")))
        if method == "PCA" and run == 1:
            raise ZeroDivisionError
        return {"accuracy": 50.0, "seconds": 0.0}

    columns = [("PCA", ""), ("CQS", "global")]
    monkeypatch.setitem(category.TABLES, "table1", (columns, score, 3))
    category_store.put(("table1", "iris", "CQS global", 0), {"accuracy": 1.0, "seconds": 0.0})
    category.fill_table("table1", category_store, ["seeds", "iris"], 3, 1)
    table = category_store.tree("table1")
    assert table["seeds"]["problem"].startswith("not available (the data set 'seeds'")
    assert list(table["iris"]["PCA"]) == ["0"]  # kept, as it was made before the failure
    assert list(table["iris"]["CQS global"]) == ["0", "1", "2"]
    assert table["iris"]["CQS global"]["0"]["accuracy"] == 1.0
    assert ("iris", "CQS", 0) not in calls  # it was there
    assert stored_before[-1] == 2  # stored run by run


def test_a_broken_reading_loses_nothing(script, monkeypatch, store, tmp_path, no_data):
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
    readings.main(["--results", str(tmp_path)])
    stored = store("comparators").tree("readings")
    assert list(stored) == ["iris/SPCA/standardised/plain"]
    entry = stored["iris/SPCA/standardised/plain"]
    assert list(entry["runs"]) == ["50"]
    assert 0.5 < entry["runs"]["50"]["accuracy"] <= 1.0
    assert (entry["paper"], entry["deviation"]) == (0.9, 0.1)
    assert [entry.words for entry in readings.left_to_run(stored)] == ["broken"]


def test_other_experiments_leave_out_what_is_missing(script, store, tmp_path, no_data, capsys):
    assert script("fisher_maps").problems() == {}
    assert "Aural Sonar: not available (the data set 'aural_sonar'" in capsys.readouterr().out
    components = script("components")
    components.run(store("components"), "mfeat", ["PCA"])
    assert "mfeat: not available (the data set 'mfeat_fou'" in capsys.readouterr().out
    components.dimension_curve(store("components"), (2,))
    assert "isolet: not available (the data set 'isolet'" in capsys.readouterr().out
    projections = script("projections")
    projections.main(["--results", str(tmp_path)])
    text = capsys.readouterr().out
    for part in projections.PARTS:
        assert f"{part}: not available (the data set " in text
    assert store("components").records() == store("projections").records() == {}


def test_one_data_set_of_a_table_without_the_other(script, monkeypatch, no_data):
    projections = script("projections")
    samples = ([[0.0]], [0])
    monkeypatch.setattr(projections, "load_mushroom", lambda: samples)
    projections.load_table_1.cache_clear()
    assert projections.load_table_1() == {"Mushroom": samples}
    projections.load_table_1.cache_clear()
    row = {"n_samples": 1, "majority": 0.5}
    methods = ("DP 1-D", "DP 30-D", "LDA 1-D", "LPP 1-D", "LPP 30-D", "PCA 30-D", "original")
    page = importlib.import_module("benchmarks.pages.projections")
    lines = page.table_1_page({"Mushroom": [row | dict.fromkeys(methods, 0.5)]})
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if "|" in line]
    (ours,) = [cells for cells in rows if "ours" in cells]
    assert ours == ["Mushroom (1)", "ours", *["50.0"] * (len(methods) + 1)]
