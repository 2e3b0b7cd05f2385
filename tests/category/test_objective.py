"""The two objectives of category space and their start."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

from discrimap.category.objective import AbsoluteAxes, SquareAxes, balancing_origin
from discrimap.category.start import greedy_axes, leading_eigenpair
from discrimap.optimisers.orthonormal import maximise_orthonormal, nearest_orthonormal

WEIGHTS = np.array([1.0, 2.5, 0.3])


def make_blocks(rng, sizes=(30, 20, 40), n_features=6):
    return [
        rng.standard_normal((n, n_features)) * rng.uniform(0.3, 3.0, n_features) + rng.normal()
        for n in sizes
    ]


OBJECTIVES = {
    "square, scatters": lambda blocks: SquareAxes(blocks, WEIGHTS),
    "square, factors": lambda blocks: SquareAxes([b[:3] for b in blocks], WEIGHTS),
    "absolute": lambda blocks: AbsoluteAxes(blocks, WEIGHTS, 0.3, free_origin=False),
    "absolute, free origin": lambda blocks: AbsoluteAxes(blocks, WEIGHTS, 0.3, free_origin=True),
}


@pytest.mark.parametrize("make", OBJECTIVES.values(), ids=OBJECTIVES.keys())
def test_gradient_is_the_derivative_of_the_value(make, rng):
    objective = make(make_blocks(rng))
    W, direction = rng.standard_normal((2, 6, 3))
    step = 1e-5
    above = objective.value_and_grad(W + step * direction)[0]
    below = objective.value_and_grad(W - step * direction)[0]
    slope = np.vdot(objective.value_and_grad(W)[1], direction)
    assert_allclose(slope, (above - below) / (2 * step), rtol=1e-7)


@pytest.mark.parametrize("make", OBJECTIVES.values(), ids=OBJECTIVES.keys())
def test_value_is_convex_and_so_polar_steps_never_lose(make, rng):
    objective = make(make_blocks(rng))
    for _ in range(20):
        W, V = rng.standard_normal((2, 6, 3))
        value, grad = objective.value_and_grad(W)
        assert objective.value_and_grad(V)[0] >= value + np.vdot(grad, V - W) - 1e-9
    W = nearest_orthonormal(W)
    for _ in range(30):
        value, grad = objective.value_and_grad(W)
        W = nearest_orthonormal(grad)
        assert objective.value_and_grad(W)[0] >= value * (1 - 1e-14)


def test_square_value_against_a_loop_over_the_samples(rng):
    blocks = make_blocks(rng)
    W = rng.standard_normal((6, 3))
    naive = 0.0
    for k in range(3):
        for x in blocks[k]:
            naive += 0.5 * WEIGHTS[k] * (W[:, k] @ x) ** 2
    assert_allclose(SquareAxes(blocks, WEIGHTS).value_and_grad(W)[0], naive)


def test_absolute_value_against_a_scan_over_the_origin(rng):
    blocks = make_blocks(rng)
    W = rng.standard_normal((6, 3))
    value = AbsoluteAxes(blocks, WEIGHTS, 0.2, free_origin=True).value_and_grad(W)[0]
    scan = 0.0
    for k in range(3):
        a = blocks[k] @ W[:, k]
        origins = np.linspace(a.min(), a.max(), 20_001)[:, None]
        scan += WEIGHTS[k] * np.sqrt((a - origins) ** 2 + 0.04).sum(axis=1).min()
    assert value <= scan
    assert_allclose(value, scan, rtol=1e-6)


def test_scatters_and_factors_give_the_same(rng):
    blocks = make_blocks(rng, sizes=(3, 4, 2))
    factors = SquareAxes(blocks, WEIGHTS)
    assert factors.scatters is None
    dense = SquareAxes.from_scatters(
        np.stack([w * b.T @ b for w, b in zip(WEIGHTS, blocks, strict=True)])
    )
    W = rng.standard_normal((6, 3))
    for ours, theirs in zip(factors.value_and_grad(W), dense.value_and_grad(W), strict=True):
        assert_allclose(ours, theirs)
    assert_allclose(factors.total_scatter(), dense.total_scatter())


@pytest.mark.parametrize("smoothing", [1e-9, 1e-3, 1.0, 1e6])
@pytest.mark.parametrize("shape", ["spread", "two heaps", "one outlier", "all equal", "two"])
def test_balancing_origin_is_the_root(shape, smoothing, rng):
    a = {
        "spread": rng.standard_normal(51),
        "two heaps": np.r_[np.zeros(10), np.ones(10)] + 1e-3 * rng.standard_normal(20),
        "one outlier": np.r_[rng.standard_normal(20), 1e6],
        "all equal": np.full(7, 0.1),
        "two": np.array([-3.0, 5.0]),
    }[shape]

    def total(nu):
        return np.sum((a - nu) / np.hypot(a - nu, smoothing))

    nu = balancing_origin(a, smoothing)
    assert a.min() <= nu <= a.max()
    if np.ptp(a) > 0:
        root = brentq(total, a.min(), a.max(), xtol=1e-15)
        assert abs(total(nu)) <= max(abs(total(root)), 1e-9 * len(a))


def test_wide_smoothing_is_the_square_objective(rng):
    blocks = [block - block.mean(axis=0) for block in make_blocks(rng)]
    W = nearest_orthonormal(rng.standard_normal((6, 3)))
    e = 1e4
    value = AbsoluteAxes(blocks, WEIGHTS, e, free_origin=True).value_and_grad(W)[0]
    constant = e * sum(w * len(b) for w, b in zip(WEIGHTS, blocks, strict=True))
    square = SquareAxes(blocks, WEIGHTS).value_and_grad(W)[0]
    assert_allclose((value - constant) * e, square, rtol=1e-4)


def test_greedy_start_against_eigenvectors_of_projected_scatters(rng):
    objective = SquareAxes(make_blocks(rng), WEIGHTS)
    W = greedy_axes(objective)
    left, basis, naive = {0, 1, 2}, np.eye(6), np.empty((6, 3))
    while left:
        pairs = {k: np.linalg.eigh(basis.T @ objective.scatters[k] @ basis) for k in left}
        k = max(left, key=lambda k: pairs[k][0][-1])
        naive[:, k] = basis @ pairs[k][1][:, -1]
        left.remove(k)
        basis = np.linalg.svd(naive[:, [j for j in range(3) if j not in left]])[0][
            :, 3 - len(left) :
        ]
    assert_allclose(np.abs(np.sum(W * naive, axis=0)), 1.0, atol=1e-9)
    assert_allclose(W.T @ W, np.eye(3), atol=1e-13)


def test_greedy_start_follows_the_order_of_the_classes(rng):
    blocks, order = make_blocks(rng), [2, 0, 1]
    W = greedy_axes(SquareAxes(blocks, WEIGHTS))
    reordered = greedy_axes(SquareAxes([blocks[k] for k in order], WEIGHTS[order]))
    assert_allclose(reordered, W[:, order], atol=1e-10)


def test_greedy_start_when_classes_share_one_direction():
    # All scatter on one line: two of the axes have nothing left, and must still be orthonormal.
    line = np.outer(np.arange(1.0, 4.0), [1.0, 2.0, 3.0])
    W = greedy_axes(SquareAxes([line, 2 * line, 3 * line], np.ones(3)))
    assert_allclose(W.T @ W, np.eye(3), atol=1e-12)


def test_greedy_start_when_nothing_is_left_of_several_classes():
    """Next to a feature of size 1e8 the others are rounding errors: classes still get different axes."""
    rng = np.random.default_rng(0)
    blocks = [np.column_stack([rng.standard_normal((1, 3)), [[1e8 * k]]]) for k in (2, 1, 3)]
    W = greedy_axes(SquareAxes(blocks, np.ones(3)))
    assert_allclose(W.T @ W, np.eye(3), atol=1e-8)


@pytest.mark.parametrize("n_features", [3, 30, 200])
def test_leading_eigenpair_against_lapack(n_features, rng):
    block = rng.standard_normal((300, n_features)) * np.geomspace(3, 0.1, n_features)
    taken = np.linalg.qr(rng.standard_normal((n_features, 2)))[0]
    value, vector = leading_eigenpair(SquareAxes([block], np.ones(1)), 0, taken)
    projector = np.eye(n_features) - taken @ taken.T
    values, vectors = np.linalg.eigh(projector @ block.T @ block @ projector)
    assert_allclose(value, values[-1], rtol=1e-9)
    assert_allclose(abs(vector @ vectors[:, -1]), 1.0, rtol=1e-6)
    assert_allclose(taken.T @ vector, 0.0, atol=1e-12)


def test_the_papers_own_inner_step_can_lose(rng):
    """Why Eq. (26) is not used: with it the objective of Eq. (7) falls in some runs."""
    losses = 0
    for _ in range(20):
        blocks = [b - b.mean(axis=0) for b in make_blocks(rng, sizes=(8, 9, 7), n_features=4)]
        objective = AbsoluteAxes(blocks, np.ones(3), 0.05, free_origin=True)
        W = nearest_orthonormal(rng.standard_normal((4, 3)))
        values = []
        for _ in range(15):
            values.append(objective.value_and_grad(W)[0])
            heuristic = []
            for k, block in enumerate(blocks):
                a = block @ W[:, k]
                z = a / np.sqrt(a**2 + 0.05)
                heuristic.append(block.T @ (z - z.mean()))
            W = nearest_orthonormal(np.column_stack(heuristic))
        losses += np.any(np.diff(values) < -1e-9)
        exact = maximise_orthonormal(objective, W).loss_curve
        assert np.all(np.diff(exact) >= 0)
    assert losses > 0
