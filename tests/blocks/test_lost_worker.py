import os
import signal

import dask.array as da
import pytest

from discrimap import StochasticDiscriminantAnalysis
from discrimap.blocks.collection import open_collection
from discrimap.blocks.runtime import Cluster
from discrimap.blocks.sources import Held, Source


def test_a_fit_survives_the_loss_of_a_worker(classes, client, assert_same_fit):
    X, y = classes
    parameters = {"n_init": 1, "random_state": 0, "engine": "fourier", "tol": 1e-6}
    here = StochasticDiscriminantAnalysis(**parameters).fit(X, y)
    victim = next(iter(client.run(os.getpid).values()))

    def kill(step):
        if step.n_iter == 2:
            os.kill(victim, signal.SIGKILL)

    disturbed = StochasticDiscriminantAnalysis(**parameters, callback=kill)
    with pytest.warns(RuntimeWarning, match="1 worker of the cluster went away"):
        disturbed.fit(da.from_array(X, chunks=(300, 8)), y)
    assert disturbed.n_iter_ > 2
    assert_same_fit(here, disturbed)


class SmallMemory(Cluster):
    """A cluster whose workers have room for half of the samples."""

    def budget(self, home):
        return 30_000.0


def test_what_does_not_fit_is_read_again(classes, client):
    X, y = classes
    looks = da.from_array(X, chunks=(300, 8))
    samples = open_collection(looks, y, SmallMemory(client))
    kinds = [isinstance(block.samples, Source) for block in samples.blocks]
    assert kinds == [False, True, False, True]  # one of two blocks on each worker
    assert samples.moments().mean == pytest.approx(X.mean(axis=0))


def test_what_the_user_has_persisted_is_used_where_it_is(classes, client, assert_same_fit):
    X, y = classes
    blocks = da.from_array(X, chunks=(300, 8)).persist()
    labels = da.from_array(y, chunks=(300,)).persist()
    samples = open_collection(blocks, labels)
    held = client.gather([block.samples for block in samples.blocks])
    assert all(isinstance(part, Held) for part in held)
    parameters = {"n_init": 1, "random_state": 0, "engine": "fourier"}
    here = StochasticDiscriminantAnalysis(**parameters).fit(X, y)
    assert_same_fit(here, StochasticDiscriminantAnalysis(**parameters).fit(blocks, labels))
