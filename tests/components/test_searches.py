import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from discrimap import DiscriminativeComponents
from discrimap.components import subspace_estimator
from discrimap.components.bandwidth_search import best_bandwidth, search_bandwidth
from discrimap.components.race import N_LEADERS, best_of_race
from discrimap.components.subspace_estimator import thinned
from discrimap.components.subspaces import OnSubspaces, polar, stretch_of
from discrimap.samples.in_memory import ArraySamples


def scores_of_widths(scores, ends_early, random_state=0):
    """Search widths 1 .. n whose scores are given, and return the widths that were fitted."""
    fitted = []

    def fit(part, bandwidth, start):
        fitted.append(bandwidth)
        return start + 1

    samples = ArraySamples(np.zeros((900, 1)), np.arange(900) % 2)
    widths = np.arange(1, len(scores) + 1)
    found, projections = search_bandwidth(
        fit,
        lambda *parts: scores[parts[-1] - 1],
        samples,
        np.zeros((1, 1)),
        widths,
        np.random.RandomState(random_state),
        ends_early=ends_early,
    )
    return found, projections, fitted


def test_a_search_of_widths_ends_after_two_worse_ones():
    scores = [9, -9, -5, -4, -1, -2, -3]
    found, projections, fitted = scores_of_widths(scores, ends_early=True)
    assert fitted == [7, 6, 5, 4, 3]
    assert_allclose(found, [-5, -4, -1, -2, -3])
    assert best_bandwidth(found) == 2
    # Each fit starts from that of the next wider kernel.
    assert [W.item() for W in projections] == [5, 4, 3, 2, 1]


def test_a_search_of_widths_goes_on_while_scores_are_better_in_turns():
    scores = [-1, -3, -2, -5, -4]
    found, _, fitted = scores_of_widths(scores, ends_early=True)
    assert len(fitted) == 5
    assert_allclose(found, scores)


def test_errors_of_neighbours_do_not_end_the_search():
    found, _, fitted = scores_of_widths([9, -9, -5, -4, -1], ends_early=False)
    assert len(fitted) == 5
    assert found[0] == 9


class TwoBowls:
    """Minima of depth 1 and 3 on both sides of zero, with a count of evaluations on each side.

    The bowls are narrow in some directions, so that a search takes dozens of iterations.
    """

    scales = np.geomspace(1, 1e4, 30)

    def __init__(self):
        self.n_evaluations = {-1: 0, 1: 0}

    def value_and_grad(self, x):
        side = -1 if x[0] < 0 else 1
        self.n_evaluations[side] += 1
        slope = self.scales * (x - side)
        return 2.0 + side + 0.5 * float((x - side) @ slope), slope


@pytest.fixture
def deep_and_shallow(rng):
    """Starts near the deep and near the shallow minimum."""
    offset = 0.01 * rng.standard_normal(30)
    return -1 + offset, 1 + offset


def test_starts_far_behind_the_leaders_end_early_and_lose(deep_and_shallow):
    deep, shallow = deep_and_shallow
    objective = TwoBowls()
    assert best_of_race(objective, [deep] * N_LEADERS + [shallow])[0] < 0
    behind = objective.n_evaluations[1]
    # As a leader the same start runs to its end, and still loses.
    objective = TwoBowls()
    assert best_of_race(objective, [shallow] + [deep] * N_LEADERS)[0] < 0
    assert 10 <= behind < objective.n_evaluations[1]


def test_a_start_that_overtakes_the_leaders_wins(deep_and_shallow):
    deep, shallow = deep_and_shallow
    assert best_of_race(TwoBowls(), [shallow] * N_LEADERS + [deep])[0] < 0


def test_one_leader_with_a_very_high_start_does_not_keep_the_others(deep_and_shallow):
    deep, shallow = deep_and_shallow
    objective = TwoBowls()
    high = deep - 100.0
    assert best_of_race(objective, [deep, deep, high, shallow])[0] < 0
    stopped = objective.n_evaluations[1]
    objective = TwoBowls()
    best_of_race(objective, [deep, high, high, shallow])
    assert stopped < objective.n_evaluations[1]


class Rotated:
    """Mean square of samples in a subspace, times -1; minimal for the principal directions."""

    flat = 0.0

    def __init__(self, scatter):
        self.scatter = scatter

    def value_and_grad(self, W):
        return -np.sum(W * (self.scatter @ W)), -2 * self.scatter @ W


def test_a_search_that_approaches_the_result_of_a_leader_ends_early(rng):
    # The principal directions are the only minimum, so that all searches approach it.
    scatter = np.diag(np.r_[np.full(2, 2.0), np.linspace(0.0, 1.5, 28)])

    class Counted(Rotated):
        n_evaluations = 0

        def value_and_grad(self, W):
            self.n_evaluations += 1
            value, grad = super().value_and_grad(W)
            return value + 10.0, grad

    counts = []
    starts = [polar(rng.standard_normal((30, 2)))[0] for _ in range(N_LEADERS + 3)]
    for is_recognised in (False, True):
        counted = Counted(scatter)
        objective = OnSubspaces(counted)
        best = best_of_race(
            objective, starts, to_projection=objective.to_projection if is_recognised else None
        )
        counts.append(counted.n_evaluations)
        assert_allclose(counted.value_and_grad(objective.to_projection(best))[0], 6.0, rtol=1e-2)
    assert counts[1] < counts[0]


def test_a_stretch_changes_parameters_but_not_values(rng):
    root = rng.standard_normal((6, 6)) * [10, 3, 1, 0.3, 0.1, 0]
    scatter = root.T @ root
    plain, stretched = (
        OnSubspaces(Rotated(scatter)),
        OnSubspaces(Rotated(scatter), stretch_of(scatter)),
    )
    W = polar(rng.standard_normal((6, 2)))[0]
    params = stretched.from_projection(W)
    projector = W @ W.T
    back = stretched.to_projection(params)
    assert_allclose(back @ back.T, projector, atol=1e-10)
    value, grad = stretched.value_and_grad(params)
    assert value == pytest.approx(plain.value_and_grad(W)[0])
    direction = rng.standard_normal(W.shape)

    def along(step):
        return stretched.value_and_grad(params + step * direction)[0]

    slope = (along(1e-5) - along(-1e-5)) / 2e-5
    assert np.vdot(grad, direction) == pytest.approx(slope, abs=1e-6 * np.linalg.norm(grad))


def test_a_stretch_of_samples_without_scatter_is_the_identity():
    assert_allclose(stretch_of(np.zeros((3, 3))), np.eye(3))


@pytest.mark.parametrize("condition", [1.0, 1e3, 1e9])
def test_polar_factors_are_orthonormal_for_any_condition(condition, rng):
    V = polar(rng.standard_normal((30, 3)))[0] * [1.0, 0.5, 1 / condition]
    V = V @ polar(rng.standard_normal((3, 3)))[0]
    W, inverse_root = polar(V)
    assert_allclose(W.T @ W, np.eye(3), atol=1e-9)
    assert_allclose(V @ inverse_root, W, atol=1e-7 * condition**0.5)


@pytest.mark.parametrize(("n_features", "expected"), [(20, 1500), (400, 1600)])
def test_starts_are_compared_on_more_samples_if_there_are_many_features(
    n_features, expected, rng, monkeypatch
):
    sizes = []

    def note(labels, size, random_state):
        sizes.append(size)
        return thinned(labels, 50, random_state)

    monkeypatch.setattr(subspace_estimator, "thinned", note)
    X, y = rng.standard_normal((2500, n_features)), rng.integers(0, 3, 2500)
    components = DiscriminativeComponents(bandwidth=1.0, n_init=3, max_iter=1, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        components.fit(X, y)
    assert sizes == [expected]
