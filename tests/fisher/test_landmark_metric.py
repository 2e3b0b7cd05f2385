"""FisherMetric with landmark models: candidates, lengths, the Euclidean part, continuous targets."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.spatial.distance import cdist

from discrimap import FisherMetric, LandmarkPosterior, LandmarkRegression
from discrimap.fisher.calibration import softmax
from discrimap.fisher.curves import ClassCurve, NumberLine
from discrimap.fisher.regularisation import (
    REGULARISATIONS,
    choose_regularisation,
    class_losses,
    number_losses,
)


@pytest.fixture
def data(rng):
    y = np.arange(90) % 3
    X = rng.standard_normal((90, 5))
    X[:, 0] += 2 * y
    return X, y


def metric_for(**parameters):
    model = LandmarkPosterior(n_landmarks=40, random_state=0)
    return FisherMetric(**{"posterior": model, "perplexity": 10, "random_state": 0, **parameters})


def path_integral(start, stop):
    """Length of ``2 sqrt(softmax)`` on the way from logits to logits, by quadrature."""
    slope = stop - start

    def speed(t):
        p = softmax((1 - t) * start + t * stop)
        return np.sqrt(max(0.0, p @ slope**2 - (p @ slope) ** 2))

    return quad(speed, 0, 1, limit=200)[0]


def naive_length(start, stop, n_steps):
    length, before = 0.0, None
    for t in np.arange(n_steps + 1) / n_steps:
        after = np.sqrt(softmax((1 - t) * start + t * stop))
        if before is not None:
            length += 2 * np.arccos(min(1.0, before @ after))
        before = after
    return length


def random_pairs(rng, n_targets=4):
    left, right = rng.standard_normal((2, 12, 3, n_targets)) * 3
    left_folds, right_folds = rng.integers(3, size=(2, 12))
    return left, right, left_folds, right_folds, rng.integers(12, size=(12, 5))


def test_lengths_of_pairs_are_those_of_a_naive_loop_and_of_the_integral(rng):
    left, right, left_folds, right_folds, indices = random_pairs(rng)
    coarse = ClassCurve(8).lengths(left, right, left_folds, right_folds, indices)
    fine = ClassCurve(200).lengths(left, right, left_folds, right_folds, indices)
    for i in range(12):
        for k, j in enumerate(indices[i]):
            ends = left[i, right_folds[j]], right[j, left_folds[i]]
            assert coarse[i, k] == pytest.approx(naive_length(*ends, 8), abs=1e-6)
            assert fine[i, k] == pytest.approx(path_integral(*ends), rel=1e-3, abs=1e-6)


def test_chords_are_no_longer_than_curves(rng):
    left, right, _, _, indices = random_pairs(rng)
    zeros = np.zeros(12, np.intp)
    curve = ClassCurve(8)
    lengths = curve.lengths(left[:, :1], right[:, :1], zeros, zeros, indices)
    chords = cdist(curve.places(left[:, 0]), curve.places(right[:, 0]))
    assert (np.take_along_axis(chords, indices, axis=1) <= lengths + 1e-9).all()


def test_a_number_moves_on_a_straight_line(rng):
    left, right, left_folds, right_folds, indices = random_pairs(rng, 2)
    found = NumberLine().lengths(left, right, left_folds, right_folds, indices)
    for i in range(12):
        for k, j in enumerate(indices[i]):
            way = left[i, right_folds[j]] - right[j, left_folds[i]]
            assert found[i, k] == pytest.approx(np.linalg.norm(way))


@pytest.mark.parametrize("cross_fit", [False, True])
@pytest.mark.parametrize("model", [LandmarkPosterior, LandmarkRegression])
def test_neighbours_among_candidates_are_those_of_all_distances(data, cross_fit, model):
    X, y = data
    metric = metric_for(posterior=model(n_landmarks=40), cross_fit=cross_fit, regularisation=0.3)
    metric.fit(X[:70], y[:70] + 0.5 * (model is LandmarkRegression))
    all_distances = metric.distances()
    assert_allclose(all_distances, all_distances.T)
    np.fill_diagonal(all_distances, np.inf)
    found, indices = metric.kneighbors(n_neighbors=50)  # so many that all are candidates
    assert_allclose(found, np.sort(all_distances, axis=1)[:, :50], atol=1e-6)
    assert_allclose(found, np.take_along_axis(all_distances, indices, axis=1), atol=1e-6)
    to_new = metric.distances_to(X[70:])
    found, indices = metric.kneighbors(X[70:], n_neighbors=50)
    assert_allclose(found, np.sort(to_new, axis=1)[:, :50], atol=1e-6)
    assert_allclose(found, np.take_along_axis(to_new, indices, axis=1), atol=1e-6)


def test_few_candidates_find_most_neighbours(rng):
    y = np.arange(600) % 3
    X = rng.standard_normal((600, 4)) + 2 * np.eye(4)[y]
    metric = metric_for(cross_fit=True, regularisation=1.0).fit(X, y)
    all_distances = metric.distances()
    np.fill_diagonal(all_distances, np.inf)
    exact = np.argsort(all_distances, axis=1)[:, :15]
    _, found = metric.kneighbors(n_neighbors=15)
    recall = np.mean([np.isin(a, b).mean() for a, b in zip(exact, found, strict=True)])
    assert recall > 0.9


def test_lengths_without_labels_of_the_two_folds(data):
    """A pair uses the model without both folds, at both of its ends."""
    X, y = data
    metric = metric_for(cross_fit=True).fit(X, y)
    model, folds = metric.posterior_, metric.folds_
    distances = metric.distances()
    for i, j in [(0, 1), (5, 40), (17, 88)]:
        ends = (
            model._predictions_without(X[[k]], folds[i], folds[j])[0].astype(float) for k in (i, j)
        )
        assert distances[i, j] == pytest.approx(naive_length(*ends, 8), abs=1e-6)


def test_the_euclidean_part_is_added_in_squares(data):
    X, y = data
    pure, mixed = (metric_for(regularisation=r).fit(X, y) for r in (0, 2))
    unit = mixed._plain.unit
    expected = np.sqrt(pure.distances() ** 2 + 2 * cdist(X, X) ** 2 / unit**2)
    assert_allclose(mixed.distances(), expected, atol=1e-7)
    fifteenth = np.sort(cdist(X, X), axis=1)[:, 15]
    assert unit == pytest.approx(np.sqrt((fifteenth**2).mean()))
    parzen, plain = (metric_for(posterior=None, regularisation=r).fit(X, y) for r in (2, 0))
    expected = np.sqrt(plain.distances() ** 2 + 2 * cdist(X, X) ** 2 / unit**2)
    assert_allclose(parzen.distances(), expected, atol=1e-7)


def test_the_euclidean_part_is_small_where_it_would_mislead(rng):
    labels = np.arange(300) % 3
    known = 2 * np.eye(3)[labels]
    nothing = np.zeros((300, 3))
    apart, noise = 4 * known, 3 * rng.standard_normal((300, 8))

    def choice(places, plain):
        losses = class_losses(labels)
        return choose_regularisation(places, plain, losses, np.random.RandomState(0))

    assert choice(known, apart) == REGULARISATIONS[-1]
    assert choice(nothing, apart) == REGULARISATIONS[-1]
    # Neighbours by noise are three units apart in each of eight directions, classes only sqrt(8).
    assert choice(known, noise) < 1


def test_neighbours_predict_numbers_by_their_mean(rng):
    targets = rng.standard_normal((40, 1))
    rows, neighbors = np.arange(3), np.array([[5, 6], [7, 8], [9, 10]])
    expected = (targets[rows, 0] - targets[neighbors, 0].mean(axis=1)) ** 2 / targets.var()
    assert_allclose(number_losses(targets)(rows, neighbors), expected)


def test_information_is_the_squared_length_of_a_small_step(data, rng):
    X, y = data
    for target in (y, X[:, 1] + 0.1 * y):
        model = LandmarkPosterior if target is y else LandmarkRegression
        metric = metric_for(posterior=model(n_landmarks=40)).fit(X, target)
        step = 1e-4 * rng.standard_normal(5)
        expected = metric.distances_among(np.stack([X[3], X[3] + step]))[0, 1] ** 2
        assert step @ metric.information(X[3]) @ step == pytest.approx(expected, rel=1e-2)


def test_posteriors_are_those_of_the_model(data):
    X, y = data
    metric = metric_for(cross_fit=True).fit(X, y)
    model = LandmarkPosterior(n_landmarks=40, random_state=0).fit(X, y)
    assert_allclose(metric.posterior_at(), model.training_proba_, atol=1e-10)
    assert_allclose(metric.posterior_at(X + 0.1), model.predict_proba(X + 0.1), atol=1e-10)


@pytest.mark.parametrize("posterior", [None, LandmarkPosterior(n_landmarks=40)])
def test_unlabelled_samples_are_points_and_no_evidence(data, posterior):
    X, y = data
    y = np.where(np.arange(90) % 4 == 0, -1, y)
    metric = metric_for(posterior=posterior).fit(X, y)
    assert metric.distances().shape == (90, 90)
    assert_array_equal(metric.classes_, [0, 1, 2])
    alone = metric_for(posterior=posterior).fit(X[y >= 0], y[y >= 0])
    if posterior is None:
        assert_allclose(metric.distances_among(X[:5]), alone.distances_among(X[:5]))


def test_targets_that_say_nothing_leave_the_euclidean_metric(rng):
    X = rng.standard_normal((300, 4))
    y = rng.standard_normal(300)
    metric = metric_for(posterior=LandmarkRegression(), cross_fit=True, regularisation=1.0)
    distances = metric.fit(X, y).distances()
    if metric.posterior_.slope_ == 0:  # nineteen of twenty times
        assert_allclose(distances, cdist(X, X) / metric._plain.unit, atol=1e-6)
    assert np.corrcoef(distances.ravel(), cdist(X, X).ravel())[0, 1] > 0.9


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "precomputed"}, "kernel='euclidean' instead of 'precomputed'"),
        ({"n_centres": 5}, "need the Parzen posterior"),
        ({"rule": "left"}, "need the Parzen posterior"),
        ({"regularisation": "auto"}, "cross_fit=True, or a number"),
        ({"regularisation": -1.0}, "regularisation"),
        ({"regularisation": np.inf}, "regularisation"),
        ({"posterior": None, "kernel": "precomputed", "regularisation": 1.0}, "regularisation=0"),
    ],
)
def test_contradictions_are_refused(data, parameters, message):
    with pytest.raises(ValueError, match=message):
        metric_for(**parameters).fit(*data)


def test_a_number_has_no_class_posterior(data):
    X, y = data
    metric = metric_for(posterior=LandmarkRegression()).fit(X, y + 0.5)
    with pytest.raises(ValueError, match=r"posterior_\.predict"):
        metric.posterior_at()
