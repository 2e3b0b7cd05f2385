import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import linalg
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from discrimap import StochasticDiscriminantAnalysis
from discrimap.sda import exploration, problem


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:400], y[:400]


@pytest.fixture
def starts_of(monkeypatch):
    """The starts of every comparison of a fit."""
    compared = []

    def note(objective, starts, **options):
        compared.append((objective, starts))
        return original(objective, starts, **options)

    original = exploration.minimise_in_lockstep
    monkeypatch.setattr(exploration, "minimise_in_lockstep", note)

    def fit(X, y, **parameters):
        compared.clear()
        fitted = StochasticDiscriminantAnalysis(random_state=0, **parameters).fit(X, y)
        return compared, fitted

    return fit


def test_directions_of_lda_are_the_second_start(starts_of, digits):
    X, y = digits
    compared, _ = starts_of(X, y, n_init=3, epsilon="paper")
    objective, starts = compared[0]
    assert len(starts) == 3
    # The columns of the basis are LDA's directions in orthonormal coordinates.
    plane = objective.coordinates.to_params(starts[1])
    first_two = linalg.qr(objective.coordinates.basis[:, :2], mode="economic")[0]
    assert np.degrees(linalg.subspace_angles(plane, first_two)).max() < 1e-3
    seen = []
    original = exploration.lda_directions

    def note(curvature, between, n_directions):
        seen.append(original(curvature, between, n_directions))
        return seen[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exploration, "lda_directions", note)
        starts_of(X, y, n_init=2, epsilon="paper")
    # All classes have about the same size, so the curvature is about the scatter within them.
    lda = LinearDiscriminantAnalysis(solver="eigen", shrinkage=1e-6).fit(X, y)
    angles = linalg.subspace_angles(seen[0][:, :2], lda.scalings_[:, :2])
    assert np.degrees(angles).max() < 20


@pytest.mark.filterwarnings("ignore:StochasticDiscriminantAnalysis did not converge")
def test_searches_explore_in_the_last_fit_unless_a_start_is_given(monkeypatch, digits):
    X, y = digits
    calls = []

    def note(problem, first, alpha, n_init, rng):
        calls.append((first, alpha, n_init))
        return first

    monkeypatch.setattr(problem, "explored_start", note)
    parameters = {"epsilon": "cv", "n_init": 7, "random_state": 0, "max_iter": 5, "tol": 0.1}
    found = StochasticDiscriminantAnalysis(**parameters).fit(X, y)
    assert calls[-1][2] == 7
    assert calls[-1][0].shape == (64, 2)
    n_calls = len(calls)
    StochasticDiscriminantAnalysis(**parameters, init=found.components_).fit(X, y)
    assert len(calls) == n_calls


def test_the_similarity_of_the_paper_is_one_over_the_number_of_classes(digits):
    X, y = digits
    paper = StochasticDiscriminantAnalysis(epsilon="paper", n_init=3, random_state=0).fit(X, y)
    assert paper.epsilon_ == pytest.approx(0.1)
    number = StochasticDiscriminantAnalysis(epsilon=0.1, n_init=3, random_state=0).fit(X, y)
    assert_allclose(number.components_, paper.components_)


@pytest.mark.parametrize("alpha", [0.0, "cv"])
def test_the_automatic_similarity_is_the_square_of_it(alpha, digits):
    X, y = digits
    auto = StochasticDiscriminantAnalysis(alpha=alpha, n_init=1, tol=1e-2, random_state=0).fit(X, y)
    assert auto.epsilon_ == pytest.approx(0.01)


@pytest.mark.parametrize("n_features", [12, 13])
def test_alpha_is_searched_with_fewer_than_five_samples_per_feature(n_features, rng):
    y = np.arange(60) % 3
    X = rng.standard_normal((60, n_features)) + np.eye(3, n_features)[y]
    fitted = StochasticDiscriminantAnalysis(alpha="auto", random_state=0, tol=1e-2).fit(X, y)
    if n_features == 13:
        assert fitted.alpha_ in fitted.alphas_
        assert "RSDA" in fitted.choices_[0]
    else:
        assert fitted.alpha_ == 0
        assert fitted.choices_ == ()
        assert not hasattr(fitted, "alphas_")
