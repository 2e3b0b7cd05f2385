import numpy as np
import pytest
from scipy import sparse

from discrimap.datasets import load
from discrimap.errors import InputError


@pytest.fixture
def save(monkeypatch, tmp_path):
    """Save arrays as the file of one set in a folder of its own."""
    monkeypatch.setenv("DISCRIMAP_DATA", str(tmp_path))

    def save_as(name, **arrays):
        np.savez(tmp_path / f"{name}.npz", **arrays)

    return save_as


def test_each_array_goes_to_its_place(save):
    X = np.arange(6, dtype=np.uint8).reshape(3, 2)
    speaker = np.array(["ann", "bob", "cid"])
    save(
        "phoneme",
        X=X,
        y=np.array([0, 1, 1], dtype=np.uint8),
        target_names=np.array(["aa", "ao"]),
        feature_names=np.array(["f", "g"]),
        speaker=speaker,
    )
    dataset = load("phoneme")
    np.testing.assert_array_equal(dataset.X, X)
    assert dataset.X.dtype == np.uint8
    assert dataset.y.tolist() == [0, 1, 1]
    assert dataset.y.dtype == np.int64
    assert (dataset.target_names, dataset.feature_names) == (["aa", "ao"], ["f", "g"])
    assert list(dataset.extras) == ["speaker"]
    np.testing.assert_array_equal(dataset.extras["speaker"], speaker)


@pytest.mark.parametrize("y", [[1e300, 1e299, 0.0], [0.2, 0.7, 1.0], ["a", "b", "a"]])
def test_a_target_that_is_no_class_index_is_refused(save, y):
    """As whole numbers the first two would be one class."""
    save("phoneme", X=np.eye(3), y=np.array(y))
    with pytest.raises(InputError, match="class indices"):
        load("phoneme")


def test_a_sparse_matrix_is_rebuilt(save):
    dense = np.array([[0, 2, 0], [1, 0, 3]])
    parts = sparse.csr_array(dense)
    save(
        "tdt2",
        data=parts.data,
        indices=parts.indices,
        indptr=parts.indptr,
        shape=np.array(dense.shape),
        y=np.array([0, 1]),
    )
    np.testing.assert_array_equal(load("tdt2").X.toarray(), dense)


def test_a_broken_sparse_matrix_is_refused(save):
    parts = {"data": np.ones(2), "indices": np.array([0, 7]), "indptr": np.array([0, 1, 2])}
    save("tdt2", **parts, shape=np.array([2, 3]), y=np.array([0, 1]))
    with pytest.raises(InputError, match=r"tdt2.npz does not hold a valid sparse matrix"):
        load("tdt2")


def test_a_file_without_labels_is_refused(save):
    save("coil20", X=np.zeros((2, 1)), labels=[0, 1])
    with pytest.raises(
        InputError, match="has no array 'y' with the labels; there are 'X', 'labels'"
    ):
        load("coil20")


def test_labels_of_another_length_are_refused(save):
    save("coil20", X=np.zeros((2, 1)), y=[0, 1, 1])
    with pytest.raises(InputError, match="y has 3 labels, but X has 2 samples"):
        load("coil20")
