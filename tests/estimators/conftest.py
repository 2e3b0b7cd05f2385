import numpy as np
import pytest
from scipy.linalg import subspace_angles


@pytest.fixture
def assert_same_subspace():
    """Compare the row spaces of two matrices by their largest principal angle."""

    def compare(first, second, *, degrees=1e-4):
        assert np.shape(first) == np.shape(second)
        angle = np.rad2deg(subspace_angles(np.asarray(first).T, np.asarray(second).T).max())
        assert angle <= degrees, f"the largest angle is {angle:.3g} degrees"

    return compare
