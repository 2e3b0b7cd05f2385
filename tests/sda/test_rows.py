"""SDA with probabilities that are normalised for each sample."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.preprocessing import scale

from discrimap import StochasticDiscriminantAnalysis
from discrimap.metrics import knn_error
from discrimap.optimisers import METHODS
from discrimap.samples.in_memory import ArraySamples
from discrimap.sda import problem as sda_problem
from discrimap.sda.objective import StochasticDiscriminantObjective, pair_targets
from discrimap.sda.row_objective import RowDiscriminantObjective


def naive_value(X, labels, targets, W, alpha, weights):
    """Mean divergence of the rows, term by term."""
    Z = X @ W
    n = len(Z)
    value = 0.0
    for i in range(n):
        qbar, pbar = np.zeros((2, n))
        for j in range(n):
            qbar[j] = weights[j] / (1 + ((Z[i] - Z[j]) ** 2).sum())
            pbar[j] = weights[j] * targets[labels[i], labels[j]]
        p, q = pbar / pbar.sum(), qbar / qbar.sum()
        value += weights[i] / weights.sum() * (p * np.log(p / q)).sum()
    return value + alpha * (W**2).sum()


def blobs(rng, n_classes=5, n_features=6, n_each=20, spread=4.0):
    labels = np.repeat(np.arange(n_classes), n_each)
    centres = spread * rng.standard_normal((n_classes, n_features))
    return centres[labels] + rng.standard_normal((len(labels), n_features)), labels


@pytest.fixture
def problem(rng):
    labels = np.r_[np.arange(4), rng.integers(0, 4, 36)]
    X = rng.standard_normal((40, 5)) + 2 * rng.standard_normal((4, 5))[labels]
    return X, labels, rng.uniform(0.2, 3.0, 40)


def fitted(X, y, sample_weight=None, **parameters):
    settings = {"random_state": 0, "normalisation": "rows", **parameters}
    return StochasticDiscriminantAnalysis(**settings).fit(X, y, sample_weight=sample_weight)


@pytest.mark.parametrize("noise", [0.0, 0.3])
@pytest.mark.parametrize("n_components", [1, 2, 3, 4])
def test_the_value_is_that_of_the_naive_loop(problem, n_components, noise, rng):
    X, labels, weights = problem
    targets = pair_targets(4, 0.2, noise)
    W = rng.standard_normal((5, n_components))
    objective = RowDiscriminantObjective(
        ArraySamples(X, labels, weights=weights), targets, n_components=n_components, alpha=0.3
    )
    expected = naive_value(X, labels, targets, W, 0.3, weights)
    assert objective.value_and_grad(W)[0] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    ("engine", "n_components"),
    [("exact", 2), ("exact", 5), ("fourier", 1), ("fourier", 2), ("fourier", 3)],
)
def test_the_gradient_is_the_derivative_of_the_value(problem, engine, n_components, rng):
    X, labels, weights = problem
    objective = RowDiscriminantObjective(
        ArraySamples(X, labels, weights=weights),
        pair_targets(4, 0.25),
        n_components=n_components,
        alpha=0.1,
        engine=engine,
        engine_tol=1e-10,
    )
    W, direction = rng.standard_normal((2, 5, n_components))

    def value(t):
        return objective.value_and_grad(W + t * direction)[0]

    step = 3e-4
    slope = (8 * (value(step) - value(-step)) - value(2 * step) + value(-2 * step)) / (12 * step)
    grad = objective.value_and_grad(W)[1]
    # Relative to the gradient, not to the slope: a direction may be nearly orthogonal to it.
    scale_of_slopes = np.linalg.norm(grad) * np.linalg.norm(direction)
    assert_allclose(np.vdot(grad, direction), slope, rtol=0, atol=1e-7 * scale_of_slopes)


def test_the_value_is_zero_for_a_perfect_map():
    # Three classes at the corners of a triangle with sides sqrt(1/eps - 1) have q = p.
    corners = np.sqrt(1 / 0.2 - 1) * np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
    labels = np.repeat([0, 1, 2], [2, 5, 3])
    objective = RowDiscriminantObjective(
        ArraySamples(corners[labels], labels), pair_targets(3, 0.2), n_components=2
    )
    value, grad = objective.value_and_grad(np.eye(2))
    assert value == pytest.approx(0.0, abs=1e-12)
    assert_allclose(grad, 0.0, atol=1e-12)


def test_points_with_equal_sums_have_the_divergence_of_pairs(rng):
    # On a circle every sample has the same sum, and with balanced classes the same targets: then the
    # mean divergence of the rows is the divergence of all pairs.
    angles = 2 * np.pi * np.arange(12) / 12
    X = 2 * np.c_[np.cos(angles), np.sin(angles)]
    samples, targets = ArraySamples(X, np.arange(12) % 3), pair_targets(3, 0.2)
    pairs, rows = (
        objective(samples, targets, n_components=2).value_and_grad(np.eye(2))[0]
        for objective in (StochasticDiscriminantObjective, RowDiscriminantObjective)
    )
    assert rows == pytest.approx(pairs, rel=1e-10)


@pytest.mark.parametrize("sizes", [[7, 7, 7, 7, 7], [3, 9, 4, 8, 20]])
def test_target_probabilities_of_all_pairs_sum_to_one(sizes):
    sizes, targets = np.array(sizes, dtype=float), pair_targets(5, 1 / 25)
    probabilities = RowDiscriminantObjective.pair_probabilities(targets, sizes)
    assert sizes @ probabilities @ sizes == pytest.approx(1.0)
    # Balanced classes have exactly equal probabilities, in spite of rounding.
    off_diagonal = probabilities[~np.eye(5, dtype=bool)]
    assert (np.ptp(off_diagonal) == 0) == (np.ptp(sizes) == 0)


def test_a_fit_is_a_lower_mean_divergence_of_rows_than_that_of_pairs(rng):
    X, y = load_digits(return_X_y=True)
    X, y = X[:600], y[:600]
    targets = pair_targets(10, 0.01)
    found = {}
    for normalisation in ("pairs", "rows"):
        W = fitted(X, y, normalisation=normalisation).components_.T
        objective = RowDiscriminantObjective(ArraySamples(X, y), targets, n_components=2)
        found[normalisation] = objective.value_and_grad(W)[0]
    assert found["rows"] < found["pairs"]


def test_the_map_separates_real_classes():
    X, y = load_wine(return_X_y=True)
    Z = fitted(scale(X), y).transform(scale(X))
    assert knn_error(Z[::2], y[::2], Z[1::2], y[1::2], n_neighbors=1) < 0.05


@pytest.mark.parametrize("solver", METHODS)
def test_every_solver_reaches_the_same_optimum(solver):
    X, y = load_iris(return_X_y=True)
    best = fitted(scale(X), y, tol=1e-9).objective_
    sda = fitted(scale(X), y, solver=solver, tol=1e-6)
    assert sda.objective_ == pytest.approx(best, rel=5e-3)


@pytest.mark.parametrize("n_components", [1, 2])
def test_engines_find_the_same_map(n_components, rng):
    X, y = blobs(rng)
    exact = fitted(X, y, n_components=n_components, engine="exact")
    fourier = fitted(X, y, n_components=n_components, engine="fourier")
    assert fourier.objective_ == pytest.approx(exact.objective_, rel=1e-4)


@pytest.mark.parametrize(
    ("n_each", "parameters"),
    [
        (20, {}),
        (80, {}),  # above 300 samples, starts are compared on a random part of them
        (20, {"alpha": "cv"}),
        (20, {"epsilon": "cv"}),
    ],
)
def test_weights_equal_repetition(n_each, parameters, rng):
    X, y = blobs(rng, n_each=n_each)
    weights = rng.integers(0, 4, len(y))
    weighted = fitted(X, y, sample_weight=weights, **parameters)
    repeated = fitted(np.repeat(X, weights, axis=0), np.repeat(y, weights), **parameters)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-8)
    assert_allclose(weighted.components_, repeated.components_, atol=1e-6)


def test_few_samples_for_each_feature_are_regularised(rng):
    X, y = blobs(rng, n_features=60, n_each=12)
    sda = fitted(X, y, alpha="auto")
    assert sda.alpha_ > 0
    assert len(sda.alphas_) == 10


def test_many_samples_are_approached_by_a_part_of_them(monkeypatch, rng):
    y = rng.integers(0, 6, 4000)
    X = 1.5 * rng.standard_normal((6, 8))[y] + rng.standard_normal((4000, 8))
    plainly = fitted(X, y, n_init=5)
    for name, number in (("MANY_SAMPLES", 4000), ("CLEARLY_MORE_THAN_PART", 2), ("PART", 1200)):
        monkeypatch.setattr(sda_problem, name, number)
    approached = fitted(X, y, n_init=5)
    assert approached.objective_ == pytest.approx(plainly.objective_, rel=2e-3)
    assert approached.n_iter_ < plainly.n_iter_


def test_an_unknown_normalisation_is_refused(rng):
    with pytest.raises(ValueError, match="normalisation"):
        fitted(*blobs(rng), normalisation="columns")
