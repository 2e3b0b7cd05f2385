import contextlib
import warnings

import numpy as np
import pytest
from scipy.linalg import subspace_angles

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")


@contextlib.contextmanager
def start_cluster():
    """Start two worker processes of one thread each."""
    # A cluster leaves sockets and processes to the garbage collector, which says so.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            memory_limit="1GiB",
            dashboard_address=None,
        )
        yield cluster
        cluster.close()


@pytest.fixture(scope="session")
def cluster():
    """The cluster of all tests of a process."""
    with start_cluster() as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    """A client of the cluster, so that fits run there."""
    with distributed.Client(cluster) as client:
        client.wait_for_workers(2)
        yield client


@pytest.fixture
def client_of_its_own():
    """A client of a cluster that a test may damage: a killed worker sometimes never starts again."""
    with start_cluster() as cluster, distributed.Client(cluster) as client:
        client.wait_for_workers(2)
        yield client


@pytest.fixture(params=["threads", "cluster"])
def place(request):
    """Run the test with blocks in this process, and with blocks on workers."""
    return request.getfixturevalue("client") if request.param == "cluster" else None


@pytest.fixture
def classes(rng):
    """Five classes of unequal size in eight dimensions, 1,200 samples, in random order."""
    labels = rng.choice(5, 1200, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    X = rng.standard_normal((1200, 8)) + 1.5 * rng.standard_normal((5, 8))[labels] + 20
    return X, labels


@pytest.fixture
def assert_same_fit():
    """Compare two fits: the objective, and the subspace by its largest principal angle."""

    def compare(first, second):
        if hasattr(first, "objective_"):
            assert abs(second.objective_ - first.objective_) <= 1e-6 * max(1, abs(first.objective_))
        components = [np.asarray(e.components_, dtype=np.float64).T for e in (first, second)]
        angle = np.rad2deg(subspace_angles(*components).max())
        # Single precision resolves the objective to 1e-7 of its value. Near its minimum, where it
        # grows with the square of the angle, this is an angle of some hundredths of a degree.
        limit = 0.01 if first.components_.dtype == np.float64 else 0.1
        assert angle < limit, f"the largest angle is {angle:.3g} degrees"
        assert second.components_.dtype == first.components_.dtype
        np.testing.assert_allclose(second.mean_, first.mean_, rtol=1e-5, atol=1e-8)

    return compare
