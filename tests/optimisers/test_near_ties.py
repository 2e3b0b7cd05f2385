"""Choices that rounding does not decide."""

import numpy as np
import pytest

from discrimap.components.bandwidth_search import best_bandwidth
from discrimap.optimisers.near_ties import first_of_best


@pytest.mark.parametrize("factor", [1e-120, 1.0, 1e120])
def test_the_first_of_nearly_equal_values_wins(factor, rng):
    values = np.array([0.9, 0.3, 0.3, 0.5, 0.3])
    for _ in range(20):
        noisy = values * (1 + 1e-9 * rng.standard_normal(5))
        assert first_of_best(factor * noisy) == 1
        assert first_of_best(-factor * noisy[::-1]) == 4  # negative values, as of Renyi information
    assert first_of_best(factor * np.array([0.3, 0.299])) == 1


def test_values_near_zero_are_compared_on_the_scale_of_the_start():
    assert first_of_best([1e-6, 1e-9]) == 1
    assert first_of_best([1e-6, 1e-9], scale=1.0) == 0


def test_the_widest_of_nearly_equal_widths_wins(rng):
    scores = np.array([-0.8, -0.2, -0.2, -0.4])
    for _ in range(20):
        assert best_bandwidth(scores * (1 + 1e-9 * rng.standard_normal(4))) == 2
    assert best_bandwidth(np.array([-0.8, -0.199, -0.2, -0.4])) == 1
