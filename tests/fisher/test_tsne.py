"""FisherTSNE: maps, new points, honest errors, progress and refusals."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from discrimap import FisherMetric, FisherTSNE
from discrimap.fisher.first_positions import first_positions
from discrimap.metrics import knn_error, leave_one_out_error


@pytest.fixture
def data(rng):
    y = np.arange(90) % 3
    X = rng.standard_normal((90, 5))
    X[:, 0] += 3 * y
    return X, y


def tsne_for(**parameters):
    return FisherTSNE(**{"perplexity": 10, "max_iter": 150, "random_state": 0, **parameters})


def test_new_points_land_among_their_class(data):
    X, y = data
    tsne = tsne_for().fit(X[:60], y[:60])
    placed = tsne.transform(X[60:])
    assert knn_error(tsne.embedding_, y[:60], placed, y[60:], n_neighbors=1) < 0.3
    one_by_one = np.concatenate([tsne.transform(X[k : k + 1]) for k in range(60, 70)])
    assert_allclose(placed[:10], one_by_one, atol=1e-10)


def test_training_points_keep_their_places(data):
    X, y = data
    tsne = tsne_for()
    positions = tsne.fit_transform(X, y)
    assert_array_equal(positions, tsne.embedding_)
    assert_array_equal(tsne.transform(X[::-1]), positions[::-1])
    before = tsne.embedding_.copy()
    tsne.transform(X + 0.1)
    assert_array_equal(tsne.embedding_, before)


@pytest.mark.parametrize("kernel", ["precomputed", "precomputed_distance"])
def test_similarities_and_distances_alone_make_the_same_map(data, kernel):
    X, y = data
    squared = ((X[:, None] - X) ** 2).sum(axis=2)
    matrix = X @ X.T if kernel == "precomputed" else np.sqrt(squared)
    tsne = tsne_for(kernel=kernel).fit(matrix[:60, :60], y[:60])
    assert tsne.metric_.kernel == kernel
    expected = tsne_for().fit(X[:60], y[:60])
    assert_allclose(tsne.metric_.distances(), expected.metric_.distances(), atol=1e-8)
    # The three ways to the distances round differently, which must not reach the map.
    assert_allclose(tsne.embedding_, expected.embedding_)
    assert_allclose(tsne.transform(matrix[60:, :60]), expected.transform(X[60:]))
    assert tsne.held_out_error_ == expected.held_out_error_
    assert tsne.__sklearn_tags__().input_tags.pairwise


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rounding_errors_do_not_reach_the_map(n_classes, rng):
    # With two classes the second direction of the posteriors is nothing but rounding errors.
    y = np.arange(90) % n_classes
    X = rng.standard_normal((90, 5)) + y[:, None]
    tsne = tsne_for(max_iter=750)
    expected = tsne.fit_transform(X, y)
    assert_array_equal(
        tsne.fit_transform(X * (1 + 1e-15 * rng.standard_normal(X.shape)), y), expected
    )


def test_no_two_points_start_at_the_same_place():
    # Many points of the same posterior: only the noise of the start parts them.
    places = np.eye(3)[np.arange(3000) % 3]
    start = first_positions(places, (3000, 2), np.random.RandomState(0))
    assert len(np.unique(start, axis=0)) == 3000


def test_held_out_error_shows_what_the_training_error_hides(rng):
    X = rng.standard_normal((90, 30))
    y = np.arange(90) % 3  # nothing to find
    tsne = tsne_for(max_iter=300, metric=FisherMetric(bandwidth=1.0, perplexity=10)).fit(X, y)
    assert leave_one_out_error(tsne.embedding_, y, n_neighbors=1) < 0.25
    assert tsne.held_out_error_ > 0.4


def test_the_cross_fitted_map_of_permuted_labels_is_at_chance():
    def error(seed, *, cross_fit):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal((60, 8)), rng.permutation(np.arange(60) % 2)
        metric = FisherMetric(perplexity=10, cross_fit=cross_fit)
        tsne = tsne_for(metric=metric, max_iter=100, random_state=seed)
        return leave_one_out_error(tsne.fit_transform(X, y), y, n_neighbors=1)

    chance = 30 / 59  # of the others, one more is of the other class
    assert abs(np.mean([error(seed, cross_fit=True) for seed in range(8)]) - chance) < 0.08
    assert error(0, cross_fit=False) < 0.2


def test_new_proteins_of_small_classes_land_with_them(research_data):
    # At the perplexity width only their own labels keep training points of small classes together.
    protein = research_data("protein")
    D, y = protein.extras["D"], protein.y
    errors = {}
    for name, metric in (("default", None), ("paper", FisherMetric(random_state=0))):
        tsne = FisherTSNE(kernel="precomputed_distance", metric=metric, random_state=0)
        train, test = train_test_split(np.arange(len(y)), stratify=y, random_state=200)
        tsne.fit(D[np.ix_(train, train)], y[train])
        placed = tsne.transform(D[np.ix_(test, train)])
        errors[name] = knn_error(tsne.embedding_, y[train], placed, y[test], n_neighbors=1)
    assert errors["default"] < errors["paper"]
    assert errors["default"] < 0.03


def test_the_map_of_what_a_classifier_sees(data):
    X, y = data
    classifier = LogisticRegression().fit(X, y)
    tsne = tsne_for(metric=FisherMetric(posterior=classifier, n_steps=2)).fit(X[:40], y[:40])
    assert tsne.transform(X[40:45]).shape == (5, 2)


def test_the_same_seed_gives_the_same_map(data):
    X, y = data
    assert_array_equal(tsne_for().fit_transform(X, y), tsne_for().fit_transform(X, y))
    assert_array_equal(
        tsne_for().fit(X, y).transform(X + 0.1), tsne_for().fit(X, y).transform(X + 0.1)
    )
    other = tsne_for(init="random", random_state=1).fit_transform(X, y)
    assert np.abs(other - tsne_for(init="random").fit_transform(X, y)).max() > 1


def test_progress_goes_to_stderr_and_a_callback_can_stop(data, capsys):
    X, y = data
    seen = []

    def stop_at_30(step):
        seen.append((step.n_iter, step.value, step.params.shape))
        return step.n_iter >= 30

    tsne = tsne_for(verbose=2, callback=stop_at_30).fit(X, y)
    assert [n_iter for n_iter, _, _ in seen] == [10, 20, 30]
    assert seen[0][2] == (90, 2)
    assert tsne.n_iter_ == 30
    assert tsne.loss_curve_ == [value for _, value, _ in seen]
    out, err = capsys.readouterr()
    assert not out
    assert "FisherTSNE: iteration 20, divergence" in err
    tsne_for().fit(X, y)
    assert capsys.readouterr() == ("", "")


def test_the_divergence_falls_and_is_kept(data):
    X, y = data
    tsne = tsne_for().fit(X, y)
    assert tsne.n_iter_ == 150
    assert len(tsne.loss_curve_) == 15
    assert tsne.objective_ == pytest.approx(tsne.loss_curve_[-1], rel=0.05)
    assert tsne.objective_ < tsne.loss_curve_[5]


@pytest.mark.parametrize("n_components", [1, 3])
def test_one_and_three_dimensions(data, n_components):
    X, y = data
    tsne = tsne_for(n_components=n_components).fit(X, y)
    assert tsne.embedding_.shape == (90, n_components)
    assert tsne.transform(X[:4] + 0.1).shape == (4, n_components)
    assert (tsne.embedding_.std(axis=0) > 0.01).all()


def test_input_is_not_changed(data):
    X, y = data
    before, labels = X.copy(), y.copy()
    tsne_for().fit(X, y).transform(X)
    assert_array_equal(X, before)
    assert_array_equal(y, labels)


def test_a_large_perplexity_is_lowered_once_with_a_warning(data):
    X, y = data
    with pytest.warns(UserWarning, match="perplexity=40 exceeds a third") as record:
        tsne = tsne_for(perplexity=40).fit(X, y)
    assert len(record) == 1
    assert tsne.perplexity_ == pytest.approx(89 / 3)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 4}, "n_components=4 exceeds"),
        ({"n_components": 0}, "n_components"),
        ({"perplexity": 0.5}, "perplexity"),
        ({"perplexity": np.nan}, "perplexity"),
        ({"kernel": "rbf"}, "kernel"),
        ({"kernel": "precomputed"}, "square matrix of similarities"),
        ({"init": "pca"}, "init"),
        ({"metric": "euclidean"}, "metric"),
    ],
)
def test_bad_parameters_are_refused(data, parameters, message):
    with pytest.raises(ValueError, match=message):
        tsne_for(**parameters).fit(*data)


def test_samples_so_far_away_that_distances_overflow_are_refused(data):
    """OpenTSNE would write beyond its memory and end the process."""
    X, y = data
    tsne = tsne_for().fit(X, y)
    with (
        np.errstate(all="ignore"),
        pytest.raises(ValueError, match="2 of 3 samples, first sample 1"),
    ):
        tsne.transform(np.vstack([X[:1] + 0.1, X[:2] * 1e300]))
