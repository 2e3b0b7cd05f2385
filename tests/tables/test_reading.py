import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from discrimap.datasets import read_table
from discrimap.errors import InputError


@pytest.fixture
def write(tmp_path):
    def write_text(text):
        path = tmp_path / "t.csv"
        path.write_text(text)
        return path

    return write_text


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow", "feather"])
def test_iris_comes_through_every_kind_of_file(ending, tmp_path):
    iris = load_iris()
    frame = pl.DataFrame(iris.data, schema=iris.feature_names)
    frame = frame.with_columns(species=pl.Series(iris.target_names[iris.target].tolist()))
    path = tmp_path / f"flowers.{ending}"
    if ending in ("csv", "tsv"):
        frame.write_csv(path, separator="," if ending == "csv" else "\t")
    else:
        (frame.write_parquet if ending == "parquet" else frame.write_ipc)(path)
    before = path.read_bytes()

    dataset = read_table(path, target="species")
    np.testing.assert_array_equal(dataset.X, iris.data)
    np.testing.assert_array_equal(dataset.y, iris.target_names[iris.target])
    assert dataset.feature_names == iris.feature_names
    assert (dataset.name, dataset.target_names, dataset.notices) == ("flowers", None, ())
    assert dataset.is_labelled.all()
    assert path.read_bytes() == before


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(-1e300, 1e300), st.sampled_from(["cat", "dog"])),
        min_size=3,
        max_size=20,
    )
)
def test_samples_and_labels_survive_the_way_through_a_file(tmp_path_factory, rows):
    if len({label for _, label in rows}) < 2:
        return
    path = tmp_path_factory.mktemp("table") / "t.csv"
    # The second column keeps a first one of whole numbers from being all there is.
    frame = pl.DataFrame(
        {"x": [x for x, _ in rows], "one": [0.5] * len(rows), "y": [label for _, label in rows]}
    )
    frame.write_csv(path)
    dataset = read_table(path, target="y")
    assert dataset.y.tolist() == frame["y"].to_list()
    np.testing.assert_array_equal(dataset.X, frame.drop("y").to_numpy())


def test_the_target_may_stand_anywhere_and_be_a_number(write):
    dataset = read_table(write("y,a\n3,0.5\n4,1.5\n3,1.5\n"), target="y")
    assert dataset.y.tolist() == [3, 4, 3]
    assert dataset.y.dtype == np.int64
    assert dataset.X.tolist() == [[0.5], [1.5], [1.5]]
    continuous = read_table(write("y,a\n3.5,0.5\n4,1.5\n3,1.5\n"), target="y")
    assert continuous.y.tolist() == [3.5, 4.0, 3.0]


def test_decimal_targets_are_numbers(tmp_path):
    path = tmp_path / "t.parquet"
    frame = pl.DataFrame({"a": [0.5, 1.5, 1.5], "y": pl.Series([1.5, 2.5, 1.5])})
    frame.with_columns(pl.col("y").cast(pl.Decimal(10, 1))).write_parquet(path)
    assert read_table(path, target="y").y.tolist() == [1.5, 2.5, 1.5]


@pytest.mark.parametrize("values", [[[1], [2], [1]], pl.Series([1, 2, 1]).cast(pl.Date)])
def test_a_target_of_dates_or_lists_is_refused(values, tmp_path):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": [0.5, 1.5, 1.5], "y": values}).write_parquet(path)
    with pytest.raises(InputError, match=r"the target 'y' holds .*, neither text nor numbers"):
        read_table(path, target="y")


def test_columns_can_be_left_out(write):
    path = write("age,b,y\n0.5,7,u\n1.5,7,v\n2.5,8,v\n")
    assert read_table(path, target="y", drop=["age"]).feature_names == ["b"]
    assert read_table(path, target="y", drop="age").feature_names == ["b"]


TABLE = "sepal length,species,y\n0.5,u,1\n1.5,v,2\n2.5,v,2\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": "Spices"}, "no column 'Spices' (target); the nearest is 'species'; there are"),
        ({"target": "SPECIES"}, "the nearest is 'species'"),
        ({"target": "zzz"}, "no column 'zzz' (target); there are 'sepal length', 'species', 'y'."),
        ({"target": None}, "no target is given for"),
        (
            {"target": "y", "drop": ["specie"]},
            "no column 'specie' (drop); the nearest is 'species'",
        ),
        ({"target": "y", "drop": ["y"]}, "column 'y' is the target and cannot be in drop"),
        ({"target": "y", "impute": "zero"}, "impute='zero' is not known"),
        ({"target": "y", "unlabelled": "guess"}, "unlabelled='guess' is not known"),
    ],
)
def test_a_wrong_argument_gets_one_clear_line(write, arguments, message):
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read_table(write(TABLE), **arguments)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,y\n1,u\n", "has 1 row; at least 2 are needed"),
        ("a,y\n1,u\n2,u\n", "the target 'y' holds one class only"),
        ("5.1,3.5,setosa\n4.9,3.0,setosa\n", "no column 'y' .* is the header row missing"),
        ("a,b,y\nx,k,u\nz,l,v\nw,m,v\n", "no usable feature column apart from the target"),
        ("a,y\n0.5,u\nNaN,v\n1.5,v\n", r"missing values \(1 in 3 rows\), by column: a \(1\)"),
        ("a,y\n0.5,u\ninf,v\n1.5,v\n", r"infinite values \(1\), by column: a \(1\)"),
        ("a,a,y\n0.5,1,u\n1,1,v\n", "columns of the same name: 'a'"),
    ],
)
def test_a_table_that_cannot_be_used_gets_one_clear_line(write, text, message):
    with pytest.raises(InputError, match=message) as caught:
        read_table(write(text), target="y")
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_an_input_error_too(tmp_path):
    for name in ("absent.csv", "absent.npz"):
        with pytest.raises(InputError, match="does not exist"):
            read_table(tmp_path / name, target="y")


GAPS = "a,t,y\n0.5,k,u\n1.5,l,\n2.5,k,v\n,k,v\n4.5,l,u\n"


def test_rows_without_a_label_can_be_dropped_before_all_else(write):
    dataset = read_table(write(GAPS), target="y", unlabelled="drop", impute="mean")
    assert dataset.y.tolist() == ["u", "v", "v", "u"]
    # The mean of 0.5, 2.5 and 4.5: the dropped row has no say.
    assert dataset.X[:, 0].tolist() == [0.5, 2.5, 2.5, 4.5]
    assert dataset.is_labelled.tolist() == [True] * 4
    assert "dropped" in dataset.notices[0]


def test_the_ids_of_rows_without_a_label_are_dropped_with_them(write):
    path = write("id,a,y\nk1,0.5,u\nk2,1.5,\nk3,2.5,v\nk4,3.5,v\n")
    dropped = read_table(path, target="y", unlabelled="drop")
    assert (dropped.id_name, dropped.ids.tolist()) == ("id", ["k1", "k3", "k4"])
    kept = read_table(path, target="y", unlabelled="keep")
    assert kept.ids.tolist() == ["k1", "k2", "k3", "k4"]


def test_rows_without_a_label_can_be_kept(write):
    dataset = read_table(write(GAPS), target="y", unlabelled="keep", impute="mean")
    assert dataset.y.tolist() == [0, -1, 1, 1, 0]
    assert dataset.target_names == ["u", "v"]
    assert dataset.X[3, 0] == 2.25
    assert dataset.is_labelled.tolist() == [True, False, True, True, True]


def test_notices_are_single_lines(write):
    dataset = read_table(write("id,c,t,y\n1,5,k,u\n2,5,l,v\n3,5,k,v\n"), target="y")
    assert len(dataset.notices) == 4  # a lone class, an id, an encoding, a constant
    assert not any("\n" in notice for notice in dataset.notices)


def test_a_target_must_be_a_name(write):
    with pytest.raises(TypeError, match="target must be the name of a column, but is int"):
        read_table(write(TABLE), target=1)
