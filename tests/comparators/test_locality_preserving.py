import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import linalg, sparse
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from discrimap import LocalityPreservingProjections
from discrimap.linalg.graphs import degrees, laplacian, neighbor_graph


def test_directions_are_those_of_the_printed_problem():
    """X'LX a = lambda X'DX a, smallest first, X about its D-weighted mean."""
    X = scale(load_wine(return_X_y=True)[0])
    weights = neighbor_graph(X, n_neighbors=8)
    degree = degrees(weights)
    centred = X - np.average(X, axis=0, weights=degree)
    scatter = centred.T @ (degree[:, None] * centred)
    values, vectors = linalg.eigh(X.T @ laplacian(weights).toarray() @ X, scatter)

    lpp = LocalityPreservingProjections(3, ridge=0, n_neighbors=8).fit(X)
    assert_allclose(lpp.eigenvalues_, values[:3], rtol=1e-9)
    assert_allclose(np.abs(lpp.components_), np.abs(vectors[:, :3].T), atol=1e-8)
    assert_allclose(lpp.components_ @ scatter @ lpp.components_.T, np.eye(3), atol=1e-8)


def test_two_clusters_are_the_smoothest_direction(rng):
    side = np.repeat([-1.0, 1.0], 40)
    X = rng.standard_normal((80, 5))
    X[:, 2] = 6 * side + 0.5 * X[:, 2]
    Z = LocalityPreservingProjections(1).fit_transform(X)
    assert abs(np.corrcoef(Z[:, 0], side)[0, 1]) > 0.97


@pytest.mark.parametrize("shape", [(60, 8), (30, 80)])
def test_sparse_and_dense_samples_give_the_same(rng, shape):
    X = rng.standard_normal(shape) * (rng.random(shape) < 0.4)
    dense = LocalityPreservingProjections(2, solver="dense").fit(X)
    filled = LocalityPreservingProjections(2, solver="dense").fit(sparse.csr_array(X))
    assert linalg.subspace_angles(dense.components_.T, filled.components_.T)[0] < 1e-5


def test_more_components_than_the_rank_are_refused(rng):
    X = rng.standard_normal((8, 20))
    with pytest.raises(ValueError, match=r"n_components=12 exceeds the rank of X=7"):
        LocalityPreservingProjections(12).fit(X)
    collinear = X[:, :3] @ rng.standard_normal((3, 5))
    with pytest.raises(ValueError, match=r"n_components=4 exceeds the rank of X=3"):
        LocalityPreservingProjections(4).fit(collinear)


def test_bad_input_gets_a_clear_error(rng):
    with pytest.raises(ValueError, match="n_components=1 exceeds the rank of X=0"):
        LocalityPreservingProjections(1).fit(np.ones((30, 3)))
    with pytest.raises(ValueError, match="n_neighbors=30 needs at least 31 samples"):
        LocalityPreservingProjections(n_neighbors=30).fit(rng.standard_normal((30, 3)))


def test_isolated_samples_are_no_obstacle(rng):
    X = np.vstack([rng.standard_normal((40, 3)), [[1e3, 1e3, 1e3]]])
    lpp = LocalityPreservingProjections(2, connect="mutual", n_neighbors=4).fit(X)
    assert np.isfinite(lpp.transform(X)).all()
