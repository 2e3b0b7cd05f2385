"""Without finufft and openTSNE, for which Linux and Windows on ARM have no wheels."""

import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from discrimap import DiscriminativeComponents, FisherTSNE, StochasticDiscriminantAnalysis
from discrimap.comparison import Protocol, compare
from discrimap.errors import InputError
from discrimap.kernel_sums import LogKernel, PairTerm, engines, make_engine, make_point_engine
from discrimap.samples.in_memory import ArraySamples


@pytest.fixture
def without(monkeypatch):
    """Make packages look as if they were not installed."""
    return lambda package: monkeypatch.setitem(sys.modules, package, None)


@pytest.fixture
def points(rng):
    labels = rng.integers(3, size=3000)
    return rng.standard_normal((3000, 2)) + labels[:, None], labels


def test_auto_sums_are_exact_without_finufft(without, points):
    Z, labels = points
    terms = [PairTerm(LogKernel(), np.eye(3))]
    assert make_engine(labels, terms, 2).name == "fourier"
    assert make_point_engine(labels, 0.5, 2).name == "fourier"

    without("finufft")
    assert make_engine(labels, terms, 2).name == "exact"
    sums, exact = (make_point_engine(labels, 0.5, 2, engine=name) for name in ("auto", "exact"))
    assert_allclose(sums.evaluate(Z).own, exact.evaluate(Z).own)


def test_the_fourier_engine_says_what_to_install(without, points):
    without("finufft")
    expected = r"engine='fourier' needs the package finufft.*pip install finufft"
    with pytest.raises(InputError, match=expected):
        make_point_engine(points[1], 0.5, 2, engine="fourier")
    with pytest.raises(InputError, match=expected):
        StochasticDiscriminantAnalysis(engine="fourier").fit(*points)


def test_a_long_exact_sum_is_announced(without, points, monkeypatch):
    monkeypatch.setattr(engines, "LONG", 1e6)
    without("finufft")
    with pytest.warns(UserWarning, match=r"all pairs of 3,000 points.*pip install finufft"):
        make_point_engine(points[1], 0.5, 2)
    # In four dimensions finufft would not help, and who asks for exact sums knows it.
    make_point_engine(points[1], 0.5, 4)
    make_point_engine(points[1], 0.5, 2, engine="exact")


def test_components_of_many_samples_are_fitted_by_batches_without_finufft(without):
    samples = ArraySamples(np.zeros((30_000, 2)), np.arange(30_000) % 3)
    batches = DiscriminativeComponents(n_components=2)._batches
    assert batches(samples, np.random.RandomState(0)) == [None]
    without("finufft")
    assert {len(batch) for batch in batches(samples, np.random.RandomState(0))} == {10_000}


def test_fisher_tsne_says_what_to_install(without):
    X, y = load_iris(return_X_y=True)
    fitted = FisherTSNE(perplexity=5, random_state=0, max_iter=20).fit(X[::5], y[::5])
    without("openTSNE")
    with pytest.raises(InputError, match=r"FisherTSNE needs .* pip install openTSNE"):
        FisherTSNE().fit(X, y)
    assert_allclose(fitted.transform(X[::5]), fitted.embedding_)
    with pytest.raises(InputError, match=r"new samples .* pip install openTSNE"):
        fitted.transform(X[1::5])


def test_a_comparison_lists_the_method_as_skipped(without):
    without("openTSNE")
    X, y = load_iris(return_X_y=True)
    comparison = compare(X, y, ["pca", "fisher-tsne"], protocol=Protocol(n_repeats=1))
    pca, fisher = comparison.results
    assert (pca.status, fisher.status) == ("done", "skipped")
    assert "pip install openTSNE" in fisher.reason


def test_the_command_line_works_without_them(tmp_path):
    program = (
        "import sys; sys.modules.update(finufft=None, openTSNE=None); "
        "from discrimap.cli import main; sys.exit(main(sys.argv[1:]))"
    )

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-c", program, *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )

    done = run("fit", "iris", "--method", "sda", "--model", "m.skops")
    assert done.returncode == 0, done.stderr
    refused = run("fit", "iris", "--method", "fisher-tsne", "--model", "f.skops")
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "pip install openTSNE" in refused.stderr
