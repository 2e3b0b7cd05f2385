"""FisherMetric: the same distances by every way in, no leak of labels, and clear refusals."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import discrimap.fisher.metric as fisher_metric_module
from discrimap import FisherMetric
from discrimap.fisher import bandwidth, pairs


@pytest.fixture
def data(rng):
    y = np.arange(60) % 3
    X = rng.standard_normal((60, 4)) + y[:, None] * [1, 0.5, 0, 0]
    return X, y


def metric_for(**parameters):
    return FisherMetric(perplexity=10, random_state=0, **parameters)


def test_vectors_similarities_and_distances_give_the_same_distances(data):
    X, y = data
    by_vectors = metric_for().fit(X[:50], y[:50])
    S = X @ X.T
    by_similarities = metric_for(kernel="precomputed").fit(S[:50, :50], y[:50])
    D = np.sqrt(np.maximum(0, np.diag(S)[:, None] + np.diag(S) - 2 * S))
    np.fill_diagonal(D, 0)
    by_distances = metric_for(kernel="precomputed_distance").fit(D[:50, :50], y[:50])
    for other, new in ((by_similarities, S[50:, :50]), (by_distances, D[50:, :50])):
        assert_allclose(other.bandwidth_, by_vectors.bandwidth_)
        assert_allclose(other.distances(), by_vectors.distances(), atol=1e-10)
        assert_allclose(other.distances_to(new), by_vectors.distances_to(X[50:]), atol=1e-10)
        assert_allclose(other.posterior_at(new), by_vectors.posterior_at(X[50:]), atol=1e-10)


@pytest.mark.parametrize("kernel", ["precomputed", "precomputed_distance"])
@pytest.mark.parametrize("correction", ["none", "clip", "flip"])
def test_training_points_given_as_new_ones_are_as_far_as_before(data, rng, kernel, correction):
    X, y = data
    D = np.linalg.norm(X[:, None] - X, axis=2) + 0.5 * rng.random((60, 60))
    np.fill_diagonal(D, 0)
    D = (D + D.T) / 2  # no longer Euclidean
    matrix = D if kernel == "precomputed_distance" else 10 - D**2
    metric = metric_for(kernel=kernel, correction=correction).fit(matrix, y)
    assert 0.01 < metric.negative_share_ < 0.5
    assert_allclose(metric.distances_to(matrix), metric.distances(), atol=1e-8)
    assert_allclose(metric.posterior_at(matrix), metric.posterior_at(), atol=1e-10)


def test_correction_of_a_proper_kernel_changes_nothing(data):
    X, y = data
    S = X @ X.T
    expected = metric_for(kernel="precomputed").fit(S, y)
    assert expected.negative_share_ == pytest.approx(0, abs=1e-12)
    for correction in ("clip", "flip"):
        found = metric_for(kernel="precomputed", correction=correction).fit(S, y)
        assert_allclose(found.distances(), expected.distances(), atol=1e-8)


@pytest.mark.parametrize(
    "parameters",
    [{}, {"cross_fit": True}, {"rule": "left"}, {"n_centres": 20}, {"path": "graph"}],
    ids=str,
)
def test_blocks_and_neighbours_agree_with_the_whole_matrix(data, monkeypatch, parameters):
    X, y = data
    metric = metric_for(**parameters).fit(X[:50], y[:50])
    whole = metric.distances()
    assert_array_equal(whole, whole.T)
    assert_array_equal(np.diag(whole), 0)
    whole_to = metric.distances_to(X[50:])
    monkeypatch.setattr(pairs, "_LARGEST_BLOCK", 16)
    monkeypatch.setattr(pairs, "_CACHED_NUMBERS", 0)
    assert_allclose(metric.distances(), whole, atol=1e-8)
    assert_allclose(metric.distances_to(X[50:]), whole_to, atol=1e-8)

    distances, indices = metric.kneighbors(n_neighbors=7)
    np.fill_diagonal(whole, np.inf)
    assert_allclose(distances, np.sort(whole, axis=1)[:, :7], atol=1e-8)
    assert_allclose(np.take_along_axis(whole, indices, axis=1), distances, atol=1e-8)
    distances, indices = metric.kneighbors(X[50:], n_neighbors=7)
    assert_allclose(distances, np.sort(whole_to, axis=1)[:, :7], atol=1e-8)
    assert_allclose(np.take_along_axis(whole_to, indices, axis=1), distances, atol=1e-8)


def test_cross_fitted_distances_owe_nothing_to_the_labels_of_their_ends(data, monkeypatch):
    X, y = data
    folds = np.arange(60) // 3 % 5
    monkeypatch.setattr(fisher_metric_module, "cross_fit_folds", lambda *args: folds)
    changed = y.copy()
    changed[7] = (y[7] + 1) % 3

    def distances(labels, cross_fit):
        metric = metric_for(bandwidth=1.0, cross_fit=cross_fit, n_folds=5).fit(X, labels)
        return metric.distances(), metric.posterior_at()

    (before, posterior_before), (after, posterior_after) = (
        distances(labels, True) for labels in (y, changed)
    )
    assert_array_equal(before[7], after[7])
    assert_array_equal(posterior_before[7], posterior_after[7])
    others = folds != folds[7]
    assert np.abs(before - after)[np.ix_(others, others)].max() > 1e-3
    leaky = [distances(labels, False)[0] for labels in (y, changed)]
    assert np.abs(leaky[0] - leaky[1])[7].max() > 1e-3


def test_distances_among_points_of_any_kind(data):
    X, y = data
    metric = metric_for().fit(X[:50], y[:50])
    among = metric.distances_among(X)
    assert_allclose(among[:50, :50], metric.distances(), atol=1e-8)
    assert_allclose(among[50:, :50], metric.distances_to(X[50:]), atol=1e-8)
    assert_array_equal(among, among.T)


def test_cross_fitted_centres_come_from_the_other_folds(data):
    X, y = data
    metric = metric_for(cross_fit=True, n_centres=30, n_folds=5).fit(X, y)
    assert set(np.bincount(metric.folds_)) == {12}
    assert 25 <= metric.n_centres_ <= 35
    assert np.isfinite(metric.distances()).all()


def test_centres_approach_the_full_metric(data):
    X, y = data
    full = metric_for().fit(X, y).distances()
    few = metric_for(n_centres=30).fit(X, y).distances()
    assert np.corrcoef(full.ravel(), few.ravel())[0, 1] > 0.9
    assert_allclose(metric_for(n_centres=60).fit(X, y).distances(), full)


def test_medoids_of_a_matrix_approach_the_full_metric(data):
    X, y = data
    D = np.linalg.norm(X[:, None] - X, axis=2)
    full = metric_for(kernel="precomputed_distance").fit(D[:50, :50], y[:50])
    few = metric_for(kernel="precomputed_distance", n_centres=25).fit(D[:50, :50], y[:50])
    assert 22 <= few.n_centres_ <= 28
    assert np.corrcoef(full.distances().ravel(), few.distances().ravel())[0, 1] > 0.8
    to_full, to_few = (metric.distances_to(D[50:, :50]) for metric in (full, few))
    assert np.corrcoef(to_full.ravel(), to_few.ravel())[0, 1] > 0.8


def test_a_shifted_spectrum_gives_real_distances(data, rng):
    X, y = data
    noise = rng.standard_normal((60, 60))
    S = X @ X.T + noise + noise.T + 10 * np.eye(60)
    metric = metric_for(kernel="precomputed", correction="shift").fit(S, y)
    assert metric.negative_share_ > 0.01
    # Euclidean again: a second correction finds nothing to do.
    smallest = np.linalg.eigvalsh(S)[0]
    shifted = S - smallest * np.eye(60)
    expected = metric_for(kernel="precomputed").fit(shifted, y)
    assert_allclose(metric.distances(), expected.distances(), atol=1e-8)
    assert np.isfinite(metric.distances_to(S[:5])).all()


def test_class_names_and_order_of_samples_do_not_matter(data, rng):
    X, y = data
    expected = metric_for().fit(X, y).distances()
    named = metric_for().fit(X, np.array(["c", "a", "b"])[y])
    assert list(named.classes_) == ["a", "b", "c"]
    assert_allclose(named.distances(), expected, atol=1e-10)
    order = rng.permutation(60)
    moved = metric_for().fit(X[order], y[order]).distances()
    assert_allclose(moved, expected[np.ix_(order, order)], atol=1e-10)


def test_a_shifted_and_rotated_space_has_the_same_distances(data, rng):
    X, y = data
    rotation = np.linalg.qr(rng.standard_normal((4, 4)))[0]
    expected = metric_for().fit(X, y).distances()
    assert_allclose(metric_for().fit(X @ rotation + 1e4, y).distances(), expected, atol=1e-6)


def test_a_direction_without_classes_does_not_count(rng):
    # Two clusters far apart in a feature that tells nothing, the classes close by in another.
    y, cluster = np.arange(120) % 2, np.arange(120) // 60
    X = np.column_stack([8.0 * cluster, 2.0 * y]) + 0.3 * rng.standard_normal((120, 2))
    distances = FisherMetric().fit(X, y).distances()
    same_class, same_cluster = y[:, None] == y, cluster[:, None] == cluster
    across_clusters = distances[same_class & ~same_cluster].mean()
    assert (
        distances[~same_class & same_cluster].mean() > 2 * across_clusters
    )  # a quarter in the plain metric


def test_float32_is_worked_in_float32(data):
    X, y = data
    metric = metric_for().fit(X.astype(np.float32), y)
    assert metric.distances().dtype == metric.distances_to(X).dtype == np.float32
    assert metric.posterior_at(X).dtype == np.float32
    assert_allclose(metric.distances(), metric_for().fit(X, y).distances(), rtol=1e-4, atol=1e-4)


def test_the_graph_path_goes_round_a_class_that_the_straight_one_crosses(rng):
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    ring = 3 * np.column_stack([np.cos(angle), np.sin(angle)])
    X = np.r_[ring, 0.3 * rng.standard_normal((20, 2))]
    y = np.repeat([0, 1], [40, 20])
    straight = FisherMetric(bandwidth=0.7, perplexity=10).fit(X, y)
    graph = clone(straight).set_params(path="graph", n_neighbors=4).fit(X, y)
    assert (graph.distances() <= straight.distances() + 1e-12).all()
    opposite = np.arange(20), np.arange(20) + 20
    assert straight.distances()[opposite].min() > 5  # there and back on the circle: near 2 pi
    assert graph.distances()[opposite].max() < 1
    new = X[:5] * 1.05
    assert straight.distances_to(new)[0, 20] > 5
    assert graph.distances_to(new)[0, 20] < 1


class _ParzenClassifier(BaseEstimator):
    def __init__(self, metric):
        self.metric = metric
        self.classes_ = metric.classes_

    def predict_proba(self, X):
        return self.metric.posterior_at(X)


def test_a_classifier_with_the_parzen_posterior_gives_the_parzen_distances(data):
    X, y = data
    parzen = metric_for().fit(X, y)
    seen = FisherMetric(posterior=_ParzenClassifier(parzen)).fit(X[:20], y[:20])
    assert_allclose(seen.distances(), parzen.distances()[:20, :20], atol=1e-8)
    assert_allclose(seen.posterior_at(X), parzen.posterior_at(X))
    assert_allclose(seen.information(X[:3]), parzen.information(X[:3]), rtol=1e-5, atol=1e-8)
    assert_allclose(seen.distances_to(X[30:35]), parzen.distances()[30:35, :20], atol=1e-8)


def test_a_logistic_classifier_has_the_length_worked_out_by_hand(data):
    X, y = data
    classifier = LogisticRegression().fit(X, y == 0)
    theta = np.arcsin(np.sqrt(classifier.predict_proba(X)[:, 1]))
    metric = FisherMetric(posterior=classifier).fit(X, y)
    assert list(metric.classes_) == [False, True]
    assert_allclose(metric.distances(), 2 * np.abs(theta[:, None] - theta), atol=1e-7)


def test_cloning_keeps_the_classifier_fitted(data):
    X, y = data
    classifier = DecisionTreeClassifier(random_state=0).fit(X, y)
    copied = clone(FisherMetric(posterior=classifier, n_steps=3))
    assert copied.get_params()["posterior"] is classifier
    assert copied.n_steps == 3
    assert "posterior=DecisionTree" in repr(copied)


def test_information_of_one_point_is_a_matrix(data):
    X, y = data
    metric = metric_for().fit(X, y)
    assert metric.information(X[0]).shape == (4, 4)
    assert_allclose(metric.information(X[:2])[0], metric.information(X[0]))
    named = pd.DataFrame(X, columns=list("abcd"))
    found = metric_for().fit(named, y).information(named[:2])
    assert_allclose(found, metric.information(X[:2]))


def test_likelihood_and_numbers_as_bandwidth(data):
    X, y = data
    assert metric_for(bandwidth=0.8).fit(X, y).bandwidth_ == 0.8
    likely = metric_for(bandwidth="likelihood").fit(X, y)
    assert 0 < likely.bandwidth_ <= 2 * likely.perplexity_bandwidth_


def test_the_likelihood_bandwidth_of_noise_stops_at_twice_the_perplexity_width(rng):
    # A sample of every class at each place: no width tells anything, random labels might.
    X, y = np.repeat(rng.standard_normal((20, 4)), 3, axis=0), np.tile([0, 1, 2], 20)
    noise = metric_for(bandwidth="likelihood").fit(X, y)
    assert noise.bandwidth_ == pytest.approx(2 * noise.perplexity_bandwidth_)


def test_a_wide_bandwidth_warns(data):
    X, y = data
    with pytest.warns(UserWarning, match="more than twice the perplexity bandwidth"):
        metric_for(bandwidth=50).fit(X, y)


def test_many_samples_use_a_sample_of_them_for_the_bandwidth(data, monkeypatch):
    X, y = data
    exact = metric_for().fit(X, y).bandwidth_
    monkeypatch.setattr(bandwidth, "MOST_ROWS", 30)
    assert metric_for().fit(X, y).bandwidth_ == pytest.approx(exact, rel=0.2)
    assert metric_for().fit(X, y).bandwidth_ != exact


def test_nothing_that_is_passed_in_is_changed(data):
    X, y = data
    S = X @ X.T
    for matrix, kernel in ((X, "euclidean"), (S, "precomputed")):
        before, labels = matrix.copy(), y.copy()
        metric = metric_for(kernel=kernel).fit(matrix, y)
        metric.distances()
        metric.distances_to(matrix)
        metric.kneighbors(n_neighbors=3)
        metric.posterior_at(matrix)
        assert_array_equal(matrix, before)
        assert_array_equal(y, labels)


def test_an_asymmetric_matrix_is_made_symmetric_with_a_warning(data):
    X, y = data
    S = X @ X.T
    skewed = S.copy()
    skewed[0, 1] += 0.2
    with pytest.warns(UserWarning, match=r"not symmetric: entries differ by up to 0\.2"):
        found = metric_for(kernel="precomputed").fit(skewed, y)
    S[0, 1] = S[1, 0] = S[0, 1] + 0.1
    assert_allclose(found.distances(), metric_for(kernel="precomputed").fit(S, y).distances())


def test_rounding_of_a_symmetric_matrix_is_levelled_without_a_warning(data):
    X, y = data
    S = X @ X.T
    rounded = S.copy()
    rounded[0, 1] += 1e-9 * np.abs(S).max()
    found = metric_for(kernel="precomputed").fit(rounded, y)
    expected = metric_for(kernel="precomputed").fit(S, y)
    assert_allclose(found.distances(), expected.distances(), atol=1e-6)


def test_a_perplexity_above_a_third_of_the_samples_is_lowered_with_a_warning(data):
    X, y = data
    with pytest.warns(UserWarning, match=r"perplexity=30 exceeds a third of the 59 other"):
        lowered = FisherMetric().fit(X, y)
    assert lowered.bandwidth_ == FisherMetric(perplexity=59 / 3).fit(X, y).bandwidth_


def test_duplicates_with_different_labels_are_at_distance_zero(data):
    X, y = data
    X = np.r_[X, X[:1]]
    y = np.r_[y, (y[0] + 1) % 3]
    for matrix, kernel in ((X, "euclidean"), (X @ X.T, "precomputed")):
        distances = metric_for(kernel=kernel).fit(matrix, y).distances()
        assert distances[0, 60] == pytest.approx(0, abs=1e-6)
        assert np.isfinite(distances).all()


S = np.eye(6) + 1
D = 1 - np.eye(6)
LABELS = [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("parameters", "X", "message"),
    [
        ({"kernel": "precomputed"}, S[:, :4], r"square matrix of similarities.*\(6, 4\)"),
        ({"kernel": "precomputed_distance"}, D[:, :4], r"square matrix of distances.*\(6, 4\)"),
        ({"kernel": "precomputed"}, D, "looks like distances"),
        ({"kernel": "precomputed"}, -D, "looks like negated distances"),
        ({"kernel": "precomputed"}, S - 3, r"X\[0, 0\] = -1 is negative"),
        ({"kernel": "precomputed_distance"}, S, "looks like similarities"),
        ({"kernel": "precomputed_distance"}, -D, "negative distances"),
        ({"kernel": "precomputed"}, np.where(S > 1, np.nan, S), "NaN"),
        ({"kernel": "precomputed_distance"}, np.where(D > 0, np.nan, D), "NaN"),
        ({}, np.where(S > 1, np.nan, S), "NaN"),
        ({}, np.where(S > 1, np.inf, S), "infinity"),
        ({"bandwidth": 0}, S, "bandwidth"),
        ({"bandwidth": -1.0}, S, "bandwidth"),
        ({"bandwidth": np.nan}, S, "bandwidth"),
        ({"bandwidth": np.inf}, S, "bandwidth"),
        ({"perplexity": np.nan}, S, "perplexity"),
        ({"n_steps": 0}, S, "n_steps"),
        ({"kernel": "rbf"}, S, "kernel"),
        ({"cross_fit": True, "n_folds": 2}, S, "needs at least 3"),
        ({"perplexity": 1.5}, np.ones((6, 2)), "bandwidth is zero"),
    ],
)
def test_bad_input_is_refused_in_words(parameters, X, message):
    with pytest.raises(ValueError, match=message):
        FisherMetric(**{"perplexity": 1.6, **parameters}).fit(X, LABELS)


def test_labels_of_another_length_or_of_one_class_are_refused():
    with pytest.raises(ValueError, match=r"\[6, 5\]"):
        FisherMetric(perplexity=1.6).fit(S, LABELS[:5])
    with pytest.raises(ValueError, match="one class"):
        FisherMetric(perplexity=1.6).fit(S, np.zeros(6))


def test_a_classifier_is_refused_where_it_means_nothing(data):
    X, y = data
    classifier = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match="must be feature vectors"):
        FisherMetric(posterior=classifier, kernel="precomputed").fit(X @ X.T, y)
    with pytest.raises(ValueError, match="need the Parzen posterior"):
        FisherMetric(posterior=classifier, cross_fit=True).fit(X, y)
    with pytest.raises(ValueError, match="posterior"):
        FisherMetric(posterior="svm").fit(X, y)
    with pytest.raises(ValueError, match=r"posterior=LogisticRegression.* is not fitted"):
        FisherMetric(posterior=LogisticRegression()).fit(X, y)


def test_queries_are_checked(data):
    X, y = data
    metric = metric_for().fit(X, y)
    with pytest.raises(ValueError, match="n_neighbors=60 must lie between 1 and 59"):
        metric.kneighbors(n_neighbors=60)
    with pytest.raises(ValueError, match="5 features"):
        metric.distances_to(np.ones((2, 5)))
    with pytest.raises(ValueError, match="NaN"):
        metric.distances_to(np.full((2, 4), np.nan))
    with pytest.raises(ValueError, match="information needs feature vectors"):
        metric_for(kernel="precomputed").fit(X @ X.T, y).information(X[0])
