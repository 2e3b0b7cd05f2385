import numpy as np
import pytest
from numpy.testing import assert_allclose
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


@pytest.mark.parametrize("align", ["rotation", "sign"])
def test_bootstrap_intervals_tell_signal_from_noise(separated, align):
    X, y = separated
    fitted = DiscriminativeComponents(1, bandwidth=0.8).fit(X, y)
    found = feature_contributions(fitted, X, y, n_bootstrap=20, align=align, random_state=0)
    low, high = found.intervals[:, 0]
    assert found.ranking[0] == 0
    assert low[0] * high[0] > 0  # clear of zero
    surely = min(abs(low[0]), abs(high[0]))
    assert all(max(abs(low[k]), abs(high[k])) < 0.5 * surely for k in (1, 2, 3))
    assert (low < high).all()
    again = feature_contributions(fitted, X, y, n_bootstrap=20, align=align, random_state=0)
    np.testing.assert_array_equal(found.intervals, again.intervals)


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
