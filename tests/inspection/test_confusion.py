import numpy as np

from discrimap.inspection.confusion import Confusion, count_confusions
from discrimap.inspection.folds import cross_votes
from discrimap.inspection.refits import Refit


def test_votes_are_summed_by_class_and_ties_are_shared(make_samples):
    # The second row has no label, and no vote.
    samples = make_samples(np.zeros((5, 1)), [0, -1, 1, 2, 2], "abc")
    votes = np.array([[0.6, 0.2, 0.2], [0.0, 0.0, 1.0], [0.4, 0.2, 0.4], [0.3, 0.1, 0.6]])
    found = count_confusions(votes, samples)
    assert found.class_names == ("a", "b", "c")
    np.testing.assert_allclose(found.counts, [[1, 0, 0], [0, 0, 1], [0.5, 0, 1.5]])


def test_the_worst_pairs_leave_out_the_diagonal_and_zeros():
    counts = np.array([[90.0, 3.0, 0.0], [7.0, 50.0, 0.0], [0.5, 0.0, 10.0]])
    confusion = Confusion(("a", "b", "c"), counts)
    assert confusion.worst_pairs() == [(1, 0, 7.0), (0, 1, 3.0), (2, 0, 0.5)]
    assert confusion.worst_pairs(most=1) == [(1, 0, 7.0)]
    assert counts[0, 0] == 90.0  # the table itself is not changed


def test_a_planted_confusion_is_found(rng, make_samples, compared):
    """Classes a and b have one distribution, class c is far from both."""
    y = np.arange(180) % 3
    X = rng.standard_normal((180, 3))
    X[:, 0] += 30 * (y == 2)
    samples = make_samples(X, y, "abc")
    comparison = compared(samples, ["lda"])
    refit = Refit(comparison.done[0], samples, comparison.protocol)
    votes = cross_votes(refit, 2, 5, seed=0)
    np.testing.assert_allclose(votes.sum(axis=1), 1.0)
    counts = count_confusions(votes, samples).counts
    np.testing.assert_allclose(counts.sum(axis=1), 60.0)
    assert counts[2, 2] == 60.0
    assert counts[:2, 2].sum() == 0.0
    assert counts[0, 1] > 15
    assert counts[1, 0] > 15
