import pytest
from numpy.testing import assert_allclose

from discrimap import StochasticDiscriminantAnalysis
from discrimap.optimisers.monitor import Monitor
from discrimap.sda import problem


@pytest.fixture
def sizes_of_evaluations(monkeypatch):
    """Number of samples of each evaluation of a descent."""
    sizes = []
    original = Monitor.evaluate

    def note(monitor, params):
        objective = getattr(monitor.objective, "objective", None)
        if objective is not None:
            sizes.append(len(objective.sums.X))
        return original(monitor, params)

    monkeypatch.setattr(Monitor, "evaluate", note)
    return sizes


def test_many_samples_are_approached_by_a_part_of_them(monkeypatch, sizes_of_evaluations, rng):
    y = rng.integers(0, 6, 4000)
    X = 1.5 * rng.standard_normal((6, 8))[y] + rng.standard_normal((4000, 8))
    sda = StochasticDiscriminantAnalysis(random_state=0, n_init=5)
    plainly = sda.fit(X, y).objective_
    assert sizes_of_evaluations[-1] == 4000

    sizes_of_evaluations.clear()
    monkeypatch.setattr(problem, "MANY_SAMPLES", 4000)
    monkeypatch.setattr(problem, "FITTED_FIRST", 600)
    monkeypatch.setattr(problem, "FITTED_NEXT", 0.35)
    approached = sda.fit(X, y).objective_
    assert_allclose(approached, plainly, rtol=2e-3)
    n_whole = sizes_of_evaluations.count(4000)
    assert set(sizes_of_evaluations[-n_whole:]) == {4000}
    # The parts grow, and each begins where the one before ended.
    next_part, first_part = (
        {size for size in sizes_of_evaluations if abs(size - expected) <= 10}
        for expected in (1400, 600)
    )
    assert len(next_part) == len(first_part) == 1
    n_next, n_first = (sizes_of_evaluations.count(*sizes) for sizes in (next_part, first_part))
    assert sizes_of_evaluations[-n_whole - n_next : -n_whole] == [*next_part] * n_next
    assert 0 < n_next < n_first
    assert sda.n_iter_ < n_whole


def test_no_part_is_fitted_first_where_it_would_overfit(monkeypatch, sizes_of_evaluations, rng):
    monkeypatch.setattr(problem, "MANY_SAMPLES", 1000)
    y = rng.integers(0, 4, 1000)
    X = rng.standard_normal((4, 30))[y] + rng.standard_normal((1000, 30))
    StochasticDiscriminantAnalysis(random_state=0, n_init=1).fit(X, y)
    assert set(sizes_of_evaluations) == {1000}
