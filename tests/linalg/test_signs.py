import numpy as np
from numpy.testing import assert_array_equal

from discrimap.linalg.signs import sign_of_columns


def test_the_largest_entry_decides_and_of_nearly_equal_ones_the_first():
    above, below = 1 + 1e-12, 1 - 1e-12
    directions = np.array(
        [[0.5, 0.5, 0.5, 0.0], [-above, -below, -0.9, 0.0], [below, above, 1.0, 0.0]]
    )
    assert_array_equal(sign_of_columns(directions), [-1, -1, 1, 1])
