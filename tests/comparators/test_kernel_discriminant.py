"""KernelDiscriminantAnalysis: against LDA, the Rayleigh quotient in Gram matrices, and bad input."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh
from sklearn.datasets import load_iris, load_wine, make_circles
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import scale

from discrimap import KernelDiscriminantAnalysis
from discrimap.linalg.gaussian_factors import median_distance
from discrimap.metrics import leave_one_out_error


@pytest.fixture
def wine():
    X, y = load_wine(return_X_y=True)
    return scale(X), y


def covariances(K, y):
    """Between- and within-class covariance of the kernel rows, by their definition."""
    between, within = np.zeros_like(K), np.zeros_like(K)
    for k in np.unique(y):
        rows = K[y == k]
        offset = rows.mean(axis=0) - K.mean(axis=0)
        between += len(rows) / len(K) * np.outer(offset, offset)
        within += (rows - rows.mean(axis=0)).T @ (rows - rows.mean(axis=0)) / len(K)
    return between, within


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_the_linear_kernel_without_ridge_is_lda(load):
    X, y = load(return_X_y=True)
    X = scale(X)
    kernel = KernelDiscriminantAnalysis(2, kernel="linear", ridge=0.0).fit(X[::2], y[::2])
    lda = LinearDiscriminantAnalysis(solver="eigen").fit(X[::2], y[::2])
    ours, theirs = kernel.transform(X), lda.transform(X)[:, :2]
    # "eigen" scales by n, we as its "svd" by the degrees of freedom: compare both, by columns.
    theirs *= np.sqrt((len(X[::2]) - 3) / len(X[::2]))
    assert_allclose(pairwise_distances(ours), pairwise_distances(theirs), rtol=1e-6, atol=1e-6)


def test_unit_within_class_variance_with_a_linear_kernel(wine):
    X, y = wine
    Z = KernelDiscriminantAnalysis(2, kernel="linear", ridge=0.0).fit_transform(X, y)
    residual = Z - np.stack([Z[y == k].mean(axis=0) for k in range(3)])[y]
    assert_allclose(residual.T @ residual / (len(Z) - 3), np.eye(2), atol=1e-8)


@pytest.mark.parametrize("ridge", [1e-3, 1e-1])
def test_the_rayleigh_quotient_is_stationary_and_largest(ridge, wine):
    X, y = wine
    fitted = KernelDiscriminantAnalysis(2, ridge=ridge).fit(X, y)
    K = rbf_kernel(X, gamma=0.5 / median_distance(X) ** 2)
    between, within = covariances(K, y)
    penalty = ridge * (np.trace(K) - K.sum() / len(K)) / len(K) * K
    # A generalised problem in the coefficients; K itself is near singular, hence the jitter.
    values = eigh(between, within + penalty + 1e-12 * np.eye(len(K)), eigvals_only=True)[::-1]
    assert_allclose(fitted.eigenvalues_ / (1 - fitted.eigenvalues_), values[:2], rtol=1e-4)
    A = fitted.dual_coef_.T
    freedom = (len(K) - 3) / len(K)
    assert_allclose(A.T @ (within + penalty) @ A, freedom * np.eye(2), atol=1e-7)
    assert_allclose(
        between @ A, (within + penalty) @ A * values[:2], atol=1e-5 * np.abs(between @ A).max()
    )


def test_classes_that_no_line_separates():
    X, y = make_circles(200, noise=0.05, factor=0.5, random_state=0)
    fitted = KernelDiscriminantAnalysis(1).fit(X[::2], y[::2])
    assert leave_one_out_error(fitted.transform(X[1::2]), y[1::2]) < 0.02


def test_precomputed_kernel_on_new_samples(wine):
    X, y = wine
    named = KernelDiscriminantAnalysis(2, gamma=0.1).fit(X[::2], y[::2])
    given = KernelDiscriminantAnalysis(2, kernel="precomputed")
    given.fit(rbf_kernel(X[::2], gamma=0.1), y[::2])
    rows = rbf_kernel(X[1::2], X[::2], gamma=0.1)
    assert_allclose(given.transform(rows), named.transform(X[1::2]), atol=1e-7)


def test_all_samples_as_landmarks_is_exact_and_few_are_close(wine):
    X, y = wine
    exact = KernelDiscriminantAnalysis(2).fit(X, y)
    every = KernelDiscriminantAnalysis(2, n_landmarks=len(X)).fit(X, y)
    some = KernelDiscriminantAnalysis(2, n_landmarks=60, random_state=0).fit(X, y)
    assert_allclose(every.transform(X), exact.transform(X), atol=1e-8)
    assert some.dual_coef_.shape == (2, 60)
    for first, second in zip(some.transform(X).T, exact.transform(X).T, strict=True):
        assert np.abs(np.corrcoef(first, second)[0, 1]) > 0.98
    assert np.all(some.eigenvalues_ <= exact.eigenvalues_ + 1e-9)


def test_components_beyond_the_classes_are_zero(wine):
    X, y = wine
    fitted = KernelDiscriminantAnalysis(4).fit(X, y)
    assert_allclose(fitted.transform(X)[:, 2:], 0.0)
    assert_allclose(
        fitted.transform(X)[:, :2], KernelDiscriminantAnalysis(2).fit(X, y).transform(X)
    )


def test_perfect_separation_without_a_ridge_stays_finite(wine):
    X, y = wine
    Z = KernelDiscriminantAnalysis(2, ridge=0.0, sigma=0.5).fit_transform(X, y)
    assert np.isfinite(Z).all()


def test_what_is_refused(wine):
    X, y = wine
    with pytest.raises(ValueError, match=r"n_components=14 exceeds rank\(Gram matrix\)=13"):
        KernelDiscriminantAnalysis(14, kernel="linear").fit(X, y)
    with pytest.raises(ValueError, match="sigma is the width of kernel='rbf' and excludes gamma"):
        KernelDiscriminantAnalysis(sigma=1.0, gamma=1.0).fit(X, y)
    for bad in (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="ridge"):
            KernelDiscriminantAnalysis(ridge=bad).fit(X, y)
