"""The store of results: what is written is read, in one order, whoever writes."""

import importlib
import json
import multiprocessing
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def results(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.results")


def test_records_are_replaced_by_key_and_sorted_by_number(results, tmp_path):
    store = results.Store("one", tmp_path)
    for run in (10, 9, "text"):
        store.put(("table", "wine", run), {"accuracy": 1.0})
    store.put(("table", "wine", 9), {"accuracy": 2.0})
    keys = [json.loads(line)[0][-1] for line in store.path.read_text().splitlines()]
    assert keys == ["9", "10", "text"]
    assert store.tree("table", "wine")["9"] == {"accuracy": 2.0}
    assert store.rows("table", "wine")[1] == {"accuracy": 1.0}
    assert store.tree("nothing", "here") == {}


def test_the_file_does_not_depend_on_the_order_of_writing(results, tmp_path):
    records = {("a", 2): 0.1 + 0.2, ("a", 11): [1, None], ("b",): "é", ("2",): {"x": 1e-300}}
    first, second = results.Store("one", tmp_path), results.Store("two", tmp_path)
    first.update(records)
    for key in reversed(records):
        second.put(key, records[key])
    assert first.path.read_bytes() == second.path.read_bytes()
    assert first.records() == {tuple(map(str, key)): records[key] for key in records}


def test_only_what_begins_with_the_keys_is_forgotten(results, tmp_path):
    store = results.Store("one", tmp_path)
    store.update({("a", "b"): 1, ("a", "bc"): 2, ("c",): 3})
    store.forget("a", "b")
    assert store.records() == {("a", "bc"): 2, ("c",): 3}
    store.update({("d",): 4}, forget=("a",))
    assert store.records() == {("c",): 3, ("d",): 4}
    store.forget()
    assert store.records() == {}


def test_values_of_numpy_are_stored_as_numbers(results, tmp_path):
    store = results.Store("one", tmp_path)
    store.put(("a",), {"x": np.float64(0.1), "n": np.int64(3), "row": np.arange(2)})
    assert store.tree("a") == {"x": 0.1, "n": 3, "row": [0, 1]}


def test_a_write_that_fails_leaves_the_old_file(results, tmp_path):
    store = results.Store("one", tmp_path)
    store.put(("a",), 1)
    with pytest.raises(AttributeError):
        store.put(("b",), object())
    assert store.records() == {("a",): 1}


def add(store, number):
    for run in range(20):
        store.put((number, run), run)


def test_processes_that_write_at_once_lose_nothing(results, tmp_path):
    store = results.Store("one", tmp_path)
    fork = multiprocessing.get_context("fork")
    processes = [fork.Process(target=add, args=(store, number)) for number in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert len(store.records()) == 60


def test_quick_runs_have_a_folder_of_their_own(results, tmp_path):
    parser = importlib.import_module("argparse").ArgumentParser()
    results.add_options(parser, quick="less")
    full, quick = (results.open_store("one", parser.parse_args(a)) for a in ([], ["--quick"]))
    assert full.path.parent == ROOT / "benchmarks" / "results"
    assert full.path.parent not in (quick.path.parent, *quick.path.parents)
    named = results.open_store("one", parser.parse_args(["--quick", "--results", str(tmp_path)]))
    assert named.path == tmp_path / "one.jsonl"


def test_stored_files_are_sorted_and_compact(results, tmp_path):
    for path in sorted((ROOT / "benchmarks" / "results").glob("*.jsonl")):
        copy = results.Store(path.stem, tmp_path)
        copy.update(results.Store(path.stem).records())
        assert copy.path.read_bytes() == path.read_bytes(), path.name
