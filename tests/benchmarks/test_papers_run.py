"""The command that runs every paper's benchmark: what fails, what goes on, what is written."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.svm import SVC

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
    monkeypatch.setenv("DISCRIMAP_DATA", str(tmp_path))
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


def test_every_row_of_every_paper_is_on_the_page_without_results(runner, tmp_path):
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
    assert "not run" in "".join(tables.linear_ranking(tmp_path))


def test_sda_must_be_first_or_within_a_deviation_of_first(runner, tmp_path):
    def results(sda):
        runs = [
            {"data": "usps", "method": method, "dimension": 2, "repeat": k, "accuracy": value}
            for method, values in (("SDA", sda), ("LDA", (0.60, 0.62)))
            for k, value in enumerate(values)
        ]
        (tmp_path / "sda.json").write_text(json.dumps({"runs": runs}))
        return next(line for line in runner.paper_tables.linear_ranking(tmp_path) if "usps" in line)

    assert "| yes" in results((0.65, 0.67))
    assert "| yes" in results((0.55, 0.65))  # 0.60 with a deviation of 0.05
    assert "| no" in results((0.58, 0.60))


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
