"""SupervisedPCA and KernelSupervisedPCA: against the eigenproblems of the paper, and each other."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import scale

from discrimap import KernelSupervisedPCA, SupervisedPCA
from discrimap.linalg.gaussian_factors import gaussian_factor, median_distance


@pytest.fixture
def wine():
    X, y = load_wine(return_X_y=True)
    return scale(X), y


def centring(n):
    return np.eye(n) - 1.0 / n


def delta(y):
    return (y[:, None] == y[None]).astype(float)


def primal(X, L, n_components):
    """Algorithm 1: eigenvectors of X'HLHX, (n_features, n_features)."""
    H = centring(len(X))
    values, vectors = np.linalg.eigh(X.T @ H @ L @ H @ X)
    return vectors[:, ::-1][:, :n_components].T, values[::-1][:n_components]


def dual(X, L, n_components):
    """Algorithm 2: from the n x n eigenproblem of D'HXX'HD with L = DD'."""
    roots, axes = np.linalg.eigh(L)
    D = axes * np.sqrt(np.maximum(roots, 0))
    left, _, _ = np.linalg.svd(X.T @ centring(len(X)) @ D, full_matrices=False)
    return left[:, :n_components].T


def test_classes_give_the_eigenvectors_of_the_primal_problem(wine, assert_same_subspace):
    X, y = wine
    fitted = SupervisedPCA(2).fit(X + 100.0, y)
    directions, values = primal(X, delta(y), 2)
    assert_same_subspace(fitted.components_, directions)
    assert_allclose(fitted.eigenvalues_, values, rtol=1e-10)
    assert_allclose(np.abs(np.sum(fitted.components_ * directions, axis=1)), 1.0)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("shape", [(60, 8), (25, 70)])
def test_dual_equals_primal_equals_ours(kernel, shape, rng, assert_same_subspace):
    X = rng.standard_normal(shape)
    y = X[:, :2] ** 2 + X[:, 1:3] + 0.1 * rng.standard_normal((shape[0], 2))
    L = y @ y.T if kernel == "linear" else rbf_kernel(y, gamma=0.5 / median_distance(y) ** 2)
    fitted = SupervisedPCA(2, target_kernel=kernel).fit(X, y)
    assert_same_subspace(fitted.components_, primal(X, L, 2)[0])
    assert_same_subspace(fitted.components_, dual(X, L, 2))
    assert_allclose(fitted.eigenvalues_, primal(X, L, 2)[1], rtol=1e-6)
    assert not hasattr(fitted, "classes_")


@pytest.mark.parametrize("shape", [(50, 6), (12, 40)])
def test_beyond_the_rank_come_the_principal_components_of_the_rest(shape, rng):
    X = rng.standard_normal(shape) * np.linspace(1, 3, shape[1])
    y = np.arange(shape[0]) % 2
    fitted = SupervisedPCA(4).fit(X, y)
    first = fitted.components_[0]
    difference = X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0)
    assert_allclose(np.abs(first @ difference), np.linalg.norm(difference))
    rest = X - X.mean(axis=0)
    rest = rest - np.outer(rest @ first, first)
    expected = PCA(3).fit(rest).components_
    assert_allclose(np.abs(np.sum(fitted.components_[1:] * expected, axis=1)), 1.0, atol=1e-8)
    assert_allclose(fitted.components_ @ fitted.components_.T, np.eye(4), atol=1e-10)
    assert_allclose(fitted.eigenvalues_[1:], 0.0)


def test_more_components_than_the_samples_span_stay_orthonormal(rng):
    X = np.repeat(rng.standard_normal((2, 8)), 5, axis=0)
    fitted = SupervisedPCA(6).fit(X, np.arange(10) % 3)
    assert_allclose(fitted.components_ @ fitted.components_.T, np.eye(6), atol=1e-10)


@pytest.mark.parametrize("continuous", [False, True])
def test_the_linear_kernel_is_the_linear_method(wine, continuous):
    X, y = wine
    y = X[:, 0] + 0.25 * y if continuous else y
    linear = SupervisedPCA(3).fit(X, y)
    kernel = KernelSupervisedPCA(3, kernel="linear").fit(X, y)
    signs = np.sign(np.sum(linear.transform(X) * kernel.transform(X), axis=0))
    assert_allclose(kernel.transform(X) * signs, linear.transform(X), atol=1e-6)
    assert_allclose(kernel.eigenvalues_, linear.eigenvalues_, rtol=1e-8, atol=1e-8)


def test_the_kernel_criterion_and_constraint_in_terms_of_the_gram_matrix(wine):
    X, y = wine
    fitted = KernelSupervisedPCA(2).fit(X, y)
    assert_allclose(fitted.sigma_, median_distance(X))
    K = rbf_kernel(X, gamma=0.5 / fitted.sigma_**2)
    B = fitted.dual_coef_.T
    assert_allclose(B.T @ K @ B, np.eye(2), atol=1e-7)
    HK = centring(len(K)) @ K
    criterion = HK.T @ delta(y) @ HK
    # The generalised problem K'HLHK b = value K b of Algorithm 3.
    assert_allclose(criterion @ B, K @ B * fitted.eigenvalues_, atol=1e-4 * np.abs(K @ B).max())
    assert_allclose(np.diag(B.T @ criterion @ B), fitted.eigenvalues_, rtol=1e-6)
    assert_allclose(fitted.transform(X), HK @ B, atol=1e-8)


def test_precomputed_and_named_kernels_agree_on_new_samples(wine):
    X, y = wine
    named = KernelSupervisedPCA(2, sigma=3.0).fit(X[::2], y[::2])
    gram = rbf_kernel(X[::2], gamma=0.5 / 9.0)
    given = KernelSupervisedPCA(2, kernel="precomputed").fit(gram, y[::2])
    rows = rbf_kernel(X[1::2], X[::2], gamma=0.5 / 9.0)
    assert_allclose(given.transform(rows), named.transform(X[1::2]), atol=1e-7)


def test_all_samples_as_landmarks_is_exact_and_few_are_close(wine):
    X, y = wine
    exact = KernelSupervisedPCA(2).fit(X, y)
    every = KernelSupervisedPCA(2, n_landmarks=len(X)).fit(X, y)
    some = KernelSupervisedPCA(2, n_landmarks=90, random_state=0).fit(X, y)
    assert_allclose(every.transform(X), exact.transform(X), atol=1e-8)
    for first, second in zip(some.transform(X).T, exact.transform(X).T, strict=True):
        assert np.abs(np.corrcoef(first, second)[0, 1]) > 0.99
    assert np.all(some.eigenvalues_ <= exact.eigenvalues_ * (1 + 1e-9))


def test_gaussian_factor_gives_the_gram_matrix(rng):
    y = rng.standard_normal((400, 1))
    F = gaussian_factor(y, 1.5)
    assert F.shape[1] < 40
    assert_allclose(F @ F.T, rbf_kernel(y, gamma=0.5 / 1.5**2), atol=1e-9)
    X = rng.standard_normal((90, 12))
    assert_allclose(gaussian_factor(X, 1.0) @ gaussian_factor(X, 1.0).T, rbf_kernel(X, gamma=0.5))
    assert gaussian_factor(X, 1.0, max_rank=7).shape == (90, 7)


def test_median_distance_is_the_median_over_different_samples(rng):
    x = np.array([[0.0], [0.0], [1.0], [3.0]])
    assert median_distance(x) == 2.0  # of 1, 1, 2, 3, 3; the pair of equal samples is left out
    assert median_distance(np.ones((5, 2))) == 1.0
    many = rng.standard_normal((3000, 2))
    assert_allclose(median_distance(many, 0), median_distance(many[:1000]), rtol=0.1)
    assert median_distance(many, 0) == median_distance(many, 0)


def test_the_target_may_change_kind_between_fits(wine):
    X, y = wine
    fitted = SupervisedPCA().fit(X, y)
    assert list(fitted.classes_) == [0, 1, 2]
    assert not hasattr(fitted.fit(X, X[:, 0]), "classes_")
    assert list(SupervisedPCA(target="classes").fit(X, y.astype(float)).classes_) == [0, 1, 2]


@pytest.mark.parametrize("estimator", [SupervisedPCA, KernelSupervisedPCA])
def test_what_is_refused(estimator):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(
        ValueError, match="target_kernel='rbf' cannot be used with a target of classes"
    ):
        estimator(target_kernel="rbf").fit(X, y)
    with pytest.raises(
        ValueError, match="target_kernel='delta' cannot be used with a target of numbers"
    ):
        estimator(target_kernel="delta").fit(X, X[:, 0])
    with pytest.raises(ValueError, match=r"target_sigma=2.0 is the width of target_kernel='rbf'"):
        estimator(target_sigma=2.0).fit(X, y)
    with pytest.raises(ValueError, match="NaN in 1 of 150 samples"):
        estimator().fit(X, np.r_[np.nan, X[1:, 0]])
    for bad in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="target_sigma"):
            estimator(target_sigma=bad).fit(X, y)


def test_more_components_than_the_kernel_has_rank_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"n_components=5 exceeds rank\(Gram matrix\)=4"):
        KernelSupervisedPCA(5, kernel="linear").fit(X, y)
