"""The certificate proves optimal axes, and never others."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from discrimap.category.certificate import certify_axes
from discrimap.category.objective import SquareAxes
from discrimap.category.start import greedy_axes
from discrimap.optimisers.orthonormal import maximise_orthonormal, nearest_orthonormal


def random_scatters(rng, n_classes=3, n_features=5):
    factors = rng.standard_normal((n_classes, n_features, n_features))
    return np.einsum("kij,kil->kjl", factors, factors)


def best_axes(scatters, start=None):
    objective = SquareAxes.from_scatters(scatters)
    start = greedy_axes(objective) if start is None else start
    return maximise_orthonormal(objective, start, max_iter=50_000, tol=1e-10)


def test_separate_directions_satisfy_the_papers_condition_too():
    # Worked by hand: every class has its own direction, so the axes are the unit vectors, the
    # value is (5 + 4 + 3) / 2, and nu = 0, M = diag(5, 4, 3) proves it.
    scatters = np.stack([np.diag([5.0, 0, 0, 0]), np.diag([0, 4.0, 0, 0]), np.diag([0, 0, 3.0, 0])])
    certificate = certify_axes(scatters, np.eye(4)[:, :3])
    assert certificate.certified
    assert certificate.paper_condition
    assert_allclose(certificate.objective, 6.0)
    assert_allclose(certificate.upper_bound, 6.0)
    assert certificate.check() <= 1e-12


def test_a_shared_direction_fails_the_papers_condition_only(rng):
    # Two classes want the same axis; the larger gets it. Optimal, but not for the paper.
    scatters = np.stack([np.diag([5.0, 1.0, 0.1]), np.diag([4.0, 0.5, 0.1])])
    certificate = certify_axes(scatters, best_axes(scatters).params)
    assert certificate.certified
    assert not certificate.paper_condition
    assert_allclose(certificate.objective, 2.75)


@pytest.mark.parametrize("shared", [0.0, 0.5])
def test_the_papers_condition_against_its_whole_matrix(shared, rng):
    directions = np.linalg.qr(rng.standard_normal((5, 5)))[0]
    scatters = np.stack([5.0 * np.outer(d, d) + 0.1 * np.eye(5) for d in directions[:3]])
    scatters[1] += shared * np.outer(directions[0], directions[1])
    scatters[1] += shared * np.outer(directions[1], directions[0])
    certificate = certify_axes(scatters, best_axes(scatters).params)
    multipliers = np.column_stack(
        [R @ w for R, w in zip(scatters, certificate.axes.T, strict=True)]
    )
    multipliers = certificate.axes.T @ multipliers
    whole = np.zeros((15, 15))
    for k in range(3):
        whole[5 * k : 5 * k + 5, 5 * k : 5 * k + 5] = scatters[k]
    whole -= np.kron(0.5 * (multipliers + multipliers.T), np.eye(5))
    assert certificate.paper_condition == (np.linalg.eigvalsh(whole)[-1] <= 1e-6)
    assert certificate.paper_condition == (shared == 0.0)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(0, 4))
def test_the_bound_holds_for_any_axes_and_can_be_checked_by_hand(seed, n_classes, spare):
    rng = np.random.default_rng(seed)
    n_features = n_classes + spare
    scatters = random_scatters(rng, n_classes, n_features)
    W = nearest_orthonormal(rng.standard_normal((n_features, n_classes)))
    solution = best_axes(scatters, W)
    certificate = certify_axes(scatters, solution.params)
    assert certificate.check() <= 1e-12
    bound = 0.5 * (np.trace(certificate.dual_matrix) + certificate.dual_values.sum())
    assert_allclose(certificate.upper_bound, bound)
    tallest = max(
        best_axes(scatters, nearest_orthonormal(rng.standard_normal(W.shape))).value
        for _ in range(5)
    )
    assert tallest <= certificate.upper_bound * (1 + 1e-9)
    if certificate.certified:
        assert tallest <= solution.value * (1 + 2e-7)


def test_a_worse_stationary_point_is_never_certified(rng):
    worse = 0
    for _ in range(40):
        scatters = random_scatters(rng, 4, 5)
        starts = [nearest_orthonormal(rng.standard_normal((5, 4))) for _ in range(5)]
        # Local maxima, few of them below the best, and the minimum, the maximum upside down.
        points = [best_axes(scatters, start).params for start in starts[1:]]
        largest = np.linalg.eigvalsh(scatters).max()
        points.append(best_axes(largest * np.eye(5) - scatters, starts[0]).params)
        values = [SquareAxes.from_scatters(scatters).value_and_grad(W)[0] for W in points]
        for W, value in zip(points, values, strict=True):
            if value < max(values) * (1 - 1e-5):
                worse += 1
                certificate = certify_axes(scatters, W)
                assert not certificate.certified
                assert certificate.upper_bound >= max(values) * (1 - 1e-12)
    assert worse >= 40


def test_axes_that_are_not_stationary_are_not_certified(rng):
    scatters = random_scatters(rng)
    W = nearest_orthonormal(rng.standard_normal((5, 3)))
    certificate = certify_axes(scatters, W)
    assert not certificate.certified
    assert certificate.upper_bound >= best_axes(scatters).value


@pytest.mark.parametrize("power", [-150, 0, 150])
def test_units_do_not_matter(power, rng):
    scatters = random_scatters(rng)
    solution = best_axes(scatters)
    certificate = certify_axes(scatters, solution.params)
    scaled = certify_axes(scatters * 2.0**power, solution.params)
    assert scaled.certified == certificate.certified
    assert_allclose(scaled.gap, certificate.gap, atol=1e-12)
