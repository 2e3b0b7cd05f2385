"""The command line as a user meets it: exit code, one line on stderr, files whole or absent."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from discrimap import cli, files


@pytest.fixture
def run(capsys):
    """Run a command in this process; return exit code, stdout and stderr."""

    def run_here(*arguments):
        code = cli.main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_here


@pytest.fixture
def table(tmp_path, rng):
    """Write a small CSV with two well separated classes."""

    def write(name="data.csv", n_samples=60, header="size,weight,colour,kind", **columns):
        kind = np.arange(n_samples) % 2
        size = kind * 5 + rng.standard_normal(n_samples)
        weight = rng.standard_normal(n_samples)
        path = tmp_path / name
        lines = [header] + [
            f"{size[i]:.4f},{weight[i]:.4f},{'red' if i % 3 else 'blue'},{'ab'[kind[i]]}"
            for i in range(n_samples)
        ]
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


def compare_quickly(*arguments):
    return "compare", *arguments, "--methods", "pca,lda", "--repeats", "2"


def test_compare_prints_a_table_and_writes_report_and_json(run, tmp_path):
    code, out, err = run(
        *compare_quickly("wine", "--out", tmp_path / "r.html", "--json", tmp_path / "r.json")
    )
    assert code == 0
    assert err == ""
    assert "178 samples, 13 features, 3 classes" in out
    assert out.index("LDA") < out.index("PCA")
    assert f"Report: {tmp_path / 'r.html'}" in out
    result = json.loads((tmp_path / "r.json").read_text())
    assert {row["name"] for row in result["results"]} == {"pca", "lda"}
    assert "<html" in (tmp_path / "r.html").read_text()
    assert sorted(os.listdir(tmp_path)) == ["r.html", "r.json"]


def test_compare_reads_a_table_and_says_what_it_did_with_the_columns(run, table):
    code, out, err = run(*compare_quickly(table(), "--target", "kind"))
    assert code == 0
    assert "LDA separates the classes best" in out
    assert "colour" in err
    code, out, err = run(*compare_quickly(table(), "--target", "kind", "--quiet"))
    assert (code, err) == (0, "")


def test_random_labels_are_called_out(run, tmp_path, rng):
    path = tmp_path / "noise.csv"
    rows = rng.standard_normal((90, 4))
    kinds = rng.permutation(np.arange(90) % 3)
    path.write_text(
        "a,b,c,d,kind\n"
        + "\n".join(
            ",".join(map(str, row)) + f",k{kind}" for row, kind in zip(rows, kinds, strict=True)
        )
    )
    code, out, _ = run("compare", path, "--target", "kind", "--methods", "pca,lda,plsda")
    assert code == 0
    assert "No evidence of class structure" in out


BAD_ARGUMENTS = {
    "missing file": (["absent.csv", "--target", "y"], "absent.csv"),
    "unknown name": (["irris"], "'iris'"),
    "unknown method": (["iris", "--methods", "pca,sdaa"], "sdaa"),
    "no method": (["iris", "--methods", ","], "names no method"),
    "no components": (["iris", "--components", "0"], "n_components=0"),
    "too many components": (["iris", "--components", "7"], "exceeds the 4 features"),
    "text for a number": (["iris", "--components", "two"], "'two' is not a valid integer"),
    "no such option": (["iris", "--colour"], "--colour"),
    "no jobs": (["iris", "--jobs", "0"], "--jobs 0"),
    "no time": (["iris", "--time-limit", "0"], "--time-limit 0"),
    "output is a folder": (["iris", "--out", "."], "it is a folder"),
    "output folder missing": (["iris", "--json", "no/such/r.json"], "there is no folder"),
}


@pytest.mark.parametrize("case", BAD_ARGUMENTS)
def test_bad_arguments_give_one_line_and_nothing_written(case, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments, message = BAD_ARGUMENTS[case]
    code, out, err = run("compare", *arguments)
    assert_one_line(code, out, err, message)
    assert os.listdir(tmp_path) == []


BAD_TABLES = {
    "empty file": ("", "y", "empty"),
    "header only": ("a,b,y\n", "y", "row"),
    "one row": ("a,b,y\n1,2,x\n", "y", ""),
    "one class": ("a,b,y\n" + "1,2,x\n2,1,x\n" * 9, "y", "one class"),
    "a class with one sample": (
        "a,b,y\n" + "1,2,x\n2,1,x\n" * 9 + "3,3,z\n",
        "y",
        "fewer than 2 samples: 'z' (1)",
    ),
    "target absent": ("a,kind\n1,x\n2,z\n", "kinds", "'kind'"),
    "duplicate columns": ("a,a,y\n1,2,x\n3,4,z\n", "y", "a"),
    "missing value": ("a,b,y\n" + "1,2,x\n3,,z\n" * 5, "y", "b"),
    "infinite value": ("a,b,y\n" + "1,2,x\n3,inf,z\n" * 5, "y", "b"),
    "ids and text only": (
        "id,y\n" + "\n".join(f"name{i},{'xz'[i % 2]}" for i in range(40)),
        "y",
        "",
    ),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_bad_tables_give_one_line(case, run, tmp_path):
    text, target, message = BAD_TABLES[case]
    path = tmp_path / "bad.csv"
    path.write_text(text)
    code, out, err = run("compare", path, "--target", target, "--out", tmp_path / "r.html")
    assert_one_line(code, out, err, message)
    assert path.read_text() == text
    assert os.listdir(tmp_path) == ["bad.csv"]


def assert_one_line(code, out, err, message):
    """Check for a non-zero exit, one line on stderr, no traceback, the right words."""
    assert code == cli.EXIT_INPUT
    assert out == ""
    lines = [line for line in err.splitlines() if not line.startswith("note: ")]
    assert len(lines) == 1, err
    assert lines[0].startswith("discrimap: ")
    assert message in lines[0]
    assert "Traceback" not in err


def test_a_file_needs_a_target(run, table):
    code, out, err = run("compare", table())
    assert_one_line(code, out, err, "target")


def test_missing_values_can_be_imputed(run, table):
    path = table()
    lines = path.read_text().splitlines()
    lines[3] = "," + lines[3].partition(",")[2]
    path.write_text("\n".join(lines))
    code, _, err = run(*compare_quickly(path, "--target", "kind"))
    assert code == cli.EXIT_INPUT
    assert "size" in err
    code, _, _ = run(*compare_quickly(path, "--target", "kind", "--impute", "median"))
    assert code == 0


def test_no_permission_to_write_is_found_before_the_work(run, tmp_path, monkeypatch):
    monkeypatch.setattr(files.os, "access", lambda *_: False)
    code, out, err = run("compare", "iris", "--out", tmp_path / "r.html")
    assert_one_line(code, out, err, "no permission")


def test_an_unexpected_error_is_one_line_that_says_whose_fault_it_is(run, monkeypatch):
    from discrimap import comparison

    def broken(*_, **__):
        raise KeyError("oops")

    monkeypatch.setattr(comparison, "compare", broken)
    code, out, err = run("compare", "iris")
    assert code == cli.EXIT_BUG
    assert out == ""
    assert len(err.splitlines()) == 1
    assert "KeyError" in err
    with pytest.raises(KeyError):
        cli.main(["compare", "iris", "--traceback"])


# A shell starts background jobs with Ctrl-C ignored, and what is ignored is inherited: the command
# must be one that was started in the foreground, however the tests were.
IN_FOREGROUND = """
import signal, sys
from discrimap.cli import main
if __name__ == "__main__":  # not in the worker processes
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("seconds", [3, 8])  # while workers start, and while they work
def test_control_c_in_the_middle_leaves_nothing_half_written(tmp_path, seconds):
    source, script = str(Path(cli.__file__).parents[2]), tmp_path / "in_foreground.py"
    script.write_text(IN_FOREGROUND)
    out = tmp_path / "results"
    out.mkdir()
    process = subprocess.Popen(
        [sys.executable, script, "compare", "digits", "--repeats", "200", "--out", out / "r.html"],
        env=os.environ | {"PYTHONPATH": source},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        time.sleep(seconds)
        # As a terminal does it: the signal goes to the command and to its worker processes.
        os.killpg(process.pid, signal.SIGINT)
        printed, complaint = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    assert process.returncode == cli.EXIT_INTERRUPTED
    assert printed == ""
    assert complaint.strip() == "discrimap: interrupted; nothing was written."
    assert os.listdir(out) == []


def test_methods_and_datasets_are_listed(run):
    code, out, _ = run("methods")
    assert code == 0
    assert "plsda" in out
    code, out, _ = run("datasets")
    assert code == 0
    assert "iris" in out


def test_version_and_help(run):
    assert run("--version")[:2] == (0, "discrimap 0.1.0\n")
    code, out, _ = run("--help")
    assert code == 0
    assert "compare" in out


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from discrimap.cli import main; main(['--help']); "
        "heavy = {'sklearn', 'scipy', 'numpy', 'numba', 'plotly', 'matplotlib', 'polars', 'rich'};"
        "sys.exit(str(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)"
    )
    source = str(Path(cli.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": source},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
