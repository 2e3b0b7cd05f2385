"""KernelCategorySpace: against the linear method, a naive Gram computation, and bad kernels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, minmax_scale

from discrimap import CategorySpace, KernelCategorySpace
from discrimap.category.kernel_estimator import whitened_scatter

OBJECTIVES = ["square", "absolute"]
ORIGINS = ["zero", "class", "global"]


@pytest.fixture
def iris():
    X, y = load_iris(return_X_y=True)
    return minmax_scale(X), y


@pytest.mark.parametrize("origin", ORIGINS)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_linear_kernel_is_the_linear_method(objective, origin, iris):
    X, y = iris
    linear = CategorySpace(objective, origin=origin, n_init=1).fit(X, y)
    kernel = KernelCategorySpace(objective, kernel="linear", origin=origin, n_init=1).fit(X, y)
    assert_allclose(kernel.objective_, linear.objective_, rtol=1e-8)
    assert_allclose(kernel.transform(X), linear.transform(X), atol=1e-4)


@pytest.mark.parametrize("origin", ORIGINS)
def test_the_objective_and_the_constraint_in_terms_of_the_gram_matrix(origin, iris):
    X, y = iris
    space = KernelCategorySpace(sigma=0.4, origin=origin).fit(X, y)
    G = np.exp(-np.sum((X[:, None] - X[None]) ** 2, axis=2) / (2 * 0.4**2))
    A = space.dual_coef_
    assert_allclose(A @ G @ A.T, np.eye(3), atol=1e-6)  # Eq. (10)
    value = 0.0
    for k in range(3):
        rows = G[y == k]
        centre = {"class": rows.mean(axis=0), "global": G.mean(axis=0), "zero": 0.0}[origin]
        value += 0.5 * np.sum(((rows - centre) @ A[k]) ** 2)  # Eqs. (49)-(50)
    assert_allclose(space.objective_, value, rtol=1e-6)
    assert np.all(np.diff(space.loss_curve_) >= 0)
    centre = G.mean(axis=0) if origin == "global" else 0.0
    assert_allclose(space.transform(X), (G - centre) @ A.T, atol=1e-7)


def test_precomputed_callable_and_named_kernels_agree(iris):
    X, y = iris
    named = KernelCategorySpace(gamma=3.0).fit(X[::2], y[::2])
    gram = KernelCategorySpace(kernel="precomputed").fit(rbf_kernel(X[::2], gamma=3.0), y[::2])
    called = KernelCategorySpace(kernel=lambda a, b: np.exp(-3.0 * np.sum((a - b) ** 2)))
    called.fit(X[::2], y[::2])
    expected = named.transform(X[1::2])
    assert_allclose(gram.transform(rbf_kernel(X[1::2], X[::2], gamma=3.0)), expected, atol=1e-6)
    assert_allclose(called.transform(X[1::2]), expected, atol=1e-6)
    poly = KernelCategorySpace(kernel="poly", degree=2, coef0=2, gamma=1.0).fit(X, y)
    rows = polynomial_kernel(X, degree=2, coef0=2, gamma=1.0)
    assert_allclose(poly.transform(X), rows @ poly.dual_coef_.T, atol=1e-8)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_all_samples_as_landmarks_is_the_exact_method(objective, iris):
    X, y = iris
    exact = KernelCategorySpace(objective, sigma=0.5, n_init=1).fit(X, y)
    landmarks = KernelCategorySpace(objective, sigma=0.5, n_landmarks=150, n_init=1).fit(X, y)
    assert_allclose(landmarks.transform(X), exact.transform(X), atol=1e-6)


def test_landmarks_keep_axes_orthonormal_and_the_map_close(iris):
    X, y = iris
    exact = KernelCategorySpace(sigma=0.5).fit(X, y)
    fast = KernelCategorySpace(sigma=0.5, n_landmarks=40, random_state=0).fit(X, y)
    G = rbf_kernel(fast.landmarks_, gamma=2.0)
    assert_allclose(fast.dual_coef_ @ G @ fast.dual_coef_.T, np.eye(3), atol=1e-6)
    assert np.array_equal(fast.landmarks_, X[fast.landmark_indices_])
    assert fast.objective_ <= exact.objective_ * (1 + 1e-9)
    assert_allclose(fast.objective_, exact.objective_, rtol=1e-2)
    gram = rbf_kernel(X, gamma=2.0)
    same = KernelCategorySpace(kernel="precomputed", n_landmarks=40, random_state=0).fit(gram, y)
    assert_allclose(same.transform(gram), fast.transform(X), atol=1e-6)


def test_the_angle_classifier_works_on_real_data():
    X, y = load_wine(return_X_y=True)
    space = make_pipeline(MinMaxScaler(), KernelCategorySpace(sigma=0.6))
    assert cross_val_score(space, X, y, cv=5).mean() > 0.93


def test_certificate_in_the_feature_space(iris):
    X, y = iris
    certificate = KernelCategorySpace(sigma=0.5, n_landmarks=30, random_state=0).fit(X, y).certify()
    assert certificate.check() <= 1e-12
    assert certificate.certified


@pytest.mark.parametrize("width", [1e-6, 1e-3, 1e3])
def test_near_identity_and_near_constant_gram_matrices(width, iris):
    X, y = iris
    unique = np.unique(X, axis=0, return_index=True)[1]
    X, y = X[unique], y[unique]
    space = KernelCategorySpace(sigma=width).fit(X, y)
    Z = space.transform(X)
    assert np.isfinite(Z).all()
    if width == 1e-6:
        # Every sample is orthogonal to all others: an axis holds its own class alone.
        assert_allclose(space.objective_, 1.5, rtol=1e-6)
        assert_allclose(rbf_kernel(X, gamma=0.5 / width**2), np.eye(len(X)), atol=1e-12)


def test_duplicates_make_the_gram_matrix_singular_and_do_no_harm(iris):
    X, y = iris
    space = KernelCategorySpace(sigma=0.5).fit(np.vstack([X, X]), np.r_[y, y])
    plain = KernelCategorySpace(sigma=0.5).fit(X, y)
    assert_allclose(space.transform(X), plain.transform(X), atol=1e-4)


def test_an_indefinite_kernel_is_clipped_with_a_warning(iris, rng):
    X, y = iris
    noise = rng.standard_normal((150, 150))
    gram = rbf_kernel(X, gamma=2.0) + 0.02 * (noise + noise.T)
    with pytest.warns(UserWarning, match="indefinite: .* eigenvalues .* negative"):
        space = KernelCategorySpace(kernel="precomputed").fit(gram, y)
    values, vectors = np.linalg.eigh(gram)
    clipped = (vectors * np.maximum(values, 0)) @ vectors.T
    reference = KernelCategorySpace(kernel="precomputed").fit(clipped, y)
    assert_allclose(space.objective_, reference.objective_, rtol=1e-8)


def test_float32_stays_float32_and_accurate(iris):
    X, y = iris
    X = X.astype(np.float32)
    # Coefficients of a wide kernel cancel: summed in float32 they would leave an error of 2e-5.
    single = KernelCategorySpace(sigma=20.0).fit(X, y)
    double = KernelCategorySpace(sigma=20.0).fit(X.astype(float), y)
    assert single.transform(X).dtype == np.float32
    assert_allclose(single.transform(X), double.transform(X.astype(float)), atol=2e-7)


def test_what_is_refused(iris):
    X, y = iris
    with pytest.raises(ValueError, match="sigma is the width of kernel='rbf' and excludes gamma"):
        KernelCategorySpace(sigma=1.0, gamma=1.0).fit(X, y)
    with pytest.raises(ValueError, match="sigma is the width"):
        KernelCategorySpace(kernel="poly", sigma=1.0).fit(X, y)
    with pytest.raises(ValueError, match="n_landmarks=151 exceeds n_samples=150"):
        KernelCategorySpace(n_landmarks=151).fit(X, y)
    with pytest.raises(ValueError, match=r"square Gram matrix.*\(150, 4\)"):
        KernelCategorySpace(kernel="precomputed").fit(X, y)
    with pytest.raises(ValueError, match="symmetric Gram matrix"):
        KernelCategorySpace(kernel="precomputed").fit(np.tril(rbf_kernel(X)), y)
    with pytest.raises(ValueError, match=r"3 orthogonal axes, but rank\(Gram matrix\)=2"):
        KernelCategorySpace(kernel="linear").fit(X[:, :2], y)
    with pytest.raises(ValueError, match=r"but rank\(Gram matrix\)=0"):
        KernelCategorySpace(kernel="precomputed").fit(np.zeros((150, 150)), y)
    lone = np.r_[np.zeros(75, int), np.ones(74, int), 2]
    with pytest.raises(ValueError, match=r"class 2 has one sample"):
        KernelCategorySpace(origin="class").fit(X, lone)


@pytest.mark.parametrize("n_rows", [15, 40])  # fewer and more than twice the columns
def test_scatter_is_whitened_in_either_order(n_rows, rng):
    rows, whitening = rng.standard_normal((n_rows, 10)), rng.standard_normal((10, 8))
    expected = sum(np.outer(whitening.T @ row, whitening.T @ row) for row in rows)
    assert_allclose(whitened_scatter(rows, whitening), expected, rtol=1e-10, atol=1e-10)
