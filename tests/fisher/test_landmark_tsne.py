"""FisherTSNE of landmark metrics: the rule for them, honest maps, new, unlabelled, sparse samples."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist

from discrimap import FisherMetric, FisherTSNE, LandmarkPosterior, LandmarkRegression
from discrimap.fisher.map_settings import LANDMARKS
from discrimap.fisher.placing import PLACING_NEIGHBORS, place_among
from discrimap.fisher.sparse_reduction import N_COORDINATES, fit_sparse_reduction
from discrimap.metrics import knn_error, leave_one_out_error


@pytest.fixture
def data(rng):
    y = np.arange(300) % 3
    X = rng.standard_normal((300, 5))
    X[:, 0] += 3 * y
    return X, y


def tsne_for(**parameters):
    return FisherTSNE(**{"max_iter": 60, "random_state": 0, **parameters})


def landmarks_for(**parameters):
    model = LandmarkPosterior(n_landmarks=50)
    return FisherMetric(**{"posterior": model, "cross_fit": True, **parameters})


@pytest.mark.parametrize(
    ("n_samples", "n_unlabelled", "kernel", "expected"),
    [
        (200, 0, None, LandmarkPosterior),
        (199, 0, None, type(None)),
        (250, 50, None, LandmarkPosterior),
        (250, 51, None, type(None)),
        (200, 0, "precomputed", type(None)),
    ],
)
def test_the_default_metric(data, n_samples, n_unlabelled, kernel, expected):
    X, y = data[0][:n_samples], data[1][:n_samples].copy()
    y[:n_unlabelled] = -1
    tsne = tsne_for(max_iter=2, kernel=kernel).fit(X @ X.T if kernel else X, y)
    metric = tsne.metric_
    assert type(metric.posterior) is expected
    assert metric.cross_fit == (expected is LandmarkPosterior)
    assert tsne.perplexity_ == (10 if metric.cross_fit else 30)


def test_the_number_of_iterations(data):
    X, y = data
    assert FisherTSNE(random_state=0).fit(X, y).n_iter_ == 180
    assert [LANDMARKS.iterations(n) for n in (10_000, 10_001)] == [180, 360]
    assert FisherTSNE(random_state=0).fit(X[:150], y[:150]).n_iter_ == 750


def test_a_continuous_target_has_a_landmark_metric_at_any_size(data):
    X, y = data
    tsne = tsne_for(max_iter=2).fit(X[:50], y[:50] + 0.5)
    assert isinstance(tsne.metric_.posterior_, LandmarkRegression)
    assert tsne.target_ == "continuous"
    assert not hasattr(tsne, "classes_")


def test_maps_of_training_points_are_as_good_as_those_of_new_ones(rng):
    # The difference of one data set has a standard deviation of 0.04 over seeds, and a mean of zero.
    differences = []
    for _ in range(4):
        y = np.arange(800) % 3
        X = rng.standard_normal((800, 5))
        X[:, 0] += 1.5 * y
        tsne = tsne_for(metric=landmarks_for(regularisation=1.0)).fit(X[:400], y[:400])
        apparent = leave_one_out_error(tsne.embedding_, y[:400], n_neighbors=5)
        held_out = knn_error(tsne.embedding_, y[:400], tsne.transform(X[400:]), y[400:])
        assert held_out < 0.45
        differences.append(held_out - apparent)
    assert abs(np.mean(differences)) < 0.1


def test_maps_of_permuted_labels_are_at_chance():
    errors = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal((300, 8)), rng.permutation(np.arange(300) % 2)
        positions = tsne_for(metric=landmarks_for(regularisation="auto")).fit_transform(X, y)
        errors.append(leave_one_out_error(positions, y, n_neighbors=5))
    assert abs(np.mean(errors) - 0.5) < 0.06


def test_new_points_are_placed_beside_one_of_their_neighbours_each_for_itself(data):
    X, y = data
    tsne = tsne_for().fit(X[:250], y[:250])
    placed = tsne.transform(X[250:])
    _, indices = tsne.metric_.kneighbors(X[250:], n_neighbors=PLACING_NEIGHBORS)
    in_map = cdist(placed, tsne.embedding_).argmin(axis=1)
    assert (indices == in_map[:, None]).any(axis=1).all()
    one_by_one = np.concatenate([tsne.transform(X[k : k + 1]) for k in range(250, 260)])
    assert_allclose(placed[:10], one_by_one, atol=1e-8)
    assert_array_equal(tsne.transform(X[:20]), tsne.embedding_[:20])


def test_new_points_are_placed_where_most_neighbours_are(rng):
    # The nearest neighbour, sample 0, is far from all others in the map.
    positions = np.vstack([[[60.0, 0.0]], rng.uniform(-1, 1, (40, 2))])
    indices, distances = np.arange(10)[None], np.linspace(1, 1.2, 10)[None]
    placed = place_among(positions, distances, indices, n_jobs=1)
    assert np.abs(placed).max() < 1.5
    # Alone with one of the others, it is the nearest of two equals.
    placed = place_among(positions, distances[:, :2], indices[:, :2], n_jobs=1)
    assert placed[0, 0] > 30


def test_new_points_keep_to_the_side_of_their_neighbours():
    positions = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [-3.0, 0.0]])
    distances = np.array([[1.0, 1.0], [1.0, 1.0]])
    placed = place_among(positions, distances, np.array([[0, 1], [0, 3]]), n_jobs=1)
    # Towards the mean with the second neighbour, at most 0.4 of the gap of 1 around the first.
    assert_allclose(placed, [[0.4, 0], [-0.4, 0]])


def test_a_map_of_coinciding_samples_takes_new_points():
    positions = np.zeros((40, 2))
    placed = place_among(positions, np.ones((3, 5)), np.arange(35, 40)[None].repeat(3, 0), n_jobs=1)
    assert_array_equal(placed, np.zeros((3, 2)))


def test_unlabelled_samples_are_in_the_map_with_their_class(data):
    X, y = data
    names = np.array(["a", "b", "c"])[y].astype(object)
    hidden = np.arange(300) % 4 == 0
    names[hidden] = -1
    tsne = tsne_for(metric=landmarks_for(regularisation=1.0)).fit(X, names)
    assert list(tsne.classes_) == ["a", "b", "c"]
    assert tsne.embedding_.shape == (300, 2)
    positions = tsne.embedding_
    assert knn_error(positions[~hidden], y[~hidden], positions[hidden], y[hidden]) < 0.3
    assert 0 <= tsne.held_out_error_ < 0.4


def test_sparse_samples_have_the_map_of_dense_ones(data, rng):
    X, y = data
    X = np.where(np.abs(X) > 0.5, X, 0)
    tsne = tsne_for().fit(sparse.csr_array(X), y)
    assert tsne._X.shape == (300, 5)
    assert_allclose(cdist(tsne._X, tsne._X), cdist(X, X), atol=1e-9)
    for again in (sparse.csr_array(X), X):
        # A new sample lies beside its nearest ones in the metric; between two that are almost equally
        # near, the rounding of the coordinates decides.
        is_same = np.isclose(tsne.transform(again), tsne.embedding_).all(axis=1)
        assert is_same.mean() > 0.98


def test_wide_sparse_samples_are_reduced(rng):
    # random_state: the oldest SciPy has no argument rng.
    X = sparse.random_array((260, 5000), density=0.01, random_state=rng, format="csr")
    reduction = fit_sparse_reduction(X, np.random.RandomState(0))
    assert reduction.axes.shape == (5000, N_COORDINATES)
    few = fit_sparse_reduction(X[:50], np.random.RandomState(0))
    dense = X[:50].toarray()
    assert_allclose(cdist(*2 * [few.apply(X[:50])]), cdist(dense, dense), atol=1e-8)
    assert fit_sparse_reduction(dense, None) is None


def test_a_continuous_target_orders_the_map(rng):
    X = rng.standard_normal((400, 6))
    y = X[:, 0] + 0.1 * rng.standard_normal(400)
    y[::5] = np.nan
    tsne = tsne_for(max_iter=120).fit(X, y)
    assert tsne.held_out_error_ < 0.5
    noise = tsne_for(max_iter=120).fit(X, rng.permutation(y))
    assert noise.held_out_error_ > 0.75


def test_float32_stays_and_seeds_repeat(data):
    X, y = data[0].astype(np.float32), data[1]
    one, two = tsne_for().fit(X, y), tsne_for().fit(X, y)
    assert one.embedding_.dtype == one.transform(X + 1).dtype == np.float32
    assert_array_equal(one.embedding_, two.embedding_)
    assert_array_equal(one.transform(X + 1), two.transform(X + 1))


@pytest.mark.parametrize("n_components", [1, 3])
def test_one_and_three_dimensions(data, n_components):
    X, y = data
    tsne = tsne_for(n_components=n_components).fit(X, y)
    assert tsne.transform(X[:4] + 0.1).shape == (4, n_components)


def test_callbacks_and_progress_are_as_with_the_exact_metric(data, capsys):
    seen = []
    tsne = tsne_for(verbose=1, callback=lambda step: seen.append(step.n_iter) or step.n_iter >= 20)
    assert tsne.fit(*data).n_iter_ == 20
    assert seen == [10, 20]
    assert "distances of 300 points" in capsys.readouterr().err


def test_a_metric_for_the_other_kind_of_target_is_refused(data):
    X, y = data
    with pytest.raises(ValueError, match="the target is continuous"):
        tsne_for(metric=landmarks_for()).fit(X, y + 0.5)
    with pytest.raises(ValueError, match="the target is classes"):
        tsne_for(metric=FisherMetric(posterior=LandmarkRegression())).fit(X, y)
