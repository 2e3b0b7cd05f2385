"""Pieces of points that threads transform."""

import itertools

import pytest

from discrimap.kernel_sums.grid_tasks import HALVED_POINTS, PIECE_POINTS, POINTS_PER_MODE, cut


@pytest.mark.parametrize("sizes", [(70_000,), (70_000, 300_000), (0, 5, 20_000), (1, 2, 3)])
@pytest.mark.parametrize("n_modes", [1, 101, 9_001])
def test_pieces_cover_every_point_of_each_range_once_and_in_order(sizes, n_modes):
    bounds = [0, *itertools.accumulate(sizes)]
    ranges = list(itertools.pairwise(bounds))
    pieces = cut(ranges, n_modes)
    for number, (begin, end) in enumerate(ranges):
        own = [piece[1:] for piece in pieces if piece[0] == number]
        assert [point for piece in own for point in range(*piece)] == list(range(begin, end))
        assert all(first < last for first, last in own)
        assert len(own) <= 2 + (end - begin) / max(PIECE_POINTS, POINTS_PER_MODE * n_modes)


def test_the_last_of_an_odd_number_of_pieces_is_halved_if_it_is_long():
    size = HALVED_POINTS
    assert cut([(0, size)], 9) == [(0, 0, size // 2), (0, size // 2, size)]
    assert cut([(0, size - 1)], 9) == [(0, 0, size - 1)]
    assert cut([(0, size)], size + 1) == [(0, 0, size)]  # its grid would take longer
    assert cut([(0, size), (size, 2 * size)], 9) == [(0, 0, size), (1, size, 2 * size)]
