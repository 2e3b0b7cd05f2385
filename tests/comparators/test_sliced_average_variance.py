"""SlicedAverageVariance: comparison with statsmodels, and known subspaces."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from statsmodels.regression.dimred import SAVE, SIR

from discrimap import SlicedAverageVariance
from discrimap.comparators.sliced_average_variance import slice_values


@pytest.fixture
def regression(rng):
    X = rng.standard_normal((400, 6)) @ rng.standard_normal((6, 6)) + 5.0
    y = X[:, 0] + 0.3 * (X[:, 1] - X[:, 2]) ** 2 + 0.1 * rng.standard_normal(400)
    return X, y


@pytest.mark.parametrize("n_slices", [4, 7, 20])
@pytest.mark.parametrize(("method", "witness"), [("save", SAVE), ("sir", SIR)])
def test_statsmodels_gives_the_same_directions(
    method, witness, n_slices, regression, assert_same_subspace
):
    X, y = regression
    ours = SlicedAverageVariance(3, method=method, n_slices=n_slices).fit(X, y)
    theirs = witness(y, X.copy()).fit(slice_n=len(y) // n_slices)
    for d in (1, 2, 3):
        assert_same_subspace(ours.components_[:d], theirs.params[:, :d].T)
    ratio = ours.eigenvalues_ / theirs.eigs[:3]
    assert_allclose(ratio, ratio[0], rtol=1e-8)  # SAVE of statsmodels divides by another constant


@pytest.mark.parametrize(("method", "witness"), [("save", SAVE), ("sir", SIR)])
def test_statsmodels_on_classes_of_equal_size(method, witness, assert_same_subspace):
    X, y = load_iris(return_X_y=True)
    ours = SlicedAverageVariance(2, method=method).fit(X, y)
    theirs = witness(y.astype(float), X.copy()).fit(slice_n=50)
    assert ours.n_slices_ == 3
    assert_same_subspace(ours.components_, theirs.params[:, :2].T)


def test_sir_with_classes_spans_the_space_of_lda(assert_same_subspace):
    X, y = load_wine(return_X_y=True)
    ours = SlicedAverageVariance(2, method="sir").fit(X, y)
    lda = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    assert_same_subspace(ours.components_, lda.scalings_[:, :2].T)


def test_save_sees_a_change_of_spread_that_sir_cannot(rng, assert_same_subspace):
    X = rng.standard_normal((2000, 5))
    y = X[:, 3] ** 2
    save = SlicedAverageVariance(1, n_slices=5).fit(X, y)
    assert_same_subspace(save.components_, np.eye(5)[[3]], degrees=10)
    sir = SlicedAverageVariance(1, method="sir", n_slices=5).fit(X, y)
    assert sir.eigenvalues_[0] < 0.05


@pytest.mark.parametrize("shape", [(200, 5), (30, 50)])
def test_projected_samples_are_uncorrelated_with_unit_variance(shape, rng):
    X = rng.standard_normal(shape) * np.logspace(-6, 6, shape[1])
    X = X if shape[1] < 50 else rng.standard_normal(shape)
    y = np.arange(shape[0]) % 3
    Z = SlicedAverageVariance(2).fit(X, y).transform(X)
    assert_allclose(np.cov(Z.T, ddof=0), np.eye(2), atol=1e-6)


def test_units_and_constant_features_change_nothing(regression):
    X, y = regression
    plain = SlicedAverageVariance(2).fit(X, y).transform(X)
    scaled = np.column_stack([X * np.logspace(-8, 8, 6), np.full(len(X), 7.0)])
    other = SlicedAverageVariance(2).fit(scaled, y).transform(scaled)
    signs = np.sign(np.sum(plain * other, axis=0))
    assert_allclose(other * signs, plain, atol=1e-6)


def test_slices_do_not_cut_equal_values(rng):
    values = rng.integers(0, 6, 50).astype(float)
    slices = slice_values(values, 4)
    assert sorted(np.concatenate(slices)) == list(range(50))
    for first, second in pairwise(slices):
        assert values[first].max() < values[second].min()
    even = slice_values(rng.permutation(20.0 * np.arange(20)), 6)
    assert [len(part) for part in even] == [4, 4, 3, 3, 3, 3]


def test_a_class_of_one_sample_is_left_out_of_save(rng):
    X = rng.standard_normal((41, 3))
    y = np.r_[np.arange(40) % 2, 2]
    with_lone = SlicedAverageVariance(2).fit(X, y)
    assert np.isfinite(with_lone.components_).all()
    with pytest.raises(ValueError, match="every class has one sample"):
        SlicedAverageVariance(1).fit(X[:5], np.arange(5))


def test_what_is_refused(regression):
    X, y = regression
    with pytest.raises(ValueError, match="exceeds the 1 directions that the means of 2 slices"):
        SlicedAverageVariance(2, method="sir").fit(X, y > y.mean())
    with pytest.raises(ValueError, match=r"n_slices=201 leaves fewer than 2 of the 400 samples"):
        SlicedAverageVariance(n_slices=201).fit(X, y)
    with pytest.raises(ValueError, match="y has 2 outputs, but slices need a single one"):
        SlicedAverageVariance().fit(X, X[:, :2])
    with pytest.raises(ValueError, match="NaN in 1 of 400"):
        SlicedAverageVariance().fit(X, np.r_[np.nan, y[1:]])
