"""Tables read in parts give the same features as the whole file, for any size of the blocks."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discrimap.datasets import (
    FeatureBatches,
    TableWriter,
    read_features,
    write_table,
)
from discrimap.errors import InputError
from discrimap.tables import text_files, text_tables

NAMES = ["a", "text=x", "text=y, z", "b"]


def read_all(path, n_rows, **options):
    return np.concatenate(list(FeatureBatches(path, NAMES, n_rows, **options)))


@pytest.fixture
def small_blocks(monkeypatch):
    """Use blocks of a few bytes, so that lines are cut at every position."""

    def use(n_bytes):
        monkeypatch.setattr(text_tables, "FIRST_BLOCK", n_bytes)
        monkeypatch.setattr(text_files, "BLOCK_SIZE", n_bytes)

    return use


HARD = (
    '\ufeff a ,text,"b",unused\n'
    '1,x,true,"one\nline ""end"" in quotes"\n'
    "\n"
    ' 2.5 ,"y, z",False,\r\n'
    '-3e2,x,1,"\n\n"\n'
    "4,w,0,last"
)


@pytest.mark.parametrize("n_bytes", [*range(1, 60), 1000])
def test_quotes_blank_lines_and_odd_line_ends(tmp_path, small_blocks, n_bytes):
    path = tmp_path / "hard.csv"
    path.write_text(HARD, newline="")
    small_blocks(n_bytes)
    expected = [[1, 1, 0, 1], [2.5, 0, 1, 0], [-300, 1, 0, 1], [4, 0, 0, 0]]
    assert read_all(path, 1).tolist() == expected
    assert read_all(path, 1000).tolist() == expected


rows = st.lists(
    st.tuples(
        st.floats(-1e6, 1e6),
        st.sampled_from(["x", "y, z", 'q"q', "two\nlines"]),
        st.integers(-5, 5),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=40, deadline=None)
@given(rows, st.integers(1, 6), st.integers(1, 200))
def test_parts_are_the_whole(tmp_path_factory, table, n_rows, n_bytes):
    path = tmp_path_factory.mktemp("table") / "t.csv"
    pl.DataFrame(table, schema=["a", "text", "b"], orient="row").write_csv(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_tables, "FIRST_BLOCK", n_bytes)
        patch.setattr(text_files, "BLOCK_SIZE", n_bytes)
        np.testing.assert_array_equal(read_all(path, n_rows), read_features(path, NAMES).X)


def test_a_batch_has_about_the_rows_asked_for(tmp_path):
    path = tmp_path / "many.csv"
    pl.DataFrame({"a": np.arange(200_000) + 0.5, "b": 1.25, "text": "x"}).write_csv(path)
    sizes = [len(X) for X in FeatureBatches(path, NAMES, 5_000)]
    assert sum(sizes) == 200_000
    # The first block is of a fixed size; the others follow what it taught.
    assert all(4_000 < size < 6_000 for size in sizes[1:-1])


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_files_with_types_are_read_in_parts(tmp_path, ending):
    frame = pl.DataFrame({"b": [True, False, True], "text": ["x", None, "w"], "a": [1, 2, 3]})
    path = tmp_path / f"t.{ending}"
    (frame.write_parquet if ending == "parquet" else frame.write_ipc)(path)
    batches = list(FeatureBatches(path, NAMES, 2, keep_missing=True))
    assert [len(X) for X in batches] == [2, 1]
    assert np.concatenate(batches).tolist() == [[1, 1, 0, 1], [2, 0, 0, 0], [3, 0, 0, 1]]


def test_missing_numbers_are_kept_or_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,text,b\n1,x,2\n ? ,NA,\n")
    X = read_all(path, 10, keep_missing=True)
    np.testing.assert_array_equal(X, [[1, 1, 0, 2], [np.nan, 0, 0, np.nan]])
    with pytest.raises(InputError, match="fit the model with --impute"):
        read_all(path, 10)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,text\n1,x\n", "lacks columns that the model was fitted with: 'b'"),
        ("a,text,b\n", "no rows"),
        ("a,text,b\n1,x,2\n1,x,soon\n", "column 'b' must hold numbers.* row 2 holds 'soon'"),
        ("a,text,b\n1,x,2\n1,x,2,7\n", "fields|cannot be read"),
        ("a,text,b\n1,x,inf\n", "infinite values"),
    ],
)
def test_what_cannot_be_used_is_said(tmp_path, small_blocks, text, message):
    path = tmp_path / "t.csv"
    path.write_text(text)
    small_blocks(5)
    with pytest.raises(InputError, match=message):
        read_all(path, 1)


def test_archives_and_streams_have_no_parts(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.eye(4))
    with pytest.raises(InputError, match="is an archive, which cannot be read in parts"):
        next(FeatureBatches(tmp_path / "t.npz", NAMES, 2))
    pl.DataFrame({"a": [1]}).write_ipc_stream(tmp_path / "t.arrow")
    with pytest.raises(InputError, match="is an Arrow stream"):
        next(FeatureBatches(tmp_path / "t.arrow", NAMES, 2))
    with pytest.raises(InputError, match="pass at least 1"):
        next(FeatureBatches(tmp_path / "t.csv", NAMES, 0))


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow", "feather"])
def test_parts_written_are_the_whole_written(tmp_path, rng, ending):
    values = rng.standard_normal((10, 2))
    with TableWriter(tmp_path / f"parts.{ending}", ["x", "y"]) as table:
        for part in np.split(values, 5):
            table.write(part)
    assert table.n_rows == 10
    write_table(str(tmp_path / f"whole.{ending}"), values, ["x", "y"])
    read = {"csv": pl.read_csv, "parquet": pl.read_parquet}.get(ending, pl.read_ipc)
    if ending == "tsv":
        text = (tmp_path / "parts.tsv").read_text()
        assert text == (tmp_path / "whole.tsv").read_text()
        assert text.startswith("x\ty\n")
        return
    parts, whole = read(tmp_path / f"parts.{ending}"), read(tmp_path / f"whole.{ending}")
    assert parts.equals(whole)
    np.testing.assert_array_equal(parts.to_numpy(), values)


def test_an_error_between_parts_leaves_the_old_file(tmp_path):
    path = tmp_path / "map.csv"
    path.write_text("old")

    def write_half():
        with TableWriter(path, ["x"]) as table:
            table.write(np.ones((3, 1)))
            raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        write_half()
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["map.csv"]
