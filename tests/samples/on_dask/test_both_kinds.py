"""Samples in memory and on Dask give the same answers."""

import dask.array as da
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from discrimap import StochasticDiscriminantAnalysis
from discrimap.kernel_sums import CauchyKernel, PairTerm
from discrimap.samples.in_memory import ArraySamples
from discrimap.samples.interface import Samples
from discrimap.samples.validation import validate_labelled

NAMES = np.array(list("abcde"))


@pytest.fixture(params=["array", "csr", "dask"])
def samples(request, classes):
    """The samples of ``classes``, as each kind of container holds them."""
    X, y = classes
    y = NAMES[y]
    if request.param == "csr":
        X = sparse.csr_matrix(X)
    if request.param == "dask":
        X, y = da.from_array(X, chunks=(500, 8)), da.from_array(y, chunks=(500,))
    return validate_labelled(StochasticDiscriminantAnalysis(), X, y, accept_sparse=True)


@pytest.fixture
def here(classes):
    X, y = classes
    return ArraySamples(X, y, NAMES)


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


def test_the_shape_and_the_classes(samples, here):
    assert isinstance(samples, Samples)
    assert samples.shape == here.shape == (1200, 8)
    assert (len(samples), samples.n_classes, samples.dtype) == (1200, 5, np.float64)
    assert_array_equal(samples.classes, NAMES)


def test_some_samples(samples, here):
    rows = np.array([1199, 0, 600, 5])
    assert_array_equal(dense(samples.draw(rows).array), here.array[rows])
    assert_array_equal(samples.draw(rows).labels, here.labels[rows])
    assert_array_equal(samples.labels_of(rows), here.labels[rows])
    assert_array_equal(samples.class_counts(), np.bincount(here.labels))
    assert_allclose(samples.class_sizes(), np.bincount(here.labels))
    ranks = np.array([9, 0, 30])
    assert_array_equal(samples.members_of(3, ranks), np.flatnonzero(here.labels == 3)[ranks])
    assert len(samples.labelled()) == 1200
    everyone = samples.gathered(np.random.RandomState(0))
    assert_array_equal(dense(everyone.array), here.array)
    assert_array_equal(samples.draw(None).labels, here.labels)


def test_what_is_left_without_some_samples(samples, here):
    rows = np.array([3, 700, 1199])
    kept = np.delete(np.arange(1200), rows)
    part = samples.without(rows)
    assert len(part) == 1197
    assert_array_equal(part.classes, NAMES)
    assert_array_equal(part.class_counts(), np.bincount(here.labels[kept]))
    assert_allclose(part.class_means()[1], here.draw(kept).class_means()[1])


def test_moments(samples, here):
    X, labels = here.array, here.labels
    means = np.array([X[labels == c].mean(axis=0) for c in range(5)])
    assert_allclose(samples.class_means()[1], means)
    assert_allclose(samples.value_range(), (X.min(axis=0), X.max(axis=0)))
    assert_allclose(samples.feature_variances(), X.var(axis=0))
    coefficients = np.arange(1.0, 6.0)
    moments = samples.class_moments(coefficients)
    scatters = [(X[labels == c] - means[c]).T @ (X[labels == c] - means[c]) for c in range(5)]
    assert_allclose(moments.within, np.sum(scatters, axis=0), rtol=1e-9, atol=1e-8)
    assert_allclose(
        moments.curvature, np.tensordot(coefficients, scatters, 1), rtol=1e-9, atol=1e-8
    )
    assert_allclose(moments.mean, X.mean(axis=0))
    # More samples than features are told apart from repeated ones.
    assert samples.count_distinct(16) >= 16


# Methods that ask for these take no sparse samples.
@pytest.mark.parametrize("samples", ["array", "dask"], indirect=True)
def test_moments_of_dense_samples(samples, here):
    X, labels = here.array, here.labels
    centred = X - X.mean(axis=0)
    assert_allclose(samples.total_scatter(), centred.T @ centred, rtol=1e-9, atol=1e-8)
    own = X[labels == 2] - 1.0
    rows = samples.class_rows(2, np.ones(8))
    assert_allclose(rows.T @ rows, own.T @ own, rtol=1e-9)
    running = samples.running_moments()
    assert_allclose(running.scatter, centred.T @ centred, rtol=1e-9, atol=1e-8)
    assert_allclose(running.mean, X.mean(axis=0))
    rows, codes, mean, shares = samples.centred_with_codes()
    onehot = np.eye(5)[labels]
    codes = codes - codes.mean(axis=0)
    assert_allclose(rows.T @ codes, centred.T @ (onehot - onehot.mean(axis=0)), atol=1e-7)
    assert_allclose(rows.T @ rows, centred.T @ centred, atol=1e-7)
    assert_allclose(mean, X.mean(axis=0))
    assert_allclose(shares, onehot.mean(axis=0))
    about_mean, mean = samples.centred()
    assert_allclose(about_mean.draw(np.arange(5)).array, centred[:5], atol=1e-12)


def test_projections(samples, here, rng):
    W, rows = rng.standard_normal((8, 3)), np.array([7, 1199])
    Z = here.array @ W
    assert_allclose(samples.points(W, rows), Z[rows])
    assert_allclose(samples.map_spread(W), np.sqrt(Z.var(axis=0).sum()))
    projected = samples.projected(W)
    assert projected.shape == (1200, 3)
    assert_allclose(projected.draw(rows).array, Z[rows])
    centred = Z - Z.mean(axis=0)
    assert_allclose(projected.total_scatter(), centred.T @ centred, rtol=1e-9)
    twice = projected.projected(np.eye(3)[:, :2])
    assert_allclose(twice.draw(rows).array, Z[rows, :2])


def test_kernel_sums(samples, here, rng):
    W = 0.3 * rng.standard_normal((8, 2))
    Z = here.array @ W
    squared = ((Z[:, None] - Z) ** 2).sum(axis=2)
    same = here.labels[:, None] == here.labels

    sums = samples.pair_sums([PairTerm(CauchyKernel(), np.eye(5))], 2, tol=1e-9)
    value, grad = sums.value_and_pullback(W, first_total)
    assert value == pytest.approx((1 / (1 + squared))[same].sum(), rel=1e-7)
    step = 1e-5 * rng.standard_normal((8, 2))
    above, below = (sums.value_and_pullback(W + s, first_total)[0] for s in (step, -step))
    assert np.vdot(grad, 2 * step) == pytest.approx(above - below, rel=1e-3, abs=1e-6 * abs(value))

    evaluation = samples.log_sums(0.7, 2).evaluate(W)
    kernels = np.exp(-squared / (2 * 0.7**2))
    np.fill_diagonal(kernels, 0.0)
    expected = np.log((kernels * same).sum(axis=1) / kernels.sum(axis=1)).sum()
    assert evaluation.log_ratio == pytest.approx(expected, rel=1e-6)
    assert evaluation.n_with_mates == 1200
    assert evaluation.log_ratio_pullback(1.0).shape == (8, 2)


def test_kernel_sums_see_projected_samples(samples, here, rng):
    """The points of ``samples.projected(W)`` at V are those of the samples at ``W V``."""
    W, V = 0.3 * rng.standard_normal((8, 3)), rng.standard_normal((3, 2))
    terms = [PairTerm(CauchyKernel(), np.eye(5))]
    direct = here.pair_sums(terms, 2, tol=1e-9).value_and_pullback(W @ V, first_total)
    value, grad = (
        samples.projected(W).pair_sums(terms, 2, tol=1e-9).value_and_pullback(V, first_total)
    )
    assert value == pytest.approx(direct[0], rel=1e-8)
    assert_allclose(grad, W.T @ direct[1], atol=1e-6 * np.abs(direct[1]).max())


def first_total(totals):
    return totals[0], np.array([1.0])
