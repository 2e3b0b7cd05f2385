"""Data sets from OpenML; urlopen is replaced by a small server, so that scikit-learn's code is tested too."""

import hashlib
import io
import json
import sys
from urllib.error import URLError

import numpy as np
import pytest
from sklearn.datasets import _openml

from discrimap.datasets import load
from discrimap.errors import InputError

WBC = """@relation breast-w
@attribute Clump numeric
@attribute Nuclei numeric
@attribute Class {malignant,benign}
@data
1,2,benign
3,?,malignant
5,6,malignant
"""
MUSHROOM = """@relation mushroom
@attribute cap-shape {b,c,x}
@attribute stalk-root {e,r}
@attribute class {p,e}
@data
x,?,p
b,e,e
x,r,e
"""


@pytest.fixture
def serve(monkeypatch, tmp_path):
    """Serve one ARFF table as any OpenML data set."""
    monkeypatch.delenv("DISCRIMAP_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))

    def serve_table(arff, data_id, target):
        attributes = [line.split()[1:] for line in arff.splitlines() if "@attribute" in line]
        features = [
            {
                "index": str(index),
                "name": name,
                "data_type": "numeric" if kind == "numeric" else "nominal",
                "is_target": str(name == target).lower(),
                "is_ignore": "false",
                "is_row_identifier": "false",
                "number_of_missing_values": "0",
                **({} if kind == "numeric" else {"nominal_value": kind.strip("{}").split(",")}),
            }
            for index, (name, kind) in enumerate(attributes)
        ]
        description = {
            "id": str(data_id),
            "name": "set",
            "version": "1",
            "status": "active",
            "format": "ARFF",
            "description": "",
            "url": "https://api.openml.org/data/v1/download/1/set.arff",
            "md5_checksum": hashlib.md5(arff.encode()).hexdigest(),
        }
        n_samples = len(arff.strip().splitlines()) - len(attributes) - 2
        qualities = [{"name": "NumberOfInstances", "value": str(float(n_samples))}]
        answers = {
            f"/data/{data_id}": {"data_set_description": description},
            f"/data/features/{data_id}": {"data_features": {"feature": features}},
            f"/data/qualities/{data_id}": {"data_qualities": {"quality": qualities}},
        }

        class Response(io.BytesIO):
            def info(self):
                return {}

        def urlopen(request, **_):
            url = request.full_url
            for ending, answer in answers.items():
                if url.endswith(ending):
                    return Response(json.dumps(answer).encode())
            return Response(arff.encode())

        monkeypatch.setattr(_openml, "urlopen", urlopen)

    return serve_table


def test_incomplete_rows_are_dropped_and_said(serve):
    serve(WBC, 15, "Class")
    dataset = load("wbc")
    np.testing.assert_array_equal(dataset.X, [[1, 2], [5, 6]])
    assert dataset.y.tolist() == [0, 1]
    assert dataset.target_names == ["benign", "malignant"]
    assert dataset.feature_names == ["Clump", "Nuclei"]
    origin, dropped, size = dataset.notices
    assert "order of rows and classes may differ" in origin
    assert "1 rows with missing values are dropped" in dropped
    assert "OpenML has 2 x 2 values, the original data set 683 x 9" in size


def test_categories_become_indicators_as_in_the_papers(serve):
    serve(MUSHROOM, 24, "class")
    dataset = load("mushroom")
    # Category c is declared but does not occur; stalk-root is left out, so no row is incomplete.
    assert dataset.feature_names == ["cap-shape=b", "cap-shape=x"]
    np.testing.assert_array_equal(dataset.X, [[0, 1], [1, 0], [0, 1]])
    assert dataset.y.tolist() == [1, 0, 0]
    assert any("stalk-root is left out" in notice for notice in dataset.notices)


def test_a_missing_category_makes_the_row_incomplete(serve):
    serve(MUSHROOM.replace("x,r,e", "?,r,e"), 24, "class")
    np.testing.assert_array_equal(load("mushroom").X, [[0, 1], [1, 0]])


def test_numbered_classes_keep_the_order_of_their_numbers(serve):
    rows = "".join(f"{label}.5,{label}\n" for label in (10, 2, 1))
    arff = f"@relation s\n@attribute f numeric\n@attribute class {{1,2,10}}\n@data\n{rows}"
    serve(arff, 300, "class")
    dataset = load("isolet")
    assert dataset.target_names == ["1", "2", "10"]
    assert dataset.y.tolist() == [2, 1, 0]


def test_without_network_the_error_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.delenv("DISCRIMAP_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))

    def urlopen(request, **_):
        raise URLError("no route")

    monkeypatch.setattr(_openml, "urlopen", urlopen)
    monkeypatch.setattr(_openml.time, "sleep", lambda seconds: None)
    with pytest.raises(
        InputError, match=r"'seeds' could not be fetched .*no route.*DISCRIMAP_DATA"
    ):
        load("seeds")


def test_a_file_of_the_user_is_preferred(monkeypatch, tmp_path):
    np.savez(tmp_path / "seeds.npz", X=np.full((2, 1), 7.0), y=[0, 1])
    monkeypatch.setenv("DISCRIMAP_DATA", str(tmp_path))
    assert load("seeds").X.tolist() == [[7.0], [7.0]]


def test_importing_the_room_stays_light():
    import subprocess

    code = (
        "import sys, discrimap.datasets; print({'sklearn', 'polars', 'pandas'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
