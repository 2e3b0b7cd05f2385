import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from discrimap.linalg.graphs import (
    degrees,
    heat_weights,
    laplacian,
    nearest_neighbors,
    neighbor_graph,
)


def naive_graph(X, n_neighbors, connect, width=None):
    """Dense weights by sorting all distances, one pair at a time."""
    n = len(X)
    distances = np.array([[np.linalg.norm(a - b) for b in X] for a in X])
    is_neighbor = np.zeros((n, n), dtype=bool)
    for i in range(n):
        others = [j for j in np.argsort(distances[i], kind="stable") if j != i]
        is_neighbor[i, others[:n_neighbors]] = True
    if width is None:
        width = np.median(distances[is_neighbor])
    joined = is_neighbor | is_neighbor.T if connect == "union" else is_neighbor & is_neighbor.T
    return np.where(joined, np.exp(-((distances / width) ** 2)), 0.0)


@pytest.mark.parametrize("connect", ["union", "mutual"])
@pytest.mark.parametrize("width", [None, 0.7])
def test_graph_equals_the_naive_one(rng, connect, width):
    X = rng.standard_normal((40, 3))
    weights = neighbor_graph(X, n_neighbors=4, connect=connect, width=width or "median")
    assert_allclose(weights.toarray(), naive_graph(X, 4, connect, width), atol=1e-12)


def test_sparse_samples_give_the_same_graph(rng):
    X = rng.standard_normal((30, 20)) * (rng.random((30, 20)) < 0.3)
    expected = neighbor_graph(X, n_neighbors=5).toarray()
    assert_allclose(neighbor_graph(sparse.csr_array(X), n_neighbors=5).toarray(), expected)


def test_cosine_sees_directions_only(rng):
    X = rng.standard_normal((30, 4))
    lengths = rng.uniform(0.1, 10, size=(30, 1))
    plain = neighbor_graph(X / np.linalg.norm(X, axis=1, keepdims=True), n_neighbors=5)
    assert_allclose(
        neighbor_graph(lengths * X, n_neighbors=5, metric="cosine").toarray(),
        plain.toarray(),
        atol=1e-12,
    )


def test_approximate_search_finds_the_neighbours_and_repeats_under_a_seed(rng):
    X = rng.standard_normal((1500, 8))
    _, exact = nearest_neighbors(X, 10, search="exact")
    distances, found = nearest_neighbors(X, 10, search="approximate", random_state=3)
    shared = [len(np.intersect1d(a, b)) for a, b in zip(exact, found, strict=True)]
    assert np.mean(shared) > 9.5
    assert not (found == np.arange(len(X))[:, None]).any()
    assert_allclose(distances, np.linalg.norm(X[:, None] - X[found], axis=2), rtol=1e-4)
    again = nearest_neighbors(X, 10, search="approximate", random_state=3)[1]
    assert_array_equal(found, again)


def test_duplicates_are_neighbours_of_each_other_not_of_themselves(rng):
    X = np.repeat(rng.standard_normal((10, 2)), 4, axis=0)
    for search in ("exact", "approximate"):
        distances, indices = nearest_neighbors(X, 3, search=search, random_state=0)
        assert not (indices == np.arange(len(X))[:, None]).any()
        assert_allclose(distances, 0.0, atol=1e-6)
    # Every neighbour distance is 0: weights of 1, no division by the median 0.
    assert_allclose(neighbor_graph(X, n_neighbors=3).data, 1.0)


def test_mutual_graph_leaves_a_far_point_alone(rng):
    X = np.vstack([rng.standard_normal((20, 2)), [[100.0, 100.0]]])
    weights = neighbor_graph(X, n_neighbors=3, connect="mutual")
    assert degrees(weights)[-1] == 0
    assert np.isfinite(laplacian(weights).toarray()).all()


def test_too_many_neighbours_are_refused_with_the_numbers(rng):
    with pytest.raises(ValueError, match=r"n_neighbors=5 needs at least 6 samples.*has 5"):
        neighbor_graph(rng.standard_normal((5, 2)), n_neighbors=5)
    assert neighbor_graph(rng.standard_normal((5, 2))).nnz == 20


def test_a_width_that_leaves_no_edge_is_refused(rng):
    with pytest.raises(ValueError, match=r"no edge.*larger width"):
        neighbor_graph(rng.standard_normal((9, 2)), n_neighbors=2, width=1e-6)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), n_neighbors=st.integers(1, 6))
def test_laplacian_is_the_sum_over_edges(seed, n_neighbors):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((12, 2))
    weights = neighbor_graph(X, n_neighbors=n_neighbors)
    assert_allclose((weights - weights.T).toarray(), 0.0, atol=1e-15)
    assert_array_equal(weights.diagonal(), 0.0)
    z = rng.standard_normal(12)
    half_sum = 0.5 * sum(weights[i, j] * (z[i] - z[j]) ** 2 for i in range(12) for j in range(12))
    assert_allclose(z @ (laplacian(weights) @ z), half_sum, rtol=1e-10)


def test_median_width_ignores_duplicates():
    assert_allclose(heat_weights(np.array([0.0, 0.0, 0.0, 2.0])), [1, 1, 1, np.exp(-1)])
