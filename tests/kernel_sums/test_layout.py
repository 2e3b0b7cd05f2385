import numpy as np
import pytest
from numpy.testing import assert_array_equal

from discrimap.kernel_sums import layout as layout_module
from discrimap.kernel_sums.layout import ClassLayout


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n_dims", [1, 2, 3])
def test_compiled_loops_sort_like_an_index(monkeypatch, rng, n_dims, dtype):
    labels = rng.integers(0, 300, 2000)
    labels[labels == 7] = 8  # a class without points
    Z = rng.standard_normal((2000, n_dims)).astype(dtype)
    order = np.argsort(labels, kind="stable")
    monkeypatch.setattr(layout_module, "SORTED_TOGETHER", 300)
    for many in (2001, 1):
        monkeypatch.setattr(layout_module, "MANY_POINTS", many)
        layout = ClassLayout(labels, n_dims, n_classes=301)
        coordinates = layout.sort(np.asfortranarray(Z))
        assert_array_equal(coordinates, Z[order].T)
        assert coordinates.dtype == np.float64
        assert_array_equal(layout.unsort(coordinates.T, dtype), Z)
        assert_array_equal(layout.labels, labels[order])
        assert layout.starts[8] - layout.starts[7] == 0
        assert layout.starts[-1] == 2000


def test_the_box_holds_the_points_of_all_blocks(monkeypatch, rng):
    monkeypatch.setattr(layout_module, "SORTED_TOGETHER", 300)
    labels, Z = rng.integers(0, 3, 1000), rng.standard_normal((1000, 2))
    layout = ClassLayout(labels, 2)
    coordinates, lowest, highest = layout.sort_with_box(Z)
    assert_array_equal(coordinates, layout.sort(Z))
    assert_array_equal(lowest, Z.min(axis=0))
    assert_array_equal(highest, Z.max(axis=0))
    for value in (np.nan, np.inf, -np.inf):
        Z[rng.integers(1000), 1] = value
        with pytest.raises(ValueError, match="NaN or infinity"):
            layout.sort(Z)
