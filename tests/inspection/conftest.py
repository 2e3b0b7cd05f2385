"""Small problems whose answers are known."""

import numpy as np
import pytest

from discrimap.comparison import Protocol, compare
from discrimap.inspection import NamedProblem


@pytest.fixture
def make_samples():
    """A problem from arrays: class codes, or numbers where there are no names."""

    def make(X, y, class_names=()):
        names = tuple(f"f{i}" for i in range(X.shape[1]))
        task = "classification" if class_names else "regression"
        return NamedProblem(X, np.asarray(y), task, tuple(class_names), names)

    return make


@pytest.fixture
def corners(rng, make_samples):
    """Four classes at the corners of a tetrahedron: three dimensions, then three of noise."""
    y = np.arange(200) % 4
    X = rng.standard_normal((200, 6))
    X[:, :3] += 12 * np.vstack([np.zeros(3), np.eye(3)])[y]
    return make_samples(X, y, "abcd")


@pytest.fixture
def compared():
    """Run a comparison of methods on samples."""

    def run(samples, methods, **protocol):
        protocol = Protocol(**{"n_repeats": 2, "scale": False} | protocol)
        labelled = samples.task.is_labelled(samples.y)
        task = samples.task.name
        return compare(
            samples.X, samples.y, methods, task=task, is_labelled=labelled, protocol=protocol
        )

    return run
