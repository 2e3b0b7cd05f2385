"""Odd tables in every kind of file, through the command line.

Each ends with success, and then ``transform`` gives the same map with ``--chunk`` and from Parquet as from
CSV; or with exit code 2, one line on stderr and nothing written.
"""

from __future__ import annotations

import contextlib
import csv
import io
import os
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import assume
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from discrimap import cli
from discrimap.tables import text_files as text_files_module
from discrimap.tables import text_tables

TARGET = "kind"

plain_numbers = st.one_of(
    st.integers(-10_000, 10_000).map(str),
    st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: f"{x:.3f}"),
    st.sampled_from(["1e300", "-1e-300", "1e999", "inf", "-0", "+5", ".5", "3.", "1e5", "9" * 25]),
)
COLUMNS = {
    "numbers": plain_numbers,
    "digits": st.from_regex(r"[0-9]{1,4}", fullmatch=True),
    "codes": st.sampled_from(["01", "02", "10", "007"]),
    "thousands": st.integers(-(10**7), 10**7).map(lambda n: f"{n:,}"),
    "decimal commas": st.integers(-9999, 9999).map(lambda n: f"{n / 100:.2f}".replace(".", ",")),
    "percent": st.integers(-99, 99).map(lambda n: f"{n}%"),
    "money": st.integers(0, 10**6).map(lambda n: f"${n / 100:,.2f}"),
    "truth": st.sampled_from(["true", "False", "TRUE"]),
    "dates": st.dates().map(str),
    "moments": st.datetimes().map(lambda t: t.isoformat(" ", "seconds")),
    "categories": st.sampled_from(
        ["red", " red", "blue ", "été", 'q"q', "a,b", "two\nlines", "x;y"]
    ),
    "anything": st.text(
        st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=["Cs"]), max_size=6
    ),
}
MARKS = st.sampled_from(["", "NA", "nan", "?", " ", "null", "NaN "])
NAMES = st.sampled_from(["a", "b", " c", "d e", "é", "", "id", "a=b", "x,y", 'q"', "0", "1.5"])


@st.composite
def tables(draw):
    """Columns of text: {name: values}, of the same length, the target among them."""
    n_rows = draw(st.integers(0, 14))
    # Equal names are refused at once, so that they are rare here.
    is_distinct = draw(st.integers(0, 9)) > 0
    names = draw(st.lists(NAMES, min_size=1, max_size=5, unique=is_distinct))
    columns = []
    for name in names:
        kind = COLUMNS[draw(st.sampled_from(sorted(COLUMNS)))]
        values = draw(st.lists(kind, min_size=n_rows, max_size=n_rows))
        if draw(st.integers(0, 5)) == 0 and n_rows:
            place = draw(st.integers(0, n_rows - 1))
            values[place] = draw(st.one_of(MARKS, plain_numbers, COLUMNS["anything"]))
        columns.append((name, values))
    labels = draw(
        st.sampled_from([("u", "v"), ("1", "2"), ("0.5", "7"), ("01", "1"), ("", "w", "z")])
    )
    target = [labels[i % len(labels)] for i in range(n_rows)]
    columns.insert(draw(st.integers(0, len(columns))), (TARGET, target))
    return columns


@st.composite
def text_files(draw):
    """Bytes of a text file: any separator, quoting, line end and encoding, sometimes damaged."""
    columns = draw(tables())
    out = io.StringIO(newline="")
    writer = csv.writer(
        out,
        delimiter=draw(st.sampled_from(",,,;\t|")),
        quoting=draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
        lineterminator=draw(st.sampled_from(["\n"] * 5 + ["\r\n"] * 5 + ["\n\n", "\r"])),
    )
    writer.writerow([name for name, _ in columns])
    rows = [list(row) for row in zip(*(values for _, values in columns), strict=True)]
    damage = draw(st.integers(0, 9))
    if damage == 0 and rows:
        rows[draw(st.integers(0, len(rows) - 1))].append("more")
    if damage == 1 and rows:
        del rows[draw(st.integers(0, len(rows) - 1))][-1]
    writer.writerows(rows)
    text = out.getvalue()
    if damage == 2:
        place = draw(st.integers(0, len(text)))
        text = text[:place] + draw(st.sampled_from(['"', ",", "\n", ";", " ", "\r"])) + text[place:]
    encoding = draw(
        st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1", "cp1252"])
    )
    content = text.encode(encoding, errors="replace")
    if damage == 3 and content:
        place = draw(st.integers(0, len(content) - 1))
        content = content[:place] + bytes([draw(st.integers(0, 255))]) + content[place + 1 :]
    if damage == 4:
        content = content[: draw(st.integers(0, len(content)))]
    return draw(st.sampled_from(["t.csv", "t.csv", "t.tsv", "t[1].csv"])), content


def run(*arguments):
    """Run a command; return exit code, stdout and stderr."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.main([str(argument) for argument in arguments])
    return code, out.getvalue(), err.getvalue()


def succeeds(*arguments):
    """Whether a command ends well; else it must say why in one line."""
    code, out, err = run(*arguments)
    # str.splitlines would take letters of other scripts for line ends.
    lines = [line for line in err.split("\n") if line and not line.startswith("note: ")]
    if code == 0:
        assert not lines, err
        return True
    assert code == 2, (code, err)
    assert out == ""
    assert len(lines) == 1, err
    assert lines[0].startswith("discrimap: ")
    return False


def fit_options(folder, target):
    target = ("--target", target) if target else ()
    return (*target, "--method", "pca", "--components", "1", "--model", folder / "m.skops")


def mapped(folder, source, name, *options):
    """The map of a file by the model, or None if it was refused."""
    out = folder / name
    if succeeds("transform", folder / "m.skops", source, "--out", out, *options):
        return pl.read_csv(out)[:, -1:].to_numpy()  # ids may stand before it
    assert not out.exists()
    return None


def check_file(folder, path, *, target=TARGET, impute=()):
    """Fit and map a file, whole and in chunks; return the map, or None if it was refused."""
    before = path.read_bytes()
    if not succeeds("fit", path, *fit_options(folder, target), *impute):
        assert os.listdir(folder) == [path.name]
        return None
    whole = mapped(folder, path, "whole.csv")
    assert whole is not None, "what was fitted can be mapped"
    if path.suffix != ".npz":
        parts = mapped(folder, path, "parts.csv", "--chunk", "3")
        assert parts is not None
        assert_allclose(parts, whole, rtol=1e-9, atol=1e-9 * np.abs(whole).max())
    assert path.read_bytes() == before
    return whole


@contextlib.contextmanager
def small_blocks():
    """Blocks of a few bytes, so that every way to cut a file occurs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_tables, "FIRST_BLOCK", 64)
        patch.setattr(text_files_module, "BLOCK_SIZE", 64)
        yield


def test_text_files(fuzz):
    def check(file):
        name, content = file
        with tempfile.TemporaryDirectory() as folder, small_blocks():
            path = Path(folder) / name
            path.write_bytes(content)
            check_file(Path(folder), path, impute=("--impute", "median"))

    fuzz(text_files(), check)


def test_the_same_table_in_every_format(fuzz):
    def check(columns):
        names = [name for name, _ in columns]
        assume(len({name.strip() for name in names}) == len(names))
        frame = pl.DataFrame(dict(columns), schema=dict.fromkeys(names, pl.String))
        maps = []
        for ending, write in (
            ("csv", pl.DataFrame.write_csv),
            ("parquet", pl.DataFrame.write_parquet),
            ("arrow", pl.DataFrame.write_ipc),
        ):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / f"t.{ending}"
                write(frame, path)
                maps.append(check_file(Path(folder), path, impute=("--impute", "mean")))
        for other in maps[1:]:
            assert (other is None) == (maps[0] is None)
            if other is not None:
                assert_allclose(other, maps[0], rtol=1e-9, atol=1e-9 * np.abs(other).max())

    fuzz(tables(), check)


odd_numbers = st.one_of(
    st.integers(-3, 3), st.sampled_from([1e300, -1e300, 0.5, np.nan, np.inf, 2**60, 2**53 + 1])
)


@st.composite
def archives(draw):
    """Arrays of an NPZ file, in proportion or not."""
    n, d = draw(st.integers(0, 8)), draw(st.integers(0, 4))
    dtype = draw(st.sampled_from(["f8", "f4", "f2", ">f8", "i8", "u1", "?", "c16", "U3", "M8[D]"]))
    cells = st.integers(0, 1) if dtype in ("?", "u1", "M8[D]") else odd_numbers
    if dtype == "i8":
        cells = st.integers(-(2**62), 2**62)
    size = n * d
    with np.errstate(over="ignore"):
        values = np.array(draw(st.lists(cells, min_size=size, max_size=size)))
        X = values.astype(dtype).reshape(n, d)
    labels = draw(st.sampled_from(["i8", "f8", "U4", "u8", "?", "S2", "c16"]))
    many = draw(st.lists(odd_numbers, min_size=n, max_size=n))
    with np.errstate(invalid="ignore", over="ignore"):
        y = np.array([str(v) if labels in ("U4", "S2") else v for v in many])
        if labels in ("i8", "u8", "?"):
            y = np.nan_to_num(y.astype(float), posinf=1, neginf=0).clip(0, 2**62)
        y = y.astype(labels)
    arrays = {"X": X, "y": y}
    if draw(st.booleans()):
        arrays["target_names"] = np.array(draw(st.lists(st.sampled_from("abc"), max_size=4)))
    if draw(st.booleans()):
        arrays["feature_names"] = np.array(draw(st.lists(st.sampled_from("abc"), max_size=4)))
    if draw(st.booleans()):
        del arrays["X"]
        rows = st.lists(st.integers(0, 5), max_size=6)
        arrays["data"] = np.array(draw(rows), dtype=draw(st.sampled_from(["f8", "i4", "U1"])))
        arrays["indices"] = np.array(draw(rows), dtype=draw(st.sampled_from(["i4", "i8", "f8"])))
        arrays["indptr"] = np.array(draw(rows), dtype="i4")
        n_columns = st.sampled_from([d, 6, 2**40, 2**62, -1])
        arrays["shape"] = np.array(draw(st.sampled_from([[n, draw(n_columns)], [n], n])))
    return arrays


def test_archives(fuzz):
    def check(arrays):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "t.npz"
            np.savez(path, **arrays)
            check_file(Path(folder), path, target=None)

    fuzz(archives(), check)


@st.composite
def damaged_files(draw):
    """A good file of every binary kind, with some bytes changed, cut off or repeated."""
    ending = draw(st.sampled_from(["parquet", "arrow", "npz"]))
    frame = pl.DataFrame(
        {"a": [0.5, 1.5, 2.5, 4.5], "t": ["x", "y", "x", "y"], TARGET: list("uvuv")}
    )
    out = io.BytesIO()
    if ending == "npz":
        np.savez(out, X=np.eye(4), y=np.arange(4) % 2)
    else:
        (frame.write_parquet if ending == "parquet" else frame.write_ipc)(out)
    content = bytearray(out.getvalue())
    for place, value in draw(
        st.lists(st.tuples(st.integers(0, len(content) - 1), st.integers(0, 255)), max_size=3)
    ):
        content[place] = value
    if draw(st.booleans()):
        content = content[: draw(st.integers(0, len(content)))]
    return f"t.{ending}", bytes(content)


def test_damaged_files(fuzz):
    def check(file):
        name, content = file
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(content)
            check_file(Path(folder), path, target=None if name.endswith("npz") else TARGET)

    fuzz(damaged_files(), check)
