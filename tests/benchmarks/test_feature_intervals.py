"""The simulation of feature intervals: what it counts, and what the registry says of it."""

import importlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from discrimap.registry import METHODS, get_method

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.feature_intervals")


@pytest.fixture
def writer(script):
    return importlib.import_module("benchmarks.pages.feature_intervals")


def test_the_registry_knows_which_methods_have_intervals(script, writer):
    now = importlib.import_module("benchmarks.results").Store("feature_intervals").tree("now")
    for method in METHODS:
        assert method.calibrated == writer.is_calibrated(now, method), method.name
    for method in script.LINEAR:
        n_measured = sum(method.name in rows for rows in now.values())
        n_possible = sum(script.takes(method, each) for each in script.POPULATIONS.values())
        # The slowest methods may lack the largest samples; the page has a dash there.
        assert n_measured >= min(3, n_possible), method.name


def test_the_page_is_that_of_the_stored_results(writer):
    folder = importlib.import_module("benchmarks.results").FOLDER
    written = ROOT / "docs" / "benchmarks" / "feature_intervals.md"
    assert written.read_text(encoding="utf-8") == writer.page(folder)


def test_means_do_not_depend_on_rotation_and_scale(script, rng):
    truth = rng.standard_normal((2, 5))
    turns = [np.linalg.qr(rng.standard_normal((2, 2)))[0] for _ in range(4)]
    mean = script.mean_loadings([scale * turn @ truth for scale, turn in enumerate(turns, 1)])
    assert_allclose(np.linalg.norm(mean), 1.0)
    found = np.linalg.norm(truth) * script.turned(mean, truth)
    assert_allclose(found, truth, atol=1e-9)


def test_intervals_are_judged_by_mean_zero_and_fit(script):
    loadings = np.array([[3.0, 0.0, 0.0, 4.0]])
    intervals = np.array([[[2.0, -1.0, 0.5, 3.0]], [[4.0, 1.0, 1.5, 3.5]]])
    found = SimpleNamespace(loadings=loadings, intervals=intervals)
    mean, large = loadings / 5, np.array([[-6.0, 0.0, -2.0, -9.0]])
    assert script.judge(found, mean, large, n_effects=1) == {
        "coverage": 0.5,  # the third and the fourth lie beside
        "coverage_large": 0.75,  # turned, and 5 / 11 as long: 2.73, 0, 0.91, 4.09
        "false_signals": pytest.approx(2 / 3),  # the last two of three without effect
        "fit_outside": 0.5,
    }


@pytest.mark.parametrize("name", ["small", "number"])
def test_features_without_effect_are_independent_of_the_target(script, name):
    population = script.POPULATIONS[name]
    X, y = population.draw(0, 20_000)
    q = population.n_effects
    target = y if population.is_continuous else np.eye(3)[y]
    target = (target - target.mean(axis=0)).reshape(len(X), -1)
    related = np.abs(X.T @ target / len(X)).max(axis=1)
    assert related[q:].max() < 0.03 < related[:q].max()
    assert np.abs(X[:, :q].T @ X[:, q:] / len(X)).max() < 0.04


def test_a_small_simulation_has_the_coverage_of_the_page(script):
    row = script.measure(get_method("lda"), script.POPULATIONS["small"], n_runs=20)
    assert 0.8 < row["coverage"] <= 0.98  # about four standard errors
    assert row["fit_outside"] == 0
    assert row["false_signals"] < 0.25
