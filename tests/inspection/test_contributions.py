from functools import partial
from typing import ClassVar

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression
from sklearn.manifold import TSNE

from discrimap import (
    DiscriminativeComponents,
    DiscriminativeProjections,
    LocalityPreservingProjections,
    NeighborhoodComponents,
    feature_contributions,
)


@pytest.fixture
def separated(rng):
    """Two classes that differ in the first feature only, on the scale of its noise."""
    y = np.repeat([0, 1], 60)
    X = rng.standard_normal((120, 4))
    X[:, 0] += 5 * y
    return X, y


def test_loadings_are_components_times_spread():
    wine = load_wine(as_frame=True)
    pca = PCA(3).fit(wine.data)
    found = feature_contributions(pca, wine.data)
    assert_allclose(found.loadings, pca.components_ * wine.data.to_numpy().std(axis=0))
    assert found.feature_names == list(wine.data.columns)
    assert found.feature_names[found.ranking[0]] == "proline"
    assert (np.diff(found.importance[found.ranking]) <= 0).all()
    assert found.intervals is None


def test_units_do_not_matter_for_lda(separated):
    X, y = separated
    lda = LinearDiscriminantAnalysis().fit(X, y)
    scaled = LinearDiscriminantAnalysis().fit(X * [1, 1000, 1, 1], y)
    here, there = feature_contributions(lda, X), feature_contributions(scaled, X * [1, 1000, 1, 1])
    assert here.loadings.shape == (1, 4)
    assert_allclose(np.abs(here.loadings), np.abs(there.loadings), rtol=1e-6)


def noise_loadings(make, n_signal, n_noise, n_seeds, level=0.9):
    """Loadings of features without effect, and their intervals, over many samples of the data."""
    corners = np.vstack([np.zeros(n_signal), 2.5 * np.eye(n_signal)])
    loadings, intervals = [], []
    for seed in range(n_seeds):
        rng = np.random.default_rng(seed)
        y = np.repeat(np.arange(n_signal + 1), 60)
        X = rng.standard_normal((len(y), n_signal + n_noise))
        X[:, :n_signal] += corners[y]
        found = feature_contributions(
            make().fit(X, y), X, y, n_bootstrap=39, level=level, random_state=seed
        )
        low, high = found.intervals
        assert (low < high).all()
        # Whatever the rotation of the map, some loading of every signal is clear of zero.
        assert ((low * high)[:, :n_signal] > 0).any(axis=0).all()
        loadings.append(found.loadings[:, n_signal:])
        intervals.append(found.intervals[:, :, n_signal:])
    return np.stack(loadings), np.stack(intervals, axis=1)


@pytest.mark.parametrize(
    ("make", "n_signal", "n_noise", "n_seeds"),
    [
        (LinearDiscriminantAnalysis, 1, 10, 20),
        (LinearDiscriminantAnalysis, 2, 10, 20),
        # So narrow that samples drawn twice would be the nearest neighbours of each other.
        (partial(DiscriminativeComponents, 1, bandwidth=0.1), 1, 4, 12),
    ],
    ids=["LDA, line", "LDA, plane", "DC"],
)
def test_intervals_hold_as_often_as_asked_for(make, n_signal, n_noise, n_seeds):
    loadings, (low, high) = noise_loadings(make, n_signal, n_noise, n_seeds)
    # Misses of zero at the rate asked for are binomial; too many and too few are both wrong.
    n_misses = np.sum(low * high > 0)
    least, most = stats.binom.interval(0.995, loadings.size, 0.1)
    assert least <= n_misses <= most
    # A normal loading lies within 1.645 standard deviations with probability 0.9.
    length = np.mean(high - low) / (2 * 1.645 * loadings.std())
    assert 0.75 < length < 1.35


@pytest.mark.parametrize("align", ["rotation", "sign"])
def test_intervals_can_be_repeated_and_follow_the_signal(separated, align):
    X, y = separated
    fitted = DiscriminativeComponents(1, bandwidth=0.8).fit(X, y)
    found, again = (
        feature_contributions(fitted, X, y, n_bootstrap=20, align=align, random_state=0)
        for _ in range(2)
    )
    np.testing.assert_array_equal(found.intervals, again.intervals)
    low, high = found.intervals[:, 0]
    assert found.ranking[0] == 0
    assert low[0] * high[0] > 0
    surely = min(abs(low[0]), abs(high[0]))
    assert all(max(abs(low[k]), abs(high[k])) < 0.5 * surely for k in (1, 2, 3))


def three_classes(rng, n_samples, n_features):
    """Three classes whose means differ in the first two features."""
    y = np.arange(n_samples) % 3
    X = rng.standard_normal((n_samples, n_features))
    X[:, :2] += 3 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    return X, y


@pytest.mark.parametrize(
    ("make", "n_features"),
    [
        (partial(LocalityPreservingProjections, 2), 8),
        (partial(DiscriminativeProjections, 2), 8),
        (partial(NeighborhoodComponents, 2), 8),
        (LinearDiscriminantAnalysis, 60),
    ],
    ids=["LPP", "DP", "NCA", "LDA, wide"],
)
@pytest.mark.parametrize("align", ["rotation", "sign"])
def test_the_loading_of_the_fit_is_in_the_middle_of_its_interval(make, n_features, align, rng):
    X, y = three_classes(rng, 150, n_features)
    found = feature_contributions(
        make().fit(X, y), X, y, n_bootstrap=12, align=align, random_state=0
    )
    low, high = found.intervals
    assert (low < high).all()
    assert_allclose((low + high) / 2, found.loadings, atol=1e-9 * np.abs(found.loadings).max())


class ScaledLDA(LinearDiscriminantAnalysis):
    """LDA whose map is larger the fewer samples there are, as that of LPP."""

    def fit(self, X, y):
        super().fit(X, y)
        self.components_ = self.scalings_[:, : self._max_components].T * 1e6 / len(X) ** 2
        return self


class TurnedLDA(ScaledLDA):
    """And turned by as many radians as there are samples less than 120."""

    def fit(self, X, y):
        super().fit(X, y)
        cosine, sine = np.cos(120 - len(X)), np.sin(120 - len(X))
        self.components_ = np.array([[cosine, -sine], [sine, cosine]]) @ self.components_
        return self


@pytest.mark.parametrize(
    ("make", "align"), [(ScaledLDA, "sign"), (ScaledLDA, "rotation"), (TurnedLDA, "rotation")]
)
def test_scale_and_rotation_of_refits_do_not_change_intervals(make, align, rng):
    X, y = three_classes(rng, 120, 5)
    plain, moved = (
        feature_contributions(kind().fit(X, y), X, y, n_bootstrap=8, align=align, random_state=0)
        for kind in (LinearDiscriminantAnalysis, make)
    )
    factor = 1e6 / len(X) ** 2
    assert_allclose(moved.loadings, factor * plain.loadings)
    tolerance = 1e-9 * np.abs(moved.loadings).max()
    assert_allclose(moved.intervals, factor * plain.intervals, atol=tolerance)


class LeastSquares(LinearRegression):
    """Coefficients, whose variances are known: 1 / (n - p - 2) for p features of unit variance."""

    def fit(self, X, y):
        super().fit(X, y)
        self.components_ = np.atleast_2d(self.coef_)
        return self


@pytest.mark.parametrize(("n_samples", "n_features"), [(120, 40), (240, 6)])
def test_lengths_of_intervals_follow_the_variance_at_this_size(n_samples, n_features, rng):
    X = rng.standard_normal((n_samples, n_features))
    # The first feature is so large that the scale of all loadings is its own.
    y = 1e3 * X[:, 0] + rng.standard_normal(n_samples)
    found = feature_contributions(LeastSquares().fit(X, y), X, y, n_bootstrap=60, random_state=0)
    low, high = found.intervals[:, 0, 1:]
    expected = 2 * stats.t.ppf(0.95, 58) / np.sqrt(n_samples - n_features - 2)
    # With 40 features the deviation of halves, as it is, would give 1.7.
    assert 0.75 < np.mean(high - low) / expected < 1.25


class Recorder(PCA):
    """PCA that keeps the number of samples of each class."""

    counts: ClassVar[list] = []

    def fit(self, X, y=None):
        self.counts.append(np.bincount(y))
        return super().fit(X)


def test_refits_lose_no_class_and_leave_out_samples_of_each(rng, monkeypatch):
    monkeypatch.setattr(Recorder, "counts", [])
    y = np.repeat(np.arange(5), [1, 2, 3, 4, 40])
    X = rng.standard_normal((50, 3))
    found = feature_contributions(Recorder(2).fit(X, y), X, y, n_bootstrap=4, random_state=0)
    assert np.isfinite(found.intervals).all()
    halves, quarters = [1, 1, 2, 2, 20], [1, 1, 2, 3, 30]
    np.testing.assert_array_equal(Recorder.counts[1:], [halves, quarters] * 2)


def test_refits_keep_the_bandwidth_that_was_chosen(separated):
    X, y = separated
    fitted = DiscriminativeComponents(2, n_bandwidths=3).fit(X, y)
    found = feature_contributions(fitted, X, y, n_bootstrap=4, random_state=0)
    assert found.intervals.shape == (2, 2, 4)


def test_bad_arguments_are_refused(separated):
    X, _ = separated
    pca = PCA(2).fit(X)
    with pytest.raises(ValueError, match="X has 3 features"):
        feature_contributions(pca, X[:, :3])
    with pytest.raises(ValueError, match="level=2"):
        feature_contributions(pca, X, level=2)
    with pytest.raises(ValueError, match="align='scale'"):
        feature_contributions(pca, X, align="scale")
    for n_bootstrap in (-1, 3):
        with pytest.raises(ValueError, match=f"n_bootstrap={n_bootstrap} must be 0 or at least 4"):
            feature_contributions(pca, X, n_bootstrap=n_bootstrap)
    with pytest.raises(TypeError, match="TSNE has no components_"):
        feature_contributions(TSNE(perplexity=5, max_iter=250).fit(X), X)
