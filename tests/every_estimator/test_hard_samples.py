"""Samples at the edge of what a method can take: few, equal, constant, far from the origin."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist, pdist
from sklearn.decomposition import PCA

from discrimap import (
    PLSDA,
    DiscriminativeComponents,
    DiscriminativeProjections,
    KernelDiscriminantAnalysis,
    KernelSupervisedPCA,
    LeastSquaresLDA,
    LocalityPreservingProjections,
    ManifoldRegularization,
    RenyiComponents,
    SlicedAverageVariance,
    StochasticDiscriminantAnalysis,
    SupervisedPCA,
)
from discrimap.base.kernel_projection import gaussian_kernel
from discrimap.registry import METHODS

BY_LABELS = [method for method in METHODS if method.is_ours and method.classes]


@pytest.fixture
def samples(rng):
    y = np.arange(60) % 3
    X = rng.standard_normal((60, 4)) + np.array([[0.0, 0, 0, 0], [2, 1, 0, 0], [0, 2, 1, 0]])[y]
    return X, y


@pytest.mark.parametrize("method", ["save", "sir"])
@pytest.mark.parametrize("value", [0.1, 1e8 + 0.1])
def test_a_constant_feature_has_no_weight_in_slices(method, value, samples):
    X, y = samples
    wide = np.column_stack([X, np.full(len(X), value)])
    fitted = SlicedAverageVariance(method=method).fit(wide, y)
    assert_array_equal(fitted.components_[:, -1], 0.0)


@pytest.mark.parametrize("n_samples", [60, 61, 4999])
def test_a_constant_feature_has_no_weight_in_least_squares(n_samples, rng):
    y = np.arange(n_samples) % 3
    X = np.column_stack([rng.standard_normal((n_samples, 3)) + y[:, None], np.full(n_samples, 0.1)])
    assert_array_equal(LeastSquaresLDA().fit(X, y).components_[:, -1], 0.0)


def test_a_constant_feature_lets_features_of_tiny_scale_count(samples):
    X, y = samples
    scaled = X * [1.0, 1e-9, 1.0, 1.0]
    constant = np.column_stack([scaled, np.ones(len(X))])
    plain = LeastSquaresLDA().fit(scaled, y)
    assert_allclose(LeastSquaresLDA().fit(constant, y).transform(constant), plain.transform(scaled))


@pytest.mark.parametrize("offset", [0.0, 1e4, 1e8])
def test_the_second_axis_of_two_classes_is_that_of_most_variance(offset, rng):
    # The classes differ along the first feature; of the others the second varies most.
    y = np.repeat([0, 1], 50)
    X = rng.standard_normal((100, 5)) * [1.0, 9.0, 1.0, 1.0, 1.0]
    X -= X.mean(axis=0)
    X -= np.array([X[y == k].mean(axis=0) for k in (0, 1)])[y]
    X[:, 0] += 10 * y
    fitted = SupervisedPCA(2).fit(X + offset, y)
    rest = X - X @ np.outer(fitted.components_[0], fitted.components_[0])
    assert fitted.eigenvalues_[1] == 0.0
    assert abs(fitted.components_[1] @ PCA(1).fit(rest).components_[0]) > 1 - 1e-6


@pytest.mark.parametrize("method", [KernelSupervisedPCA, KernelDiscriminantAnalysis])
@pytest.mark.parametrize("offset", [1e6, 1e8])
def test_an_offset_leaves_the_map_of_the_linear_kernel_as_it_is(method, offset, samples):
    X, y = samples
    moved = X + offset
    there = method(kernel="linear").fit(moved, y).transform(moved)
    # The same digits as the moved samples have.
    here = method(kernel="linear").fit(moved - offset, y).transform(moved - offset)
    assert_allclose(pdist(there), pdist(here), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("far", [0.0, 1e4, 1e8])
def test_kernels_of_two_distant_groups_are_those_of_each(far, samples):
    # Whole numbers, so that the distance itself rounds nothing; a third of the samples is far away.
    X = np.round(8 * samples[0]) / 8
    moved = X + far * (np.arange(60) % 3 == 0)[:, None]
    expected = np.exp(-0.5 * cdist(moved, moved, "sqeuclidean"))
    assert_allclose(gaussian_kernel(moved, moved, 0.5), expected, atol=1e-12)
    assert_allclose(gaussian_kernel(moved + 2.0**30, moved + 2.0**30, 0.5), expected, atol=1e-12)


@pytest.mark.parametrize(
    "method",
    [
        DiscriminativeProjections,
        LocalityPreservingProjections,
        ManifoldRegularization,
        LeastSquaresLDA,
        StochasticDiscriminantAnalysis,
    ],
)
@pytest.mark.parametrize("shape", ["tall", "wide"])
def test_sparse_samples_with_an_offset_give_the_dense_map(method, shape, samples, rng):
    X, y = samples
    if shape == "wide":
        X, y = np.hstack([X, rng.standard_normal((60, 76))])[:20], y[:20]
    X[:, 0] += 1e8
    # The other features have zeros, as sparse samples do.
    X[:, 1:] = np.where(np.abs(X[:, 1:]) > 0.3, X[:, 1:], 0.0)
    options = {"solver": "dense"} if "solver" in method._parameter_constraints else {}
    tolerance = 1e-5
    if method is StochasticDiscriminantAnalysis:
        # A descent that stops early ends in another place after a change of the last digits. The
        # offset leaves eight digits of the first feature; flat directions of the divergence make
        # more of what is lost (up to 1.5e-5 was seen), and an offset that is lost moves the map by
        # some ten per cent. A smaller tol is beyond the digits that are left: the search would warn.
        options = {"alpha": 0.1, "random_state": 0, "tol": 1e-8}
        tolerance = 1e-4
    dense = method(**options).fit(X, y)
    filled = method(**options).fit(sparse.csr_array(X), y)
    before, after = (pdist(fitted.transform(X)) for fitted in (dense, filled))
    assert np.linalg.norm(after - before) <= tolerance * np.linalg.norm(before)


def test_sda_of_two_samples_puts_them_apart(rng):
    X = rng.standard_normal((2, 5))
    fitted = StochasticDiscriminantAnalysis(1, random_state=0).fit(X, [0, 1])
    # Two points of two classes cannot be more or less alike than the classes: the divergence is 0.
    assert_allclose(fitted.objective_, 0.0, atol=1e-12)
    assert np.isfinite(fitted.transform(X)).all()


def test_sda_of_classes_without_spread_reaches_the_floor_without_a_warning():
    y = np.arange(30) % 3
    fitted = StochasticDiscriminantAnalysis(random_state=0).fit(np.eye(5)[y], y)
    assert_allclose(fitted.objective_, 0.0, atol=1e-8)
    # 1 / (1 + r^2) is epsilon = 1/9 between classes and 1 within.
    Z = fitted.transform(np.eye(5)[:3])
    assert_allclose(pdist(Z), np.sqrt(8), rtol=1e-3)


@pytest.mark.parametrize(
    "X", [np.full((30, 4), 0.1), np.tile(np.arange(40.0).reshape(10, 4), (3, 1))]
)
def test_plsda_refuses_classes_of_equal_means(X):
    with pytest.raises(ValueError, match="all classes have the same mean"):
        PLSDA(1).fit(X, np.repeat([0, 1, 2], 10))


def test_plsda_refuses_more_components_than_x_has_directions(samples):
    X, y = samples
    line = X[:, :1] * [1.0, 2.0, -1.0]
    with pytest.raises(ValueError, match=r"n_components=3 exceeds the .*directions of X"):
        PLSDA(3).fit(line, y)


@pytest.mark.filterwarnings("ignore:The number of unique classes:UserWarning")
@pytest.mark.parametrize("solver", ["lbfgs", "sgd"])
def test_components_of_classes_of_one_sample_are_refused(solver, rng):
    X = rng.standard_normal((6, 3))
    with pytest.raises(ValueError, match="every class has one labelled sample"):
        DiscriminativeComponents(solver=solver).fit(X, np.arange(6))


def test_two_labelled_samples_among_unlabelled_ones_make_components(rng):
    X = rng.standard_normal((5, 3))
    fitted = DiscriminativeComponents(1).fit(X, [0, 1, 1, -1, -1])
    assert np.isfinite(fitted.transform(X)).all()


def test_widths_are_no_narrower_than_rounding_where_a_start_hides_the_spread(rng):
    # In 20 features the start of 12 samples has each class in one point, up to rounding. Series of
    # so narrow kernels had four million terms for each evaluation.
    X = rng.standard_normal((12, 20))
    fitted = DiscriminativeComponents(1, engine="fourier").fit(X, np.arange(12) % 3)
    assert fitted.bandwidths_[0] >= 0.99e-4 * fitted.bandwidths_[-1]
    assert np.isfinite(fitted.transform(X)).all()


def test_a_start_at_the_optimum_is_no_reason_for_a_warning(rng):
    y = np.arange(30) % 3
    X = np.random.default_rng(0).standard_normal((30, 5))
    X[:, 0] += 2 * y
    X[:, 1] += 2 * (y == 1)
    fitted = RenyiComponents().fit(X + 1e8, y)
    assert fitted.objective_ < -0.04


@pytest.mark.parametrize("method", BY_LABELS, ids=lambda method: method.name)
@pytest.mark.parametrize("factor", [1e-20, 1e20])
def test_float32_without_room_for_squares_is_refused(method, factor, samples):
    X, y = samples
    with pytest.raises(ValueError, match=r"in float32; rescale it, .* or pass float64"):
        method.make(2, random_state=0).fit((factor * X).astype(np.float32), y)


@pytest.mark.parametrize("method", [SupervisedPCA, SlicedAverageVariance, ManifoldRegularization])
@pytest.mark.parametrize("factor", [1e-100, 1e100])
def test_continuous_targets_without_room_for_squares_are_refused(method, factor, samples):
    X, _ = samples
    with pytest.raises(ValueError, match=r"^y .*rescale it"):
        method(target="continuous").fit(X, factor * X[:, 0])


def test_batches_are_checked_too(samples):
    X, y = samples
    with pytest.raises(ValueError, match=r"^X holds values of size .*rescale it"):
        LeastSquaresLDA().partial_fit(1e100 * X, y)
