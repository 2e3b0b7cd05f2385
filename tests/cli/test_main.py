"""Behaviour that all commands share."""

import os
import subprocess
import sys
from pathlib import Path

from discrimap import __version__, cli


def test_version_and_help(run):
    assert run("--version")[:2] == (0, f"discrimap {__version__}\n")
    code, out, _ = run("--help")
    assert code == 0
    assert "compare" in out


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from discrimap.cli import main; main(['--help']); "
        "heavy = {'sklearn', 'scipy', 'numpy', 'numba', 'plotly', 'matplotlib', 'polars', 'rich'};"
        "sys.exit(str(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)"
    )
    source = str(Path(cli.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": source},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
