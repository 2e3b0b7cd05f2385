"""``discrimap compare``, run as by a user."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from discrimap import cli
from discrimap.inspection.jury import choose_jurors
from discrimap.tables import output_files as files

# Starting a worker process takes longer than any comparison here: one is enough.
ONE_WORKER = ("--jobs", "1")


def compare_quickly(*arguments, methods="pca,lda", repeats=2):
    return "compare", *arguments, "--methods", methods, "--repeats", str(repeats), *ONE_WORKER


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


def test_suspicious_labels_are_written_with_the_ids_of_the_table(run, table, tmp_path):
    path, out, result = table(), tmp_path / "s.csv", tmp_path / "r.json"
    header, *rows = path.read_text().splitlines()
    rows[16] = rows[16][:-1] + "b"  # one wrong label among the classes of even and odd rows
    lines = [f"sample,{header}", *(f'"nr, {i + 100}",{row}' for i, row in enumerate(rows))]
    path.write_text("\n".join(lines) + "\n")
    code, out_text, _ = run(
        *compare_quickly(path, "--target", "kind", "--suspects", out, "--json", result)
    )
    assert code == 0
    assert f"Suspicious labels: {out}" in out_text
    found = list(csv.DictReader(out.read_text().splitlines()))
    (one,) = (row for row in found if row["row"] == "17")
    assert (one["id"], one["given"], one["suggested"]) == ("nr, 116", "b", "a")
    assert list(one) == ["row", "id", "given", "suggested", "score", "listed"]
    suspects = json.loads(result.read_text())["inspection"]["suspects"]
    assert suspects["id_name"] == "sample"
    assert [(str(item["row"]), item["id"]) for item in suspects["items"]] == [
        (row["row"], row["id"]) for row in found
    ]
    assert [row["listed"] for row in found].count("true") == suspects["n_estimated"]


def test_suspicious_labels_that_could_not_be_looked_for_are_not_written(run, tmp_path, monkeypatch):
    # What worker processes return if there is no time.
    module = import_module("discrimap.inspection.inspect")
    monkeypatch.setattr(module, "choose_jurors", lambda _: choose_jurors([None]))
    out = tmp_path / "s.csv"
    code, _, err = run(*compare_quickly("iris", "--suspects", out))
    assert code == cli.EXIT_INPUT
    assert f"--suspects {out} was not written: Every method fails or takes too long" in err
    assert os.listdir(tmp_path) == []


def test_compare_reads_a_table_and_says_what_it_did_with_the_columns(run, table):
    code, out, err = run(*compare_quickly(table(), "--target", "kind"))
    assert code == 0
    assert out.startswith("The classes separate: ")
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
    report = tmp_path / "r.html"
    code, out, _ = run(
        *compare_quickly(
            path, "--target", "kind", "--out", report, methods="pca,lda,plsda", repeats=5
        )
    )
    assert code == 0
    assert out.splitlines()[0].startswith("No evidence of class structure: the best of 3 methods, ")
    # The first words of the page after its title.
    content = report.read_text().partition("<main")[2].partition("</h1>")[2]
    assert re.sub(r"<[^>]*>|\s+", " ", content[:400]).split("structure")[0].split() == [
        "No",
        "evidence",
        "of",
        "class",
    ]


def write_patients(path, rng, n_patients=24, n_rows=6, name="patient"):
    """Rows of a patient are alike; patients are ill at random."""
    patient = np.repeat(np.arange(n_patients), n_rows)
    X = rng.standard_normal((n_patients, 4))[patient] + 0.1 * rng.standard_normal((len(patient), 4))
    ill = rng.permutation(np.arange(n_patients) % 2)[patient]
    lines = [f"a,b,c,d,{name},kind"]
    lines += [
        ",".join(map(str, row)) + f",P{p:03d},{'ill' if kind else 'well'}"
        for row, p, kind in zip(X, patient, ill, strict=True)
    ]
    path.write_text("\n".join(lines))
    return path


def test_a_column_of_groups_is_warned_of_and_keeps_them_apart(run, tmp_path, rng):
    path = write_patients(tmp_path / "patients.csv", rng)
    options = ("--target", "kind", "--json", tmp_path / "r.json")
    code, out, err = run(*compare_quickly(path, *options))
    assert code == 0
    assert err.splitlines()[0].startswith(
        "note: the column 'patient' seems to name groups: 24 values"
    )
    assert "--groups 'patient'" in err
    best_of_rows = json.loads((tmp_path / "r.json").read_text())["results"][0]["test_errors"]
    code, out, err = run(*compare_quickly(path, *options, "--groups", "patient"))
    assert code == 0
    assert "seems to name groups" not in err
    assert "held out as whole groups" in out
    result = json.loads((tmp_path / "r.json").read_text())
    assert result["n_features"] == 4
    assert np.mean(result["results"][0]["test_errors"]) > np.mean(best_of_rows) + 0.1


def test_rows_in_an_order_are_warned_of_and_held_out_in_stretches(run, tmp_path, rng):
    walk = np.cumsum(rng.standard_normal((300, 3)), axis=0)
    lines = ["when,a,b,c,kind"]
    days = np.datetime64("2024-01-01") + np.arange(300)
    for day, row, kind in zip(days, walk, (np.arange(300) // 12) % 2, strict=True):
        lines.append(f"{day},{row[0]},{row[1]},{row[2]},k{kind}")
    path = tmp_path / "days.csv"
    path.write_text("\n".join(lines))
    code, _, err = run(*compare_quickly(path, "--target", "kind"))
    assert code == 0
    assert "Consecutive rows are much more similar" in err
    for option in (("--order", "when"), ("--blocks",)):
        code, out, err = run(*compare_quickly(path, "--target", "kind", *option))
        assert code == 0
        assert "much more similar" not in err
        assert "held out as one contiguous block" in out


def test_unequal_classes_are_warned_of_and_can_count_the_same(run, tmp_path, rng):
    lines = [
        "a,b,kind",
        *(f"{x},{y},k{i % 20 == 0:d}" for i, (x, y) in enumerate(rng.random((200, 2)))),
    ]
    path = tmp_path / "unequal.csv"
    path.write_text("\n".join(lines))
    code, out, err = run(*compare_quickly(path, "--target", "kind"))
    assert code == 0
    assert "--score balanced" in err
    code, out, err = run(*compare_quickly(path, "--target", "kind", "--score", "balanced"))
    assert "--score" not in err
    assert "5-NN balanced error in 2-D" in out


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
    "no budget": (["iris", "--budget", "-1"], "--budget -1"),
    "no number of seconds": (["iris", "--budget", "nan"], "--budget nan"),
    "two designs": (["iris", "--groups", "a", "--blocks"], "--groups and --blocks exclude"),
    "no such groups": (["iris", "--groups", "plot"], "no array 'plot'"),
    "unknown score": (["iris", "--score", "kappa"], "kappa"),
    "no splits": (["iris", "--repeats", "0"], "n_repeats=0"),
    "negative seed": (["iris", "--seed", "-1"], "seed=-1"),
    "unknown task": (["iris", "--task", "clustering"], "clustering"),
    "two outputs in one file": (["iris", "--out", "r", "--json", "r"], "both name"),
    "suspects in another format": (["iris", "--suspects", "s.parquet"], "must end in .csv"),
    "suspects of many workers": (
        ["iris", "--suspects", "s.csv", "--dask"],
        "cannot be used with --dask",
    ),
    "output is a folder": (["iris", "--out", "."], "it is a folder"),
    "output folder missing": (["iris", "--json", "no/such/r.json"], "there is no folder"),
}


@pytest.mark.parametrize("case", BAD_ARGUMENTS)
def test_bad_arguments_give_one_line_and_nothing_written(case, fails, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments, message = BAD_ARGUMENTS[case]
    fails(message, "compare", *arguments)
    assert os.listdir(tmp_path) == []


def test_a_class_must_be_on_both_sides_of_a_split(fails, tmp_path):
    path = tmp_path / "lone.csv"
    path.write_text("a,b,y\n" + "1,2,x\n2,1,x\n" * 9 + "3,3,z\n")
    fails("fewer than 2 samples: 'z' (1)", "compare", path, "--target", "y")


def test_missing_values_are_refused_or_filled_in(run, fails, table, change_cells, tmp_path):
    path, result = table(), tmp_path / "r.json"
    change_cells(path, {(2, "size"): "", (5, "colour"): "NA"})
    fails("size (1), colour (1)", *compare_quickly(path, "--target", "kind"))
    code, _, err = run(
        *compare_quickly(path, "--target", "kind", "--impute", "median", "--json", result)
    )
    assert code == 0
    assert "2 missing values, to be filled in from training rows" in err
    assert '"impute": "median"' in result.read_text()


def test_rows_without_a_class_are_said_and_not_scored(run, table, change_cells):
    path = table()
    change_cells(path, {(row, "kind"): "" for row in range(10)})
    code, out, err = run(*compare_quickly(path, "--target", "kind", methods="pca,lda,dp"))
    assert code == 0
    assert "10 of 60 rows without a 'kind' are kept" in err
    assert "failed" not in out


def test_a_continuous_target_is_recognised(run, fails, tmp_path, rng):
    X = rng.standard_normal((80, 3))
    rows = np.column_stack([X, X[:, 0] + 0.1 * rng.standard_normal(80)])
    path = tmp_path / "numbers.csv"
    path.write_text("a,b,c,price\n" + "\n".join(",".join(map(str, row)) for row in rows))
    code, out, err = run(*compare_quickly(path, "--target", "price", methods="pca,pls,lda"))
    assert code == 0
    assert "'price' holds 80 distinct numbers in 80 rows: taken as continuous" in err
    assert out.index("PLS ") < out.index("PCA ")
    assert "LDA: skipped: LDA needs class labels, but the target is continuous" in out
    fails("is classes", "compare", "iris", "--task", "regression")


def test_whole_numbers_are_what_the_task_says(run, fails, tmp_path, rng):
    score = np.arange(120) % 40
    X = score[:, None] + rng.standard_normal((120, 2))
    path = tmp_path / "scores.csv"
    path.write_text(
        "a,b,score\n" + "\n".join(f"{a},{b},{s}" for (a, b), s in zip(X, score, strict=True))
    )
    arguments = (path, "--target", "score", "--neighbors", "1")
    _, _, err = run(*compare_quickly(*arguments, methods="pca", repeats=1))
    assert "taken as continuous" in err
    arguments += ("--task", "classification")
    _, out, err = run(*compare_quickly(*arguments, methods="pca", repeats=1))
    assert "40 classes" in out
    assert err == ""
    fails("holds text", "compare", "--task", "regression", "--target", "t", with_text(tmp_path))


def with_text(tmp_path):
    path = tmp_path / "text.csv"
    path.write_text("a,t\n" + "1,x\n2,y\n" * 5)
    return path


def test_what_does_not_fit_into_the_budget_is_said(run, tmp_path, rng):
    X = rng.standard_normal((30_000, 20))
    path = tmp_path / "many.npz"
    np.savez(path, X=X, y=(X[:, 0] > 0).astype(int))
    code, out, _ = run("compare", path, "--methods", "gkdr,pca", "--repeats", "2", "--budget", "15")
    assert code == 0
    assert "Not all rounds were run, because the budget of 15 s ended" in out
    # A fit to all rows takes a minute, because its time is cubic in their number. The clock decides
    # which of the two: a busy machine may not begin the method within 15 s.
    few_rows = r"Gradient KDR: uses [\d,]+ of 20,000 training rows"
    not_begun = "Gradient KDR: skipped: not started when the budget of 15 s ended"
    assert re.search(f"{few_rows}|{not_begun}", out)


def test_no_permission_to_write_is_found_before_the_work(fails, tmp_path, monkeypatch):
    monkeypatch.setattr(files.os, "access", lambda *_: False)
    fails("no permission", "compare", "iris", "--out", tmp_path / "r.html")


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


@pytest.mark.skipif(sys.platform == "win32", reason="process groups are those of POSIX")
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
    if printed:  # some fits were done
        assert "because it was interrupted" in printed
        assert complaint == ""
        assert os.listdir(out) == ["r.html"]
    else:
        assert complaint.strip() == "discrimap: interrupted; nothing was written."
        assert os.listdir(out) == []
