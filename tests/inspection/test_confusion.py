import numpy as np
import pytest

from discrimap.comparison import MethodResult
from discrimap.comparison.evidence import Prediction
from discrimap.inspection.confusion import NEVER, Confusion, count_confusions


def predictions(samples, *splits):
    """Rows and what they are taken for, split by split."""
    return tuple(
        Prediction(np.array(rows), samples.y[rows], np.array(predicted))
        for rows, predicted in splits
    )


def test_each_sample_is_judged_in_the_first_split_that_held_it_out(make_samples):
    # The second row has no label; the last is never held out.
    samples = make_samples(np.zeros((6, 1)), [0, -1, 1, 2, 2, 0], "abc")
    splits = predictions(samples, ([0, 3], [0, 1]), ([2, 3], [2, 2]), ([4, 0], [2, 1]))
    found = count_confusions(MethodResult("m", "M", "done", predictions=splits), samples)
    assert found.class_names == ("a", "b", "c")
    assert found.judged.tolist() == [0, NEVER, 2, 1, 2, NEVER]
    np.testing.assert_array_equal(found.counts, [[1, 0, 0], [0, 0, 1], [0, 1, 1]])
    assert found.n_judged == 4


def test_without_predictions_or_classes_the_reason_is_told(make_samples):
    result = MethodResult("m", "M", "done")
    classes, numbers = make_samples(np.eye(2), [0, 1], "ab"), make_samples(np.eye(2), [0.5, 1.5])
    assert "No predictions" in count_confusions(result, classes)
    assert "number" in count_confusions(result, numbers)


def test_the_worst_pairs_leave_out_the_diagonal_and_zeros():
    counts = np.array([[90, 3, 0], [7, 50, 0], [1, 0, 10]])
    confusion = Confusion(("a", "b", "c"), counts, np.zeros(0))
    assert confusion.worst_pairs() == [(1, 0, 7), (0, 1, 3), (2, 0, 1)]
    assert confusion.worst_pairs(most=1) == [(1, 0, 7)]
    assert counts[0, 0] == 90  # the table itself is not changed


@pytest.mark.parametrize("n_repeats", [1, 8])
def test_a_planted_confusion_is_found(rng, make_samples, compared, n_repeats):
    """Classes a and b have one distribution, class c is far from both."""
    y = np.arange(180) % 3
    X = rng.standard_normal((180, 3))
    X[:, 0] += 30 * (y == 2)
    samples = make_samples(X, y, "abc")
    comparison = compared(samples, ["lda"], n_repeats=n_repeats)
    found = count_confusions(comparison.done[0], samples)
    held_out = {row for one in comparison.done[0].predictions for row in one.rows}
    assert np.flatnonzero(found.judged != NEVER).tolist() == sorted(held_out)
    counts = found.counts
    assert counts.sum() == found.n_judged == len(held_out)
    assert counts[2, 2] == counts[2].sum() == counts[:, 2].sum()
    # A third of the held-out samples are of a, and half of these are taken for b; sd below 4 %.
    assert counts[0, 1] + counts[1, 0] > 0.3 * counts[:2].sum()


def test_the_error_of_one_split_is_that_of_the_table(rng, make_samples, compared):
    samples = make_samples(rng.standard_normal((90, 2)), np.arange(90) % 3, "abc")
    # One neighbour has no ties, which would be shared in the one and decided by lot in the other.
    result = compared(samples, ["pca"], n_repeats=1, n_neighbors=1).done[0]
    counts = count_confusions(result, samples).counts
    assert 1 - np.trace(counts) / counts.sum() == pytest.approx(result.test_error)
