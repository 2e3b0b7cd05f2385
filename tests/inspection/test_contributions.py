from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.manifold import TSNE

from discrimap import DiscriminativeComponents, feature_contributions


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


def test_refits_keep_the_bandwidth_that_was_chosen(separated):
    X, y = separated
    fitted = DiscriminativeComponents(2, n_bandwidths=3).fit(X, y)
    found = feature_contributions(fitted, X, y, n_bootstrap=3, random_state=0)
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
    with pytest.raises(ValueError, match="n_bootstrap=-1"):
        feature_contributions(pca, X, n_bootstrap=-1)
    with pytest.raises(TypeError, match="TSNE has no components_"):
        feature_contributions(TSNE(perplexity=5, max_iter=250).fit(X), X)
