"""The command that runs every paper's benchmark: what fails, what goes on, what is written."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.svm import SVC

from discrimap.datasets import list_datasets

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "papers" / "run.py"
# A benchmark in small: it counts its runs, and writes results and a page.
WORKING = """
import json, sys
from pathlib import Path
OPTIONS = ["--quick", "--resume"]
folder = Path(__file__).resolve().parents[2] / "docs" / "benchmarks"
folder.mkdir(parents=True, exist_ok=True)
count = folder / "category.count"
count.write_text(str(int(count.read_text()) + 1 if count.is_file() else 1))
(folder / "arguments").write_text(" ".join(sys.argv[1:]))
accuracy = ACCURACY
runs = {str(seed): {"accuracy": accuracy + seed} for seed in range(2)}
(folder / "category.json").write_text(json.dumps({"table1": {"wine": {"PCA": runs}}}))
(folder / "category.md").write_text("# Title\\n")
"""


@pytest.fixture
def runner(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    spec = importlib.util.spec_from_file_location("papers_run", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def root(tmp_path, monkeypatch):
    data = tmp_path / "data"
    data.mkdir()
    for listing in list_datasets():  # at hand, though these scripts read nothing
        (data / f"{listing.entry.name}.npz").touch()
    monkeypatch.setenv("DISCRIMAP_DATA", str(data))
    folder = tmp_path / "benchmarks" / "papers"
    folder.mkdir(parents=True)
    (folder / "category.py").write_text(WORKING.replace("ACCURACY", "77.0"))
    (folder / "fisher.py").write_text('OPTIONS = ["--quick"]\nraise ValueError("no such set")\n')
    (folder / "fisher_tables.py").write_text("raise SystemExit(3)  # no script: has no quick mode")
    return tmp_path


def test_a_failing_script_does_not_lose_the_others(runner, root):
    assert runner.main([], root) == 1
    page = (root / "docs" / "papers.md").read_text()
    assert "| wine | PCA | 77.2 | 77.5 ± 0.5 | 2 | reproduced |" in page
    assert "| wine | MC-FLD | 97.3 |  | 0 | not run |" in page
    assert "[category.md](benchmarks/category.md)" in page
    assert "The last run: failed with exit code 1. ValueError: no such set" in page
    records = json.loads((root / "docs" / "benchmarks" / "papers-run.json").read_text())
    assert set(records) == {"category", "fisher"}
    assert records["category"]["outcome"] == "done"
    assert records["category"]["versions"]["numpy"]


def test_a_second_call_runs_only_what_did_not_end_well(runner, root):
    count = root / "docs" / "benchmarks" / "category.count"
    runner.main([], root)
    (root / "benchmarks" / "papers" / "fisher.py").write_text('OPTIONS = ["--quick"]\n')
    assert runner.main([], root) == 0
    assert count.read_text() == "1"
    assert runner.main(["--again", "--only", "category"], root) == 0
    assert count.read_text() == "2"
    assert "The last run" not in (root / "docs" / "papers.md").read_text()


def test_the_quick_mode_leaves_full_results_alone(runner, root):
    runner.main(["--only", "category"], root)
    full = (root / "docs" / "papers.md").read_text()
    assert "make papers`" in full
    assert (root / "docs" / "benchmarks" / "arguments").read_text() == "--resume"
    for _ in range(2):  # anew each time
        assert runner.main(["--quick", "--only", "category"], root) == 0
    quick = root / "build" / "papers-quick" / "docs"
    assert "make papers-quick`" in (quick / "papers.md").read_text()
    assert (quick / "benchmarks" / "category.count").read_text() == "1"
    assert (quick / "benchmarks" / "arguments").read_text() == "--quick"
    assert (root / "docs" / "papers.md").read_text() == full


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (WORKING.replace("ACCURACY", "60.0"), "category: wine, PCA: 60.5, paper 77.2"),
        ('OPTIONS = ["--quick"]\n', "category: nothing was measured"),
    ],
)
def test_the_quick_mode_fails_on_gross_faults(runner, root, capsys, text, fault):
    (root / "benchmarks" / "papers" / "category.py").write_text(text)
    assert runner.main(["--quick", "--only", "category"], root) == 1
    assert fault in capsys.readouterr().err
    assert runner.main(["--only", "category"], root) == 0  # the full run only reports


def test_without_data_nothing_runs_and_the_page_says_so(runner, root, monkeypatch, capsys):
    monkeypatch.delenv("DISCRIMAP_DATA")
    assert runner.main([], root) == 0
    assert "Not available: there are no results." in (root / "docs" / "papers.md").read_text()
    assert "nothing is run" in capsys.readouterr().err


def test_a_script_that_takes_too_long_is_stopped(runner, root):
    endless = 'OPTIONS = ["--quick"]\nimport time\ntime.sleep(60)\n'
    (root / "benchmarks" / "papers" / "fisher.py").write_text(endless)
    assert runner.main(["--only", "fisher", "--limit", "0.5"], root) == 1
    assert "stopped after 0 s" in (root / "docs" / "papers.md").read_text()


def test_an_unknown_script_is_refused_with_the_known_ones(runner, root, capsys):
    with pytest.raises(SystemExit):
        runner.main(["--only", "sda"], root)
    assert "there is no script sda; there are fisher, category." in capsys.readouterr().err


def test_every_row_of_every_paper_is_on_the_page_without_results(runner, root, tmp_path):
    tables = runner.paper_tables
    for name, (_, make_tables) in tables.PAPERS.items():
        for heading, (text, rows) in make_tables(tmp_path).items():
            assert text, (name, heading)
            assert all(not row.values for row in rows)
            assert {row.verdict for row in rows} <= {
                "not run",
                "not available: TIMIT is licensed",
                "not available: no copy is public",
            }
    assert "not run" in "".join(runner.sda_tables.linear_ranking(tmp_path))


def test_rows_whose_data_are_missing_are_not_available(runner, root, tmp_path):
    (root / "data" / "usps.npz").unlink()
    (root / "data" / "aural_sonar.npz").unlink()
    for name in ("sda", "fisher"):
        for _, rows in runner.paper_tables.PAPERS[name][1](tmp_path).values():
            for row in rows:
                is_missing = row.data.startswith(("usps", "Aural Sonar"))
                assert not is_missing or (row.verdict, row.n_left) == ("not available", 0)
                assert (
                    is_missing or not row.paper or (row.verdict, row.n_left > 0) == ("not run", 1)
                )


def test_a_missing_data_set_is_no_fault_of_the_quick_mode(runner, root):
    for path in (root / "data").iterdir():
        path.unlink()
    (root / "benchmarks" / "papers" / "fisher.py").write_text('OPTIONS = ["--quick"]\n')
    assert runner.main(["--quick", "--only", "fisher"], root) == 0
    page = (root / "build" / "papers-quick" / "docs" / "papers.md").read_text()
    assert "## Kernel Fisher t-SNE" in page


def test_results_count_although_their_script_fell_over_before_its_page(runner, root):
    script = root / "benchmarks" / "papers" / "category.py"
    lines = script.read_text().splitlines()
    assert "category.md" in lines[-1]
    script.write_text("\n".join([*lines[:-1], 'raise OSError("disk full")']))
    assert runner.main(["--only", "category"], root) == 1
    page = (root / "docs" / "papers.md").read_text()
    assert "| wine | PCA | 77.2 | 77.5 ± 0.5 | 2 | reproduced |" in page
    assert "OSError: disk full" in page


def test_rows_of_another_script_count_without_the_first(runner, root):
    results = root / "docs" / "benchmarks"
    results.mkdir(parents=True)
    rows = {"SDA/iris/standardised/SPCA": {"runs": {"0": {"accuracy": 0.9, "seconds": 1.0}}}}
    (results / "comparators.json").write_text(json.dumps({"rows": rows}))
    runner.main(["--collect"], root)
    page = (root / "docs" / "papers.md").read_text()
    assert "| iris | SPCA | 0.892 ± 0.026 | 0.900 | 1 | reproduced |" in page
    assert "| iris | SDA | 0.948 ± 0.030 |  | 0 | not run |" in page


def complete_category(runner):
    """Results in which no row of category space lacks a run."""
    tables = runner.paper_tables.category_tables
    results = {}
    for table in tables.TABLES.values():
        for name in table["figures"]:
            row = results.setdefault(table["part"], {}).setdefault(name, {})
            for column in (c for columns in table["methods"].values() for c in columns):
                row[column] = {
                    str(run): {"accuracy": 90.0, "svm": 90.0, "angle": 90.0, "seconds": 2.0}
                    for run in range(tables.RUNS[table["part"]])
                }
    return results


def test_only_what_is_missing_is_run(runner, root, capsys):
    results = root / "docs" / "benchmarks"
    results.mkdir(parents=True)
    stored = complete_category(runner)
    (results / "category.json").write_text(json.dumps(stored))
    assert runner.main(["--only", "category"], root) == 0
    assert not (results / "category.count").exists()
    assert "nothing is left to run" in capsys.readouterr().err

    del stored["kernel"]["iris"]["square zero"]["3"]  # a single run of one of two origins
    (results / "category.json").write_text(json.dumps(stored))
    assert runner.main(["--list"], root) == 0
    listing = capsys.readouterr().out
    assert "category: 2 runs of 2 rows, about 8 s" in listing  # two columns of 2 s, two tables
    assert "  Table 2, iris, K-CQS: 1" in listing
    assert not (results / "category.count").exists()
    assert runner.main(["--only", "category"], root) == 0
    assert (results / "category.count").read_text() == "1"


def test_the_page_says_whether_anything_is_left(runner, root, monkeypatch):
    runner.main(["--collect"], root)
    page = (root / "docs" / "papers.md").read_text()
    assert "`make papers` goes on with these results: " in page
    monkeypatch.setattr(runner.plan, "tasks_left", lambda results: {"sda": []})
    runner.main(["--collect"], root)
    assert "nothing left to run" in (root / "docs" / "papers.md").read_text()


def test_results_that_cannot_be_read_do_not_stop_the_others(runner, root):
    results = root / "docs" / "benchmarks"
    results.mkdir(parents=True)
    row = {"PCA": {"0": {}}, "MC-FLD": {"0": {"accuracy": 97.0}}}  # one run says nothing
    (results / "category.json").write_text(json.dumps({"table1": {"wine": row}}))
    (results / "fisher.json").write_text(json.dumps({"table1": {"table": {"Voting": 3}}}))
    runner.main(["--collect"], root)
    page = (root / "docs" / "papers.md").read_text()
    assert "Its results could not be read (AttributeError" in page
    assert "| wine | PCA | 77.2 |  | 0 | not run |" in page
    assert "| wine | MC-FLD | 97.3 | 97.0 | 1 | reproduced |" in page


def test_the_time_left_is_known_from_rows_and_from_the_last_quick_run(runner):
    assert runner.time_left({}, ["sda"]) == ""
    assert runner.time_left({"sda": 60.0, "fisher": None}, ["sda", "fisher"]) == "about 2 min left"
    task = runner.plan.Task
    assert runner.plan.seconds_left([task("a", 3, 2.0), task("b", 2, None)]) == 10.0
    assert runner.plan.seconds_left([]) == 0.0
    assert runner.plan.seconds_left([task("b", 2, None)]) is None


def test_figures_that_differ_are_explained(runner):
    Line = runner.sda_tables.Line
    lines = [
        Line("phoneme", "PCA", 0.76, 0.01, [0.66]),
        Line("phoneme, as it is", "PCA", 0.76, 0.01, [0.76]),
        Line("usps", "KSPCA", 0.35, 0.01, [0.48]),
        Line("usps", "LDA", 0.55, 0.01, [0.50]),
    ]
    readings = {
        key: {"data": "usps", "method": "KSPCA", "runs": {"50": {"accuracy": accuracy}}}
        for key, accuracy in (("narrow", 0.5), ("one axis", 0.36))
    }
    runner.sda_tables.explain(lines, readings)
    assert lines[0].verdict == "worse: reproduced by *phoneme, as it is, PCA*"
    assert lines[1].verdict == "reproduced"
    assert lines[2].verdict.startswith("better: other readings give 0.360 to 0.500, see [comp")
    assert lines[3].verdict == "worse"


def test_sda_must_be_first_or_within_a_deviation_of_first(runner, tmp_path):
    def results(sda):
        runs = [
            {"data": "usps", "method": method, "dimension": 2, "repeat": k, "accuracy": value}
            for method, values in (("SDA", sda), ("LDA", (0.60, 0.62)))
            for k, value in enumerate(values)
        ]
        (tmp_path / "sda.json").write_text(json.dumps({"runs": runs}))
        lines = runner.sda_tables.linear_ranking(tmp_path)
        return next(line for line in lines if "usps" in line), lines[-1]

    line, sentence = results((0.65, 0.67))
    assert line.startswith(
        "| usps | 0.660 ± 0.010 (n=2) | not run | LDA 0.610 ± 0.010 (n=2) | yes, without RSDA, "
    )
    assert "on 1 of these 6 sets; 1 of them lack runs of the methods named there." in sentence
    assert "| yes" in results((0.55, 0.65))[0]  # 0.60 with a deviation of 0.05
    line, sentence = results((0.58, 0.60))
    assert "| no" in line
    assert "on 0 of these 6 sets" in sentence


def test_every_reading_of_a_linear_method_competes_with_sda(runner, tmp_path):
    runs = [{"data": "phoneme", "method": "SDA", "dimension": 2, "accuracy": 0.8}]
    raw = {"phoneme": {"PCA": [0.7]}}
    (tmp_path / "sda.json").write_text(json.dumps({"runs": runs, "unstandardised": raw}))

    def ranking():
        return next(x for x in runner.sda_tables.linear_ranking(tmp_path) if "phoneme" in x)

    assert "| PCA, as it is 0.700 (n=1) | yes" in ranking()
    key = "SDA/phoneme/as they are/gKDR-v, label numbers"
    rows = {key: {"runs": {"0": {"accuracy": 0.9}}}}
    (tmp_path / "comparators.json").write_text(json.dumps({"rows": rows}))
    assert "| gKDR-v, label numbers, as it is 0.900 (n=1) | no" in ranking()


def test_figures_of_other_methods_are_counted_by_what_reproduces_them(runner, tmp_path):
    assert runner.sda_tables.figures_of_comparators(tmp_path) == []
    runs = [
        {"data": "usps", "method": "LDA", "dimension": 2, "accuracy": 0.55},
        {"data": "mnist5k", "method": "PLS-DA", "dimension": 2, "accuracy": 0.44},
        {"data": "usps", "method": "SDA", "dimension": 2, "accuracy": 0.1},
    ]
    (tmp_path / "sda.json").write_text(json.dumps({"runs": runs}))
    key = "SDA/usps/standardised/KSPCA"
    rows = {key: {"runs": {"0": {"accuracy": 0.48}}}}
    reading = {
        "data": "usps", "method": "KSPCA", "words": "first direction", "standardised": True,
        "paper": 0.354, "deviation": 0.01, "runs": {"50": {"accuracy": 0.356}},
    }  # fmt: skip
    # The same settings as a row on another split explain nothing.
    same = reading | {
        "data": "mnist5k", "method": "PLS-DA", "words": "one-hot labels", "paper": 0.301,
        "runs": {"50": {"accuracy": 0.301}},
    }  # fmt: skip
    stored = {"rows": rows, "readings": {"one": reading, "two": same}}
    (tmp_path / "comparators.json").write_text(json.dumps(stored))
    (sentence,) = runner.sda_tables.figures_of_comparators(tmp_path)
    assert sentence == (
        "Of 3 figures of the methods compared with, 1 are reproduced by a row of these tables, 1 by "
        "another reading: usps KSPCA (first direction). Not reproduced: mnist5k PLS-DA (paper 0.301, "
        "ours 0.440)."
    )


@pytest.mark.parametrize(
    ("values", "paper", "options", "word"),
    [
        ((0.5, 0.5), 0.52, {"deviation": 0.01}, "reproduced"),
        ((0.5, 0.5), 0.53, {"deviation": 0.01}, "worse"),
        ((0.5, 0.5), 0.47, {"deviation": 0.01}, "better"),
        ((0.5, 0.5), 0.515, {}, "reproduced"),  # no deviation given: at least a hundredth
        ((0.4, 0.6), 0.65, {}, "reproduced"),  # ours is 0.1
        ((12.0, 12.0), 15.0, {"unit": 100.0, "lower_is_better": True}, "better"),
        ((18.0, 18.0), 15.0, {"unit": 100.0, "lower_is_better": True}, "worse"),
    ],
)
def test_verdicts(runner, values, paper, options, word):
    import verdicts

    assert verdicts.verdict(values, paper, **options) == word


def test_the_interior_point_machine_is_libsvm(runner, rng):
    from linear_svm import LinearSVM

    y = np.repeat([0, 1, 2], 60)
    X = rng.standard_normal((180, 3)) * [1.0, 5.0, 0.2] + np.eye(3)[y] * [1.5, 4.0, 0.3] + 10.0
    ours, theirs = LinearSVM().fit(X, y), SVC(kernel="linear", tol=1e-6).fit(X, y)
    for (_, _, weights, bias), coefficients, intercept in zip(
        ours.pairs_, theirs.coef_, theirs.intercept_, strict=True
    ):
        assert_allclose(weights, coefficients, rtol=1e-3, atol=1e-4)
        assert_allclose(bias, intercept, rtol=1e-3, atol=1e-3)
    new = rng.standard_normal((300, 3)) * [1.0, 5.0, 0.2] + 10.0
    assert np.mean(ours.predict(new) == theirs.predict(new)) > 0.99
