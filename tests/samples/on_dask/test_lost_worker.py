import os
import signal

import dask.array as da
import numpy as np
import pytest

from discrimap import StochasticDiscriminantAnalysis
from discrimap.samples.in_memory import ArraySamples
from discrimap.samples.on_dask.collection import open_collection
from discrimap.samples.on_dask.runtime import Cluster
from discrimap.sda.objective import StochasticDiscriminantObjective, pair_targets


def test_a_fit_survives_the_loss_of_a_worker(classes, client_of_its_own, assert_same_fit):
    X, y = classes
    parameters = {"n_init": 1, "random_state": 0, "engine": "fourier", "tol": 1e-6}
    here = StochasticDiscriminantAnalysis(**parameters).fit(X, y)
    victim = next(iter(client_of_its_own.run(os.getpid).values()))

    def kill(step):
        if step.n_iter == 2:
            os.kill(victim, signal.SIGKILL)

    disturbed = StochasticDiscriminantAnalysis(**parameters, callback=kill)
    with pytest.warns(RuntimeWarning, match="the cluster lost 1 worker during the fit"):
        disturbed.fit(da.from_array(X, chunks=(300, 8)), y)
    assert disturbed.n_iter_ > 2
    assert_same_fit(here, disturbed)


class SmallMemory(Cluster):
    """A cluster whose workers have room for a part of the samples."""

    def budget(self, home):
        return 160_000.0


def test_what_does_not_fit_is_read_again(classes, client, rng):
    X, y = np.tile(classes[0], 5) + rng.standard_normal((1200, 40)), classes[1]
    targets, W = pair_targets(5, 0.2), rng.standard_normal((40, 2))
    chunks = da.from_array(X, chunks=(50, 40)), da.from_array(y, chunks=(50,))
    samples = open_collection(*chunks, SmallMemory(client))
    blocks = client.gather([block.samples for block in samples.blocks])
    kinds = [[isinstance(piece, np.ndarray) for piece in block.pieces] for block in blocks]
    # Two blocks of six chunks on each worker, which has room for four of the chunks.
    assert kinds == 2 * [[True] * 4 + [False] * 2, [False] * 6]
    assert samples.moments().mean == pytest.approx(X.mean(axis=0))
    rows = np.array([1199, 0, 160, 149, 151])
    np.testing.assert_array_equal(samples.draw(rows).array, X[rows])

    def objective(samples):
        return StochasticDiscriminantObjective(samples, targets, n_components=2, engine="fourier")

    value, grad = objective(ArraySamples(X, y)).value_and_grad(W)
    there, there_grad = objective(samples).value_and_grad(W)
    assert there == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(there_grad, grad, atol=1e-6 * np.abs(grad).max())


def test_what_the_user_has_persisted_is_used_where_it_is(classes, client, assert_same_fit):
    X, y = classes
    blocks = da.from_array(X, chunks=(300, 8)).persist()
    labels = da.from_array(y, chunks=(300,)).persist()
    samples = open_collection(blocks, labels)
    held = client.gather([block.samples for block in samples.blocks])
    assert all(isinstance(piece, np.ndarray) for part in held for piece in part.pieces)
    parameters = {"n_init": 1, "random_state": 0, "engine": "fourier"}
    here = StochasticDiscriminantAnalysis(**parameters).fit(X, y)
    assert_same_fit(here, StochasticDiscriminantAnalysis(**parameters).fit(blocks, labels))
