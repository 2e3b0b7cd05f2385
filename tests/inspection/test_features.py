from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from discrimap.inspection import features, refits
from discrimap.inspection.budget import Budget
from discrimap.inspection.contributions import FEWEST_REFITS
from discrimap.inspection.features import (
    FEWEST_BOOTSTRAP,
    N_BOOTSTRAP,
    choose_linear,
    telling_features,
    weigh_features,
)
from discrimap.registry import get_method


@pytest.fixture
def planted(rng, make_samples):
    """Two classes that differ in feature 3 and, less, in feature 1."""
    y = np.arange(120) % 2
    X = rng.standard_normal((120, 5))
    X[:, 3] += 6 * y
    X[:, 1] -= 3 * y
    return make_samples(X, y, "ab")


def weigh(comparison, samples, seconds=600):
    """Weigh the features of the method that is chosen, or return the reason why there is none."""
    chosen = choose_linear(comparison, samples, comparison.protocol, Budget(seconds))
    if isinstance(chosen, str):
        return chosen
    return weigh_features(chosen, samples, comparison.protocol, Budget(seconds))


def test_planted_features_come_first_with_intervals_clear_of_zero(planted, compared):
    comparison = compared(planted, ["pca", "lda"], n_components=1)
    found = weigh(comparison, planted)
    assert (found.name, found.label) == ("lda", "LDA")  # the simplest that knows the labels
    assert comparison.shown == "lda"
    assert found.ranking[0] == 3
    assert found.ranking[1] == 1
    assert found.n_bootstrap == N_BOOTSTRAP
    assert found.loadings.shape == (1, 5)
    # The two differences have opposite signs, whatever the sign of the component.
    assert found.loadings[0, 3] * found.loadings[0, 1] < 0
    low, high = found.intervals[:, 0]
    assert low[3] * high[3] > 0
    assert (low <= high).all()


def test_loadings_are_those_of_a_fit_to_the_labelled_rows(planted, compared, make_samples):
    comparison = compared(planted, ["lda"], n_components=1)
    # Rows without a label lie far away, and have no influence.
    X = np.vstack([planted.X, np.full((30, 5), 1e3)])
    with_others = make_samples(X, np.append(planted.y, np.full(30, -1)), "ab")
    expected, found = (weigh(comparison, samples) for samples in (planted, with_others))
    np.testing.assert_allclose(found.loadings, expected.loadings)


@pytest.mark.parametrize("is_calibrated", [True, False])
def test_only_methods_that_were_measured_have_intervals_by_name(
    is_calibrated, planted, compared, monkeypatch
):
    comparison = compared(planted, ["lda"], n_components=1)
    method = replace(get_method("lda"), calibrated=is_calibrated)
    monkeypatch.setattr("discrimap.comparison.result.get_method", lambda name: method)
    found = weigh(comparison, planted)
    expected = "90 % interval" if is_calibrated else "variation between refits"
    assert found.interval_name == expected


def test_time_left_decides_on_the_intervals(planted, compared, monkeypatch):
    """Each refit takes one second, as the refits that measure the time do; a fit takes two."""
    comparison = compared(planted, ["lda"], n_components=1)
    now = [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    monkeypatch.setattr("discrimap.inspection.refits.Refit.seconds", lambda *_: 2.0)
    contributions = features.feature_contributions

    def timed(*arguments, n_bootstrap, **settings):
        now[0] += n_bootstrap
        return contributions(*arguments, n_bootstrap=n_bootstrap, **settings)

    monkeypatch.setattr(features, "feature_contributions", timed)
    assert weigh(comparison, planted, FEWEST_REFITS + 30.5).n_bootstrap == 30
    few = weigh(comparison, planted, FEWEST_REFITS + FEWEST_BOOTSTRAP - 0.5)
    assert (few.n_bootstrap, few.intervals) == (0, None)
    too_long = weigh(comparison, planted, 1.5)
    assert (too_long.what, too_long.needed) == ("LDA takes too long to be fitted once more", 2.0)


def test_the_best_linear_method_with_time_for_intervals_is_chosen(planted, compared, monkeypatch):
    comparison = compared(planted, ["pca", "lda", "kda"], n_components=1)
    monkeypatch.setattr(
        "discrimap.inspection.refits.Refit.seconds",
        lambda self, *_: {"pca": 0.1, "lda": 1.0}[self.method.name],
    )
    for seconds, name in ((FEWEST_BOOTSTRAP + 1, "lda"), (FEWEST_BOOTSTRAP - 1, "pca")):
        found = choose_linear(comparison, planted, comparison.protocol, Budget(seconds))
        assert found.name == name


def test_without_a_linear_method_or_dense_data_there_is_a_reason(planted, compared, make_samples):
    comparison = compared(planted, ["kda"])
    found = weigh(comparison, planted)
    assert found.startswith("No linear method was run")
    thin = make_samples(sparse.csr_matrix(planted.X), planted.y, "ab")
    found = weigh(comparison, thin)
    assert found.endswith("for dense data only.")


def test_features_are_ranked_one_by_one_for_classes_and_numbers(planted, compared, make_samples):
    protocol = compared(planted, ["pca"]).protocol
    X = planted.X.copy()
    X[:, 0] = 7.0  # a constant feature comes last
    ranking = telling_features(make_samples(X, planted.y, "ab"), protocol)
    assert ranking[:2].tolist() == [3, 1]
    assert ranking[-1] == 0
    numbers = 2 * planted.X[:, 4] - planted.X[:, 2]
    assert telling_features(make_samples(planted.X, numbers), protocol)[:2].tolist() == [4, 2]


def test_loadings_are_those_of_the_axes_that_are_shown(corners, compared, monkeypatch):
    comparison = compared(corners, ["category"])
    monkeypatch.setattr(refits, "choose_axes", lambda *_: np.array([0, 1, 2, 3]))
    in_full = weigh(comparison, corners).loadings
    monkeypatch.setattr(refits, "choose_axes", lambda *_: np.array([1, 3]))
    shown = weigh(comparison, corners).loadings
    np.testing.assert_allclose(shown, in_full[[1, 3]])
