import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from discrimap.samples.in_memory import ArraySamples
from discrimap.sda import copies
from discrimap.sda.copies import without_copies

ROWS = np.array([[1.0, 2], [0, 5], [1, 2], [1, 2], [0, 5], [3, 3], [4, 4]])
LABELS = np.array([0, 1, 0, 1, 1, 0, 0])


def sorted_rows(samples):
    """Features, labels and weights of the samples, in an order of their own."""
    array = samples.array.toarray() if samples.is_sparse else samples.array
    rows = np.column_stack([array, samples.labels, samples.weights])
    return rows[np.lexsort(rows.T)]


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equal_samples_of_a_class_become_one(container, dtype):
    merged = without_copies(ArraySamples(container(ROWS.astype(dtype)), LABELS))
    expected = ArraySamples(
        np.array([[1, 2], [0, 5], [1, 2], [3, 3], [4, 4]]),
        np.array([0, 1, 1, 0, 0]),
        weights=[2, 2, 1, 1, 1],
    )
    assert_allclose(sorted_rows(merged), sorted_rows(expected))
    assert merged.dtype == dtype


def test_weights_of_equal_samples_add_up():
    weights = np.array([0.5, 1, 2, 3, 4, 5, 6])
    merged = without_copies(ArraySamples(ROWS, LABELS, weights=weights))
    assert_allclose(sorted_rows(merged)[:, 3], [2.5, 3, 5, 5, 6])
    assert_allclose(sorted_rows(merged)[:, 0], [1, 1, 3, 0, 4])


def test_copies_of_equal_number_leave_the_order_as_it_is():
    twice = without_copies(ArraySamples(np.repeat(ROWS[4:], 2, axis=0), np.zeros(6, dtype=int)))
    assert_allclose(twice.array, ROWS[4:])
    assert twice.weights is None


def test_equal_weights_are_left_out():
    weights = np.array([1.0, 1, 2, 2])
    merged = without_copies(
        ArraySamples(ROWS[[0, 0, 5, 6]], np.zeros(4, dtype=int), weights=weights)
    )
    assert_allclose(merged.array, ROWS[[0, 5, 6]])
    assert merged.weights is None


def test_copies_are_kept_if_no_class_has_three_different_samples():
    samples = ArraySamples(np.repeat(ROWS[4:6], 5, axis=0), np.arange(10) % 2)
    assert without_copies(samples) is samples


def test_different_samples_stay_as_they_are(rng, monkeypatch):
    X = rng.standard_normal((500, 3)) + 1e6
    X[1] = X[0] + [1e-9, 0, 0]  # their images almost coincide
    samples = ArraySamples(X, np.zeros(500, dtype=int))
    assert without_copies(samples).array is X
    many = ArraySamples(ROWS, LABELS)
    monkeypatch.setattr(copies, "MOST_COMPARED", 5)
    assert without_copies(many) is many


def test_copies_are_found_among_many_others(rng):
    X = rng.standard_normal((300, 40)) * 1e4 + 1e6
    weights = rng.integers(1, 4, 300)
    order = rng.permutation(weights.sum())
    repeated = np.repeat(np.arange(300), weights)[order]
    merged = without_copies(ArraySamples(X[repeated], repeated % 4))
    alone = without_copies(ArraySamples(X, np.arange(300) % 4, weights=weights))
    assert_allclose(merged.array, alone.array, rtol=0)
    assert_allclose(merged.weights, alone.weights, rtol=0)
    assert len(merged) == 300
