"""Unusual tables are read correctly by all commands, or give an error of one line."""

import io
import os

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from discrimap.models import load_model

TEXT = "size,colour,code,price,kind\n"
ROWS = [
    f"{i * 7 % 11 + 5 * (i % 2)}.5,{('red', 'blue')[i % 3 == 0]},{('01', '02', '10')[i % 3]},"
    f'"{1000 + i * i % 17:,}",{"ab"[i % 2]}\n'
    for i in range(30)
]


@pytest.fixture
def fit(run, tmp_path):
    """Fit LDA to a table, in which the target is 'kind'; return the path of the model and stderr."""

    def fit_file(path, *options):
        model = tmp_path / "m.skops"
        arguments = ("--target", "kind", "--method", "lda", "--components", "1", "--model", model)
        code, _, err = run("fit", path, *arguments, *options)
        assert code == 0, err
        return model, err

    return fit_file


@pytest.fixture
def map_of(run, tmp_path):
    """Map a table and return the map, which must be the same in chunks."""

    def transform(model, path):
        out = tmp_path / "map.csv"
        assert run("transform", model, path, "--out", out)[0] == 0
        whole = pl.read_csv(out).to_numpy()
        assert run("transform", model, path, "--out", out, "--chunk", "7")[0] == 0
        assert_allclose(pl.read_csv(out).to_numpy(), whole, rtol=1e-12, atol=1e-12)
        return whole

    return transform


@pytest.fixture
def standard_input(monkeypatch):
    def send(content):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))

    return send


def write(path, text, **options):
    path.write_text(text, newline="", **options)
    return path


def test_a_file_name_is_no_pattern(tmp_path, fit, map_of, fails):
    table = TEXT + "".join(ROWS)
    write(tmp_path / "data1.csv", TEXT + "".join(ROWS[:20]))
    path = write(tmp_path / "data[1].csv", table)
    model, _ = fit(path)
    assert load_model(model).n_fitted == 30
    assert len(map_of(model, path)) == 30
    fails("does not exist", "fit", tmp_path / "d*.csv", "--method", "lda", "--model", model)


def test_spaces_around_text_do_not_change_the_map(tmp_path, fit, map_of):
    path = write(tmp_path / "t.csv", TEXT + "".join(ROWS))
    model, _ = fit(path)
    expected = map_of(model, path)
    spaced = (TEXT + "".join(ROWS)).replace("red", " red  ").replace("blue,", "blue ,")
    assert_array_equal(map_of(model, write(tmp_path / "s.csv", spaced)), expected)


def test_codes_stay_text_when_all_are_digits(tmp_path, fit, map_of, run):
    rows = [row.replace(",10,", ",x1,") for row in ROWS]
    model, _ = fit(write(tmp_path / "t.csv", TEXT + "".join(rows)))
    assert "code=01" in load_model(model).feature_names
    expected = map_of(model, tmp_path / "t.csv")
    digits = [row for row in rows if ",x1," not in row]
    path = write(tmp_path / "digits.csv", TEXT + "".join(digits))
    keep = [",x1," not in row for row in rows]
    assert_allclose(map_of(model, path), expected[keep], rtol=1e-12)
    code, _, err = run("transform", model, path, "--out", tmp_path / "map.csv")
    assert (code, err) == (0, "")


def test_codes_with_leading_zeros_and_numbers_as_text_are_told(tmp_path, fit):
    model, err = fit(write(tmp_path / "t.csv", TEXT + "".join(ROWS)))
    assert "'code': digits with leading zeros are codes, kept as text" in err
    assert "'price': text read as numbers with ',' between thousands; a comma before" in err
    assert load_model(model).feature_names == [
        "size",
        "colour=blue",
        "colour=red",
        "code=01",
        "code=02",
        "code=10",
        "price",
    ]


NOTATIONS = {
    "digits": lambda x: f"{x:.2f}",
    "percent": lambda x: f"{x:.2f}%",
    "dollars": lambda x: f"${x:,.2f}",
    "decimal comma": lambda x: f"{x:.2f}".replace(".", ","),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_numbers_as_text_are_numbers(tmp_path, fit, map_of, fails, rng, notation, ending):
    frame = pl.DataFrame(
        {
            "a": rng.standard_normal(40).round(2),
            "b": rng.standard_normal(40),
            "kind": ["x", "z"] * 20,
        }
    )
    model, _ = fit(write(tmp_path / "t.csv", frame.write_csv()))
    expected = map_of(model, tmp_path / "t.csv")

    text = [NOTATIONS[notation](x) for x in frame["a"].to_list()]
    path = tmp_path / f"numbers.{ending}"
    as_text = frame.with_columns(a=pl.Series(text))
    (as_text.write_csv if ending == "csv" else as_text.write_parquet)(path)
    model, err = fit(path)
    assert ("text read as numbers" in err) == (notation != "digits" or ending == "parquet")
    assert load_model(model).feature_names == ["a", "b"]
    assert_allclose(map_of(model, path), expected, rtol=1e-9)

    as_text.with_columns(a=pl.lit("about 5")).write_csv(tmp_path / "new.csv")
    words = "as it did when the model was fitted, but row 1 holds 'about 5'"
    fails(words, "transform", model, tmp_path / "new.csv", "--out", tmp_path / "map.csv")


def test_numbers_in_two_notations_are_refused_with_the_column(tmp_path, fails):
    path = write(tmp_path / "t.csv", "share,kind\n" + "5%,a\n3,b\n7%,a\n" * 5)
    arguments = ("--target", "kind", "--method", "lda", "--model", tmp_path / "m.skops")
    fails("column 'share' holds numbers written in more than one way", "fit", path, *arguments)
    assert os.listdir(tmp_path) == ["t.csv"]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_dates_are_left_out_alike_from_every_file(tmp_path, fit, ending):
    days = pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 1, 30), eager=True)
    frame = pl.DataFrame({"a": [i % 7 + 0.5 for i in range(30)], "kind": ["x", "z"] * 15})
    frame = frame.with_columns(
        day=days, at=days.cast(pl.Datetime("us")), fortnight=pl.Series([days[0], days[14]] * 15)
    )
    path = tmp_path / f"t.{ending}"
    (frame.write_csv if ending == "csv" else frame.write_parquet)(path)
    model, err = fit(path)
    assert load_model(model).feature_names == ["a"]
    assert "dropped columns 'day', 'at', 'fortnight': dates or times" in err
    assert "to use them, add columns of numbers" in err


FILES = {
    "semicolons and decimal commas": (";", "utf-8", "semicolons"),
    "tabs": ("\t", "utf-8", "tabs"),
    "Latin-1": (",", "latin-1", "Latin-1"),
    "UTF-16": (",", "utf-16", "UTF-16"),
    "semicolons in UTF-16": (";", "utf-16", "semicolons"),
}


@pytest.mark.parametrize("case", FILES)
def test_files_of_other_programs_are_read_with_a_notice(tmp_path, fit, map_of, run, case):
    separator, encoding, words = FILES[case]
    frame = pl.DataFrame(
        {"größe": [i * 7 % 11 / 4 for i in range(30)], "b": [i % 3 for i in range(30)]}
    ).with_columns(farbe=pl.Series(["grün", "blau", "grün"] * 10), kind=pl.Series(["x", "z"] * 15))
    model, err = fit(write(tmp_path / "t.csv", frame.write_csv()))
    assert words not in err
    expected = map_of(model, tmp_path / "t.csv")

    text = frame.write_csv(separator=separator, decimal_comma=separator == ";")
    path = write(tmp_path / "other.csv", text, encoding=encoding)
    model, err = fit(path)
    assert words in err
    assert_allclose(map_of(model, path), expected, rtol=1e-9)
    for options in ((), ("--chunk", "5")):
        code, _, err = run("transform", model, path, "--out", tmp_path / "map.csv", *options)
        assert code == 0
        assert words in err


def test_standard_input_is_read(tmp_path, fit, run, standard_input):
    content = (TEXT + "".join(ROWS)).encode()
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    standard_input(content)
    model, _ = fit("-")
    maps = []
    for source, options in ((path, ()), ("-", ()), ("-", ("--chunk", "7"))):
        standard_input(content)
        out = tmp_path / "map.csv"
        assert run("transform", model, source, "--out", out, *options)[0] == 0
        maps.append(pl.read_csv(out).to_numpy())
    assert_allclose(maps[1], maps[0], rtol=1e-12)
    assert_allclose(maps[2], maps[0], rtol=1e-12)
    standard_input(content)
    options = ("--target", "kind", "--methods", "pca", "--repeats", "1", "--jobs", "1", "--quiet")
    code, out, err = run("compare", "-", *options)
    assert code == 0, err
    assert "stdin" in out


@pytest.mark.parametrize(
    "content", [b"", b"a,kind\n", b"\0\1\2"], ids=["empty", "header", "binary"]
)
def test_bad_standard_input_gets_one_line(tmp_path, fails, standard_input, content):
    standard_input(content)
    model = tmp_path / "m.skops"
    arguments = ("--target", "kind", "--method", "lda", "--model", model)
    fails("standard input", "fit", "-", *arguments)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("ending", ["csv", "parquet", "npz"])
def test_a_pipe_is_refused(tmp_path, fails, ending):
    pipe = tmp_path / f"pipe.{ending}"
    os.mkfifo(pipe)
    arguments = ("--target", "kind", "--method", "lda", "--model", tmp_path / "m.skops")
    fails("is a named pipe, not a file; to read CSV from a pipe, pass -", "fit", pipe, *arguments)
    fails("/dev/null is a device", "fit", "/dev/null", *arguments)


def test_a_sparse_archive_is_mapped(tmp_path, run, rng):
    X = sparse.csr_array(rng.random((40, 12)) * (rng.random((40, 12)) < 0.3))
    y = np.arange(40) % 2
    parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
    np.savez(tmp_path / "sparse.npz", **parts, y=y)
    np.savez(tmp_path / "dense.npz", X=X.toarray(), y=y)
    model, maps = tmp_path / "m.skops", []
    fit = ("--method", "lslda", "--model", model)
    for fitted in ("sparse", "dense"):
        code, _, err = run("fit", tmp_path / f"{fitted}.npz", *fit)
        assert code == 0, err
        for source in ("sparse", "dense"):
            out = tmp_path / "map.csv"
            code, _, err = run("transform", model, tmp_path / f"{source}.npz", "--out", out)
            assert code == 0, err
            maps.append(pl.read_csv(out).to_numpy())
    assert_allclose(maps[1], maps[0], rtol=1e-9)
    assert_allclose(maps[3], maps[2], rtol=1e-9)


BAD_ARCHIVES = {
    "too many columns": (
        {"data": [1.0, 2], "indices": [0, 1], "indptr": [0, 1, 2], "shape": [2, 2**40]},
        "a sparse matrix of 1099511627776 columns is too wide",
    ),
    "class names twice": (
        {"X": np.eye(4), "target_names": ["a", "b", "a"], "y": [0, 1, 2, 2]},
        "target_names has the same name for different classes: 'a'",
    ),
}


@pytest.mark.parametrize("case", BAD_ARCHIVES)
def test_bad_archives_get_one_line(tmp_path, fails, case):
    arrays, words = BAD_ARCHIVES[case]
    path = tmp_path / "a.npz"
    np.savez(path, **{"y": np.array([0, 1]), **arrays})
    fails(words, "fit", path, "--method", "plsda", "--model", tmp_path / "m.skops")
    assert os.listdir(tmp_path) == ["a.npz"]


def test_large_numbers_are_classes_of_their_own(tmp_path, run, rng):
    path, model = tmp_path / "a.npz", tmp_path / "m.skops"
    np.savez(path, X=rng.standard_normal((30, 3)), y=np.array([1e300, -1e300, 1e299] * 10))
    code, _, err = run("fit", path, "--method", "lda", "--model", model)
    assert code == 0, err
    assert load_model(model).classes == ["-1e+300", "1e+299", "1e+300"]


@pytest.mark.parametrize("method", ["lda", "pca", "lslda"])
@pytest.mark.parametrize("options", [(), ("--chunk", "5")], ids=["whole", "chunks"])
def test_a_map_is_finite_or_refused(tmp_path, run, fails, rng, method, options):
    """Numbers that are finite in the file overflow when they are divided by a small scale."""
    lines = [
        f"{a:.8f},{b:.8f},{'xz'[i % 2]}" for i, (a, b) in enumerate(rng.normal(0, 1e-5, (30, 2)))
    ]
    path, new = tmp_path / "t.csv", tmp_path / "new.csv"
    write(path, "a,b,kind\n" + "\n".join(lines))
    write(new, "a,b\n" + "0,0\n" * 9 + "1e306,1e306\n")
    model, out = tmp_path / "m.skops", tmp_path / "map.csv"
    fit = ("--target", "kind", "--method", method, "--components", "1", "--model", model)
    assert run("fit", path, *fit)[0] == 0
    fails("new.csv", "transform", model, new, "--out", out, *options)
    assert not out.exists()
