import os
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import subspace_angles

if sys.platform == "win32":
    # Signals, devices, links, process groups and file locks are those of POSIX.
    collect_ignore = [
        *("cli/test_signals.py", "cli/test_outputs.py", "cli/test_odd_tables.py"),
        *("tables/test_output_files.py", "samples/on_dask/test_lost_worker.py", "benchmarks"),
    ]


def pytest_addoption(parser):
    parser.addoption("--drawn", action="store_true", help="only tests that draw random numbers")
    parser.addoption("--seeds", help="repeat tests that draw random numbers, e.g. --seeds 0,1,2")


def pytest_generate_tests(metafunc):
    """With --seeds, run the tests that draw random numbers once for each seed."""
    seeds = metafunc.config.getoption("--seeds")
    if seeds and "rng" in metafunc.fixturenames:
        numbers = [int(seed) for seed in seeds.split(",")]
        metafunc.parametrize("rng", numbers, ids="seed{}".format, indirect=True)


def pytest_collection_modifyitems(config, items):
    """With --drawn, keep the tests on which DISCRIMAP_TEST_SEED has an effect."""
    if config.getoption("--drawn"):
        drawn = [item for item in items if "rng" in getattr(item, "fixturenames", ())]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(drawn)])
        items[:] = drawn


@pytest.fixture
def rng(request):
    """A generator whose seed can be changed from outside: any seed must pass."""
    seed = int(os.environ.get("DISCRIMAP_TEST_SEED", "0"))
    return np.random.default_rng(getattr(request, "param", seed))


@pytest.fixture(autouse=True)
def _seeded_numpy():
    """Estimators without a random_state draw from numpy's own generator: the same in every run."""
    np.random.seed(0)  # noqa: NPY002


@pytest.fixture
def research_data():
    """Load a research data set by name; skip where the user has none, fail in CI."""
    from discrimap.datasets import load

    def load_or_skip(name):
        folder = os.environ.get("DISCRIMAP_DATA")
        if folder and (Path(folder) / f"{name}.npz").is_file():
            return load(name)
        reason = f"{name}.npz is not in the folder named by DISCRIMAP_DATA ({folder or 'not set'})"
        if os.environ.get("CI"):
            pytest.fail(f"{reason}; continuous integration must have it")
        pytest.skip(reason)

    return load_or_skip


@pytest.fixture
def assert_same_subspace():
    """Compare the row spaces of two matrices by their largest principal angle."""

    def compare(first, second, *, degrees=1e-4):
        assert np.shape(first) == np.shape(second)
        angle = np.rad2deg(subspace_angles(np.asarray(first).T, np.asarray(second).T).max())
        assert angle <= degrees, f"the largest angle is {angle:.3g} degrees"

    return compare
