import numpy as np
import pytest
from numpy.testing import assert_allclose

from discrimap.linalg.products import (
    FEW_CLASSES,
    FEW_COLUMNS,
    MANY_FEATURES,
    class_sums,
    column_sums,
    project,
    pull_back,
)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n_columns", [1, FEW_COLUMNS, FEW_COLUMNS + 1])
@pytest.mark.parametrize("n_features", [30, MANY_FEATURES])
def test_products_in_blocks_are_those_of_all_rows(dtype, n_columns, n_features, rng):
    X = rng.standard_normal((300_000 // n_features + 1500, n_features)).astype(dtype)
    W, gradient = (rng.standard_normal((size, n_columns)) for size in X.shape[::-1])
    rtol = 1e-12 if dtype == np.float64 else 1e-4
    projected, pulled = project(X, W), pull_back(X, gradient)
    assert projected.dtype == dtype
    assert_allclose(projected, X.astype(float) @ W, atol=rtol * np.sqrt(X.size))
    assert pulled.dtype == np.float64
    assert_allclose(pulled, X.T.astype(float) @ gradient, atol=rtol * np.sqrt(X.size))


@pytest.mark.parametrize("n_classes", [3, FEW_CLASSES, FEW_CLASSES + 1, 500])
def test_sums_of_classes_are_those_of_their_rows(n_classes, rng):
    block = rng.standard_normal((300, 4))
    labels = rng.integers(0, n_classes - 1, 300)  # the last class has no sample
    expected = [block[labels == c].sum(axis=0) for c in range(n_classes)]
    assert_allclose(class_sums(block, labels, n_classes), expected, atol=1e-12)


def test_sums_of_columns_are_those_of_all_rows(rng):
    block = rng.standard_normal((300, 4))
    assert_allclose(column_sums(block), block.sum(axis=0), atol=1e-12)
