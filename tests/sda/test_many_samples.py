import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

from discrimap import StochasticDiscriminantAnalysis
from discrimap.optimisers.monitor import Monitor
from discrimap.sda import problem


@pytest.fixture
def evaluations(monkeypatch):
    """Number of samples and parameters of each evaluation of a descent."""
    evaluations = []
    original = Monitor.evaluate

    def note(monitor, params):
        objective = getattr(monitor.objective, "objective", None)
        if objective is not None:
            evaluations.append((len(objective.sums.X), params.copy()))
        return original(monitor, params)

    monkeypatch.setattr(Monitor, "evaluate", note)
    return evaluations


@pytest.mark.parametrize(("share", "part"), [(0.03, 1200), (0.35, 1400)])
def test_many_samples_are_approached_by_parts_of_them(share, part, monkeypatch, evaluations, rng):
    y = rng.integers(0, 6, 4000)
    X = 1.5 * rng.standard_normal((6, 8))[y] + rng.standard_normal((4000, 8))
    sda = StochasticDiscriminantAnalysis(random_state=0, n_init=5)
    plainly = sda.fit(X, y).objective_
    assert evaluations[-1][0] == 4000

    evaluations.clear()
    approach(monkeypatch, problem, share)
    approached = sda.fit(X, y).objective_
    assert_allclose(approached, plainly, rtol=2e-3)
    by_size = {size: [] for size, _ in evaluations}
    for size, params in evaluations:
        by_size[size].append(params)
    sizes = [size for size, _ in itertools.groupby(evaluations, key=lambda one: one[0])]
    expected = [part, 4000] if share < 0.3 else [600, part, 4000]
    assert_allclose(sizes[-len(expected) :], expected, atol=10)
    # Each part begins where the one before ended.
    for size, following in itertools.pairwise(sizes[-len(expected) :]):
        distances = [np.abs(params - by_size[following][0]).max() for params in by_size[size]]
        assert min(distances) < 1e-9
        assert np.argmin(distances) > 2
    n_whole = len(by_size[4000])
    assert sda.n_iter_ < n_whole


def approach(monkeypatch, module, share):
    """Approach 4,000 samples by 1,200 of them or, if the share is larger, by 600 and the share."""
    monkeypatch.setattr(module, "MANY_SAMPLES", 4000)
    monkeypatch.setattr(module, "CLEARLY_MORE_THAN_PART", 2)
    monkeypatch.setattr(module, "PART", 1200)
    monkeypatch.setattr(module, "SHARE_IN_PART", share)


def test_no_part_is_fitted_first_where_it_would_overfit(monkeypatch, evaluations, rng):
    monkeypatch.setattr(problem, "MANY_SAMPLES", 1000)
    monkeypatch.setattr(problem, "PART", 10)  # there are more for each feature
    y = rng.integers(0, 4, 1000)
    X = rng.standard_normal((4, 30))[y] + rng.standard_normal((1000, 30))
    StochasticDiscriminantAnalysis(random_state=0, n_init=1).fit(X, y)
    assert {size for size, _ in evaluations} == {1000}
