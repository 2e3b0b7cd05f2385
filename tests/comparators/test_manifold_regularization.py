import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import Ridge
from sklearn.preprocessing import scale

from discrimap import ManifoldRegularization
from discrimap.linalg.graphs import laplacian, neighbor_graph


def test_the_gradient_of_the_printed_objective_vanishes(rng):
    """sum_i |W'x_i + b - y_i|^2 + mu tr(W'X'LXW) + ridge |W|^2, differentiated by hand."""
    X = scale(load_wine(return_X_y=True)[0]) + 1.0
    y = np.where(rng.random(178) < 0.3, X[:, 0] ** 2, np.nan)
    fitted = ManifoldRegularization(mu=0.4, ridge=0.01, n_neighbors=6).fit(X, y)
    is_labelled = ~np.isnan(y)
    residual = fitted.predict(X[is_labelled]) - y[is_labelled]
    w = fitted.components_[0]
    ridge = 0.01 * is_labelled.sum() * X.var(axis=0).sum()
    smooth = 0.4 * X.T @ laplacian(neighbor_graph(X, n_neighbors=6)) @ X
    assert_allclose(X[is_labelled].T @ residual + smooth @ w + ridge * w, 0.0, atol=1e-8)
    assert_allclose(residual.sum(), 0.0, atol=1e-8)


def test_without_the_graph_it_is_ridge_regression():
    X, _ = load_wine(return_X_y=True)
    X, y = scale(X[:, 1:]), X[:, 0]
    alpha = 0.02 * len(X) * X.var(axis=0).sum()
    ours = ManifoldRegularization(mu=0, ridge=0.02, target="continuous").fit(X, y)
    expected = Ridge(alpha=alpha).fit(X, y)
    assert_allclose(ours.predict(X), expected.predict(X), rtol=1e-9)
    assert_allclose(ours.score(X, y), expected.score(X, y), rtol=1e-9)


def test_unlabelled_samples_carry_the_labels_along(rng):
    """Two parallel bands with one label each, at opposite ends: the graph follows the bands."""
    along = np.tile(np.linspace(-5, 5, 100), 2)
    band = np.repeat([0, 1], 100)
    X = np.column_stack([along, band + 0.001 * rng.standard_normal(200)])
    y = np.full(200, -1)
    y[0], y[-1] = 0, 1
    options = {"ridge": 1e-8, "n_neighbors": 5}
    assert ManifoldRegularization(mu=1.0, **options).fit(X, y).score(X, band) > 0.99
    assert ManifoldRegularization(mu=0, **options).fit(X, y).score(X, band) < 0.9


def test_outputs_have_the_shapes_of_their_kind(rng):
    X, y = load_iris(return_X_y=True)
    many = ManifoldRegularization().fit(X, y)
    assert many.decision_function(X).shape == many.transform(X).shape == (150, 3)
    assert_array_equal(many.predict(X), many.decision_function(X).argmax(axis=1))
    assert_allclose(many.decision_function(X).sum(axis=1), 1.0)

    two = ManifoldRegularization().fit(X[:100], np.array(["no", "yes"])[y[:100]])
    assert two.decision_function(X).shape == (150,)
    assert_array_equal(two.predict(X[:100]), np.array(["no", "yes"])[y[:100]])

    single = ManifoldRegularization(target="continuous").fit(X[:, :3], X[:, 3])
    assert single.predict(X[:, :3]).shape == (150,)
    outputs = ManifoldRegularization().fit(X[:, :2], X[:, 2:])
    assert outputs.predict(X[:, :2]).shape == (150, 2)


def test_automatic_mu_is_a_tenth_for_continuous_targets():
    X, y = load_iris(return_X_y=True)
    total = neighbor_graph(X).sum()
    assert_allclose(ManifoldRegularization().fit(X, y).mu_, 150 / total)
    assert_allclose(ManifoldRegularization().fit(X, X[:, 0] + 0.01).mu_, 15 / total)


def test_a_second_fit_forgets_the_first_target():
    X, y = load_iris(return_X_y=True)
    fitted = ManifoldRegularization().fit(X, y).fit(X, X[:, 0] + 0.5)
    assert fitted.predict(X).dtype.kind == "f"


@pytest.mark.parametrize("shape", [(60, 8), (30, 80)])
def test_sparse_and_dense_samples_give_the_same(rng, shape):
    X = rng.standard_normal(shape) * (rng.random(shape) < 0.4)
    y = np.arange(shape[0]) % 2
    dense = ManifoldRegularization(solver="dense").fit(X, y)
    filled = ManifoldRegularization(solver="dense").fit(sparse.csr_array(X), y)
    assert_allclose(filled.components_, dense.components_, atol=1e-8)


def test_constant_and_collinear_features_without_ridge():
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, np.ones(150), X[:, 0]])
    assert ManifoldRegularization(ridge=0, mu=1e-6).fit(X, y).score(X, y) > 0.8


@pytest.mark.parametrize(
    ("options", "y", "message"),
    [
        ({}, np.full(30, -1), "every sample as unlabelled"),
        ({}, np.where(np.arange(30) < 5, 7, -1), "one class only"),
        ({"target": "continuous"}, np.full(30, np.nan), "all but 0 of 30"),
        ({"target": "continuous"}, np.full(30, "low"), 'must hold numbers.*target="classes"'),
        ({"n_neighbors": 30}, np.arange(30) % 2, "n_neighbors=30 needs at least 31 samples"),
    ],
)
def test_bad_input_gets_a_clear_error(rng, options, y, message):
    with pytest.raises(ValueError, match=message):
        ManifoldRegularization(**options).fit(rng.standard_normal((30, 3)), y)


def test_a_class_without_a_labelled_sample_is_never_predicted():
    X, y = load_iris(return_X_y=True)
    fitted = ManifoldRegularization().fit(X, np.where(y == 2, -1, y))
    assert set(fitted.predict(X)) <= {0, 1}


def test_isolated_samples_are_no_obstacle(rng):
    X = np.vstack([rng.standard_normal((40, 3)), [[1e3, 1e3, 1e3]]])
    y = np.where(np.arange(41) % 4 == 0, np.sign(X[:, 0]) + 2, -1)
    fitted = ManifoldRegularization(connect="mutual", n_neighbors=4).fit(X, y)
    assert np.isfinite(fitted.transform(X)).all()
