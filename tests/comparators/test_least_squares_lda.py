"""LeastSquaresLDA: against LDA, plain least squares, and itself in batches and sparse."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import linalg, sparse
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import pairwise_distances

from discrimap import LeastSquaresLDA
from discrimap.comparators.least_squares_lda import indicator_targets


def random_sparse(shape, density, rng):
    return sparse.csr_array(rng.random(shape) * (rng.random(shape) < density))


def targets_by_definition(y):
    classes = np.unique(y)
    n = len(y)
    Y = np.empty((n, len(classes)))
    for i in range(n):
        for k, name in enumerate(classes):
            n_k = np.sum(y == name)
            Y[i, k] = np.sqrt(n / n_k) - np.sqrt(n_k / n) if y[i] == name else -np.sqrt(n_k / n)
    return Y


def test_targets_are_those_of_the_paper(rng):
    y = np.r_[0, 1, 2, rng.integers(0, 3, 20)]
    assert_allclose(indicator_targets(y, np.bincount(y)), targets_by_definition(y))


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_the_space_is_that_of_lda(load, assert_same_subspace):
    X, y = load(return_X_y=True)
    X, y = X[: 9 * len(X) // 10], y[: 9 * len(y) // 10]  # classes of unequal size
    ours = LeastSquaresLDA(2).fit(X, y)
    lda = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    for d in (1, 2):
        assert_same_subspace(ours.components_[:d], lda.scalings_[:, :d].T)
    Z = ours.transform(X)
    assert_allclose(Z.mean(axis=0), 0.0, atol=1e-10)
    assert_allclose(np.cov(Z.T, ddof=0), np.diag(ours.eigenvalues_), atol=1e-10)


@pytest.mark.parametrize("shape", [(60, 5), (20, 50)])
def test_distances_are_those_of_the_regression_outputs(shape, rng):
    X = rng.standard_normal(shape) + 3.0
    y = rng.integers(0, 4, shape[0])
    # The outputs are the targets projected onto the columns of the centred X, whose rank is less
    # than its smaller side where there are more features: orth() leaves the zero value out.
    columns = linalg.orth(X - X.mean(axis=0))
    outputs = columns @ (columns.T @ targets_by_definition(y))
    Z = LeastSquaresLDA(3).fit(X, y).transform(X)
    assert_allclose(pairwise_distances(Z), pairwise_distances(outputs), atol=1e-6)


def test_independent_samples_give_uncorrelated_lda(rng):
    # n - 1 independent directions: rank(S_t) = rank(S_b) + rank(S_w), Ye's condition.
    X, y = rng.standard_normal((20, 60)), np.arange(20) % 3
    fitted = LeastSquaresLDA(2).fit(X, y)
    assert_allclose(fitted.eigenvalues_, 1.0, atol=1e-10)
    Z = fitted.transform(X)
    assert_allclose(Z.T @ Z / 20, np.eye(2), atol=1e-10)  # total covariance: the identity
    for k in range(3):
        assert_allclose(np.ptp(Z[y == k], axis=0), 0.0, atol=1e-9)  # no spread within classes


@pytest.mark.parametrize("ridge", [0.0, 0.01])
@pytest.mark.parametrize("shape", [(80, 12), (25, 60)])
def test_sparse_equals_dense(shape, ridge, rng):
    X = random_sparse(shape, 0.2, rng) + sparse.csr_array(np.eye(*shape))
    y = np.array(["a", "b", "c"])[np.arange(shape[0]) % 3]
    dense = LeastSquaresLDA(2, ridge=ridge).fit(X.toarray(), y)
    thin = LeastSquaresLDA(2, ridge=ridge, tol=1e-14).fit(X, y)
    assert_allclose(thin.eigenvalues_, dense.eigenvalues_, rtol=1e-7)
    # Up to a rotation of components of equal eigenvalue: 1 for all where samples are independent.
    Z, expected = thin.transform(X), dense.transform(X.toarray())
    assert_allclose(Z @ Z.T, expected @ expected.T, atol=1e-5)
    gram = dense.components_.T @ dense.components_
    assert_allclose(thin.components_.T @ thin.components_, gram, atol=1e-5 * np.abs(gram).max())
    assert thin.n_iter_ > 1


@given(cuts=st.lists(st.integers(1, 149), max_size=6), seed=st.integers(0, 99))
@settings(max_examples=20, deadline=None)
def test_batches_give_the_same_as_one_fit(cuts, seed):
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(seed).permutation(150)
    X, y = X[order] + 1e4, y[order]
    whole = LeastSquaresLDA(2, ridge=1e-3).fit(X, y)
    parts = LeastSquaresLDA(2, ridge=1e-3)
    for rows in np.split(np.arange(150), sorted(set(cuts))):
        parts.partial_fit(X[rows], y[rows])
    assert_allclose(parts.components_, whole.components_, rtol=1e-6, atol=1e-8)
    assert_allclose(parts.mean_, whole.mean_)
    assert list(parts.classes_) == [0, 1, 2]


def test_batches_may_be_sparse_go_on_from_a_fit_and_bring_new_classes():
    X, y = load_iris(return_X_y=True)
    whole = LeastSquaresLDA(2).fit(X, y)
    parts = LeastSquaresLDA(2).fit(X[:80], y[:80])
    assert list(parts.classes_) == [0, 1]
    parts.partial_fit(sparse.csr_array(X[80:]), y[80:])
    assert_allclose(parts.components_, whole.components_, rtol=1e-7)
    one = LeastSquaresLDA(2).partial_fit(X[:50], y[:50])
    with pytest.raises(NotFittedError):
        one.transform(X)
    assert_allclose(one.partial_fit(X[50:], y[50:]).components_, whole.components_, rtol=1e-7)


def test_a_refused_batch_changes_nothing():
    X, y = load_iris(return_X_y=True)
    fitted = LeastSquaresLDA(2).partial_fit(X, y)
    before = fitted.components_.copy()
    with pytest.raises(ValueError, match="features"):
        fitted.partial_fit(X[:, :3], y)
    with pytest.raises(ValueError, match="NaN"):
        fitted.partial_fit(np.full((3, 4), np.nan), y[:3])
    assert_allclose(fitted.partial_fit(X, y).components_, before, rtol=1e-10)


def test_a_ridge_is_the_ridge_of_the_regression(rng):
    X, y = load_wine(return_X_y=True)
    centred = X - X.mean(axis=0)
    covariance = centred.T @ centred / len(X)
    damping = 0.01 * np.trace(covariance) * np.eye(13)
    W = np.linalg.solve(covariance + damping, centred.T @ targets_by_definition(y) / len(X))
    Z = LeastSquaresLDA(2, ridge=0.01).fit(X, y).transform(X)
    assert_allclose(pairwise_distances(Z), pairwise_distances(centred @ W), atol=1e-8)


def test_units_and_dependent_features_do_no_harm():
    X, y = load_iris(return_X_y=True)
    plain = LeastSquaresLDA(2).fit(X, y).transform(X)
    scaled = X * np.array([1e-9, 1.0, 1e9, 1e3])
    signs = np.sign(np.sum(plain * LeastSquaresLDA(2).fit(scaled, y).transform(scaled), axis=0))
    assert_allclose(LeastSquaresLDA(2).fit(scaled, y).transform(scaled) * signs, plain, atol=1e-7)
    twice = np.column_stack([X, X[:, 0], np.ones(150)])
    signs = np.sign(np.sum(plain * LeastSquaresLDA(2).fit(twice, y).transform(twice), axis=0))
    assert_allclose(LeastSquaresLDA(2).fit(twice, y).transform(twice) * signs, plain, atol=1e-7)


def test_components_beyond_the_classes_are_zero():
    X, y = load_iris(return_X_y=True)
    fitted = LeastSquaresLDA(3).fit(X, y)
    assert_allclose(fitted.components_[2], 0.0)
    assert fitted.eigenvalues_[2] == 0.0


def test_an_iteration_limit_warns_with_the_remedy(rng):
    X = random_sparse((60, 40), 0.3, rng)
    with pytest.warns(ConvergenceWarning, match=r"max_iter=2 for 3 of 3 classes .* raise ridge"):
        LeastSquaresLDA(max_iter=2).fit(X, np.arange(60) % 3)


def test_what_is_refused(rng):
    X, y = rng.standard_normal((10, 30)), np.arange(10) % 2
    wide = LeastSquaresLDA(1).fit(X, y)
    with pytest.raises(
        ValueError, match="partial_fit cannot continue after a fit to sparse or wide"
    ):
        wide.partial_fit(X, y)
    for bad in (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="ridge"):
            LeastSquaresLDA(ridge=bad).fit(X, y)
    with pytest.raises(ValueError, match="Unknown label type"):
        LeastSquaresLDA().partial_fit(X, X[:, 0])
