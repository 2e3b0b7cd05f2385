"""PLSDA: comparison with scikit-learn's regression, VIP by its definition, and the classifier."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.cross_decomposition import PLSRegression
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale

from discrimap import PLSDA


@pytest.fixture
def wine():
    X, y = load_wine(return_X_y=True)
    return scale(X), y


def test_scores_and_outputs_are_those_of_the_regression(wine):
    X, y = wine
    ours = PLSDA(3).fit(X[::2] + 5.0, y[::2])
    pls = PLSRegression(3, scale=False).fit(X[::2] + 5.0, np.eye(3)[y[::2]])
    assert_allclose(ours.transform(X + 5.0), pls.transform(X + 5.0), atol=1e-10)
    assert_allclose(ours.decision_function(X + 5.0), pls.predict(X + 5.0), atol=1e-10)
    assert_allclose(ours.decision_function(X).sum(axis=1), 1.0)


def test_vip_by_its_definition(wine):
    X, y = wine
    ours = PLSDA(2).fit(X, y)
    Y = np.eye(3)[y]
    pls = PLSRegression(2, scale=False).fit(X, Y)
    # What each component explains, from the drop of the residual rather than from the loadings.
    explained, residual = [], Y - Y.mean(axis=0)
    for t in pls.x_scores_.T:
        fitted = np.outer(t, t @ residual) / (t @ t)
        explained.append(np.sum(residual**2) - np.sum((residual - fitted) ** 2))
        residual = residual - fitted
    expected = [
        np.sqrt(13 * sum(s * w[j] ** 2 for s, w in zip(explained, pls.x_weights_.T, strict=True))
                / sum(explained))
        for j in range(13)
    ]  # fmt: skip
    assert_allclose(ours.vip_, expected, rtol=1e-8)
    assert_allclose(np.mean(ours.vip_**2), 1.0)


def test_vip_finds_the_features_that_matter(rng):
    y = np.arange(300) % 3
    X = rng.standard_normal((300, 10))
    X[:, 4] += 3.0 * (y == 1)
    X[:, 7] -= 3.0 * (y == 2)
    assert set(np.argsort(PLSDA(2).fit(X, y).vip_)[-2:]) == {4, 7}


def test_it_classifies_several_and_two_classes():
    for load in (load_wine, load_breast_cancer):
        X, y = load(return_X_y=True)
        model = make_pipeline(StandardScaler(), PLSDA(2))
        assert cross_val_score(model, X, y, cv=5).mean() > 0.93


def test_two_classes_give_one_score_whose_sign_decides():
    X, y = load_breast_cancer(return_X_y=True)
    X, names = scale(X), np.array(["benign", "malignant"])[y]
    fitted = PLSDA(2).fit(X, names)
    scores = fitted.decision_function(X)
    assert scores.shape == (len(X),)
    assert np.array_equal(fitted.predict(X), np.where(scores > 0, "malignant", "benign"))


def test_iterations_that_end_too_early_are_told(wine):
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        PLSDA(2, max_iter=1).fit(*wine)


@pytest.mark.parametrize(("covariance", "is_told"), [(1.0, True), (1e-14, False)])
def test_components_of_rounding_need_not_converge(covariance, is_told, rng):
    """Where the class means are explained, older releases of scikit-learn iterate on rounding."""
    X, onehot = rng.standard_normal((12, 2)), np.eye(2)[np.arange(12) % 2]
    pls = SimpleNamespace(
        n_iter_=[2, 500],
        x_scores_=np.ones((12, 2)),
        y_loadings_=np.array([[1.0, covariance], [1.0, covariance]]),
    )
    assert PLSDA()._has_unfinished_component(pls, X, onehot) == is_told
