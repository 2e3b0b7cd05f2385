from pathlib import Path

import pytest

from discrimap.registry import METHODS

README = Path(__file__).parents[1] / "README.md"


# The demo has classes.
@pytest.mark.parametrize(
    "method", [method for method in METHODS if method.classes], ids=lambda method: method.name
)
def test_the_demo_output_shows_every_method(method):
    demo = README.read_text().partition("<!-- demo output")[2].partition("<!-- end")[0]
    rows = [line.strip() for line in demo.splitlines()]
    assert any(row.startswith((f"{method.label}  ", f"{method.label}:")) for row in rows), (
        "run docs/make_readme.py"
    )
