import pytest
from numpy.testing import assert_allclose

from discrimap.linalg.products import FEW_CLASSES, class_sums, column_sums


@pytest.mark.parametrize("n_classes", [3, FEW_CLASSES, FEW_CLASSES + 1, 500])
def test_sums_of_classes_are_those_of_their_rows(n_classes, rng):
    block = rng.standard_normal((300, 4))
    labels = rng.integers(0, n_classes - 1, 300)  # the last class has no sample
    expected = [block[labels == c].sum(axis=0) for c in range(n_classes)]
    assert_allclose(class_sums(block, labels, n_classes), expected, atol=1e-12)


def test_sums_of_columns_are_those_of_all_rows(rng):
    block = rng.standard_normal((300, 4))
    assert_allclose(column_sums(block), block.sum(axis=0), atol=1e-12)
