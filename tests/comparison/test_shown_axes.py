import numpy as np

from discrimap.comparison.shown_axes import MOST_POINTS, choose_axes
from discrimap.comparison.tasks import TASKS

CLASSES = TASKS["classification"]


def test_the_axes_that_tell_classes_apart_are_chosen(rng):
    y = np.arange(2 * MOST_POINTS) % 4
    Z = rng.standard_normal((len(y), 5))
    Z[:, 1] += 20 * (y // 2)
    Z[:, 4] += 20 * (y % 2)
    assert choose_axes(Z, y, CLASSES, 2, 5).tolist() == [1, 4]
    assert choose_axes(Z, y, CLASSES, 5, 5).tolist() == [0, 1, 2, 3, 4]


def test_of_equal_axes_the_first_is_chosen():
    y = np.arange(40) % 2
    Z = np.column_stack([10.0 * y] * 3)
    assert choose_axes(Z, y, CLASSES, 1, 5).tolist() == [0]
