"""The command that runs every paper's benchmark: what fails, what goes on, what is written."""

import importlib.util
import json
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "papers" / "run.py"
# A benchmark in small: it counts its runs, and writes a page with a table, a picture and a link.
WORKING = """
import sys
from pathlib import Path
OPTIONS = ["--quick"]
folder = Path(__file__).resolve().parents[2] / "docs" / "benchmarks"
folder.mkdir(parents=True, exist_ok=True)
count = folder / "category.count"
count.write_text(str(int(count.read_text()) + 1 if count.is_file() else 1))
mode = "quick" if "--quick" in sys.argv else "full"
(folder / "category.md").write_text(f"# Title\\n\\n## Table\\n\\n{mode} ![a](a.png) [b](../b.md)\\n")
"""


@pytest.fixture
def runner():
    spec = importlib.util.spec_from_file_location("papers_run", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("DISCRIMAP_DATA", str(tmp_path))
    folder = tmp_path / "benchmarks" / "papers"
    folder.mkdir(parents=True)
    (folder / "category.py").write_text(WORKING)
    (folder / "fisher.py").write_text('OPTIONS = ["--quick"]\nraise ValueError("no such set")\n')
    (folder / "fisher_tables.py").write_text("raise SystemExit(3)  # no script: has no quick mode")
    return tmp_path


def test_a_failing_script_does_not_lose_the_others(runner, root):
    assert runner.main([], root) == 1
    page = (root / "docs" / "papers.md").read_text()
    assert "### Table\n\nfull ![a](benchmarks/a.png) [b](b.md)" in page
    assert "# Title" not in page
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
    assert runner.main(["--quick", "--only", "category"], root) == 0
    assert "full" in (root / "docs" / "papers.md").read_text()
    assert "quick !" in (root / "build" / "papers-quick" / "docs" / "papers.md").read_text()


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
