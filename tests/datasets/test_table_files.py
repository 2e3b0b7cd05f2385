import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discrimap.datasets.table_files import read_frame
from discrimap.errors import InputError

FRAME = pl.DataFrame({"a": [1, 2], "b": [0.5, 1.5], "c": ["x", "y"]})


@pytest.fixture
def write(tmp_path):
    def write_bytes(content, name="a.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_bytes


WRITERS = {
    "a.csv": pl.DataFrame.write_csv,
    "A.CSV": pl.DataFrame.write_csv,
    "a.tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    "a.parquet": pl.DataFrame.write_parquet,
    "a.arrow": pl.DataFrame.write_ipc,
    "a.feather": pl.DataFrame.write_ipc,
    "stream.arrow": pl.DataFrame.write_ipc_stream,
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_kind_of_file_gives_the_same_table_and_stays_as_it_is(name, tmp_path):
    path = tmp_path / name
    WRITERS[name](FRAME, path)
    before = path.read_bytes()
    assert read_frame(path).equals(FRAME)
    assert path.read_bytes() == before


# Text that no reader could take for a number, a missing value or a line of its own.
texts = st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=8).map(
    lambda text: f"t{text}t"
)
rows = st.tuples(st.floats(allow_nan=False, width=64), st.integers(-(2**62), 2**62), texts)


@settings(max_examples=40, deadline=None)
@given(st.lists(rows, min_size=1, max_size=20))
def test_what_is_written_as_csv_is_read_back(tmp_path_factory, table):
    frame = pl.DataFrame(table, schema=["x", "n", "t"], orient="row")
    frame = frame.with_columns(frame["x"].cast(pl.Float64))
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    frame.write_csv(path)
    read = read_frame(path)
    assert read["x"].cast(pl.Float64).to_list() == frame["x"].to_list()
    assert read.drop("x").equals(frame.drop("x"))


def test_numbers_are_numbers_even_with_spaces_or_infinity(write):
    frame = read_frame(write("a,b,c\n 1.5,inf,x \n2 ,-2,y\n"))
    assert frame["a"].to_list() == [1.5, 2.0]
    assert frame["b"].to_list() == [float("inf"), -2.0]
    assert frame["c"].to_list() == ["x", "y"]


def test_names_lose_the_spaces_around_them(write):
    assert read_frame(write("a, b ,c d\n1,2,3\n")).columns == ["a", "b", "c d"]
    with pytest.raises(InputError, match="columns of the same name: 'a'"):
        read_frame(write("a, a\n1,2\n"))


def test_quotes_in_names_are_read_as_in_cells(write):
    frame = read_frame(write('"a ""b""","c,d",e\n"x ""y""",1,2\n'))
    assert frame.columns == ['a "b"', "c,d", "e"]
    assert frame['a "b"'].to_list() == ['x "y"']


def test_the_marks_for_missing_values_are_understood(write):
    marks = ["", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "?"]
    lines = "".join(f"{mark},x\n" for mark in marks)
    frame = read_frame(write(f"a,b\n1,x\n{lines}"))
    assert frame["a"].to_list() == [1, *[None] * len(marks)]
    assert frame["a"].dtype == pl.Int64


def test_a_late_text_makes_a_column_text(write):
    frame = read_frame(write("a,b\n" + "1,2\n" * 20_000 + "x,3\n"))
    assert frame["a"].dtype == pl.String
    assert frame.height == 20_001


def test_blank_lines_and_a_byte_order_mark_are_skipped(write):
    frame = read_frame(write(b"\xef\xbb\xbfa,b\r\n1,2\r\n\r\n3,4\r\n\r\n"))
    assert frame.to_dict(as_series=False) == {"a": [1, 3], "b": [2, 4]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n", r"has a header \('a', 'b'\) but no rows"),
        ("a,b", r"has a header \('a', 'b'\) but no rows"),
        ("\n\n\n", "has no header row"),
        (",,\n1,2,3\n", "has no header row"),
        ("a,b,a\n1,2,3\n", r"has columns of the same name: 'a'; rename them"),
        ("1.5,2,2\n1,2,3\n", "has columns of the same name: '2'; is the header row missing"),
        ("a;b;c\n1;2;3\n", "has one column, 'a;b;c', which looks separated by ';' instead of ','"),
        ("a\tb\n1\t2\n", r"looks separated by '\\t' instead of ','"),
        ("a,b\n1,2\n3,4,5\n", "line 3 has 3 fields, but the header has 2"),
        ('a,b\n1,"x\n2,y\n', "cannot be read as a table"),
        ("a,b\n1,é\n".encode("latin-1"), "is not text in UTF-8"),
        ("é,b\n1,2\n".encode("latin-1"), "is not text in UTF-8"),
        # Beyond what is read together with the header.
        (("a,b\n" + "1,x\n" * 20_000 + "1,é\n").encode("latin-1"), "is not text in UTF-8"),
        ("a,b\n1,2\n".encode("utf-16-le"), "is not text in UTF-8"),
        ("a,b\n1,2\n".encode("utf-16"), "is not text in UTF-8"),
        (bytes(range(256)) * 4, "is not text in UTF-8"),
    ],
    ids=range(16),
)
def test_a_broken_text_file_gets_one_clear_line(write, content, message):
    with pytest.raises(InputError, match=message) as caught:
        read_frame(write(content))
    assert "\n" not in str(caught.value)
    assert "a.csv" in str(caught.value)


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.feather"])
@pytest.mark.parametrize("content", [b"garbage" * 30, b"PAR1" + b"x" * 99 + b"PAR1", b"ARROW1xxxx"])
def test_a_broken_binary_file_gets_one_clear_line(write, name, content):
    with pytest.raises(InputError, match=rf"{name} cannot be read as a .* file: ") as caught:
        read_frame(write(content, name))
    assert "\n" not in str(caught.value)


def test_columns_of_the_same_name_in_parquet_are_refused(tmp_path):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"name1": [1, 2], "name2": [3, 4]}).write_parquet(path)
    # polars will not write such a file, but others do.
    path.write_bytes(path.read_bytes().replace(b"name2", b"name1"))
    with pytest.raises(InputError, match="'name1' has more than one occurrence"):
        read_frame(path)


@pytest.mark.parametrize(
    ("name", "ending"), [("a.xlsx", r"ends in \.xlsx"), ("a", "has no ending")]
)
def test_an_unknown_ending_gets_the_list_of_known_ones(write, name, ending):
    with pytest.raises(InputError, match=rf"{ending}, .* use one of \.csv, .*\.npz"):
        read_frame(write("a,b\n1,2\n", name))
