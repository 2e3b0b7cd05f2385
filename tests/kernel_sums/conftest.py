import numpy as np
import pytest


@pytest.fixture
def central_difference():
    """Slope at zero of a function of one number, to fourth order."""

    def slope(function, step):
        near = function(step) - function(-step)
        far = function(2 * step) - function(-2 * step)
        return (8 * near - far) / (12 * step)

    return slope


@pytest.fixture
def blobs(rng):
    """Make labelled points: a few classes around different centres."""

    def make(n_samples=150, n_components=2, n_classes=4, spread=2.0):
        labels = rng.integers(0, n_classes, n_samples)
        labels[:n_classes] = np.arange(n_classes)
        centres = spread * rng.standard_normal((n_classes, n_components))
        Z = centres[labels] + rng.standard_normal((n_samples, n_components))
        # In space a grid of this accuracy grows fast with the extent; the tests should not.
        return (Z / 6 if n_components == 3 else Z), labels

    return make
