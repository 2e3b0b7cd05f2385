"""Bad input gives one line on stderr and exit code 2 in every command, and no file is written."""

import errno
import os
import pickle

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from discrimap.datasets import Dataset
from discrimap.models import fit_model, save_model
from discrimap.registry import get_method
from discrimap.tables import output_files as files

HEADER = "a,b,kind"


def rows(n=40, b=None, kind="xz"):
    values = np.random.default_rng(0).standard_normal((n, 2))
    return [
        f"{values[i, 0]:.4f},{values[i, 1] if b is None else b},{kind[i % len(kind)]}"
        for i in range(n)
    ]


def text_of(lines, header=HEADER):
    return ("\n".join([header, *lines]) + "\n").encode()


# name: (contents of data.csv or what stands in its place, words that must be said)
TABLES = {
    "missing file": (None, "data.csv does not exist"),
    "folder instead of a file": ("folder", "folder"),
    "empty file": (b"", "empty"),
    "header only": (text_of([]), "no rows"),
    "same header twice": (text_of(rows(), "a,a,kind"), "same name: 'a'"),
    "missing values": (text_of([*rows(), "1,NaN,x", "1,,x"]), "missing values (2 in 42 rows)"),
    "infinite value": (text_of([*rows(), "1,-inf,x"]), "infinite values (1), by column: b (1)"),
    "a number too large": (text_of([*rows(), "1,1e999,x"]), "infinite values (1), by column: b"),
    "too few fields": (text_of([*rows(), "1"]), ""),
    "too many fields": (text_of([*rows(), "1,2,x,4"]), ""),
    "UTF-16, cut off": (text_of(rows()).decode().encode("utf-16")[:-1], "UTF-8"),
    "two encodings": ("a,b,é\n".encode() + b"1,2,caf\xe9\n3,4,x\n", "UTF-8"),
    "not a table at all": (bytes(range(256)) * 20, ""),
    "a Parquet file in name only": (b"PAR1 is not enough", "data.parquet"),
}
TARGETS = {
    "one row": (text_of(["1,2,x"]), "kind", (), ""),
    "ids and nothing else": (
        text_of([f"name{i},{'xz'[i % 2]}" for i in range(40)], "id,kind"),
        "kind",
        (),
        "no usable feature column",
    ),
    "unknown target": (text_of(rows()), "kin", (), "'kind'"),
    "no target": (text_of(rows()), None, (), "target"),
    "one class": (text_of(rows(kind="x")), "kind", (), "one class"),
    "no class at all": (text_of([f"{i},{i},".replace("0", "7") for i in range(9)]), "kind", (), ""),
    "constant number": (text_of(rows(b="1.5")), "b", ("--task", "regression"), "distinct"),
    "text as a number": (text_of(rows()), "kind", ("--task", "regression"), "text"),
    "a number too large to square": (
        text_of([*rows(), "1,1e300,x"]),
        "kind",
        (),
        "the largest absolute value of the features is 1e+300",
    ),
    "constant features": (
        text_of([f"1,2,{'xz'[i % 2]}" for i in range(9)]),
        "kind",
        (),
        "every feature is constant",
    ),
    "nothing but the target": (b"kind\n" + b"x\nz\n" * 20, "kind", (), ""),
    "every feature empty": (text_of([f",,{'xz'[i % 2]}" for i in range(40)]), "kind", (), ""),
}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "m.skops"
    X = np.random.default_rng(0).standard_normal((40, 2))
    data = Dataset("made", X, np.arange(40) % 2, ["a", "b"])
    save_model(path, fit_model(data, get_method("lda"), n_components=1))
    return path


@pytest.fixture
def place(tmp_path):
    """Put bad contents where data are expected; return the path, in a folder of its own."""

    def put(contents, name="data.csv"):
        folder = tmp_path / "data"
        folder.mkdir()
        path = folder / name
        if contents == "folder":
            path.mkdir()
        elif contents is not None:
            path.write_bytes(contents)
        return path

    return put


COMMANDS = {
    "compare": lambda data, out, model: [
        "compare",
        data,
        "--out",
        out / "r.html",
        "--json",
        out / "r.json",
        "--methods",
        "pca,lda",
        "--repeats",
        "1",
    ],
    "fit": lambda data, out, model: [
        "fit",
        data,
        "--method",
        "lda",
        "--components",
        "1",
        "--model",
        out / "m.skops",
    ],
    "transform": lambda data, out, model: ["transform", model, data, "--out", out / "map.csv"],
    "transform in chunks": lambda data, out, model: [
        "transform",
        model,
        data,
        "--out",
        out / "map.parquet",
        "--chunk",
        "7",
    ],
}


@pytest.fixture
def refuses(fails, tmp_path, model):
    """Run a command on bad data, which must fail in the right words and leave nothing behind."""

    def refuse(command, data, words, *options):
        out = tmp_path / "out"
        out.mkdir()
        before = data.read_bytes() if data.is_file() else None
        fails(words, *COMMANDS[command](data, out, model), *options)
        assert os.listdir(out) == []
        assert os.listdir(data.parent) in ([], [data.name])
        assert before is None or data.read_bytes() == before

    return refuse


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("case", TABLES)
def test_bad_tables(case, command, place, refuses):
    contents, words = TABLES[case]
    name = "data.parquet" if "Parquet" in case else "data.csv"
    target = () if command.startswith("transform") else ("--target", "kind")
    refuses(command, place(contents, name), words, *target)


@pytest.mark.parametrize("command", ["compare", "fit"])
@pytest.mark.parametrize("case", TARGETS)
def test_bad_targets(case, command, place, refuses):
    contents, target, options, words = TARGETS[case]
    named = () if target is None else ("--target", target)
    refuses(command, place(contents), words, *named, *options)


@pytest.mark.parametrize("command", ["transform", "transform in chunks"])
@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("a,c,kind", "lacks columns that the model was fitted with: 'b'"),
        ("A,B,kind", "lacks columns that the model was fitted with: 'a', 'b'"),
    ],
)
def test_new_data_without_the_columns(header, words, command, place, refuses):
    refuses(command, place(text_of(rows(), header)), words)


@pytest.mark.parametrize("command", ["transform", "transform in chunks"])
def test_text_in_a_column_of_numbers(command, place, refuses):
    """In compare and fit it would become a column of text, which a notice reports."""
    words = "column 'b' must hold numbers, as it did when the model was fitted, but row 41 holds"
    refuses(command, place(text_of([*rows(), "1,about 5,x"])), words)


def test_an_empty_column_of_new_data(place, refuses):
    refuses("transform", place(text_of([f"{i},,x" for i in range(9)])), "b (9)")


def write_archive_of_another(path):
    with path.open("wb") as file:
        np.savez(file, a=np.eye(2))


MODELS = {
    "missing": lambda path, good: None,
    "a folder": lambda path, good: path.mkdir(),
    "empty": lambda path, good: path.write_bytes(b""),
    "text": lambda path, good: path.write_text("a,b\n1,2\n"),
    "cut off": lambda path, good: path.write_bytes(good[: len(good) // 2]),
    "one byte changed": lambda path, good: path.write_bytes(
        good[: len(good) // 3] + bytes([good[len(good) // 3] ^ 255]) + good[len(good) // 3 + 1 :]
    ),
    "a pickle": lambda path, good: path.write_bytes(pickle.dumps(StandardScaler())),
    "a pickle that runs something": lambda path, good: path.write_bytes(
        b"cos\nsystem\n(S'touch pwned'\ntR."
    ),
    "of another program": lambda path, good: write_archive_of_another(path),
}


@pytest.mark.parametrize("command", ["transform", "export"])
@pytest.mark.parametrize("case", MODELS)
def test_bad_models(case, command, model, place, fails, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path, data = tmp_path / "bad.skops", place(text_of(rows()))
    MODELS[case](path, model.read_bytes())
    arguments = ["transform", path, data, "--out", "map.csv"]
    if command == "export":
        arguments = ["export", path, "--onnx", "m.onnx"]
    fails("bad.skops", *arguments)
    assert set(os.listdir(tmp_path)) - {"data", "bad.skops"} == set()


COMPARE = ("compare", "--methods", "pca", "--repeats", "1", "--jobs", "1")
OUTPUTS = {
    "compare": ([*COMPARE, "iris"], "--out", "r.html"),
    "compare as JSON": ([*COMPARE, "iris"], "--json", "r.json"),
    "fit": (["fit", "iris", "--method", "pca"], "--model", "m.skops"),
    "transform": (["transform", "MODEL", "DATA"], "--out", "map.csv"),
    "export": (["export", "MODEL"], "--onnx", "m.onnx"),
}


@pytest.fixture
def writes(place, model, tmp_path):
    """Return the arguments of a command that writes to a given place."""
    data = place(text_of(rows()))

    def arguments_of(case, out=None):
        arguments, option, name = OUTPUTS[case]
        stand_for = {"MODEL": model, "DATA": data}
        return [*(stand_for.get(a, a) for a in arguments), option, out or tmp_path / name]

    return arguments_of


@pytest.mark.parametrize("case", OUTPUTS)
def test_outputs_that_cannot_be_written(case, writes, fails, tmp_path, monkeypatch):
    ending = OUTPUTS[case][2].partition(".")[2]
    folder, file = tmp_path / f"folder.{ending}", tmp_path / "file"
    folder.mkdir()
    file.write_text("here before")
    fails("it is a folder", *writes(case, folder))
    fails("no folder", *writes(case, tmp_path / "absent" / f"r.{ending}"))
    fails("", *writes(case, file / f"r.{ending}"))
    with monkeypatch.context() as patched:  # whoever runs the tests may write anywhere
        patched.setattr(files.os, "access", lambda path, mode: mode != os.W_OK)
        fails("no permission", *writes(case))
    assert file.read_text() == "here before"
    assert sorted(os.listdir(tmp_path)) == ["data", "file", folder.name]


@pytest.mark.parametrize("case", OUTPUTS)
def test_a_disk_that_is_full_at_the_end_leaves_the_old_file(
    case, writes, run, tmp_path, monkeypatch
):
    old = tmp_path / OUTPUTS[case][2]
    old.write_text("here before")

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    code, _, err = run(*writes(case))
    assert code == 2
    assert err.splitlines()[-1].startswith("discrimap: ")
    assert "No space left" in err
    assert "Traceback" not in err
    assert old.read_text() == "here before"
    assert sorted(os.listdir(tmp_path)) == ["data", old.name]
