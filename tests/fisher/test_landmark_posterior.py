"""LandmarkPosterior: cross-fitted models, calibration, meaningless labels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit

from discrimap import LandmarkPosterior
from discrimap.fisher.calibration import calibrate_classes, calibrate_numbers, softmax
from discrimap.fisher.landmark_ridge import fit_landmark_ridge, gaussians


@pytest.fixture
def data(rng):
    y = np.arange(200) % 4
    X = rng.standard_normal((200, 5))
    X[:, :2] += 2 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])[y]
    return X, y


def naive_predictions(X, targets, keep, landmarks, gamma, alpha, at):
    """Ridge regression on Gaussians of some samples, by its normal equations."""
    at, X = at - X.mean(axis=0), X - X.mean(axis=0)  # landmarks are centred
    values = gaussians(X[keep], landmarks, gamma)
    mean = targets[keep].mean(axis=0)
    gram = values.T @ values
    penalty = alpha * np.trace(gram) / len(gram) * np.eye(len(gram))
    weights = np.linalg.solve(gram + penalty, values.T @ (targets[keep] - mean))
    return gaussians(at, landmarks, gamma) @ weights + mean


def test_cross_fitted_models_are_those_of_naive_refits(rng):
    X = rng.standard_normal((120, 3))
    targets = np.column_stack([np.sin(X[:, 0]), X[:, 1] > 0]) + 5.0
    folds = np.arange(120) % 4
    ridge = fit_landmark_ridge(X, np.arange(120), targets, folds, 4, 30, np.random.RandomState(0))
    found = ridge.predict_training(X, folds)
    new = rng.standard_normal((7, 3))
    for f in range(4):
        own = folds == f
        for g in range(4):
            keep = ~np.isin(folds, (f, g))
            expected = naive_predictions(
                X, targets, keep, ridge.landmarks, ridge.gamma, ridge.alpha, X[own]
            )
            assert_allclose(found[own, g], expected, atol=1e-6)
        expected = naive_predictions(
            X, targets, ~own, ridge.landmarks, ridge.gamma, ridge.alpha, new
        )
        assert_allclose(ridge.predict_without_each(new)[:, f], expected, atol=1e-6)
    everyone = naive_predictions(
        X, targets, np.ones(120, bool), ridge.landmarks, ridge.gamma, ridge.alpha, new
    )
    assert_allclose(ridge.predict(new, [4], [4])[:, 0], everyone, atol=1e-6)


def test_the_penalty_has_the_least_held_out_error(rng):
    X = rng.standard_normal((150, 2))
    targets = np.sin(2 * X[:, :1]) + 0.3 * rng.standard_normal((150, 1))
    folds = np.arange(150) % 3
    ridge = fit_landmark_ridge(X, np.arange(150), targets, folds, 3, 40, np.random.RandomState(0))

    def error(alpha):
        predicted = np.empty_like(targets)
        for f in range(3):
            predicted[folds == f] = naive_predictions(
                X, targets, folds != f, ridge.landmarks, ridge.gamma, alpha, X[folds == f]
            )
        return np.square(predicted - targets).sum()

    assert error(ridge.alpha) <= min(error(ridge.alpha / 10), error(ridge.alpha * 10)) + 1e-6


def test_many_duplicates_of_few_samples_are_fitted(rng):
    # Their Gram matrix is singular, and no penalty would be the best one.
    X = np.repeat(rng.standard_normal((12, 40)), 30, axis=0).astype(np.float32)
    y = np.repeat(np.arange(12) % 3, 30)
    assert LandmarkPosterior(random_state=0).fit(X, y).score(X, y) == 1


def test_calibration_recovers_a_known_temperature(rng):
    scores = rng.standard_normal((5000, 3))
    truth = softmax(2.5 * scores + [0.5, 0.0, -0.5])
    labels = (truth.cumsum(axis=1) < rng.random((5000, 1))).sum(axis=1)
    temperature, offsets = calibrate_classes(scores, labels)
    assert temperature == pytest.approx(2.5, abs=0.3)
    assert_allclose(softmax(temperature * scores + offsets), truth, atol=0.06)


def test_scores_that_mislead_have_temperature_zero(rng):
    scores = rng.standard_normal((300, 3))
    temperature, offsets = calibrate_classes(scores, scores.argmin(axis=1))
    assert temperature == 0
    assert softmax(offsets).sum() == pytest.approx(1)
    assert calibrate_numbers(scores, -scores)[0] == 0


def test_probabilities_are_those_of_overlapping_classes(rng):
    y = np.arange(3000) % 2
    X = rng.standard_normal((3000, 2)) + y[:, None]
    truth = expit(2 * (X.sum(axis=1) / 2 - 0.5))
    posterior = LandmarkPosterior(n_landmarks=200, random_state=0).fit(X, y)
    assert np.abs(posterior.training_proba_[:, 1] - truth).mean() < 0.06
    assert np.abs(posterior.predict_proba(X)[:, 1] - truth).mean() < 0.06


def test_permuted_labels_have_flat_probabilities(rng):
    X, y = rng.standard_normal((1000, 5)), rng.permutation(np.arange(1000) % 4)
    posterior = LandmarkPosterior(n_landmarks=100, random_state=0).fit(X, y)
    assert np.abs(posterior.training_proba_ - 0.25).mean() < 0.03
    # The model of all samples has seen the labels, and yet does not claim to know them.
    assert np.abs(posterior.predict_proba(X) - 0.25).mean() < 0.06


def test_not_even_a_tenth_of_a_left_out_fold_is_in_its_model(rng):
    # With a landmark on every sample, a model that had seen part of a fold would know its labels.
    X, y = rng.standard_normal((300, 20)), rng.permutation(np.arange(300) % 4)
    posterior = LandmarkPosterior(random_state=0).fit(X, y)
    assert (posterior.training_proba_.argmax(axis=1) == y).mean() < 0.25 + 0.1


def test_the_own_label_does_not_matter(data):
    X, y = data
    before = LandmarkPosterior(random_state=0).fit(X, y)
    ridge = before._ridge
    members = before.folds_ == 2
    targets = np.eye(4)[y]
    other = targets.copy()
    other[members] = other[members][:, ::-1]

    def scores(values):
        keep = ~members
        return naive_predictions(
            X, values, keep, ridge.landmarks, ridge.gamma, ridge.alpha, X[members]
        )

    assert_array_equal(scores(targets), scores(other))
    expected = before.temperature_ * scores_of(before, X[members], 2) + before.offsets_
    assert_allclose(before.training_proba_[members], softmax(expected), atol=1e-8)


def scores_of(posterior, X, fold):
    return posterior._ridge.predict(X, [fold], [fold])[:, 0]


def test_unlabelled_samples_have_predictions_and_change_no_model(data, rng):
    X, y = data
    labels = np.where(np.arange(200) % 3 == 0, -1, y)
    posterior = LandmarkPosterior(n_landmarks=40, random_state=0)
    posterior._fit_labels(X, labels, np.arange(4))
    assert posterior._training_predictions(X).shape == (200, 5, 4)
    is_labelled = labels >= 0
    expected = naive_predictions(
        X,
        np.eye(4)[np.maximum(labels, 0)],
        is_labelled,
        posterior._ridge.landmarks,
        posterior.gamma_,
        posterior.alpha_,
        X,
    )
    assert_allclose(scores_of(posterior, X, 5), expected, atol=1e-6)


def test_the_same_seed_gives_the_same_probabilities(data):
    X, y = data
    one, two = (LandmarkPosterior(random_state=3).fit(X, y).predict_proba(X) for _ in range(2))
    assert_array_equal(one, two)


def test_float32_is_kept(data):
    X, y = data
    posterior = LandmarkPosterior(random_state=0).fit(X.astype(np.float32), y)
    assert posterior.training_proba_.dtype == np.float32
    assert posterior.predict_proba(X.astype(np.float32)).dtype == np.float32
    exact = LandmarkPosterior(random_state=0).fit(X, y)
    assert_allclose(posterior.predict_proba(X), exact.predict_proba(X), atol=0.1)


def test_the_number_of_landmarks(data):
    X, y = data
    assert LandmarkPosterior().fit(X, y).n_landmarks_ == 200
    assert LandmarkPosterior(n_landmarks=17).fit(X, y).n_landmarks_ == 17
    assert LandmarkPosterior(n_landmarks=1700).fit(X, y).n_landmarks_ == 200


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"n_folds": 2}, "n_folds"), ({"n_landmarks": 0}, "n_landmarks")],
)
def test_bad_parameters_are_refused(data, parameters, message):
    with pytest.raises(ValueError, match=message):
        LandmarkPosterior(**parameters).fit(*data)
