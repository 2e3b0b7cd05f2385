import dataclasses

import numpy as np
import pytest

from discrimap.datasets import Dataset


def test_every_sample_counts_as_labelled_unless_said():
    assert Dataset("a", np.zeros((3, 1)), np.array([0, 1, 1])).is_labelled.tolist() == [True] * 3
    mask = np.array([True, False])
    assert Dataset("a", np.zeros((2, 1)), np.array([0, -1]), is_labelled=mask).is_labelled is mask
    assert Dataset("a", np.zeros((2, 1))).is_labelled is None


def test_a_dataset_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Dataset("a").name = "b"


def test_its_repr_says_what_it_holds_without_the_numbers():
    dataset = Dataset("a", np.zeros((2, 3)), np.array([0, 1]), extras={"S": np.eye(2)})
    assert repr(dataset) == "Dataset('a', X 2 x 3 float64, y 2 int64, S)"
