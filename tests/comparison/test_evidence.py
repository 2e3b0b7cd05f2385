import numpy as np
import pytest
from scipy import stats

from discrimap.comparison import evidence
from discrimap.comparison.designs import Grouped, Independent
from discrimap.comparison.evidence import Prediction, combine, weigh_evidence


@pytest.fixture(autouse=True)
def few_relabellings(monkeypatch):
    monkeypatch.setattr(evidence, "N_RELABELLINGS", (199, 199))


def weigh(seed, share_right, n_splits=1, design=None, score="error"):
    """The evidence of the best of twenty methods that guess; the first may be right now and then."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(90) % 3)
    splits = []
    for _ in range(n_splits):
        rows = rng.choice(90, 30, replace=False)
        guesses = rng.integers(3, size=(20, 30))
        is_right = rng.random(30) < share_right
        guesses[0, is_right] = y[rows][is_right]
        splits.append([Prediction(rows, y[rows], guess) for guess in guesses])
    return weigh_evidence(splits, design or Independent(), score, seed)


@pytest.mark.parametrize("score", ["error", "balanced"])
@pytest.mark.parametrize("n_splits", [1, 5])
def test_the_best_of_many_guesses_is_no_evidence(score, n_splits):
    p_values = np.array([weigh(seed, 0.0, n_splits, score=score).p_value for seed in range(30)])
    # Uniform under chance: no correction for the best of twenty would put most below 0.1.
    assert np.mean(p_values < 0.1) < 0.3
    assert p_values.mean() > 0.3


def test_one_good_method_among_many_is_evidence():
    found = weigh(0, 1.0)
    assert found.p_value == pytest.approx(1 / 200)
    assert found.is_convincing
    assert (found.n_methods, found.n_relabellings) == (20, 199)


def test_whole_groups_that_exchange_labels_are_weaker_evidence():
    """Thirty rows of five groups are five labels, of which there are few orders."""
    groups = np.repeat(np.arange(5), 6)
    y = np.array([0, 1, 0, 1, 1])[groups]
    splits = [[Prediction(np.arange(30), y, y.copy())]]
    rows = weigh_evidence(splits, Independent(), seed=1).p_value
    whole = weigh_evidence(splits, Grouped(groups), seed=1).p_value
    assert rows < 0.01
    assert whole == pytest.approx(1 / 10, abs=0.07)  # two of five groups: ten orders


def test_predictions_of_numbers_are_weighed_by_their_squared_error():
    rng = np.random.default_rng(0)
    y = rng.standard_normal(40)
    good = Prediction(np.arange(40), y, y + 0.3 * rng.standard_normal(40))
    blind = Prediction(np.arange(40), y, rng.standard_normal(40))
    assert weigh_evidence([[good, blind]], Independent()).p_value < 0.01
    assert weigh_evidence([[blind]], Independent()).p_value > 0.01


def test_combined_p_values_are_those_of_cauchy():
    p = np.array([0.2, 0.001, 0.03])
    expected = stats.cauchy.sf(np.mean(stats.cauchy.isf(p)))
    assert combine(p) == pytest.approx(expected)
    assert combine([0.04]) == pytest.approx(0.04)
    # One split in which chance was unkind does not outweigh the others.
    assert combine([1.0, 0.0001, 0.0001]) < 0.01


def test_point_errors_have_the_mean_of_the_split():
    target = np.array([0, 0, 0, 1])
    split = Prediction(np.arange(4), target, np.array([0, 0, 1, 0]))
    assert split.point_errors("error").mean() == 0.5
    assert split.point_errors("balanced").mean() == pytest.approx((1 / 3 + 1) / 2)


def test_agreement_counts_points_or_classes():
    predicted, orders = np.array([0, 0, 1, 0]), np.array([[0, 0, 0, 1], [0, 0, 1, 0]])
    np.testing.assert_allclose(evidence._agreement(predicted, orders, "error"), [0.5, 1.0])
    # Two of three and none of one.
    np.testing.assert_allclose(evidence._agreement(predicted, orders, "balanced"), [1 / 3, 1.0])
