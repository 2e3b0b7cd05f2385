"""Methods that hang or crash, in real worker processes."""

import os
import sys
import time
from pathlib import Path

import pytest
from sklearn.datasets import load_iris

from discrimap import registry
from discrimap.comparison import Protocol, compare

MODULE = """
import os, time
from sklearn.base import BaseEstimator, TransformerMixin
from discrimap import registry
from discrimap.registry import Method

class Crashing(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        os._exit(3)

class Endless(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        time.sleep(600)

for name in ("Crashing", "Endless"):
    registry._BY_NAME[name.lower()] = Method(
        name=name.lower(), label=name, family="linear", path=f"{__name__}:{name}", citation="",
        memory=lambda shape: 1.0,
    )
"""


@pytest.fixture
def misbehaving(tmp_path, monkeypatch):
    """Register a crashing and an endless method, here and in every worker process."""
    (tmp_path / "misbehaving.py").write_text(MODULE)
    # Python runs sitecustomize at start: so a spawned worker knows the two methods as well.
    (tmp_path / "sitecustomize.py").write_text("import misbehaving\n")
    inherited = os.environ.get("PYTHONPATH", "")
    source = str(Path(registry.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), source, inherited]))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "_BY_NAME", dict(registry._BY_NAME))
    import misbehaving  # noqa: F401

    yield
    del sys.modules["misbehaving"]


def test_a_crash_or_a_hang_of_one_method_does_not_lose_the_others(misbehaving):
    X, y = load_iris(return_X_y=True)
    start = time.monotonic()
    comparison = compare(
        X,
        y,
        ["endless", "crashing", "pca"],
        protocol=Protocol(n_repeats=1),
        n_jobs=3,
        time_limit=4,  # from the moment at which a worker, its imports done, begins
    )
    by_name = {result.name: result for result in comparison.results}
    assert by_name["pca"].status == "done"
    assert by_name["crashing"].status == "failed"
    assert "its process ended" in by_name["crashing"].reason
    assert by_name["endless"].status == "skipped"
    assert by_name["endless"].reason == "not done within 4 s"
    assert time.monotonic() - start < 120
