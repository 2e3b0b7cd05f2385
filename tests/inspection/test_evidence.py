import numpy as np
import pytest

from discrimap.comparison import Comparison, MethodResult, Protocol, SplitMap
from discrimap.inspection import NamedProblem, evidence, weigh_evidence


@pytest.fixture(autouse=True)
def few_relabellings(monkeypatch):
    monkeypatch.setattr(evidence, "N_RELABELLINGS", (199, 199))


def p_value(seed, shift):
    """The p-value of the best of twenty random maps, the first of which may be a good one."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(90) % 3)
    results = []
    for i in range(20):
        Z = rng.standard_normal((90, 2))
        if i == 0:
            Z[:, 0] += shift * y
        split = SplitMap(Z[:60], Z[60:], np.arange(60), np.arange(60, 90))
        results.append(MethodResult(f"m{i}", f"M{i}", "done", first_map=split))
    comparison = Comparison("", 90, 2, {}, 0.6, Protocol(), tuple(results))
    samples = NamedProblem(np.zeros((90, 2)), y, "classification", ("a", "b", "c"), ("f", "g"))
    return weigh_evidence(comparison, samples, seed).p_value


def test_the_best_of_many_random_maps_is_no_evidence():
    p_values = np.array([p_value(seed, 0.0) for seed in range(30)])
    # Uniform under chance: no correction for the best of twenty would put most below 0.1.
    assert 0.3 < p_values.mean() < 0.8
    assert np.mean(p_values < 0.1) < 0.3


def test_one_good_map_among_many_is_evidence():
    assert p_value(0, 6.0) < 0.01
