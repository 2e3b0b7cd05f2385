import json

import pytest

from discrimap.datasets import dataset_names
from discrimap.registry import METHODS, SIMILARITY_METHODS


def test_methods_are_listed_one_in_a_line(run):
    code, out, _ = run("methods")
    assert code == 0
    lines = out.splitlines()
    assert len(lines) == 1 + len(METHODS) + len(SIMILARITY_METHODS)
    row = next(line for line in lines if line.startswith("dp "))
    assert row.rstrip().endswith("classes, numbers, unlabelled, sparse")


def test_data_sets_are_listed(run):
    code, out, _ = run("datasets")
    assert code == 0
    assert "150 x 4" in next(line for line in out.splitlines() if line.startswith("iris "))


def test_lists_as_json_say_the_same(run):
    code, out, _ = run("methods", "--json")
    methods = {method["name"]: method for method in json.loads(out)}
    assert code == 0
    assert list(methods) == [method.name for method in (*METHODS, *SIMILARITY_METHODS)]
    assert methods["sda"]["class"] == "discrimap.StochasticDiscriminantAnalysis"
    assert (methods["pls"]["classes"], methods["pls"]["continuous"]) == (False, True)

    code, out, _ = run("datasets", "--json")
    sets = {entry["name"]: entry for entry in json.loads(out)}
    assert code == 0
    assert tuple(sets) == dataset_names()
    assert (sets["iris"]["n_samples"], sets["iris"]["is_available"]) == (150, True)


@pytest.mark.parametrize("command", ["methods", "datasets"])
def test_lists_take_no_arguments(fails, command):
    fails("unexpected extra argument", command, "iris")
