"""Which points are far from the others, and are summed exactly."""

import numpy as np
import pytest

from discrimap.kernel_sums import CauchyKernel, GaussianKernel, LogKernel, PairTerm
from discrimap.kernel_sums._far_loops import boxes_within, largest_offsets
from discrimap.kernel_sums.costs import choose_core
from discrimap.kernel_sums.exact import ExactPairSums
from discrimap.kernel_sums.fourier import _far_sums
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


@pytest.mark.parametrize("n_dims", [1, 2, 3])
@pytest.mark.parametrize("n_far", [1, 30])
def test_gradients_from_far_points_are_those_of_the_sums_point_by_point(n_dims, n_far, rng):
    n, n_classes = 5000, 4
    layout = ClassLayout(rng.integers(0, n_classes, n), n_dims, rng.random(n))
    mixing = rng.random((n_classes, n_classes))
    terms = [PairTerm(LogKernel(), mixing + mixing.T), PairTerm(CauchyKernel(), np.eye(n_classes))]
    engine = ExactPairSums(layout, terms)
    coordinates = rng.standard_normal((n_dims, n))
    far = np.sort(rng.choice(n, n_far, replace=False))
    others = np.delete(np.arange(n), far)
    gradients = engine.gradients_from(coordinates, far)
    by_point = engine.sums_between(coordinates, others, far)[1]
    np.testing.assert_allclose(gradients[:, :, others], by_point.transpose(0, 2, 1), atol=1e-12)


@pytest.mark.parametrize("kernel", [CauchyKernel(), GaussianKernel(0.7)])
@pytest.mark.parametrize("share", [0.02, 0.1])  # few and many far points
def test_sums_of_far_points_equal_those_of_all_pairs(share, kernel, rng):
    n = 3000
    labels = rng.integers(0, 3, n)
    coordinates = rng.standard_normal((2, n))
    layout = ClassLayout(labels, 2, rng.random(n))
    engine = ExactPairSums(layout, [PairTerm(kernel, np.ones((3, 3)) + np.eye(3))])
    is_core = rng.random(n) > share
    everyone, core = np.arange(n), np.flatnonzero(is_core)
    values, gradients = engine.sums_between(coordinates, everyone, everyone)
    values_of_core, gradients_of_core = engine.sums_between(coordinates, core, core)
    gradients[:, core] -= gradients_of_core
    totals_of_far, gradients_of_far = _far_sums(engine, coordinates, is_core)
    np.testing.assert_allclose(totals_of_far, values.sum(0) - values_of_core.sum(0), rtol=1e-10)
    np.testing.assert_allclose(gradients_of_far, gradients.transpose(0, 2, 1), atol=1e-9)
