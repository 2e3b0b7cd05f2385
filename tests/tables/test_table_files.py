import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discrimap.datasets import FeatureBatches
from discrimap.errors import InputError
from discrimap.tables.table_files import read_frame

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
    assert read_frame(path).frame.equals(FRAME)
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
    read = read_frame(path).frame
    assert read["x"].cast(pl.Float64).to_list() == frame["x"].to_list()
    assert read.drop("x").equals(frame.drop("x"))


def test_numbers_are_numbers_even_with_spaces_or_infinity(write):
    frame = read_frame(write("a,b,c\n 1.5,inf,x \n2 ,-2,y\n")).frame
    assert frame["a"].to_list() == [1.5, 2.0]
    assert frame["b"].to_list() == [float("inf"), -2.0]
    assert frame["c"].to_list() == ["x", "y"]


def test_names_lose_the_spaces_around_them(write):
    assert read_frame(write("a, b ,c d\n1,2,3\n")).frame.columns == ["a", "b", "c d"]
    with pytest.raises(InputError, match="columns of the same name: 'a'"):
        read_frame(write("a, a\n1,2\n"))


def test_a_column_may_be_without_a_name(write):
    assert read_frame(write(",a\n0,1\n1,2\n")).frame.columns == ["", "a"]


def test_quotes_in_names_are_read_as_in_cells(write):
    frame = read_frame(write('"a ""b""","c,d",e\n"x ""y""",1,2\n')).frame
    assert frame.columns == ['a "b"', "c,d", "e"]
    assert frame['a "b"'].to_list() == ['x "y"']


def test_the_marks_for_missing_values_are_understood(write):
    marks = ["", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "?"]
    lines = "".join(f"{mark},x\n" for mark in marks)
    frame = read_frame(write(f"a,b\n1,x\n{lines}")).frame
    assert frame["a"].to_list() == [1, *[None] * len(marks)]
    assert frame["a"].dtype == pl.Int64


def test_a_late_text_makes_a_column_text(write):
    frame = read_frame(write("a,b\n" + "1,2\n" * 20_000 + "x,3\n")).frame
    assert frame["a"].dtype == pl.String
    assert frame.height == 20_001


def test_blank_lines_and_a_byte_order_mark_are_skipped(write):
    frame = read_frame(write(b"\xef\xbb\xbfa,b\r\n1,2\r\n\r\n3,4\r\n\r\n")).frame
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
        ("a,b\n1,2\n3,4,5\n", "line 3 has 3 fields, but the header has 2"),
        ('a,b\n1,"x\n2,y\n', "cannot be read as a table"),
        ('a,b\n1,"x"y\n', "line 2 has a quote that does not enclose a whole field"),
        ('a,b\n1,"x\n\n"\n2,y"\n', "line 5 has a quote that does not enclose a whole field"),
        ("a,b\r1,2\r", "carriage returns without line feeds"),
        # UTF-8 with one letter in another encoding.
        ("a,b\n1,é\n".encode() + b"2,\xe9\n", "is not text in UTF-8 throughout"),
        ("a,b\n1,2\n".encode("utf-16") + b"x", "is not text in UTF-16 throughout"),
        (b"a,b\n1,2\n" * 900 + b"1,\0\n", "is not text: it holds null bytes"),
        (b"a,b\n1,\xe9\x01\n", "is not text in UTF-8 throughout"),
        (bytes(range(256)) * 4, "is not text: it holds null bytes"),
    ],
    ids=range(16),
)
def test_a_broken_text_file_gets_one_clear_line(write, content, message):
    with pytest.raises(InputError, match=message) as caught:
        read_frame(write(content))
    assert "\n" not in str(caught.value)
    assert "a.csv" in str(caught.value)


ENCODED = {
    "utf-8": ("é,b\n1,ü\n".encode(), None),
    "utf-8 with a mark": ("é,b\n1,ü\n".encode("utf-8-sig"), None),
    "latin-1": ("é,b\n1,ü\n".encode("latin-1"), "read as Latin-1"),
    # A byte that Windows-1252 lacks.
    "latin-1 only": ("é,b,c\n1,ü,\x81\n".encode("latin-1"), "read as Latin-1"),
    # Beyond the first block.
    "late": (
        ("e,b\n" + "1,x\n" * 300_000 + "1,ü\n").encode("latin-1"),
        "read as Latin-1",
    ),
    "utf-16": ("é,b\n1,ü\n".encode("utf-16"), "read as UTF-16"),
    "utf-16 big": (b"\xfe\xff" + "é,b\n1,ü\n".encode("utf-16-be"), "read as UTF-16"),
    "utf-16 without a mark": ("é,b\n1,ü\n".encode("utf-16-le"), "read as UTF-16-LE"),
    "utf-32": ("é,b\n1,ü\n".encode("utf-32"), "read as UTF-32"),
}


@pytest.mark.parametrize("case", ENCODED)
def test_text_in_other_encodings_is_read_with_a_notice(write, case):
    content, words = ENCODED[case]
    table = read_frame(write(content))
    assert table.frame.columns[:2] == ["e" if case == "late" else "é", "b"]
    assert table.frame["b"][-1] == "ü"
    assert [words in notice for notice in table.notices] == ([True] if words else [])


def test_windows_quotes_are_read(write):
    frame = read_frame(write("a,b\n1,\u2019\u20ac\n".encode("cp1252"))).frame
    assert frame["b"].to_list() == ["\u2019\u20ac"]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.csv", "a;b c;d\n1,5;x;3\n2;y, z;4\n", "semicolons, not commas"),
        ("a.csv", "a\tb c\td\n1,5\tx\t3\n2\ty, z\t4\n", "tabs, not commas"),
        ("a.csv", "a|b c|d\n1,5|x|3\n2|y, z|4\n", "vertical bars, not commas"),
        ("a.tsv", 'a,b c,d\n"1,5",x,3\n2,"y, z",4\n', "commas, not tabs"),
        ("a.csv", 'a,b c,d\n"1,5",x,3\n2,"y, z",4\n', None),
        ("a.tsv", "a\tb c\td\n1,5\tx\t3\n2\ty, z\t4\n", None),
    ],
)
def test_other_separators_are_read_with_a_notice(write, name, text, words):
    table = read_frame(write(text, name))
    assert table.frame.columns == ["a", "b c", "d"]
    assert table.frame["b c"].to_list() == ["x", "y, z"]
    assert [words in notice for notice in table.notices] == ([True] if words else [])


@pytest.mark.parametrize(
    "text", ["a;b\n1\n2\n", "a,b;c\n1,2\n3,4\n", "a\n1;2\n3;4\n", "\ta\n1\t2\n"]
)
def test_a_separator_is_changed_only_if_it_splits_all_rows_alike(write, text):
    table = read_frame(write(text, "a.tsv" if "\t" in text else "a.csv"))
    assert table.notices == ()


def test_a_pattern_is_a_name(tmp_path):
    for name, number in (("data1", 1), ("data[1]", 2), ("a1", 3), ("a*", 4), ("a?", 5)):
        for ending, write_frame in (
            ("csv", pl.DataFrame.write_csv),
            ("parquet", pl.DataFrame.write_parquet),
            ("arrow", pl.DataFrame.write_ipc),
        ):
            write_frame(pl.DataFrame({"n": [number]}), tmp_path / f"{name}.{ending}")
    for ending in ("csv", "parquet", "arrow"):
        for name, number in (("data[1]", 2), ("a*", 4), ("a?", 5)):
            path = tmp_path / f"{name}.{ending}"
            assert read_frame(path).frame["n"].to_list() == [number]
            (X,) = FeatureBatches(path, ["n"], 10)
            assert X.tolist() == [[number]]
        with pytest.raises(InputError, match="does not exist"):
            read_frame(tmp_path / f"d*.{ending}")


def test_rows_without_any_value_are_skipped_and_said_unless_last(write, tmp_path):
    table = read_frame(write("a,b\n1,2\n,\n \n3,NA\nNA,?\n\n,\n"))
    assert table.frame.rows() == [(1, 2), (3, None), (None, None)]
    assert table.notices == ("skipped 2 rows without any value.",)
    path = tmp_path / "a.parquet"
    pl.DataFrame({"a": [1, None, 3], "b": ["x", " ", "NA"]}).write_parquet(path)
    table = read_frame(path)
    assert table.frame.rows() == [(1, "x"), (3, None)]
    assert table.notices == ("skipped 1 row without any value.",)


def test_names_and_text_in_parquet_lose_spaces_as_in_text_files(tmp_path):
    path = tmp_path / "a.parquet"
    column = pl.Series([" x", "y ", "NA"])
    pl.DataFrame({" a ": column, "b": column.cast(pl.Categorical), "c": [1, 2, 3]}).write_parquet(
        path
    )
    frame = read_frame(path).frame
    assert frame.rows() == [("x", "x", 1), ("y", "y", 2), (None, None, 3)]
    assert frame.columns == ["a", "b", "c"]


def test_whole_numbers_beyond_64_bits_are_not_merged(write):
    frame = read_frame(write("a\n18446744073709551616\n18446744073709551617\n")).frame
    assert frame["a"].n_unique() == 2


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
    ("name", "ending"), [("a.xlsx", r"ends in \.xlsx"), ("a", "has no extension")]
)
def test_an_unknown_ending_gets_the_list_of_known_ones(write, name, ending):
    with pytest.raises(InputError, match=rf"{ending}, .* use one of \.csv, .*\.npz"):
        read_frame(write("a,b\n1,2\n", name))
