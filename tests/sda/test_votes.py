import numpy as np
import pytest

from discrimap.samples.in_memory import ArraySamples
from discrimap.sda.votes import best_by_vote, held_out_error, outvoted_share


def two_classes():
    """Ten points of each of two classes, apart in the first feature and mixed in the second."""
    labels = np.repeat([0, 1], 10)
    X = np.column_stack([10.0 * labels + np.arange(20), np.arange(20) % 2 + 0.01 * np.arange(20)])
    return ArraySamples(X, labels)


def test_neighbours_vote_for_the_map_that_separates():
    samples = two_classes()
    apart, mixed = np.array([[1.0], [0.0]]), np.array([[0.0], [1.0]])
    assert best_by_vote(samples, [mixed, apart]) == 1
    assert best_by_vote(samples, [apart, mixed]) == 0
    assert best_by_vote(samples, [2 * apart, apart]) == 0  # the first of equal ones
    assert best_by_vote(samples, [mixed]) == 0


def test_votes_and_errors_are_weighted():
    points = np.array([[0.0], [1], [2], [3], [4], [5], [100]])
    labels = np.array([0, 0, 1, 1, 1, 1, 1])
    weights = np.array([3.0, 6, 1, 1, 1, 1, 1])
    weighted = ArraySamples(points, labels, weights=weights)
    # The neighbours of point 0 have 6 votes for its class and 4 against it, those of point 1 have 3
    # and 4; point 1 is among the neighbours of all others, and outvotes their class.
    assert outvoted_share(weighted) == pytest.approx(11 / 14)
    assert outvoted_share(ArraySamples(points, labels)) == pytest.approx(2 / 7)  # points 0 and 1
    new = ArraySamples(np.array([[0.4], [0.6], [4.4]]), np.array([0, 1, 1]), weights=weights[:3])
    assert held_out_error(weighted, new) == pytest.approx(6 / 10)


def test_the_scale_of_the_weights_is_of_no_consequence(rng):
    points, labels = rng.standard_normal((60, 2)), rng.integers(0, 3, 60)
    weights = rng.uniform(0.5, 2, 60)
    shares = [
        outvoted_share(ArraySamples(points, labels, weights=scale * weights))
        for scale in (1.0, 1e-12, 1e12)
    ]
    assert shares == pytest.approx([shares[0]] * 3)
