import numpy as np
import pytest
from numpy.testing import assert_array_equal

from discrimap.samples import class_order
from discrimap.samples.class_order import rows_by_class


@pytest.mark.parametrize("n_classes", [1, 5, 64, 65, 300])
@pytest.mark.parametrize("n_samples", [1, 99, 100, 1234])
def test_rows_are_sorted_by_class_in_their_order(monkeypatch, rng, n_samples, n_classes):
    monkeypatch.setattr(class_order, "BLOCK_ROWS", 100)
    labels = rng.integers(0, n_classes, n_samples)
    rows, starts = rows_by_class(labels, n_classes)
    assert_array_equal(rows, np.argsort(labels, kind="stable"))
    assert_array_equal(starts, np.searchsorted(labels[rows], np.arange(n_classes + 1)))
