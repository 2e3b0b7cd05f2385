import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discrimap.datasets import FeatureBatches, read_features, read_table
from discrimap.errors import InputError

NAMES = ["a", "t=u", "t=v", "b"]


@pytest.fixture
def write(tmp_path):
    def write_text(text):
        path = tmp_path / "t.csv"
        path.write_text(text)
        return path

    return write_text


def test_one_row_is_encoded_as_many_were(write):
    dataset = read_features(write("b,extra,t,a\ntrue,9,v,1.5\n"), NAMES)
    assert dataset.X.tolist() == [[1.5, 0, 1, 1]]
    assert dataset.feature_names == NAMES
    assert dataset.y is None
    assert dataset.notices == ()


rows = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from("uvw"), st.booleans(), st.sampled_from("yz")),
    min_size=4,
    max_size=12,
)


@settings(max_examples=40, deadline=None)
@given(rows)
def test_the_same_file_gives_the_same_matrix(tmp_path_factory, table):
    path = tmp_path_factory.mktemp("table") / "t.parquet"
    pl.DataFrame(table, schema=["n", "t", "b", "y"], orient="row").write_parquet(path)
    try:
        dataset = read_table(path, target="y")
    except InputError:  # one class
        return
    np.testing.assert_array_equal(read_features(path, dataset.feature_names).X, dataset.X)


def test_a_name_may_hold_the_equals_sign(write):
    path = write("t,t=u\nx,k\n")
    assert read_features(path, ["t=u=k", "t=u=l", "t=x"]).X.tolist() == [[1, 0, 1]]


def test_categories_may_look_like_numbers(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("code\n1\n2\n")
    assert read_features(path, ["code=1", "code=x"]).X.tolist() == [[1, 0], [0, 0]]


def test_new_categories_are_reported(write):
    dataset = read_features(write("a,t,b\n1,w,2\n1,u,2\n"), NAMES)
    assert dataset.X[:, 1:3].tolist() == [[0, 0], [1, 0]]
    assert "column 't' holds categories that did not occur when the model" in dataset.notices[0]
    assert dataset.notices[0].endswith("'w'.")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,x\n1,2\n", "lacks columns that the model was fitted with: 't=u', 't=v', 'b'; it has"),
        ("a,t,b\nk,u,1\n", "column 'a' must hold numbers, .* but row 1 holds 'k'"),
        ("a,t,b\n,u,1\n1,,1\n", r"missing values \(2 in 2 rows\), by column: a \(1\), t \(1\)"),
        ("a,t,b\ninf,u,1\n", r"infinite values \(1\), by column: a \(1\)"),
    ],
)
def test_a_table_that_does_not_fit_gets_one_clear_line(write, text, message):
    with pytest.raises(InputError, match=message) as caught:
        read_features(write(text), NAMES)
    assert "\n" not in str(caught.value)


def test_an_archive_needs_the_same_number_of_features(tmp_path):
    path = tmp_path / "t.npz"
    np.savez(path, X=np.eye(2, dtype=np.float32))
    dataset = read_features(path, ["a", "b"])
    assert dataset.X.dtype == np.float32
    assert dataset.X.tolist() == [[1, 0], [0, 1]]
    with pytest.raises(InputError, match="X has 2 columns, but the model was fitted with 4"):
        read_features(path, NAMES)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"Z": np.eye(2)}, "has no array 'X' with the samples; it has 'Z'"),
        ({"X": np.zeros(2)}, "X must be 2-D"),
        ({"X": np.array([[1, np.nan]])}, r"missing values \(1 in 1 rows\), by column: X\[:, 1\]"),
        ({"X": np.array([[1, np.inf]])}, r"infinite values \(1\), by column: X\[:, 1\]"),
    ],
)
def test_an_archive_that_does_not_fit_gets_one_clear_line(tmp_path, arrays, message):
    np.savez(tmp_path / "t.npz", **arrays)
    with pytest.raises(InputError, match=message):
        read_features(tmp_path / "t.npz", ["a", "b"])


def test_the_columns_of_the_first_table_decide_what_new_text_is(write):
    first = read_table(
        write('code,price,flag,y\n01,"1,5",true,u\n02,"2,5",false,v\n02,3,true,v\nx,4,true,u\n'),
        "y",
    )
    assert [column["kind"] for column in first.columns] == ["text", "number", "truth"]
    path = write('code,price,flag\n01,"10,25",1\n02,7,FALSE\n')
    for X in (
        read_features(path, first.feature_names, columns=first.columns).X,
        *FeatureBatches(path, first.feature_names, 10, columns=first.columns),
    ):
        assert X.tolist() == [[1, 0, 0, 10.25, 1], [0, 1, 0, 7, 0]]
    with pytest.raises(
        InputError, match=r"'price' must hold numbers with a decimal comma, .*'1\.5'"
    ):
        read_features(
            write("code,price,flag\n01,1.5,1\n"), first.feature_names, columns=first.columns
        )


def test_a_percent_is_not_taken_from_numbers_without_it(write, tmp_path):
    first = read_table(write("share,y\n5%,u\n7%,v\n7%,v\n"), "y")
    path = tmp_path / "t.parquet"
    pl.DataFrame({"share": [0.05]}).write_parquet(path)
    for new in (write("share\n0.05\n"), path):
        with pytest.raises(InputError, match="'share' must hold numbers and the sign %"):
            read_features(new, first.feature_names, columns=first.columns)


def test_notices_of_parts_are_those_of_the_whole(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;t;b\n1;w;2\n;;\n1;é;2\n", encoding="latin-1")
    batches = FeatureBatches(path, NAMES, 1)
    assert len(np.concatenate(list(batches))) == 2
    assert batches.notices == read_features(path, NAMES).notices
    assert len(batches.notices) == 4  # encoding, separator, skipped row, categories
