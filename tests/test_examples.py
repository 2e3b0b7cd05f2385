"""The examples: short, with a title, and all draw something without research data."""

import ast
import re
import runpy
from pathlib import Path

import pytest

from discrimap.errors import InputError

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))
PICTURES = sorted((ROOT / "docs" / "images" / "gallery").glob("*.png"))
MOST_LINES = 60
# The figures that are drawn, by the names of the papers' first authors.
FIGURES = {
    "Juuti": [4, 5, 6, 8, 9, 11, 13],
    "Peltonen": [2, 3, 4, 5],
    "Wang": [2, 4, 5],
    "Schulz": [1],
    "Smith": [1, 2, 3],
}


def code_lines(path):
    """Lines of a script that hold code: no docstring, comment or blank line."""
    source = path.read_text(encoding="utf-8")
    docstring = ast.parse(source).body[0]
    lines = source.splitlines()[docstring.end_lineno :]
    return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]


def listed_figures():
    """Paper, figures and script of each row of the table in the gallery's introduction."""
    text = (EXAMPLES[0].parent / "README.rst").read_text(encoding="utf-8")
    paper = None
    for cell, figures, script in re.findall(
        r"\* -( .+)?\n +- (\d[\d, ]*)\n +- :ref:`sphx_glr_gallery_(\w+)\.py`", text
    ):
        paper = cell.split()[0].rstrip(",") if cell else paper
        yield paper, [int(figure) for figure in figures.split(",")], script


def test_the_gallery_lists_a_script_for_each_figure_that_names_its_paper():
    found = {}
    for paper, figures, script in listed_figures():
        found.setdefault(paper, []).extend(figures)
        path = next(path for path in EXAMPLES if path.stem == script)
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        assert paper in docstring
        # Up to the full stop: "Figs. 9 (faces), 11 (digits) and 13 (objects) of ...", "Figs. 1-3".
        named = " ".join(part.split(".")[0] for part in re.split(r"Figs?\.", docstring)[1:])
        named = re.sub(r"(\d)-(\d)", every_number, named)
        assert set(figures) <= {int(number) for number in re.findall(r"\b\d{1,2}\b", named)}
    assert found == FIGURES


def every_number(match):
    first, last = map(int, match.groups())
    return " ".join(map(str, range(first, last + 1)))


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


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_draws_without_research_data(path, monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.delenv("DISCRIMAP_DATA", raising=False)
    monkeypatch.setattr("discrimap.datasets.named.load_openml", refuse)
    monkeypatch.setattr(pyplot, "show", lambda: None)
    pyplot.close("all")
    pyplot.switch_backend("agg")
    runpy.run_path(str(path), run_name="__main__")
    drawn = [pyplot.figure(number) for number in pyplot.get_fignums()]
    pyplot.close("all")
    assert drawn
    assert all(figure.axes for figure in drawn)
    assert all(ax.has_data() or ax.artists for figure in drawn for ax in figure.axes)


def test_pictures_of_the_gallery_belong_to_examples_and_are_small():
    assert {path.stem.rpartition("_")[0] for path in PICTURES} <= {path.stem for path in EXAMPLES}
    assert sum(path.stat().st_size for path in PICTURES) < 2_000_000


def refuse(entry):
    raise InputError(f"{entry.name} is not downloaded in tests")
