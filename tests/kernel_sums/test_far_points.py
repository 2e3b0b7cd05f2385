"""Which points are far from the others, and are summed exactly."""

import numpy as np
import pytest

from discrimap.kernel_sums import CauchyKernel
from discrimap.kernel_sums._far_loops import boxes_within, largest_offsets
from discrimap.kernel_sums.costs import choose_core
from discrimap.kernel_sums.grid import GridShelf
from discrimap.kernel_sums.layout import ClassLayout
from discrimap.kernel_sums.transforms import Transforms


@pytest.mark.parametrize("n_dims", [1, 2, 3])
def test_boxes_within_limits_are_those_of_numpy(n_dims, rng):
    coordinates = rng.standard_normal((n_dims, 500))
    centre = rng.standard_normal(n_dims)
    offsets = largest_offsets(coordinates, centre)
    np.testing.assert_array_equal(offsets, np.abs(coordinates - centre[:, None]).max(axis=0))

    limits = np.sort(offsets)[[498, 400, 250]]  # each is itself the offset of a point
    counts, extents = boxes_within(coordinates, offsets, limits)
    assert counts.tolist() == [1, 99, 249]
    for limit, extent in zip(limits, extents, strict=True):
        within = coordinates[:, offsets <= limit]
        np.testing.assert_array_equal(extent, within.max(axis=1) - within.min(axis=1))


@pytest.mark.parametrize("n_far", [0, 1, 40, 150])
def test_the_core_leaves_out_the_far_points_and_no_more_than_a_share(n_far, rng):
    n = 5000
    coordinates = rng.standard_normal((2, n))
    far = rng.choice(n, n_far, replace=False)
    coordinates[:, far] += 1000.0
    layout = ClassLayout(np.zeros(n, dtype=np.int64), 2)
    shelf = GridShelf([CauchyKernel()], 1e-6)
    extents = np.ptp(coordinates, axis=1)
    is_core = choose_core(coordinates, extents, layout, shelf, np.inf, np.inf)
    assert not is_core[far].any()
    assert (~is_core).sum() in {0: [0], 1: [5], 40: [50], 150: [150]}[n_far]


def test_a_plan_is_chosen_by_the_number_of_points_and_not_by_what_it_did_before():
    transforms = Transforms((41, 41), 1e-6)

    def spectrum(n):
        draw = np.random.default_rng(n)
        angles = [draw.uniform(-1, 1, n) for _ in range(2)]
        return transforms.points_to_modes(angles, draw.random(n) + 0j, 1)

    few, many = spectrum(100), spectrum(20_000)
    np.testing.assert_array_equal(spectrum(100), few)
    other = Transforms((41, 41), 1e-6)
    transforms = other
    np.testing.assert_array_equal(spectrum(20_000), many)
    np.testing.assert_array_equal(spectrum(100), few)
