"""The examples: short, with a title, and those on built-in data run to the end."""

import ast
import runpy
from pathlib import Path

import pytest

from discrimap.errors import InputError

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("plot_*.py"))
MOST_LINES = 60
# Seconds each, on the data that come with scikit-learn; the others take longer.
QUICK = (
    "plot_digit_labels",
    "plot_digit_projections",
    "plot_ordered_digits",
    "plot_speech_filters",
)


def code_lines(path):
    """Lines of a script that hold code: no docstring, comment or blank line."""
    source = path.read_text(encoding="utf-8")
    docstring = ast.parse(source).body[0]
    lines = source.splitlines()[docstring.end_lineno :]
    return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]


def test_there_are_examples():
    assert {path.stem for path in EXAMPLES} >= set(QUICK)
    assert len(EXAMPLES) >= 13


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_and_has_a_title_and_a_text(path):
    compile(path.read_text(encoding="utf-8"), str(path), "exec")
    assert len(code_lines(path)) < MOST_LINES
    title, underline, blank, text, *_ = ast.get_docstring(
        ast.parse(path.read_text(encoding="utf-8"))
    ).splitlines()
    assert title.strip()
    assert underline == "=" * len(title)
    assert not blank
    assert text.strip()


@pytest.mark.parametrize("name", QUICK)
def test_an_example_runs_without_research_data(name, monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.delenv("DISCRIMAP_DATA", raising=False)
    monkeypatch.setattr("discrimap.datasets.named.load_openml", refuse)
    monkeypatch.setattr(pyplot, "show", lambda: None)
    pyplot.close("all")
    pyplot.switch_backend("agg")
    path = next(path for path in EXAMPLES if path.stem == name)
    runpy.run_path(str(path), run_name="__main__")
    drawn = [pyplot.figure(number) for number in pyplot.get_fignums()]
    pyplot.close("all")
    # The filters of speech need speech; without it the script says so and ends well.
    assert bool(drawn) == (name != "plot_speech_filters")
    assert all(figure.axes for figure in drawn)


def refuse(entry):
    raise InputError(f"{entry.name} is not downloaded in tests")
