from pathlib import Path

import pytest

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
