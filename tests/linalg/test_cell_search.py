"""Approximate neighbours in cells, beside a comparison of all."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.distance import cdist

from discrimap.linalg.cell_search import ExactSearch, make_cells


@pytest.fixture
def points(rng):
    centres = 3 * rng.standard_normal((20, 8))
    return centres[rng.integers(20, size=900)] + rng.standard_normal((900, 8))


def recall(expected, found):
    return np.mean([np.isin(a, b).mean() for a, b in zip(expected, found, strict=True)])


def nearest_of_all(queries, points, count):
    return np.argsort(cdist(queries, points), axis=1)[:, :count]


def test_all_cells_give_the_exact_neighbours(points, rng):
    queries = 3 * rng.standard_normal((50, 8))
    cells = make_cells(points)
    expected = nearest_of_all(queries, points, 12)
    assert_array_equal(cells.nearest(queries, 12, n_probes=len(cells.centres)), expected)
    assert_array_equal(ExactSearch(points).nearest(queries, 12), expected)


def test_all_cells_give_the_exact_other_points(points):
    apart = cdist(points, points)
    np.fill_diagonal(apart, np.inf)
    expected = np.argsort(apart, axis=1)[:, :12]
    cells = make_cells(points)
    assert_array_equal(cells.nearest_others(12, n_probes=len(cells.centres)), expected)
    assert_array_equal(ExactSearch(points).nearest_others(12), expected)


def test_near_cells_have_most_neighbours(points):
    cells = make_cells(points)
    near = nearest_of_all(points, points, 13)[:, 1:]
    assert recall(near, cells.nearest_others(12, n_probes=8)) > 0.9
    assert len(cells.centres) == 30
    few, more = (recall(near, cells.nearest_others(12, n_probes=n)) for n in (1, 4))
    assert few < more


def test_a_query_has_the_same_answer_in_any_batch(points, rng):
    # Integer coordinates, whose products are exact in every order.
    cells, queries = make_cells(np.rint(4 * points)), np.rint(8 * rng.standard_normal((40, 8)))
    together = cells.nearest(queries, 5, n_probes=4)
    alone = np.concatenate([cells.nearest(queries[k : k + 1], 5, n_probes=4) for k in range(40)])
    assert_array_equal(together, alone)


def test_more_cells_are_searched_where_the_near_ones_hold_too_few(rng):
    points = np.concatenate([rng.standard_normal((400, 2)), [[1000.0, 0.0]]])
    cells = make_cells(points, random_state=1)
    found = cells.nearest(points[-1:], 390, n_probes=1)
    assert len(np.unique(found)) == 390


def test_a_point_among_many_duplicates_is_not_its_own_neighbour():
    cells = make_cells(np.zeros((100, 3)))
    found = cells.nearest_others(4)
    assert found.shape == (100, 4)
    assert not (found == np.arange(100)[:, None]).any()
