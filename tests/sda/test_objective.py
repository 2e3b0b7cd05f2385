import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from discrimap.samples.in_memory import ArraySamples
from discrimap.sda.coordinates import InCoordinates, Scaling, Subspace, Whitening
from discrimap.sda.objective import StochasticDiscriminantObjective, pair_targets
from discrimap.sda.row_objective import RowDiscriminantObjective


def naive_value_and_grad(X, labels, targets, W, alpha, weights):
    """Eq. (18) and its gradient, term by term over all ordered pairs."""
    Z = X @ W
    n = len(Z)
    qbar, pbar = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            pair = weights[i] * weights[j]
            qbar[i, j] = pair / (1 + ((Z[i] - Z[j]) ** 2).sum())
            pbar[i, j] = pair * targets[labels[i], labels[j]]
    p, q = pbar / pbar.sum(), qbar / qbar.sum()
    value = 0.0
    grad_Z = np.zeros_like(Z)
    for i in range(n):
        for j in range(n):
            pair = weights[i] * weights[j]
            # Entropies of pairs, not of their weights: a weight of 2 is two equal samples.
            value += p[i, j] * np.log((p[i, j] / pair) / (q[i, j] / pair))
            grad_Z[i] += 4 * (p[i, j] - q[i, j]) * qbar[i, j] / pair * (Z[i] - Z[j])
    return value + alpha * (W**2).sum(), X.T @ grad_Z + 2 * alpha * W


@pytest.fixture
def problem(rng):
    n_classes = 4
    labels = np.r_[np.arange(n_classes), rng.integers(0, n_classes, 36)]
    X = rng.standard_normal((40, 5)) + 2 * rng.standard_normal((n_classes, 5))[labels]
    return X, labels, rng.uniform(0.2, 3.0, 40)


def central_difference(function, step):
    return (8 * (function(step) - function(-step)) - (function(2 * step) - function(-2 * step))) / (
        12 * step
    )


@pytest.mark.parametrize("noise", [0.0, 0.3])
@pytest.mark.parametrize("n_components", [1, 2, 3, 4])
def test_value_and_gradient_are_those_of_the_naive_loop(problem, n_components, noise, rng):
    X, labels, weights = problem
    targets = pair_targets(4, 0.2, noise)
    W = rng.standard_normal((5, n_components))
    objective = StochasticDiscriminantObjective(
        ArraySamples(X, labels, weights=weights),
        targets,
        n_components=n_components,
        alpha=0.3,
        engine="exact",
    )
    value, grad = objective.value_and_grad(W)
    expected_value, expected_grad = naive_value_and_grad(X, labels, targets, W, 0.3, weights)
    assert value == pytest.approx(expected_value, rel=1e-10)
    assert_allclose(grad, expected_grad, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize(
    ("engine", "n_components"),
    [("exact", 2), ("exact", 5), ("fourier", 1), ("fourier", 2), ("fourier", 3)],
)
def test_the_gradient_is_the_derivative_of_the_value(problem, engine, n_components, rng):
    X, labels, weights = problem
    objective = StochasticDiscriminantObjective(
        ArraySamples(X, labels, weights=weights),
        pair_targets(4, 0.25),
        n_components=n_components,
        alpha=0.1,
        engine=engine,
        engine_tol=1e-10,
    )
    W, direction = rng.standard_normal((2, 5, n_components))
    slope = central_difference(lambda t: objective.value_and_grad(W + t * direction)[0], 3e-4)
    grad = objective.value_and_grad(W)[1]
    # Relative to the gradient, not to the slope: a direction may be nearly orthogonal to it.
    scale = np.linalg.norm(grad) * np.linalg.norm(direction)
    assert_allclose(np.vdot(grad, direction), slope, rtol=0, atol=1e-7 * scale)


def test_the_value_is_zero_for_a_perfect_map():
    # Three classes at the corners of a triangle with sides sqrt(1/eps - 1) have q = p.
    side = np.sqrt(1 / 0.2 - 1)
    corners = side * np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
    labels = np.repeat([0, 1, 2], [2, 5, 3])
    objective = StochasticDiscriminantObjective(
        ArraySamples(corners[labels], labels), pair_targets(3, 0.2), n_components=2
    )
    value, grad = objective.value_and_grad(np.eye(2))
    assert value == pytest.approx(0.0, abs=1e-12)
    assert_allclose(grad, 0.0, atol=1e-12)


def test_only_differences_between_samples_matter(problem, rng):
    X, labels, _ = problem
    W = rng.standard_normal((5, 2))
    at_home, far = (
        StochasticDiscriminantObjective(
            ArraySamples(data, labels), pair_targets(4, 0.25), n_components=2
        )
        for data in (X, X + 7.0)
    )
    assert far.value_and_grad(W)[0] == pytest.approx(at_home.value_and_grad(W)[0], rel=1e-10)
    assert_allclose(far.value_and_grad(W)[1], at_home.value_and_grad(W)[1], atol=1e-10)


def test_sparse_and_float32_data_give_the_same_up_to_their_precision(problem, rng):
    X, labels, _ = problem
    X = np.where(np.abs(X) > 1, X, 0.0)
    W = rng.standard_normal((5, 2))
    dense, csr, single = (
        StochasticDiscriminantObjective(
            ArraySamples(data, labels), pair_targets(4, 0.25), n_components=2
        )
        for data in (X, sparse.csr_matrix(X), X.astype(np.float32))
    )
    value, grad = dense.value_and_grad(W)
    assert csr.value_and_grad(W)[0] == pytest.approx(value, rel=1e-12)
    assert_allclose(csr.value_and_grad(W)[1], grad, rtol=1e-9)
    assert single.value_and_grad(W)[0] == pytest.approx(value, rel=1e-4)
    assert single.value_and_grad(W)[1].dtype == np.float64
    assert_allclose(single.value_and_grad(W)[1], grad, atol=1e-4 * np.abs(grad).max())


def test_targets_without_noise_are_those_of_the_paper():
    assert_allclose(pair_targets(3, 0.1), [[1, 0.1, 0.1], [0.1, 1, 0.1], [0.1, 0.1, 1]])


def test_targets_with_a_rate_of_noise_worked_out_by_hand():
    # Two classes, one label in ten wrong: two equal labels hide equal classes if both are right
    # (0.81) or both wrong (0.01); two different ones if exactly one is wrong (0.18).
    assert_allclose(
        pair_targets(2, 0.5, 0.1), [[0.82 + 0.09, 0.18 + 0.41], [0.18 + 0.41, 0.82 + 0.09]]
    )


def test_targets_with_a_matrix_of_noise_worked_out_by_hand():
    # Label 0 is always right, label 1 hides class 0 in a quarter of the cases.
    true = [[1.0, 0.0], [0.25, 0.75]]
    same = np.array([[1.0, 0.25], [0.25, 0.25**2 + 0.75**2]])
    assert_allclose(pair_targets(2, 0.2, true), same + 0.2 * (1 - same))
    rate = pair_targets(3, 0.2, 0.3)
    assert_allclose(pair_targets(3, 0.2, np.full((3, 3), 0.15) + 0.55 * np.eye(3)), rate)


@pytest.mark.parametrize(
    ("noise", "message"),
    [
        (1.0, r"label_noise=1.0 must be a rate in \[0, 1\)"),
        (np.eye(2), r"shape \(2, 2\), but y holds 3 classes"),
        (np.ones((3, 3)), "rows sum to 3"),
        ([[1.5, -0.5, 0], [0, 1, 0], [0, 0, 1]], "smallest entry is -0.5"),
    ],
)
def test_impossible_noise_is_refused(noise, message):
    with pytest.raises(ValueError, match=message):
        pair_targets(3, 0.2, noise)


@pytest.mark.parametrize("kind", ["scaling", "whitening", "subspace"])
def test_coordinates_carry_the_gradient(problem, kind, rng):
    X, labels, _ = problem
    objective = StochasticDiscriminantObjective(
        ArraySamples(X, labels), pair_targets(4, 0.25), n_components=2
    )
    coordinates = {
        "scaling": Scaling(3.0),
        "whitening": Whitening.of(X.T @ X),
        "subspace": Subspace(rng.standard_normal((5, 3))),
    }[kind]
    inside = InCoordinates(objective, coordinates)
    V, direction = rng.standard_normal((2, 3 if kind == "subspace" else 5, 2))
    slope = central_difference(lambda t: inside.value_and_grad(V + t * direction)[0], 1e-4)
    assert_allclose(np.vdot(inside.value_and_grad(V)[1], direction), slope, rtol=1e-6)
    if kind != "subspace":
        assert_allclose(coordinates.from_params(coordinates.to_params(V)), V, rtol=1e-9)


def test_whitening_makes_the_curvature_round_and_lifts_flat_directions(rng):
    X = rng.standard_normal((50, 3)) * [1.0, 100.0, 0.0]
    curvature = X.T @ X
    T = Whitening.of(curvature.copy()).to_params(np.eye(3))
    round_part = T.T @ curvature @ T
    assert_allclose(np.sort(np.diag(round_part)), [0.0, 1.0, 1.0], atol=1e-9)
    assert np.isfinite(T).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", [StochasticDiscriminantObjective, RowDiscriminantObjective])
def test_several_maps_have_the_values_and_gradients_of_each(kind, dtype, problem, rng):
    X, labels, weights = problem
    samples = ArraySamples(X.astype(dtype), labels, weights=weights)
    targets = pair_targets(4, 0.2)
    objective = kind(samples, targets, n_components=2, alpha=0.3, engine="exact")
    basis = rng.standard_normal((5, 3))
    objective = InCoordinates(objective, Subspace(basis))
    Vs = rng.standard_normal((4, 3, 2))
    values, grads = objective.values_and_grads(Vs)
    assert grads.dtype == np.float64
    for V, value, grad in zip(Vs, values, grads, strict=True):
        expected, expected_grad = objective.value_and_grad(V)
        rtol = 1e-10 if dtype == np.float64 else 1e-5
        assert_allclose(value, expected, rtol=rtol)
        assert_allclose(grad, expected_grad, atol=rtol * np.abs(expected_grad).max())
