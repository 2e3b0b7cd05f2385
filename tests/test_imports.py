import importlib.util
import subprocess
import sys

import pytest

HEAVY = ("numba", "plotly", "matplotlib", "finufft", "openTSNE", "pynndescent", "polars")
MODULES = ("discrimap", "discrimap.metrics", "discrimap.plots", "discrimap.datasets")


@pytest.mark.parametrize("module", [m for m in MODULES if importlib.util.find_spec(m)])
def test_importing_leaves_heavy_libraries_alone(module):
    program = f"import sys, {module}; print(*(name for name in {HEAVY} if name in sys.modules))"
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert answer.stdout.split() == []
