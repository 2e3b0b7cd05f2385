"""The command that runs every paper's experiments: what fails, what goes on, what is written."""

import importlib
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.svm import SVC

from discrimap.datasets import list_datasets

ROOT = Path(__file__).resolve().parents[2]
# An experiment in small: it counts its runs, and stores results.
WORKING = """
import sys
from pathlib import Path
sys.path.append(ROOT)
from benchmarks.results import Store
folder = Path(sys.argv[sys.argv.index("--results") + 1])
store = Store("category", folder)
store.put(("count",), store.tree().get("count", 0) + 1)
store.put(("arguments",), sys.argv[1:])
for seed in range(2):
    store.put(("table1", "wine", "PCA", seed), {"accuracy": ACCURACY + seed})
"""


def working(accuracy=77.0):
    return WORKING.replace("ROOT", repr(str(ROOT))).replace("ACCURACY", repr(accuracy))


@pytest.fixture
def runner(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    module = importlib.import_module("benchmarks.run")
    experiments = {"fisher": ("papers/fisher.py", ()), "category": ("papers/category.py", ("-a",))}
    monkeypatch.setattr(module, "EXPERIMENTS", experiments)
    return module


@pytest.fixture
def root(tmp_path, monkeypatch):
    data = tmp_path / "data"
    data.mkdir()
    for listing in list_datasets():  # at hand, though these experiments read nothing
        (data / f"{listing.entry.name}.npz").touch()
    monkeypatch.setenv("DISCRIMAP_DATA", str(data))
    folder = tmp_path / "benchmarks" / "papers"
    folder.mkdir(parents=True)
    (folder / "category.py").write_text(working())
    (folder / "fisher.py").write_text('raise ValueError("no such set")\n')
    return tmp_path


@pytest.fixture
def store(runner, root):
    """Open the store of an experiment by its name."""
    return lambda name: runner.Store(name, root / "benchmarks" / "results")


def sections(root):
    """The text of each paper on the page, by the first words of its title."""
    text = (root / "docs" / "papers.md").read_text()
    return {part.split("(")[0].strip(): part for part in re.split(r"^## ", text, flags=re.M)[1:]}


def rows_of(text):
    """The cells of each row of the tables, by data and method."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    return {tuple(cells[:2]): cells[2:] for cells in rows if len(cells) > 2}


def category_rows(root):
    return rows_of(sections(root)["Category space"])


def test_a_failing_experiment_does_not_lose_the_others(runner, root, store):
    assert runner.main([], root) == 1
    rows = category_rows(root)
    assert rows["wine", "PCA"] == ["77.2", "77.5 ± 0.5", "2", "reproduced"]
    assert rows["wine", "MC-FLD"] == ["97.3", "", "0", "not run"]
    records = store("papers-run").tree()
    assert set(records) == {"category", "fisher"}
    assert records["category"]["outcome"] == "done"
    assert records["category"]["versions"]["numpy"]
    assert records["fisher"]["outcome"] == "failed with exit code 1"
    assert records["fisher"]["message"] == "ValueError: no such set"
    assert records["fisher"]["message"] in sections(root)["Kernel Fisher t-SNE"]
    linked = re.findall(r"\]\((benchmarks/.*?)\)", sections(root)["Category space"])
    assert linked
    assert all((root / "docs" / link).is_file() for link in linked)


def test_a_second_call_runs_only_what_did_not_end_well(runner, root, store):
    runner.main([], root)
    (root / "benchmarks" / "papers" / "fisher.py").write_text("")
    assert runner.main([], root) == 0
    assert store("category").tree("count") == 1
    assert runner.main(["--again", "--only", "category"], root) == 0
    assert store("category").tree("count") == 2
    outcomes = {name: record["outcome"] for name, record in store("papers-run").tree().items()}
    assert outcomes == {"category": "done", "fisher": "done"}
    assert "ValueError" not in (root / "docs" / "papers.md").read_text()


def test_the_quick_mode_leaves_full_results_alone(runner, root, store):
    def contents():
        files = [*(root / "docs").rglob("*.md"), *(root / "benchmarks" / "results").iterdir()]
        return {path: path.read_bytes() for path in files}

    runner.main(["--only", "category"], root)
    full = contents()
    assert store("category").tree("arguments")[0] == "-a"
    for _ in range(2):  # anew each time
        assert runner.main(["--quick", "--only", "category"], root) == 0
    quick = root / "build" / "papers-quick"
    found = runner.Store("category", quick / "benchmarks" / "results").tree()
    assert found["count"] == 1
    assert found["arguments"][0] == "--quick"
    assert category_rows(quick)["wine", "PCA"][1] == "77.5 ± 0.5"
    assert contents() == full


def test_the_quick_mode_fails_on_gross_faults(runner, root, capsys):
    script = root / "benchmarks" / "papers" / "category.py"
    folder = root / "build" / "papers-quick" / "benchmarks" / "results"
    for text, fault in (
        (working(60.0), "wine, PCA: 60.5, paper 77.2"),
        ("", "nothing was measured"),
    ):
        script.write_text(text)
        assert runner.main(["--quick", "--only", "category"], root) == 1
        assert runner.gross_faults(["category"], folder) == [f"category: {fault}"]
        assert fault in capsys.readouterr().err
        assert runner.main(["--only", "category"], root) == 0  # the full run only reports


def test_without_data_nothing_runs_and_the_page_says_so(runner, root, store, monkeypatch, capsys):
    monkeypatch.delenv("DISCRIMAP_DATA")
    assert runner.main([], root) == 0
    assert store("category").records() == store("papers-run").records() == {}
    for text in sections(root).values():
        assert rows_of(text) == {}
        assert "Not available" in text
    assert "DISCRIMAP_DATA" in capsys.readouterr().err


def test_an_experiment_that_takes_too_long_is_stopped(runner, root, store):
    endless = "import time\ntime.sleep(60)\n"
    (root / "benchmarks" / "papers" / "fisher.py").write_text(endless)
    assert runner.main(["--only", "fisher", "--limit", "0.5"], root) == 1
    record = store("papers-run").tree("fisher")
    assert record["outcome"] == "stopped after 0 s"
    assert record["seconds"] < 30
    assert record["outcome"] in sections(root)["Kernel Fisher t-SNE"]


def test_an_unknown_experiment_is_refused_with_the_known_ones(runner, root, capsys):
    with pytest.raises(SystemExit):
        runner.main(["--only", "sda"], root)
    message = capsys.readouterr().err.splitlines()[-1]
    assert {"sda", "fisher", "category"} <= set(re.findall(r"\w+", message))


def test_every_experiment_and_every_page_is_there(runner, monkeypatch):
    monkeypatch.undo()
    for script, _ in runner.EXPERIMENTS.values():
        assert (ROOT / "benchmarks" / script).is_file()
    assert set(runner.EXPERIMENTS) == set(runner.plan.tasks_left(ROOT / "nowhere"))
    assert {path.stem for path in (ROOT / "docs" / "benchmarks").glob("*.md")} == set(runner.PAGES)


def test_the_tables_of_every_page_are_those_of_the_stored_results(runner):
    """The results of this repository give its pages; nothing is run."""

    def tables(text):
        return [line for line in text.splitlines() if line.startswith("|")]

    folder, docs = ROOT / "benchmarks" / "results", ROOT / "docs"
    for name in runner.PAGES:
        module = importlib.import_module(f"benchmarks.pages.{name.replace('-', '_')}")
        found = tables(module.page(folder))
        assert found == tables((docs / "benchmarks" / f"{name}.md").read_text()), name
        assert found, name
    ours = rows_of(runner.papers.page(folder, {}, set(runner.PAGES)))
    theirs = rows_of((docs / "papers.md").read_text())
    # Rows without a run depend on the data sets that are at hand.
    measured = {key: cells for key, cells in theirs.items() if cells[1]}
    assert {key: ours[key] for key in measured} == measured
    assert len(measured) > 100


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
    ranking = rows_of("\n".join(runner.papers.sda_tables.linear_ranking(tmp_path)))
    assert ranking["usps", "not run"] == ["not run", "", "not run"]


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
    (root / "benchmarks" / "papers" / "fisher.py").write_text("")
    assert runner.main(["--quick", "--only", "fisher"], root) == 0
    assert "Kernel Fisher t-SNE" in sections(root / "build" / "papers-quick")


def test_results_count_although_their_experiment_fell_over(runner, root, store):
    script = root / "benchmarks" / "papers" / "category.py"
    script.write_text(working() + 'raise OSError("disk full")\n')
    assert runner.main(["--only", "category"], root) == 1
    assert category_rows(root)["wine", "PCA"] == ["77.2", "77.5 ± 0.5", "2", "reproduced"]
    assert store("papers-run").tree("category")["message"] == "OSError: disk full"
    assert "OSError: disk full" in sections(root)["Category space"]


def test_rows_of_another_experiment_count_without_the_first(runner, root, store):
    key = ("rows", "SDA/iris/standardised/SPCA", "runs", 0)
    store("comparators").put(key, {"accuracy": 0.9, "seconds": 1.0})
    runner.main(["--pages"], root)
    rows = rows_of(sections(root)["Stochastic discriminant analysis"])
    assert rows["iris", "SPCA"] == ["0.892 ± 0.026", "0.900", "1", "reproduced"]
    assert rows["iris", "SDA"] == ["0.948 ± 0.030", "", "0", "not run"]


def complete_category(runner):
    """Records in which no row of category space lacks a run."""
    tables = runner.paper_tables.category
    figures = {"accuracy": 90.0, "svm": 90.0, "angle": 90.0, "seconds": 2.0}
    return {
        (table["part"], name, column, run): figures
        for table in tables.TABLES.values()
        for name in table["figures"]
        for columns in table["methods"].values()
        for column in columns
        for run in range(tables.RUNS[table["part"]])
    }


def test_only_what_is_missing_is_run(runner, root, store, capsys):
    category, folder = store("category"), root / "benchmarks" / "results"
    category.update(complete_category(runner))
    assert runner.plan.tasks_left(folder)["category"] == []
    assert runner.main(["--only", "category"], root) == 0
    assert category.tree("count") == {}
    assert "nothing is left" in capsys.readouterr().err

    category.forget("kernel", "iris", "square zero", 3)  # a single run of one of two origins
    left = runner.plan.tasks_left(folder)["category"]
    assert [(task.row, task.n_runs, task.seconds) for task in left] == [
        ("Table 2, iris, K-CQS", 1, 4.0),  # two columns of 2 s
        ("Table 3, iris, K-CQS-A", 1, 4.0),
    ]
    assert runner.main(["--list"], root) == 0
    listing = capsys.readouterr().out
    assert all(f"{task.row}: {task.n_runs}" in listing for task in left)
    assert category.tree("count") == {}
    assert runner.main(["--only", "category"], root) == 0
    assert category.tree("count") == 1


def test_the_page_says_whether_anything_is_left(runner, root, monkeypatch):
    def introduction():
        return (root / "docs" / "papers.md").read_text().split("## ")[0]

    tasks = runner.plan.tasks_left(root / "benchmarks" / "results")
    n_runs = sum(task.n_runs for rows in tasks.values() for task in rows)
    runner.main(["--pages"], root)
    assert f" {n_runs} runs" in introduction()
    monkeypatch.setattr(runner.plan, "tasks_left", lambda results: {"sda": []})
    runner.main(["--pages"], root)
    assert "All runs are complete." in introduction()


def test_results_that_cannot_be_read_do_not_stop_the_others(runner, root, store):
    store("category").put(("table1", "wine", "PCA", 0), {})  # a run that says nothing
    store("category").put(("table1", "wine", "MC-FLD", 0), {"accuracy": 97.0})
    store("fisher").put(("table1", "table", "Voting"), 3)
    runner.main(["--pages"], root)
    assert rows_of(sections(root)["Kernel Fisher t-SNE"]) == {}
    assert "AttributeError" in sections(root)["Kernel Fisher t-SNE"]
    rows = category_rows(root)
    assert rows["wine", "PCA"] == ["77.2", "", "0", "not run"]
    assert rows["wine", "MC-FLD"] == ["97.3", "97.0", "1", "reproduced"]


def test_the_time_left_is_known_from_rows_and_from_the_last_quick_run(runner):
    assert runner.time_left({}, ["sda"]) == ""
    assert runner.time_left({"sda": 60.0, "fisher": None}, ["sda", "fisher"]) == "about 2 min left"
    task = runner.plan.Task
    assert runner.plan.seconds_left([task("a", 3, 2.0), task("b", 2, None)]) == 10.0
    assert runner.plan.seconds_left([]) == 0.0
    assert runner.plan.seconds_left([task("b", 2, None)]) is None


def test_figures_that_differ_are_explained(runner):
    Line = runner.papers.sda_tables.Line
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
    runner.papers.sda_tables.explain(lines, readings)
    assert [line.word for line in lines] == ["worse", "reproduced", "better", "worse"]
    assert "phoneme, as it is, PCA" in lines[0].note
    assert lines[0].verdict == f"worse: {lines[0].note}"
    assert lines[1].verdict == "reproduced"
    assert re.findall(r"0\.\d+", lines[2].note) == ["0.360", "0.500"]
    assert lines[3].note == ""


def ranking_of(runner, folder, name):
    """Cells of one data set, and the sentence below the table."""
    lines = runner.papers.sda_tables.linear_ranking(folder)
    (line,) = [line for line in lines if line.startswith(f"| {name} ")]
    return [cell.strip() for cell in line.split("|")[2:-1]], lines[-1]


def test_sda_must_be_first_or_within_a_deviation_of_first(runner, tmp_path):
    def ranking(sda):
        runner.Store("sda", tmp_path).update(
            {
                ("runs", "usps", method, 2, k): {"accuracy": value}
                for method, values in (("SDA", sda), ("LDA", (0.60, 0.62)))
                for k, value in enumerate(values)
            }
        )
        cells, sentence = ranking_of(runner, tmp_path, "usps")
        return cells, [int(number) for number in re.findall(r"\d+", sentence)]

    cells, counts = ranking((0.65, 0.67))
    assert cells[:3] == ["0.660 ± 0.010 (n=2)", "not run", "LDA 0.610 ± 0.010 (n=2)"]
    assert cells[3].startswith("yes, without RSDA, ")
    assert counts == [1, 6, 1]  # first on one of six sets, of which one lacks methods
    assert ranking((0.55, 0.65))[0][3].startswith("yes")  # 0.60 with a deviation of 0.05
    cells, counts = ranking((0.58, 0.60))
    assert cells[3].startswith("no")
    assert counts[:2] == [0, 6]


def test_every_reading_of_a_linear_method_competes_with_sda(runner, tmp_path):
    runner.Store("sda", tmp_path).update(
        {
            ("runs", "phoneme", "SDA", 2, 0): {"accuracy": 0.8},
            ("unstandardised", "phoneme", "PCA"): [0.7],
        }
    )
    cells, _ = ranking_of(runner, tmp_path, "phoneme")
    assert cells[2] == "PCA, as it is 0.700 (n=1)"
    assert cells[3].startswith("yes")
    key = "SDA/phoneme/as they are/gKDR-v, label numbers"
    runner.Store("comparators", tmp_path).put(("rows", key, "runs", 0), {"accuracy": 0.9})
    cells, _ = ranking_of(runner, tmp_path, "phoneme")
    assert cells[2] == "gKDR-v, label numbers, as it is 0.900 (n=1)"
    assert cells[3].startswith("no")


def test_figures_of_other_methods_are_counted_by_what_reproduces_them(runner, tmp_path):
    assert runner.papers.sda_tables.figures_of_comparators(tmp_path) == []
    runner.Store("sda", tmp_path).update(
        {
            ("runs", "usps", "LDA", 2, 0): {"accuracy": 0.55},
            ("runs", "mnist5k", "PLS-DA", 2, 0): {"accuracy": 0.44},
            ("runs", "usps", "SDA", 2, 0): {"accuracy": 0.1},
        }
    )
    reading = {
        "data": "usps", "method": "KSPCA", "words": "first direction", "standardised": True,
        "paper": 0.354, "deviation": 0.01, "runs": {"50": {"accuracy": 0.356}},
    }  # fmt: skip
    # The same settings as a row on another split explain nothing.
    same = reading | {
        "data": "mnist5k", "method": "PLS-DA", "words": "one-hot labels", "paper": 0.301,
        "runs": {"50": {"accuracy": 0.301}},
    }  # fmt: skip
    runner.Store("comparators", tmp_path).update(
        {
            ("rows", "SDA/usps/standardised/KSPCA", "runs", 0): {"accuracy": 0.48},
            ("readings", "one"): reading,
            ("readings", "two"): same,
        }
    )
    (sentence,) = runner.papers.sda_tables.figures_of_comparators(tmp_path)
    counted, left = sentence.split(". ", 1)
    # Three figures, one reproduced by a row and one by another reading.
    assert [int(number) for number in re.findall(r"\b\d\b", counted)] == [3, 1, 1]
    assert "usps KSPCA (first direction)" in counted
    assert "mnist5k PLS-DA" in left
    assert re.findall(r"0\.\d+", left) == ["0.301", "0.440"]


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
    verdicts = importlib.import_module("benchmarks.pages.verdicts")
    assert verdicts.verdict(values, paper, **options) == word


def test_the_interior_point_machine_is_libsvm(runner, rng):
    LinearSVM = importlib.import_module("benchmarks.papers.linear_svm").LinearSVM
    y = np.repeat([0, 1, 2], 60)
    X = rng.standard_normal((180, 3)) * [1.0, 5.0, 0.2] + np.eye(3)[y] * [1.5, 4.0, 0.3] + 10.0
    ours, theirs = LinearSVM().fit(X, y), SVC(kernel="linear", tol=1e-6).fit(X, y)
    for (first, second, *machine), *libsvm in zip(
        ours.pairs_, theirs.coef_, theirs.intercept_, strict=True
    ):
        rows = (y == first) | (y == second)
        signs = np.where(y[rows] == first, 1.0, -1.0)

        def objective(weights, bias, X=X[rows], signs=signs):
            return weights @ weights / 2 + np.maximum(0, 1 - signs * (X @ weights + bias)).sum()

        # The objective is flat: weights that differ by a hundredth may be as good, and the bias of
        # libsvm is a mean over support vectors.
        assert objective(*libsvm) * (1 - 1e-5) < objective(*machine)
        assert objective(*machine) < objective(*libsvm) * (1 + 1e-8)
        assert_allclose(machine[0], libsvm[0], rtol=0.01, atol=0.01)
    new = rng.standard_normal((300, 3)) * [1.0, 5.0, 0.2] + 10.0
    assert np.mean(ours.predict(new) == theirs.predict(new)) > 0.99
