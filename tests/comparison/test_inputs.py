"""The same samples give the same figures, however they are handed over."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_wine

from discrimap import cli
from discrimap.comparison import Protocol, compare
from discrimap.datasets import load
from discrimap.errors import InputError

FAST = Protocol(n_repeats=2)
METHODS = ["pca", "lda"]


@pytest.fixture
def frame(rng):
    """Two classes in numbers, a category with gaps and a date, with an id and a group."""
    n = 60
    kind = np.arange(n) % 2
    return pd.DataFrame(
        {
            "patient_id": [f"P{i:05d}" for i in range(n)],
            "clinic": [f"C{i // 6}" for i in range(n)],
            "size": (2.0 * kind + rng.standard_normal(n)).round(4),
            "weight": np.where(np.arange(n) % 8 == 0, np.nan, rng.standard_normal(n).round(4)),
            "colour": pd.Categorical(np.where(rng.random(n) < 0.5 + 0.3 * kind, "red", "blue")),
            "when": pd.date_range("2024-01-01", periods=n),
            "kind": np.where(kind, "b", "a"),
        }
    )


def errors_of(comparison):
    return {result.name: list(result.test_errors) for result in comparison.results}


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_the_figures_of_a_frame_are_those_of_its_file_on_the_command_line(frame, tmp_path, ending):
    path, json_path = tmp_path / f"data{ending}", tmp_path / "result.json"
    frame.to_csv(path, index=False) if ending == ".csv" else pl.from_pandas(frame).write_parquet(
        path
    )
    options = (
        "--target kind --impute median --repeats 2 --methods pca,lda --quiet --jobs 1 --budget 0"
    )
    options += " --groups clinic"
    assert cli.main(["compare", str(path), *options.split(), "--json", str(json_path)]) == 0
    result = json.loads(json_path.read_text())
    on_command_line = {one["name"]: one["test_errors"] for one in result["results"]}
    protocol = Protocol(n_repeats=2, impute="median")
    for given in (frame, pl.from_pandas(frame), pl.from_pandas(frame).to_arrow()):
        here = compare(given, target="kind", methods=METHODS, groups="clinic", protocol=protocol)
        assert errors_of(here) == on_command_line
        assert here.class_counts == result["class_counts"]
        assert here.n_features == result["n_features"] == 4
        assert here.dataset.id_name == "patient_id"
        assert here.dataset.ids[3] == "P00003"


def test_a_target_beside_the_frame_is_the_same_as_a_column(frame):
    protocol = Protocol(n_repeats=2, impute="mean")
    inside = compare(frame, target="kind", methods=METHODS, protocol=protocol)
    features = frame.drop(columns=["kind", "clinic"])
    beside = compare(
        features,
        frame["kind"],
        METHODS,
        groups=frame["clinic"].to_numpy(),
        ids=[f"row {i}" for i in range(len(frame))],
        protocol=protocol,
    )
    grouped = compare(frame, target="kind", methods=METHODS, groups="clinic", protocol=protocol)
    assert errors_of(beside) == errors_of(grouped)
    assert errors_of(beside) != errors_of(inside)
    assert beside.dataset.ids[2] == "row 2"


def test_arrays_and_a_dataset_carry_what_the_report_needs():
    X, y = load_wine(return_X_y=True)
    wine = load("wine")
    given = compare(X, wine.class_labels, METHODS, protocol=FAST, ids=np.arange(len(y)) + 100)
    named = compare(wine, methods=METHODS, protocol=FAST)
    assert errors_of(given) == errors_of(named)
    assert named.data_name == "wine"
    assert named.dataset.feature_names == wine.feature_names
    assert given.dataset.ids[:2].tolist() == ["100", "101"]
    assert list(given.dataset.class_labels) == list(wine.class_labels)
    json.dumps(given.to_dict())  # without the samples


def test_numbers_of_a_frame_are_predicted(frame):
    comparison = compare(frame[["size", "weight", "colour"]], target="size", methods=["pca"],
                         protocol=Protocol(n_repeats=2, impute="median"))  # fmt: skip
    assert comparison.task == "regression"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "needs target"),
        ({"target": "kind", "y": [0]}, "not both"),
        ({"target": "knd"}, "the nearest is 'kind'"),
        ({"target": "kind"}, "missing values"),
        ({"target": "kind", "is_labelled": [True]}, "leave the target empty"),
        ({"target": "kind", "ids": "nobody"}, "no column 'nobody'"),
    ],
)
def test_what_a_frame_lacks_is_said(frame, arguments, message):
    with pytest.raises(InputError, match=message):
        compare(frame, methods=["pca"], protocol=FAST, **arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": "kind"}, "X is ndarray"),
        ({}, "y is needed"),
        ({"y": [0, 1] * 10, "groups": "clinic"}, "groups='clinic' names a column"),
        ({"y": [0, 1] * 10, "ids": ["a"]}, "one value for each of the 20 samples"),
    ],
)
def test_arrays_have_no_names(arguments, message, rng):
    with pytest.raises(InputError, match=message):
        compare(rng.standard_normal((20, 3)), methods=["pca"], protocol=FAST, **arguments)


def test_a_dataset_has_its_own_target():
    with pytest.raises(InputError, match="its own target"):
        compare(load("iris"), target="species")
