"""Discriminative and Renyi components, as estimators."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import subspace_angles
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import scale

from discrimap import DiscriminativeComponents, RenyiComponents
from discrimap.metrics import knn_error

METHODS = [DiscriminativeComponents, RenyiComponents]
by_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return scale(X), y


def degrees(rows, other_rows):
    return np.degrees(subspace_angles(np.asarray(rows).T, np.asarray(other_rows).T).max())


def torus_around_a_cylinder(rng, n_samples=300):
    """Footnote 1 of the paper: a torus wrapped around the middle of a cylinder along z."""
    turn = rng.uniform(0, 2 * np.pi, n_samples)
    tube = rng.uniform(0, 2 * np.pi, n_samples)
    ring = 1.6 + 0.15 * np.cos(tube)
    torus = np.column_stack([ring * np.cos(turn), ring * np.sin(turn), 0.15 * np.sin(tube)])
    turn, radius = rng.uniform(0, 2 * np.pi, n_samples), np.sqrt(rng.random(n_samples))
    height = rng.uniform(-3, 3, n_samples)
    cylinder = np.column_stack([radius * np.cos(turn), radius * np.sin(turn), height])
    return np.vstack([torus, cylinder]), np.repeat([0, 1], n_samples)


@by_method
@pytest.mark.parametrize("n_constant", [1, 50])
def test_constant_features_change_nothing(method, n_constant, wine):
    X, y = wine
    constant = np.full((len(X), n_constant), 7.0)
    expected = method(random_state=0).fit(X, y)
    fitted = method(random_state=0).fit(np.hstack([constant, X]), y)
    assert_array_equal(fitted.components_[:, :n_constant], 0.0)
    assert_allclose(fitted.components_[:, n_constant:], expected.components_, atol=1e-6)
    assert_allclose(fitted.objective_, expected.objective_, rtol=1e-9)


# Renyi information is largest near the LDA subspace, but not exactly there.
@pytest.mark.parametrize(
    ("method", "bound"), [(DiscriminativeComponents, 2.0), (RenyiComponents, 6.0)]
)
def test_gaussian_classes_with_equal_covariance_give_the_lda_subspace(method, bound, rng):
    # Three overlapping classes, sphered: an orthonormal projection cannot undo a common shape.
    y = np.repeat([0, 1, 2], 4000)
    X = rng.standard_normal((len(y), 5))
    X[:, :2] += 2.5 * np.array([[0, 0], [1, 0], [0.5, 0.9]])[y]
    X = X @ np.linalg.qr(rng.standard_normal((5, 5)))[0]
    lda = LinearDiscriminantAnalysis(n_components=2).fit(X, y)
    fitted = method(init="pca", bandwidth=0.7).fit(X, y)
    assert degrees(fitted.components_, lda.scalings_[:, :2].T) < bound


@pytest.mark.parametrize("seed", range(5))
def test_torus_around_a_cylinder(seed):
    # Planes that hold the axis are local optima, in which a search from LDA alone often ends.
    rng = np.random.default_rng(seed)
    X, y = torus_around_a_cylinder(rng)
    rotation = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    line, plane = (
        DiscriminativeComponents(d, n_bandwidths=5, random_state=0).fit(X @ rotation, y)
        for d in (1, 2)
    )
    assert degrees(line.components_, rotation[2:]) < 3
    assert degrees(plane.components_, rotation[:2]) < 3
    assert degrees(line.components_, plane.components_) > 87


@by_method
def test_components_are_orthonormal_and_better_than_the_start(method, wine):
    X, y = wine
    fitted = method(3, bandwidth=0.7).fit(X, y)
    assert_allclose(fitted.components_ @ fitted.components_.T, np.eye(3), atol=1e-10)
    assert fitted.objective_ < fitted.loss_curve_[0]
    assert len(fitted.loss_curve_) == fitted.n_iter_ + 1


@by_method
def test_bandwidth_is_chosen_on_held_out_samples(method, wine):
    X, y = wine
    fitted = method(n_bandwidths=6).fit(X[::2], y[::2])
    assert fitted.bandwidths_.shape == fitted.bandwidth_scores_.shape
    assert 3 <= len(fitted.bandwidths_) <= 6
    scores = fitted.bandwidth_scores_
    best = np.flatnonzero(scores >= scores.max() - 1e-4 * np.abs(scores).max())[-1]
    assert fitted.bandwidth_ == fitted.bandwidths_[best]
    error = knn_error(fitted.transform(X[::2]), y[::2], fitted.transform(X[1::2]), y[1::2])
    assert error < 0.08


def test_bandwidth_by_the_neighbours_of_held_out_samples(wine):
    X, y = wine
    by_neighbors = DiscriminativeComponents(
        n_bandwidths=4, bandwidth_criterion="neighbors", n_init=1, random_state=0
    )
    by_neighbors.fit(X, y)
    likely = DiscriminativeComponents(n_bandwidths=4, n_init=1, random_state=0).fit(X, y)
    # The likelihood may end the search before the narrowest width.
    assert_allclose(by_neighbors.bandwidths_[-len(likely.bandwidths_) :], likely.bandwidths_)
    # Shares of held-out samples, against mean logarithms of probabilities.
    assert ((by_neighbors.bandwidth_scores_ > 0.8) & (by_neighbors.bandwidth_scores_ <= 1)).all()
    assert (likely.bandwidth_scores_ < 0).all()
    with pytest.raises(ValueError, match="bandwidth_criterion"):
        DiscriminativeComponents(bandwidth_criterion="accuracy", random_state=0).fit(X, y)


@by_method
def test_a_fit_can_be_repeated(method, wine):
    X, y = wine
    first, second = (method(n_bandwidths=4).fit(X, y) for _ in range(2))
    assert_array_equal(first.components_, second.components_)


@by_method
def test_stochastic_rotations_come_close_to_lbfgs(method, wine):
    X, y = wine
    full = method(bandwidth=0.7, n_init=1).fit(X, y)  # from LDA, as the stochastic steps
    sgd = method(bandwidth=0.7, solver="sgd", n_steps=4000).fit(X, y)
    assert_allclose(sgd.components_ @ sgd.components_.T, np.eye(2), atol=1e-10)
    gained = full.loss_curve_[0] - full.objective_
    assert sgd.objective_ < full.objective_ + 0.2 * gained


def test_exact_and_fourier_find_the_same_subspace(wine):
    X, y = wine
    exact, fourier = (
        DiscriminativeComponents(bandwidth=0.7, engine=engine, random_state=0).fit(X, y)
        for engine in ("exact", "fourier")
    )
    assert degrees(exact.components_, fourier.components_) < 0.5


def test_predictions_are_probabilities_of_the_classes(wine):
    X, y = wine
    names = np.array(["red", "rose", "white"])[y]
    fitted = DiscriminativeComponents(bandwidth=0.5, random_state=0).fit(X[::2], names[::2])
    probabilities = fitted.predict_proba(X[1::2])
    assert_allclose(probabilities.sum(axis=1), 1)
    assert np.mean(fitted.predict(X[1::2]) == names[1::2]) > 0.9
    far = fitted.predict_proba(X[:3] + 1e4)
    assert np.isfinite(far).all()
    # Bayes' rule by hand at one point.
    Z, z = fitted.transform(X[::2]), fitted.transform(X[1:2])
    kernels = np.exp(-((Z - z) ** 2).sum(axis=1) / (2 * 0.5**2))
    by_hand = [kernels[names[::2] == name].sum() / kernels.sum() for name in fitted.classes_]
    assert_allclose(probabilities[0], by_hand, rtol=1e-6)


def test_mutual_information_and_its_permuted_control(wine):
    X, y = wine
    fitted = DiscriminativeComponents(bandwidth=0.5, random_state=0).fit(X, y)
    shares = np.bincount(y) / len(y)
    entropy = -np.sum(shares * np.log(shares))
    assert_allclose(fitted.mutual_information_, fitted.log_likelihood_ + entropy)
    assert 0.9 * entropy < fitted.mutual_information_ <= entropy
    control = fitted.permuted_mutual_information(X, y, n_repeats=3)
    assert control.shape == (3,)
    assert (control < 0.5 * fitted.mutual_information_).all()


def test_the_mixture_is_a_density_over_classes(wine):
    X, y = wine
    fitted = DiscriminativeComponents(estimator="mixture", n_kernels=6, random_state=0).fit(
        X[::2], y[::2]
    )
    assert fitted.centres_.shape == (6, 2)
    assert_allclose(fitted.weights_.sum(), 1)
    assert_allclose(fitted.components_ @ fitted.components_.T, np.eye(2), atol=1e-10)
    own = fitted.predict_log_proba(X[::2])[np.arange(len(y[::2])), y[::2]]
    assert_allclose(own.mean(), fitted.log_likelihood_, atol=1e-6)


def test_the_mixture_predicts_beside_a_kernel_without_weight(wine):
    X, y = wine
    fitted = DiscriminativeComponents(
        estimator="mixture", n_kernels=6, n_init=1, random_state=0
    ).fit(X, y)
    nearest = X[:1]
    fitted.centres_[0], fitted.weights_[0] = fitted.transform(nearest), 0.0
    fitted.bandwidth_ = 1e-3  # all other kernels underflow there
    assert_allclose(fitted.predict_proba(nearest).sum(), 1)


def fits_of_mixture(X, y, **options):
    """Twenty seeds on every other sample, and the accuracy of each on the rest."""
    fits = [
        DiscriminativeComponents(estimator="mixture", random_state=seed, **options).fit(
            X[::2], y[::2]
        )
        for seed in range(20)
    ]
    return fits, [np.mean(fit.predict(X[1::2]) == y[1::2]) for fit in fits]


def test_the_mixture_separates_wine_whatever_the_seed(wine):
    # The classes can be told apart without error, where the likelihood has no best width.
    fits, accuracies = fits_of_mixture(*wine, n_kernels=6)
    assert min(accuracies) >= 0.85
    assert np.median(accuracies) >= 0.93
    assert min(fit.loss_curve_.min() for fit in fits) >= 0
    # Clusters of 15 samples of 89, in a projection of unit variance or so.
    assert min(fit.bandwidth_ for fit in fits) > 0.2


def test_rounding_does_not_change_the_mixture(wine, rng):
    X, y = wine
    mixture = DiscriminativeComponents(estimator="mixture", random_state=0)
    plain = clone(mixture).fit(X[::2], y[::2])
    for _ in range(3):
        noise = 1 + 1e-12 * rng.standard_normal(X.shape)
        rounded = clone(mixture).fit((X * noise)[::2], y[::2])
        assert_array_equal(rounded.predict(X), plain.predict(X))
        assert degrees(rounded.components_, plain.components_) < 0.1
        assert_allclose(rounded.objective_, plain.objective_, rtol=1e-2)


def test_the_mixture_of_iris_whatever_the_seed():
    fits, accuracies = fits_of_mixture(*load_iris(return_X_y=True), n_init=2)
    assert min(accuracies) >= 0.85
    assert min(fit.objective_ for fit in fits) >= 0
    assert min(fit.bandwidth_ for fit in fits) > 0.05


@pytest.mark.parametrize("n_kernels", [1, 20])
def test_the_mixture_of_degenerate_data_stays_finite(n_kernels, rng):
    # As many kernels as samples, of which some or all coincide: clusters without a width.
    y = np.repeat([0, 1], 10)
    mixture = DiscriminativeComponents(estimator="mixture", n_kernels=n_kernels, random_state=0)
    for X in (np.ones((20, 3)), np.repeat(rng.standard_normal((4, 3)), 5, axis=0)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # k-means finds fewer clusters
            fitted = mixture.fit(X, y)
        assert np.isfinite(fitted.components_).all()
        assert np.isfinite(fitted.predict_proba(X)).all()
        assert fitted.bandwidth_ > 0


def test_unlabelled_points_take_part_when_beta_is_below_one(wine, rng):
    X, y = wine
    some = np.where(rng.random(len(y)) < 0.5, -1, y)
    labelled = some >= 0
    alone = DiscriminativeComponents(bandwidth=0.7, random_state=0).fit(X[labelled], some[labelled])
    ignored = DiscriminativeComponents(bandwidth=0.7, random_state=0).fit(X, some)
    assert list(ignored.classes_) == [0, 1, 2]
    assert degrees(alone.components_, ignored.components_) < 5
    assert ignored.embedding_.shape == (labelled.sum(), 2)
    used = DiscriminativeComponents(bandwidth=0.7, beta=0.8, random_state=0).fit(X, some)
    assert degrees(used.components_, ignored.components_) > 1


@pytest.mark.parametrize("batch_size", ["auto", 50])
def test_few_labelled_samples_among_many_are_all_used(batch_size, rng):
    # Starts are compared, and batches drawn, on a part of the samples: never without the labels.
    X = rng.standard_normal((4000, 3))
    y = np.full(4000, -1)
    y[:20] = np.repeat([0, 1], 10)
    X[10:20, 0] += 4
    fitted = DiscriminativeComponents(1, bandwidth=0.5, batch_size=batch_size, random_state=0).fit(
        X, y
    )
    alone = DiscriminativeComponents(1, bandwidth=0.5, random_state=0).fit(X[:20], y[:20])
    assert_allclose(fitted.objective_, alone.objective_, rtol=1e-3, atol=1e-6)


def test_a_given_start_is_the_only_one(rng):
    # Two optima of the same data: a start near the worse one stays there, unless more are asked for.
    # About one random plane in six leads to the better one: 30 starts leave nothing to chance.
    X, y = torus_around_a_cylinder(rng, 150)
    near_axis = np.eye(3)[[0, 2]]
    given = DiscriminativeComponents(2, bandwidth=0.2, init=near_axis, random_state=0).fit(X, y)
    more = DiscriminativeComponents(
        2, bandwidth=0.2, init=near_axis, n_init=30, random_state=0
    ).fit(X, y)
    assert more.objective_ < 0.1 * given.objective_


def test_ordered_components_put_the_informative_one_first(rng):
    y = np.repeat([0, 1], 300)
    X = rng.standard_normal((600, 4)) * [1.0, 3.0, 2.0, 1.0]
    X[:, 0] += 2.5 * y
    rotation = np.linalg.qr(rng.standard_normal((4, 4)))[0]
    plain = DiscriminativeComponents(2, bandwidth=0.7, random_state=0).fit(X @ rotation, y)
    ordered = DiscriminativeComponents(2, bandwidth=0.7, ordered=True, random_state=0).fit(
        X @ rotation, y
    )
    assert degrees(plain.components_, ordered.components_) < 0.1  # the same subspace
    assert degrees(ordered.components_[:1], rotation[:1]) < 12
    # Without an order the component of largest variance comes first.
    assert np.diff(plain.transform(X @ rotation).var(axis=0)) < 0
    assert_allclose(ordered.components_ @ ordered.components_.T, np.eye(2), atol=1e-10)


def test_elimination_leaves_out_the_least_informative_first(rng):
    # Four classes told apart by two features, one better than the other; the third is noise.
    y = np.repeat(np.arange(4), 100)
    X = rng.standard_normal((400, 3)) * [1.0, 1.0, 2.0]
    X[:, :2] += np.column_stack([y % 2, y // 2]) * [4.0, 2.0]
    rotation = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    ordered = DiscriminativeComponents(3, bandwidth=0.8, ordered=True, random_state=0).fit(
        X @ rotation, y
    )
    assert degrees(ordered.components_[2:], rotation[2:]) < 15
    assert degrees(ordered.components_[:2], rotation[:2]) < 15


def test_batches_of_samples_find_nearly_the_same(rng):
    y = rng.integers(0, 3, 3000)
    X = rng.standard_normal((3000, 5))
    X[:, :2] += 2.5 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    whole = DiscriminativeComponents(2, bandwidth=0.7, random_state=0).fit(X, y)
    batched = DiscriminativeComponents(2, bandwidth=0.7, batch_size=1000, random_state=0).fit(X, y)
    assert 0 < degrees(whole.components_, batched.components_) < 10


@by_method
def test_more_features_than_samples(method, rng):
    X = rng.standard_normal((40, 300))
    y = np.repeat([0, 1], 20)
    X[y == 1, :5] += 2
    fitted = method(bandwidth=3.0).fit(X, y)
    assert_allclose(fitted.components_ @ fitted.components_.T, np.eye(2), atol=1e-10)
    # In the row space: nothing is spent on directions in which no sample lies.
    row_space = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][:39]
    assert_allclose(np.linalg.norm(fitted.components_ @ row_space.T, axis=1), 1, atol=1e-8)


@by_method
def test_all_components_keep_everything(method):
    X, y = load_iris(return_X_y=True)
    fitted = method(4, bandwidth=0.5).fit(X, y)
    assert_allclose(fitted.components_ @ fitted.components_.T, np.eye(4), atol=1e-10)
    assert len(fitted.loss_curve_) == 1


@by_method
@pytest.mark.parametrize("factor", [1e-8, 1e8])
def test_scale_only_scales(method, factor, wine):
    X, y = wine
    plain = method(n_bandwidths=4).fit(X, y)
    scaled = method(n_bandwidths=4).fit(factor * X, y)
    assert_allclose(scaled.bandwidth_, factor * plain.bandwidth_, rtol=1e-6)
    assert degrees(plain.components_, scaled.components_) < 1


@by_method
def test_degenerate_data_stay_finite(method, rng):
    y = np.repeat([0, 1], 10)
    if method is RenyiComponents:
        with pytest.warns(ConvergenceWarning, match=r"no direction of ascent.*X has columns"):
            constant = method(n_bandwidths=3).fit(np.ones((20, 3)), y)
    else:
        constant = method(n_bandwidths=3).fit(np.ones((20, 3)), y)
    assert np.isfinite(constant.components_).all()
    duplicated = np.repeat(rng.standard_normal((4, 3)), 5, axis=0)
    assert np.isfinite(method(n_bandwidths=3).fit(duplicated, y).components_).all()


def test_a_start_at_the_optimum_is_no_fault(wine, monkeypatch):
    # Rounding decides whether a search from an optimum finds one more step; here it does not.
    solve = RenyiComponents._solve

    def solve_without_a_step(self, *args):
        objective, solution = solve(self, *args)
        return objective, replace(solution, n_iter=0)

    monkeypatch.setattr(RenyiComponents, "_solve", solve_without_a_step)
    assert (
        RenyiComponents(bandwidth=1.0, n_init=1, random_state=0).fit(*wine).n_iter_ == 1
    )  # without a warning


def test_a_class_with_one_sample(rng):
    X = rng.standard_normal((31, 3))
    y = np.array([0] * 15 + [1] * 15 + [2])
    X[y == 1] += 3
    fitted = DiscriminativeComponents(n_bandwidths=4, random_state=0).fit(X, y)
    assert np.isfinite(fitted.log_likelihood_)
    assert fitted.predict(X[-1:]) in (0, 1, 2)


@by_method
def test_a_bandwidth_at_which_every_point_is_alone(method, wine):
    X, y = wine
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = method(bandwidth=1e-6, max_iter=2).fit(X, y)
    assert np.isfinite(fitted.components_).all()


@by_method
@pytest.mark.parametrize("bandwidth", [0, -1.0, np.nan, np.inf, "wide"])
def test_bad_bandwidths_are_refused(method, bandwidth, wine):
    with pytest.raises(ValueError, match="bandwidth"):
        method(bandwidth=bandwidth).fit(*wine)


def test_all_labels_missing_is_refused(wine):
    with pytest.raises(ValueError, match="every sample as unlabelled"):
        DiscriminativeComponents(random_state=0).fit(wine[0], np.full(len(wine[1]), -1))


@pytest.mark.parametrize("change", [{"estimator": "mixture"}, {"beta": 0.5}])
def test_sgd_is_for_the_plain_likelihood(change, wine):
    with pytest.raises(ValueError, match="solver='sgd' goes with"):
        DiscriminativeComponents(solver="sgd", **change).fit(*wine)


def test_too_many_kernels_are_refused(wine):
    with pytest.raises(ValueError, match="n_kernels=500 exceeds the 178 samples"):
        DiscriminativeComponents(estimator="mixture", n_kernels=500, random_state=0).fit(*wine)


@by_method
def test_init_of_the_wrong_shape_or_rank_is_refused(method, wine):
    with pytest.raises(ValueError, match=r"init has shape \(3, 3\)"):
        method(init=np.eye(3), bandwidth=1.0).fit(*wine)
    with pytest.raises(ValueError, match="independent rows"):
        method(init=np.ones((2, 13)), bandwidth=1.0).fit(*wine)


@by_method
def test_few_iterations_warn(method, wine):
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        method(bandwidth=0.3, max_iter=1, tol=0.0).fit(*wine)


def test_callback_sees_the_steps_and_may_stop(wine):
    steps = []
    fitted = DiscriminativeComponents(
        bandwidth=0.7, callback=lambda step: steps.append(step) or len(steps) == 3, random_state=0
    ).fit(*wine)
    assert fitted.n_iter_ == 3
    sgd = DiscriminativeComponents(
        bandwidth=0.7, solver="sgd", n_steps=100, callback=lambda step: True, random_state=0
    ).fit(*wine)
    assert sgd.n_iter_ == 5
