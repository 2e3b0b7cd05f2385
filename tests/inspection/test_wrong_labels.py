import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from discrimap.inspection.wrong_labels import estimate_wrong_labels
from discrimap.metrics.knn import class_votes


def cross_votes(X, given):
    """Shares of the classes among the 15 nearest samples of the other folds."""
    n_classes = given.max() + 1
    votes = np.empty((len(X), n_classes))
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for train, test in folds.split(X, given):
        votes[test] = class_votes(X[train], given[train], X[test], n_classes, 15) / 15
    return votes


def n_outvoted(votes, given):
    return np.count_nonzero(votes.max(axis=1) > votes[np.arange(len(given)), given])


def test_the_rate_in_the_certain_half_counts_for_all_samples_of_the_class():
    """Class 1 wins 20 samples, of which 12 have no vote for class 0, and 3 of these are labelled 0."""
    given = np.array([0] * 30 + [1] * 17 + [0] * 3)
    votes = np.eye(2)[given]
    votes[30:50] = [0.0, 1.0]
    votes[30:38] = [0.2, 0.8]
    found = estimate_wrong_labels(votes, given)
    # 3 of 12 is more than 3 of 20: the label is not rarer where class 1 is certain.
    np.testing.assert_allclose(found.expected, [20 * 3 / 12, 0])
    assert not found.is_swallowed.any()


def test_labels_that_are_rarer_where_another_class_is_certain_count_less():
    """Class 1 wins 40: 1 of 20 certain ones is labelled 0, and 3 of the other 20."""
    given = np.array([0] * 60 + [1] * 40)
    votes = np.eye(2)[given]
    votes[80:] = [0.2, 0.8]
    given[[60, 80, 81, 82]] = 0
    found = estimate_wrong_labels(votes, given)
    at_most = 40 * 1 / 20
    np.testing.assert_allclose(found.expected, [at_most * at_most / 4, 0])


@pytest.mark.parametrize(("share", "n_wrong"), [(0.6, 0), (0.7, 3)])
def test_a_class_is_certain_with_seventy_per_cent_of_the_votes(share, n_wrong):
    given = np.array([0] * 30 + [1] * 17 + [0] * 3 + [2] * 30)
    votes = np.eye(3)[given]
    votes[30:50] = [0.0, share, 1 - share]
    np.testing.assert_allclose(estimate_wrong_labels(votes, given).expected, [n_wrong, 0, 0])


@pytest.mark.parametrize("n_classes", [2, 4])
def test_errors_among_separate_classes_are_counted(rng, n_classes):
    truth = np.arange(800) % n_classes
    X = rng.standard_normal((800, 3)) + 20 * rng.permutation(n_classes)[truth, None]
    given = truth.copy()
    wrong = rng.choice(800, 40, replace=False)
    given[wrong] = (truth[wrong] + rng.integers(1, n_classes, 40)) % n_classes
    expected = estimate_wrong_labels(cross_votes(X, given), given).expected.sum()
    assert 20 <= expected <= 60
    clean = estimate_wrong_labels(cross_votes(X, truth), truth)
    assert clean.expected.sum() == 0


@pytest.mark.parametrize(("gap", "most"), [(0.0, 0.05), (0.5, 0.05), (2.0, 0.45)])
def test_most_of_the_overlap_is_not_counted(rng, gap, most):
    given = np.arange(800) % 2
    X = rng.standard_normal((800, 2))
    X[:, 0] += gap * given
    votes = cross_votes(X, given)
    assert n_outvoted(votes, given) > 90
    assert estimate_wrong_labels(votes, given).expected.sum() <= most * n_outvoted(votes, given)


def test_a_class_inside_another_is_swallowed_and_not_wrong(rng):
    """Sizes as in annthyroid: 93, 5 and 2 %; the third lies apart."""
    given = np.repeat([0, 1, 2], [930, 50, 20])
    X = rng.standard_normal((1000, 3))
    X[given == 2] += 30
    votes = cross_votes(X, given)
    assert n_outvoted(votes, given) >= 45
    found = estimate_wrong_labels(votes, given)
    assert found.is_swallowed.tolist() == [False, True, False]
    assert found.expected.tolist() == [0, 0, 0]


def test_the_names_of_the_classes_do_not_matter(rng):
    given = np.arange(300) % 3
    votes = rng.dirichlet([1, 1, 1], 300) + 2 * np.eye(3)[given]
    votes[:6] = np.roll(votes[:6], 1, axis=1)
    votes /= votes.sum(axis=1, keepdims=True)
    new = np.array([2, 0, 1])  # class c becomes new[c]
    renamed = np.empty_like(votes)
    renamed[:, new] = votes
    before = estimate_wrong_labels(votes, given).expected
    after = estimate_wrong_labels(renamed, new[given]).expected
    np.testing.assert_allclose(after[new], before)
    assert before.sum() > 0
