import re
import shlex
from pathlib import Path

import pytest

from discrimap.cli import cli
from discrimap.registry import METHODS, get_method

README = Path(__file__).parents[1] / "README.md"


# The methods of make demo.
@pytest.mark.parametrize("name", ["pca", "lda", "sda", "dc"])
def test_the_demo_output_shows_its_methods(name):
    demo = README.read_text().partition("<!-- demo output")[2].partition("<!-- end")[0]
    rows = [line.strip("* ") for line in demo.splitlines()]
    label = get_method(name).label
    assert any(row.startswith(f"{label}  ") for row in rows), "run docs/make_readme.py"


def test_the_demo_is_that_of_the_makefile():
    makefile = (README.parent / "Makefile").read_text()
    command = next(
        line for line in README.read_text().splitlines() if line.startswith("$ discrimap")
    )
    assert command.removeprefix("$ ") in makefile


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_the_table_of_methods_names_every_method_of_ours(method):
    if method.is_ours:
        assert f"`{method.class_name}`" in README.read_text()


def test_the_front_page_is_short():
    assert len(README.read_text(encoding="utf-8").splitlines()) < 120


@pytest.mark.parametrize(
    "words",
    [
        "--id ",
        "cells.h5ad",
        "--kernel precomputed",
        'compare(df, target="species")',
        "--text ",
        "--image ",
        "--method package.module:Class",
        "lasso",
        "CSV",
        "A notebook shows",
        "discrimap.show(",
    ],
)
def test_what_people_bring_along_is_named(words):
    assert words in README.read_text(encoding="utf-8")


def test_the_command_line_takes_the_commands_of_the_front_page():
    """Options and their values are parsed; nothing is run."""
    found = re.findall(
        r"^discrimap (\w+) (.*?)(?: #.*)?$", README.read_text(encoding="utf-8"), re.M
    )
    assert len(found) >= 8
    for name, arguments in found:
        command = cli.commands[name]
        context = command.make_context(name, shlex.split(arguments))
        assert context.params
