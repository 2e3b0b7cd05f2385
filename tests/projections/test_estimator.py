import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import linalg, sparse
from scipy.stats import spearmanr
from sklearn.datasets import load_iris, load_wine, make_blobs
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.preprocessing import scale

from discrimap import DiscriminativeProjections
from discrimap.linalg import reductions
from discrimap.linalg.graphs import laplacian, neighbor_graph
from discrimap.linalg.reductions import Reduction
from discrimap.projections.estimator import auto_spread


def angle_in_degrees(first, second):
    """Largest angle of the spaces of two estimators."""
    angles = linalg.subspace_angles(first.components_.T, second.components_.T)
    return np.degrees(angles[0])


@pytest.fixture
def text_like(rng):
    """Sparse counts, more words than documents, three topics, two thirds unlabelled."""
    topics = rng.gamma(0.3, size=(3, 500))
    y = rng.integers(0, 3, 150)
    counts = rng.poisson(60 * topics[y] / topics[y].sum(axis=1, keepdims=True))
    labels = np.where(np.arange(150) % 3 == 0, y, -1)
    return sparse.csr_array(np.log1p(counts)), y, labels


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_without_the_graph_the_space_is_that_of_lda(load):
    X, y = load(return_X_y=True)
    ours = DiscriminativeProjections(2, mu=1e-12, ridge=1e-14).fit(scale(X), y)
    lda = LinearDiscriminantAnalysis(solver="eigen").fit(scale(X), y)
    assert linalg.subspace_angles(ours.components_.T, lda.scalings_[:, :2])[0] < 1e-4


@pytest.mark.parametrize("counts", [(500, 5), (100, 90), (300, 100, 30, 10, 5)])
@pytest.mark.parametrize("distance", [4.0, 1.0])
def test_rare_and_close_classes_also_have_the_space_of_lda(rng, counts, distance):
    """The useless direction is taken out, not one that tells a rare class apart."""
    y = np.repeat(np.arange(len(counts)), counts)
    X = rng.standard_normal((len(y), 6)) + distance * rng.standard_normal((len(counts), 6))[y]
    n_components = len(counts) - 1
    ours = DiscriminativeProjections(n_components, mu=1e-12, ridge=1e-14).fit(X, y)
    lda = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    expected = lda.scalings_[:, :n_components]
    assert linalg.subspace_angles(ours.components_.T, expected)[0] < 1e-4
    assert ours.eigenvalues_.max() < 1 / len(counts)


def test_equal_classes_lose_exactly_the_useless_direction(rng):
    """At lambda = 1/C exactly, also where weak classes lie beyond it and with spread."""
    y = np.arange(120) % 4
    X = rng.standard_normal((120, 5)) + 0.2 * y[:, None]
    for spread in (0.0, 20.0):
        fitted = DiscriminativeProjections(5, spread=spread, mu=1.0).fit(X, y)
        assert np.abs(fitted.eigenvalues_ - 0.25).min() > 1e-6
        assert linalg.norm(fitted.components_, axis=1).min() > 1e-3


def test_directions_are_those_of_the_printed_problem(rng):
    """Section 2.4 as printed, solved by LAPACK, with the useless eigenvector taken out by hand."""
    X, y = load_wine(return_X_y=True)
    X = scale(X) + 2.0
    is_labelled = rng.random(len(y)) < 0.6
    labelled, onehot = X[is_labelled], np.eye(3)[y[is_labelled]]
    weights = neighbor_graph(X, n_neighbors=8)
    mu = is_labelled.sum() / weights.sum()
    ones = np.ones_like(onehot)
    A = np.block(
        [[labelled.T @ labelled, -labelled.T @ onehot], [-onehot.T @ labelled, onehot.T @ onehot]]
    )
    B = np.block(
        [
            [3 * labelled.T @ labelled, -labelled.T @ ones],
            [-ones.T @ labelled, len(labelled) * np.eye(3)],
        ]
    )
    C = linalg.block_diag(mu * X.T @ laplacian(weights).toarray() @ X, np.zeros((3, 3)))
    values, vectors = linalg.eigh(A + C, B + C)
    # The useless eigenvector is told by its eigenvalue, 1/C. Its f need not be the shortest: X is
    # not centred, so g follows f, and the length of f depends on which samples have labels.
    useless = np.abs(values - 1 / 3).argmin()
    assert np.sum(np.abs(values - 1 / 3) < 0.02) == 1
    kept = np.delete(np.arange(8), useless)[:6]

    ours = DiscriminativeProjections(6, ridge=0, spread=0, n_neighbors=8)
    ours.fit(X, np.where(is_labelled, y, -1))
    assert_allclose(ours.eigenvalues_, values[kept], rtol=1e-8)
    for component, expected in zip(ours.components_, vectors[:13, kept].T, strict=True):
        cosine = component @ expected / linalg.norm(component) / linalg.norm(expected)
        assert_allclose(abs(cosine), 1.0, rtol=1e-8)
    # Labels go where g sends them (X is not centred in the printed problem, ours at mean_).
    g = vectors[13:, kept[0]] - ours.mean_ @ vectors[:13, kept[0]]
    assert_allclose(abs(np.corrcoef(g, ours.prototypes_[:, 0])[0, 1]), 1.0, rtol=1e-8)
    # Normalised by A + C.
    gamma = np.vstack([ours.components_.T, ours.prototypes_ + ours.mean_ @ ours.components_.T])
    assert_allclose(gamma.T @ (A + C) @ gamma, np.eye(6), atol=1e-8)


def test_no_component_collapses_the_samples(rng):
    """Also with very unequal classes, where the useless direction has f near but not at 0."""
    X, _ = make_blobs([200, 15, 40], n_features=6, random_state=int(rng.integers(1000)))
    y = np.repeat([0, 1, 2], [200, 15, 40])
    Z = DiscriminativeProjections(6, spread=0).fit(X, y).transform(X)
    assert np.linalg.matrix_rank(Z, tol=1e-6 * linalg.norm(Z, 2)) == 6


def test_unlabelled_samples_change_the_map_only_through_the_graph(rng):
    X, y = load_iris(return_X_y=True)
    labels = np.where(np.arange(150) % 3 == 0, y, -1)
    with_graph = DiscriminativeProjections(2, ridge=1e-8, spread=0).fit(X, labels)
    without = DiscriminativeProjections(2, mu=0, ridge=1e-8, spread=0).fit(X, labels)
    labelled_only = DiscriminativeProjections(2, mu=0, ridge=1e-8, spread=0)
    labelled_only.fit(X[labels >= 0], y[labels >= 0])
    assert angle_in_degrees(without, labelled_only) < 0.01
    assert angle_in_degrees(with_graph, without) > 1


def test_an_offset_changes_nothing_sparse_or_dense(rng):
    y = np.arange(150) % 3
    X = rng.standard_normal((150, 4)) + y[:, None]
    plain = DiscriminativeProjections(3).fit(X, y)
    shifted = DiscriminativeProjections(3).fit(X + 100.0, y)
    filled = DiscriminativeProjections(3).fit(sparse.csr_array(X + 100.0), y)
    assert_allclose(shifted.transform(X + 100.0), plain.transform(X), atol=1e-6)
    assert_allclose(filled.transform(X + 100.0), plain.transform(X), atol=1e-5)
    assert_allclose(shifted.prototypes_, plain.prototypes_, atol=1e-6)


@pytest.mark.parametrize("ridge", [1e-2, 1e-3])
def test_iterative_and_dense_solvers_agree(text_like, ridge, monkeypatch):
    # A poor start: the default would hold all of these few documents.
    monkeypatch.setattr(reductions, "SVD_RANK", 20)
    X, _, labels = text_like
    options = {"metric": "cosine", "ridge": ridge, "random_state": 0}
    dense = DiscriminativeProjections(3, solver="dense", **options).fit(X, labels)
    iterative = DiscriminativeProjections(3, solver="lobpcg", **options).fit(X, labels)
    assert angle_in_degrees(dense, iterative) < 0.1
    assert iterative.n_iter_ > 1
    assert_allclose(iterative.eigenvalues_, dense.eigenvalues_, rtol=1e-5)


def test_row_space_and_features_give_the_same(text_like, monkeypatch):
    """The exact solution through the row space of 150 samples, and without it in 500 features."""
    X, _, labels = text_like
    reduced = DiscriminativeProjections(3, solver="dense").fit(X, labels)
    keep = Reduction(X.astype(float), lambda directions: directions)
    monkeypatch.setattr(reductions, "row_space", lambda X: keep)
    full = DiscriminativeProjections(3, solver="dense").fit(X, labels)
    assert angle_in_degrees(reduced, full) < 1e-3
    assert_allclose(reduced.eigenvalues_, full.eigenvalues_, rtol=1e-8)
    assert_allclose(np.abs(reduced.prototypes_), np.abs(full.prototypes_), atol=1e-8)


def test_a_full_svd_is_exact(text_like):
    X, _, labels = text_like
    dense = DiscriminativeProjections(2, solver="dense").fit(X, labels)
    reduced = DiscriminativeProjections(2, solver="svd", random_state=0).fit(X, labels)
    # 300 directions hold all of the 150 documents' space.
    assert angle_in_degrees(dense, reduced) < 0.1


def test_sparse_wide_data_is_reduced_by_default_and_told_apart(text_like):
    X, y, labels = text_like
    auto = DiscriminativeProjections(2, metric="cosine", random_state=0).fit(X, labels)
    svd = DiscriminativeProjections(2, metric="cosine", random_state=0, solver="svd")
    assert_allclose(auto.components_, svd.fit(X, labels).components_)
    distances = linalg.norm(auto.transform(X)[:, None] - auto.prototypes_, axis=2)
    assert np.mean(distances.argmin(axis=1) == y) > 0.9


def test_automatic_mu_is_the_labelled_samples_over_the_weights():
    X, y = load_iris(return_X_y=True)
    labels = np.where(np.arange(150) % 3 == 0, y, -1)
    total = neighbor_graph(X).sum()
    assert_allclose(DiscriminativeProjections().fit(X, labels).mu_, 50 / total)
    continuous = np.where(labels < 0, np.nan, X[:, 0] + 0.01)
    assert_allclose(DiscriminativeProjections().fit(X, continuous).mu_, 5 / total)


def test_automatic_spread_fades_with_labels():
    assert auto_spread(20, 20, 1000) > 4 * auto_spread(100, 20, 1000) > 0
    assert auto_spread(100, 20, 100) == 0


def test_spread_turns_the_map_towards_all_samples(rng):
    """One label for each of two classes that differ along x; everything else varies along y."""
    X = rng.standard_normal((200, 2)) * [0.2, 5.0]
    labels = np.full(200, -1)
    X[0], X[1] = [-0.5, 0.0], [0.5, 0.0]
    labels[:2] = 0, 1
    narrow = DiscriminativeProjections(1, spread=0, mu=1e-6).fit(X, labels)
    wide = DiscriminativeProjections(1, spread=1e6, mu=1e-6).fit(X, labels)
    assert abs(narrow.components_[0, 0]) > abs(narrow.components_[0, 1])
    assert abs(wide.components_[0, 1]) > abs(wide.components_[0, 0])


def test_continuous_targets_order_the_first_component(rng):
    X = rng.standard_normal((200, 6))
    values = X @ [1.0, -2.0, 0.5, 0, 0, 0]
    y = np.where(np.arange(200) % 2 == 0, values, np.nan)
    projections = DiscriminativeProjections(2, mu=1e-4, ridge=1e-8).fit(X, y)
    Z = projections.transform(X)
    assert abs(spearmanr(Z[:, 0], values)[0]) > 0.999
    # Labels are mapped to where their samples are, through (y - mean) g.
    assert_allclose(
        projections.transform_labels(values)[:, 0], Z[:, 0], atol=0.02 * np.ptp(Z[:, 0])
    )
    assert projections.label_components_.shape == (2, 1)


def test_continuous_directions_are_those_of_the_printed_problem(rng):
    """Section 3.3 with X and y centred; all samples labelled, equal degrees are not assumed."""
    X, _ = load_wine(return_X_y=True)
    y = X[:, [12, 9]] / [300.0, 2.0]
    X = scale(X[:, :9])
    weights = neighbor_graph(X, n_neighbors=8)
    degree = np.asarray(weights.sum(axis=1)).ravel()
    mu = 0.1 * len(X) / weights.sum()
    values = y - y.mean(axis=0)
    centred = X - np.average(X, axis=0, weights=degree)  # the D-term has its own mean
    scatter = X.T @ X + mu * X.T @ laplacian(weights).toarray() @ X
    left = np.block([[scatter, -X.T @ values], [-values.T @ X, values.T @ values]])
    right = linalg.block_diag(centred.T @ (degree[:, None] * centred), values.T @ values)
    expected, vectors = linalg.eigh(left, right)

    ours = DiscriminativeProjections(4, ridge=0, n_neighbors=8).fit(X, y)
    assert_allclose(ours.eigenvalues_, expected[:4], rtol=1e-8)
    joint = np.hstack([ours.components_, ours.label_components_])
    for found, vector in zip(joint, vectors.T, strict=False):
        cosine = found @ vector / linalg.norm(found) / linalg.norm(vector)
        assert_allclose(abs(cosine), 1.0, rtol=1e-6)


def test_dependent_outputs_are_accepted(rng):
    X = rng.standard_normal((60, 4))
    y = X[:, 0] + 0.1 * rng.standard_normal(60)
    single = DiscriminativeProjections(2).fit(X, y)
    doubled = DiscriminativeProjections(2).fit(X, np.column_stack([y, 2 * y, np.ones(60)]))
    assert doubled.label_components_.shape == (2, 3)
    assert_allclose(np.abs(doubled.components_), np.abs(single.components_), atol=1e-8)
    with pytest.raises(ValueError, match="y has 1 outputs, but the estimator was fitted with 3"):
        doubled.transform_labels(y)


def test_null_directions_of_mushroom_break_the_printed_form_not_ours(research_data):
    data = research_data("mushroom")
    assert 112 - np.linalg.matrix_rank(data.X - data.X.mean(axis=0)) == 29
    chosen = np.arange(0, len(data.y), 8)
    X, y = data.X[chosen].astype(float), data.y[chosen]
    assert X.shape[1] - np.linalg.matrix_rank(X - X.mean(axis=0)) >= 20
    for options in ({}, {"ridge": 0}):
        fitted = DiscriminativeProjections(30, **options).fit(X, y)
        Z = fitted.transform(X)
        assert np.isfinite(Z).all()
        assert np.linalg.matrix_rank(Z) == 30
        assert abs(spearmanr(Z[:, 0], y)[0]) > 0.8
    # Section 2.4 as printed.
    onehot, ones = np.eye(2)[y], np.ones((len(y), 2))
    C = linalg.block_diag(X.T @ laplacian(neighbor_graph(X)).toarray() @ X, np.zeros((2, 2)))
    A = np.block([[X.T @ X, -X.T @ onehot], [-onehot.T @ X, onehot.T @ onehot]])
    B = np.block([[2 * X.T @ X, -X.T @ ones], [-ones.T @ X, len(y) * np.eye(2)]])
    with pytest.raises(linalg.LinAlgError):
        linalg.eigh(A + C, B + C)


def test_constant_and_collinear_features_change_nothing():
    X, y = load_iris(return_X_y=True)
    plain = DiscriminativeProjections(2, ridge=0).fit(X, y)
    padded = np.column_stack([X, np.full(150, 7.0), X[:, 0] + X[:, 1]])
    Z = DiscriminativeProjections(2, ridge=0).fit(padded, y).transform(padded)
    # The graph sees the repeated feature; the forms must not break on the null directions.
    assert np.isfinite(Z).all()
    constant = np.column_stack([X, np.full(150, 7.0)])
    fitted = DiscriminativeProjections(2, ridge=0).fit(constant, y)
    assert_allclose(fitted.transform(constant), plain.transform(X), atol=1e-8)


@pytest.mark.parametrize("ridge", [0, 1e-3])
@pytest.mark.parametrize("y", [np.arange(50) % 2, np.arange(50) / 7], ids=["classes", "values"])
def test_more_components_than_directions_are_refused(rng, ridge, y):
    X = rng.standard_normal((50, 3)) @ rng.standard_normal((3, 6))
    assert DiscriminativeProjections(3, ridge=ridge).fit(X, y).eigenvalues_.shape == (3,)
    with pytest.raises(ValueError, match=r"n_components=4 exceeds the 3 directions"):
        DiscriminativeProjections(4, ridge=ridge).fit(X, y)


@pytest.mark.parametrize("seed", range(5))
def test_one_label_for_each_of_two_classes_gives_their_difference(seed):
    """Without spread one direction has a gain; many others have none and are mixed at will."""
    rng = np.random.default_rng(seed)
    X, labels = rng.standard_normal((60, 12)), np.full(60, -1)
    labels[:2] = 0, 1
    fitted = DiscriminativeProjections(1, spread=0, mu=0, ridge=1.0).fit(X, labels)
    cosine = fitted.components_[0] @ (X[1] - X[0]) / linalg.norm(fitted.components_[0])
    assert_allclose(abs(cosine) / linalg.norm(X[1] - X[0]), 1.0, rtol=1e-8)
    with pytest.raises(ValueError, match=r"n_components=2 exceeds the 1 directions"):
        DiscriminativeProjections(2, spread=0).fit(X, labels)


def test_isolated_points_and_pieces_are_no_obstacle(rng):
    X, y = make_blobs(120, n_features=4, centers=4, cluster_std=0.3, random_state=1)
    X = np.vstack([X, [[1e3, 1e3, 1e3, 1e3]]])
    labels = np.append(np.where(np.arange(120) % 10 == 0, y, -1), -1)
    projections = DiscriminativeProjections(3, connect="mutual", n_neighbors=4).fit(X, labels)
    assert np.isfinite(projections.transform(X)).all()


def test_an_isolated_sample_without_a_label_changes_nothing(rng):
    """It has no edge, no label, and so no part in any form."""
    X, y = make_blobs(80, n_features=3, centers=4, random_state=1)
    labels = np.where(np.arange(80) % 5 == 0, y, -1)
    options = {"connect": "mutual", "n_neighbors": 4, "width": 2.0, "mu": 0.1, "ridge": 0}
    plain = DiscriminativeProjections(3, spread=0.5, **options).fit(X, labels)
    with_it = np.vstack([X, [[1e3, 1e3, 1e3]]])
    weights = neighbor_graph(with_it, connect="mutual", n_neighbors=4, width=2.0)
    assert weights[[80]].nnz == 0
    fitted = DiscriminativeProjections(3, spread=0.5, **options).fit(with_it, np.append(labels, -1))
    assert_allclose(fitted.transform(X), plain.transform(X), atol=1e-8)


def test_an_isolated_sample_with_a_label_is_fitted(rng):
    X, y = make_blobs(80, n_features=3, centers=4, random_state=1)
    X[0] = 1e3
    options = {"connect": "mutual", "n_neighbors": 4}
    assert neighbor_graph(X, **options)[[0]].nnz == 0
    labels = np.where(np.arange(80) % 5 == 0, y, -1)
    assert np.isfinite(DiscriminativeProjections(3, **options).fit(X, labels).transform(X)).all()


def test_a_class_without_a_labelled_sample_is_no_class():
    """Its samples are unlabelled ones: they shape the map, and have no prototype."""
    X, y = load_iris(return_X_y=True)
    fitted = DiscriminativeProjections(2).fit(X, np.where(y == 2, -1, y))
    assert fitted.classes_.tolist() == [0, 1]
    assert fitted.prototypes_.shape == (2, 2)
    assert np.isfinite(fitted.transform(X)).all()
    with pytest.raises(ValueError, match="y holds 2, which is not one of the 2 classes"):
        fitted.transform_labels([2])


def test_many_classes_with_one_label_each_give_no_warning(rng):
    labels = np.full(100, -1)
    labels[:30] = np.arange(30)
    assert (
        len(DiscriminativeProjections().fit(rng.standard_normal((100, 4)), labels).classes_) == 30
    )


def test_text_labels_are_hidden_by_the_number(rng):
    X, y = load_iris(return_X_y=True)
    some = np.where(np.arange(150) % 3 == 0, y, -1)
    names = np.array(["setosa", "versicolor", "virginica", -1], dtype=object)
    numbers, text = (DiscriminativeProjections(2).fit(X, labels) for labels in (some, names[some]))
    assert_allclose(text.components_, numbers.components_)
    assert text.classes_.tolist() == ["setosa", "versicolor", "virginica"]


@pytest.mark.parametrize("solver", ["auto", "dense", "svd", "lobpcg"])
@pytest.mark.parametrize("target", ["classes", "continuous"])
def test_every_solver_takes_few_features(target, solver):
    X, y = load_iris(return_X_y=True)
    exact = DiscriminativeProjections(2, target=target).fit(X, y)
    fitted = DiscriminativeProjections(2, target=target, solver=solver, random_state=0).fit(X, y)
    assert angle_in_degrees(fitted, exact) < 0.1


def test_perfect_separation_without_ridge_is_refused(rng):
    X, labels = rng.standard_normal((30, 60)), np.full(30, -1)
    labels[:4] = [0, 0, 1, 1]
    with pytest.raises(ValueError, match="ridge greater than 0"):
        DiscriminativeProjections(2, mu=0, ridge=0).fit(X, labels)


@pytest.mark.parametrize(
    ("options", "y", "message"),
    [
        ({}, np.full(30, -1), "every sample as unlabelled"),
        ({}, np.where(np.arange(30) < 5, 7, -1), "one class only"),
        ({}, np.full(30, "a"), "one class only"),
        ({}, ["a", "b", -1] * 10, 'the text "-1" among class names'),
        ({}, np.array(["a", "b", None] * 10, dtype=object), "mixes NoneType, text"),
        ({"target": "continuous"}, np.full(30, np.nan), "all but 0 of 30"),
        ({"target": "continuous"}, np.full(30, 2.5), "same value in all 30"),
        ({"target": "continuous"}, np.full(30, "low"), 'must hold numbers.*target="classes"'),
        ({"target": "continuous"}, np.full(30, "1.5"), "must hold numbers.*holds '1.5'"),
        ({"target": "continuous"}, np.array(["a", 1.5] * 15, dtype=object), "must hold numbers"),
        ({"target": "continuous"}, np.append(np.arange(29.0), np.inf), "infinity"),
        ({"n_neighbors": 30}, np.arange(30) % 2, "n_neighbors=30 needs at least 31 samples"),
        ({"spread": 1.0}, np.linspace(0, 1, 30), "spread=1.0 is for classes"),
        ({"mu": np.nan}, np.arange(30) % 2, "'mu' parameter"),
        ({"ridge": np.inf}, np.arange(30) % 2, "'ridge' parameter"),
        ({"width": 0.0}, np.arange(30) % 2, "'width' parameter"),
    ],
)
def test_bad_input_gets_a_clear_error(rng, options, y, message):
    with pytest.raises(ValueError, match=message):
        DiscriminativeProjections(**options).fit(rng.standard_normal((30, 3)), y)


def test_samples_that_do_not_vary_are_refused():
    with pytest.raises(ValueError, match="the samples do not vary"):
        DiscriminativeProjections(1).fit(np.ones((30, 3)), np.arange(30) % 2)


def test_unknown_labels_are_not_mapped():
    X, y = load_iris(return_X_y=True)
    projections = DiscriminativeProjections().fit(X, np.array(["a", "b", "c"])[y])
    assert_allclose(projections.transform_labels(["c", "a"]), projections.prototypes_[[2, 0]])
    with pytest.raises(ValueError, match="'d', which is not one of the 3 classes"):
        projections.transform_labels(["a", "d"])


def test_input_is_not_changed(rng):
    X, y = load_iris(return_X_y=True)
    before = X.copy()
    for kind in (np.asarray, sparse.csr_array):
        given = kind(X)
        DiscriminativeProjections().fit(given, y)
        assert_allclose(given.toarray() if sparse.issparse(given) else given, before, rtol=0)
