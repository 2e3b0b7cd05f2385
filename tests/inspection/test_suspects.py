from dataclasses import replace

import numpy as np
import pytest

from discrimap.inspection.jury import Jury
from discrimap.inspection.suspects import find_suspects


def test_classes_with_fewer_votes_than_a_rival_are_suspicious(make_samples):
    samples = make_samples(np.zeros((41, 1)), [0, -1, *[0] * 19, *[1] * 20], "ab")
    votes = np.tile([1.0, 0.0], (40, 1))
    votes[20:] = [0.0, 1.0]
    votes[0] = [0.4, 0.6]
    votes[39] = [0.9, 0.1]
    votes[38] = [0.5, 0.5]  # as many as the rival: not suspicious
    found = find_suspects(Jury((("PCA", 5),), 10, votes), samples)
    assert (found.n_checked, found.n_found) == (40, 2)
    assert [(one.row, one.given, one.suggested) for one in found.items] == [
        (40, "b", "a"),
        (0, "a", "b"),
    ]
    worst = found.items[0]
    assert (worst.own, worst.other, worst.score) == pytest.approx((0.1, 0.9, 0.8))
    assert [one.id for one in found.items] == [None, None]
    assert found.id_name is None


def test_as_many_as_are_estimated_come_first_and_carry_their_ids(make_samples):
    """Class c lies inside class a: all of it is outvoted, and none of it is estimated to be wrong."""
    given = np.array([0] * 100 + [1] * 100 + [2] * 10)
    samples = make_samples(np.zeros((210, 1)), given, "abc")
    samples = replace(samples, ids=np.array([f"id {i}" for i in range(210)]), id_name="name")
    votes = np.eye(3)[given]
    votes[200:] = [1.0, 0.0, 0.0]
    votes[150:152] = [0.9, 0.0, 0.1]  # two of b among a
    found = find_suspects(Jury((("PCA", 5),), 10, votes), samples)
    assert (found.n_found, found.n_estimated, found.id_name) == (12, 2, "name")
    assert [(one.row, one.id) for one in found.items[:2]] == [(150, "id 150"), (151, "id 151")]
    assert [one.score for one in found.items] == pytest.approx([0.9] * 2 + [0.0] * 10)


def test_a_small_class_is_not_suspicious_for_being_small(make_samples):
    """Five samples, four of them in the training part: at most 4 of 10 neighbours."""
    samples = make_samples(np.zeros((25, 1)), [0] * 5 + [1] * 20, "ab")
    votes = np.tile([0.0, 1.0], (25, 1))
    votes[:5] = [0.4, 0.6]
    votes[4] = [0.2, 0.8]
    found = find_suspects(Jury((("PCA", 5),), 10, votes), samples)
    assert [one.row for one in found.items] == [4]
    assert found.items[0].own == pytest.approx(0.5)


def test_numbers_far_from_the_expected_ones_are_suspicious(make_samples):
    # Residuals are 0, 1, -1, ... so that their median is 0 and their median size is 1.
    off = np.array([0.0, 1.0, -1.0, 1.0, -1.0, 5.0, -5.5, 0.5, -0.5])
    expected = np.linspace(10, 20, 9)
    samples = make_samples(np.zeros((10, 1)), [np.nan, *(expected + off)])
    found = find_suspects(Jury((("PLS", 5),), 10, expected), samples)
    assert [one.row for one in found.items] == [7]
    assert (found.n_found, found.n_estimated) == (1, 1)
    (one,) = found.items
    assert one.score == pytest.approx(5.5 / 1.4826)
    assert (one.own, one.other) == pytest.approx((expected[6] - 5.5, expected[6]))
    assert one.suggested == "17.5"
