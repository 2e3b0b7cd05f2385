"""GradientKDR: against a loop over its definition, central differences, and known subspaces."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import rbf_kernel

from discrimap import GradientKDR
from discrimap.comparators import gradient_kdr
from discrimap.comparators.gradient_kdr import regression_coefficients, scatter_of_gradients
from discrimap.linalg.gaussian_factors import median_distance


def matrix_by_definition(X, L, sigma, ridge):
    """M of Fukumizu and Leng, with every derivative written out."""
    n, p = X.shape
    inverse = np.linalg.inv(rbf_kernel(X, gamma=0.5 / sigma**2) + n * ridge * np.eye(n))
    middle = inverse @ L @ inverse
    M = np.zeros((p, p))
    for i in range(n):
        D = np.empty((n, p))
        for j in range(n):
            difference = X[j] - X[i]
            D[j] = np.exp(-0.5 * difference @ difference / sigma**2) * difference / sigma**2
        M += D.T @ middle @ D / n
    return M


@pytest.fixture
def regression(rng):
    X = rng.standard_normal((300, 6))
    z = X @ np.array([1.0, 1.0, 0, 0, 0, 0]) / np.sqrt(2)
    return X, z * np.sin(z) + 0.1 * rng.standard_normal(300), np.eye(6)[:1] + np.eye(6)[1:2]


@pytest.fixture
def quadrants(rng):
    X = rng.uniform(-1, 1, (400, 6))
    return X, 2 * (X[:, 1] > 0) + (X[:, 3] > 0), np.eye(6)[[1, 3]]


@pytest.mark.parametrize("shape", [(40, 5), (18, 30)])
@pytest.mark.parametrize("continuous", [False, True])
def test_the_matrix_by_its_definition(shape, continuous, rng, assert_same_subspace):
    X = rng.standard_normal(shape)
    y = X[:, 0] + X[:, 1] ** 2 if continuous else np.arange(shape[0]) % 3
    if continuous:
        L = rbf_kernel(y[:, None], gamma=0.5 / median_distance(y[:, None]) ** 2)
    else:
        L = (y[:, None] == y[None]).astype(float)
    fitted = GradientKDR(2, sigma=2.0, ridge=1e-3).fit(X, y)
    values, vectors = np.linalg.eigh(matrix_by_definition(X, L, 2.0, 1e-3))
    assert_same_subspace(fitted.components_, vectors[:, ::-1][:, :2].T)
    assert_allclose(fitted.eigenvalues_, values[::-1][:2], rtol=1e-6)


def test_gradients_are_the_derivatives_of_the_regression(rng):
    X = rng.standard_normal((30, 4))
    F = rng.standard_normal((30, 2))
    T = regression_coefficients(X, F, 1.5, 1e-2)

    def prediction(x):
        return T.T @ np.exp(-0.5 * np.sum((X - x) ** 2, axis=1) / 1.5**2)

    rows = np.array([3, 17])
    expected = np.zeros((4, 4))
    for i in rows:
        steps = 1e-5 * np.eye(4)
        slopes = [(prediction(X[i] + s) - prediction(X[i] - s)) / 2e-5 for s in steps]
        expected += np.array(slopes) @ np.array(slopes).T
    assert_allclose(scatter_of_gradients(X, T, 1.5, rows), expected, rtol=1e-6, atol=1e-9)


def test_memory_that_is_never_written_is_never_read(rng, monkeypatch):
    X, factor = rng.standard_normal((50, 4)), rng.standard_normal((50, 2))
    expected = regression_coefficients(X, factor, 1.5, 1e-3)
    monkeypatch.setattr(gradient_kdr, "BLOCK_ROWS", 20)  # above the blocks nothing is written
    monkeypatch.setattr(np, "empty", lambda shape, order: np.full(shape, np.nan, order=order))
    assert_allclose(regression_coefficients(X, factor, 1.5, 1e-3), expected)


@pytest.mark.parametrize("mode", ["plain", "v"])
def test_it_finds_the_direction_of_a_regression(mode, regression, assert_same_subspace):
    X, y, truth = regression
    fitted = GradientKDR(1, mode=mode, ridge=1e-4, random_state=0).fit(X, y)
    assert_same_subspace(fitted.components_, truth, degrees=12)


@pytest.mark.parametrize("mode", ["plain", "v"])
def test_it_finds_the_plane_of_a_classification(mode, quadrants, assert_same_subspace):
    X, y, truth = quadrants
    fitted = GradientKDR(2, mode=mode, ridge=1e-4, random_state=0).fit(X, y)
    assert_same_subspace(fitted.components_, truth, degrees=12)


def test_it_finds_a_symmetric_regression_that_means_cannot(rng, assert_same_subspace):
    X = rng.standard_normal((300, 4))
    fitted = GradientKDR(1, ridge=1e-4).fit(X, X[:, 2] ** 2)
    assert_same_subspace(fitted.components_, np.eye(4)[[2]], degrees=12)


def test_one_part_is_the_plain_mode_and_parts_average_projectors(quadrants, assert_same_subspace):
    X, y, _ = quadrants
    plain = GradientKDR(2).fit(X, y)
    one = GradientKDR(2, mode="v", n_parts=1, random_state=0).fit(X, y)
    assert_same_subspace(one.components_, plain.components_)
    assert_allclose(one.eigenvalues_, 1.0)
    T = regression_coefficients(X - X.mean(axis=0), np.eye(4)[y], plain.sigma_, 1e-5)
    projector = np.zeros((6, 6))
    for rows in np.array_split(np.random.RandomState(3).permutation(400), 7):
        M = scatter_of_gradients(X - X.mean(axis=0), T, plain.sigma_, rows)
        axes = np.linalg.eigh(M)[1][:, -2:]
        projector += axes @ axes.T / 7
    seven = GradientKDR(2, mode="v", n_parts=7, random_state=3).fit(X, y)
    assert_allclose(seven.eigenvalues_, np.linalg.eigvalsh(projector)[::-1][:2], rtol=1e-6)
    assert_same_subspace(seven.components_, np.linalg.eigh(projector)[1][:, -2:].T)


def test_a_full_rank_factor_is_exact_and_a_thin_one_close(quadrants, assert_same_subspace):
    X, y, _ = quadrants
    exact = GradientKDR(2, ridge=1e-4).fit(X, y)
    full = GradientKDR(2, ridge=1e-4, max_rank=400).fit(X, y)
    thin = GradientKDR(2, ridge=1e-4, max_rank=150).fit(X, y)
    assert_same_subspace(full.components_, exact.components_, degrees=1e-3)
    assert_allclose(full.eigenvalues_, exact.eigenvalues_, rtol=1e-5)
    assert_same_subspace(thin.components_, exact.components_, degrees=5)


def test_cross_validation_chooses_from_the_grid_and_keeps_what_is_given(regression):
    X, y = regression[0][:120], regression[1][:120]
    chosen = GradientKDR(1, cv=3, target_sigma=1.0, random_state=0).fit(X, y)
    median = median_distance(X - X.mean(axis=0))
    assert np.isclose(chosen.sigma_ / median, [0.25, 0.5, 0.75, 1.0, 2.0]).any()
    assert chosen.ridge_ in (1e-3, 1e-5, 1e-7)
    assert chosen.target_sigma_ == 1.0
    given = GradientKDR(1, cv=3, sigma=1.7, target_sigma=1.0, random_state=0).fit(X, y)
    assert given.sigma_ == 1.7
    again = GradientKDR(1, sigma=chosen.sigma_, ridge=chosen.ridge_, target_sigma=1.0).fit(X, y)
    assert_allclose(again.components_, chosen.components_, atol=1e-10)


def test_cross_validation_narrows_the_kernel_for_a_fast_oscillation(rng):
    X = rng.standard_normal((150, 4))
    y = np.cos(3 * X[:, 0]) + 0.1 * rng.standard_normal(150)
    chosen = GradientKDR(1, cv=3, target_sigma=1.0, random_state=0).fit(X, y)
    assert chosen.sigma_ < 0.8 * median_distance(X - X.mean(axis=0))
    assert np.abs(chosen.components_[0, 0]) > 0.98


def test_memory_is_one_gram_matrix_or_less(rng):
    X = rng.standard_normal((1500, 20))
    y = rng.integers(0, 4, 1500)
    gram = 8 * 1500**2

    def peak(estimator):
        tracemalloc.start()
        estimator.fit(X, y)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(GradientKDR(mode="v", n_parts=5, random_state=0)) < 2.2 * gram
    assert peak(GradientKDR(max_rank=50, random_state=0)) < 1.0 * gram


def test_fit_is_deterministic_and_leaves_the_samples_alone(quadrants):
    X, y, _ = quadrants
    before = X.copy()
    first = GradientKDR(2, mode="v", n_parts=5, random_state=1).fit(X, y)
    second = GradientKDR(2, mode="v", n_parts=5, random_state=1).fit(X, y)
    assert np.array_equal(first.components_, second.components_)
    assert np.array_equal(X, before)


def test_what_is_refused():
    X, y = load_iris(return_X_y=True)
    for bad in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="ridge"):
            GradientKDR(ridge=bad).fit(X, y)
        with pytest.raises(ValueError, match="sigma"):
            GradientKDR(sigma=bad).fit(X, y)
    with pytest.raises(ValueError, match="cv=51 exceeds the samples of the smallest class=50"):
        GradientKDR(cv=51).fit(X, y)
    with pytest.raises(ValueError, match=r"ridge=1.0e-30 is singular"):
        GradientKDR(ridge=1e-30, sigma=100.0).fit(X, y)
