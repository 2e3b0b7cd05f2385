import re
from pathlib import Path

import pytest

from discrimap.registry import METHODS

README = Path(__file__).parents[1] / "README.md"


def test_the_code_in_the_readme_runs(capsys):
    names = {}
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)
    assert len(blocks) >= 2
    for block in blocks:
        exec(compile(block, str(README), "exec"), names)
    assert names["Z"].shape == (178, 2)
    assert "PLS-DA" in capsys.readouterr().out


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_the_demo_output_shows_every_method(method):
    demo = README.read_text().partition("<!-- demo output")[2].partition("<!-- end")[0]
    rows = [line.strip() for line in demo.splitlines()]
    assert any(row.startswith((f"{method.label}  ", f"{method.label}:")) for row in rows), (
        "run docs/make_readme.py"
    )
