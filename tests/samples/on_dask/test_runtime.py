from types import SimpleNamespace

import dask
import distributed
import pytest

from discrimap.samples.on_dask.local_cluster import workers_in_words
from discrimap.samples.on_dask.runtime import Cluster


def test_workers_are_found_while_the_client_updates_its_own_information(cluster):
    often = {"distributed.client.scheduler-info-interval": "1ms"}  # in place of two seconds
    with dask.config.set(often), distributed.Client(cluster) as client:
        client.wait_for_workers(2)
        for _ in range(50):
            assert len(Cluster(client).homes) == 2
            assert workers_in_words(client) == "2 workers of 1.00 GiB"


def test_a_cluster_without_workers_is_refused():
    client = SimpleNamespace(
        nthreads=dict,
        scheduler_info=lambda n_workers: {"workers": {}},
        scheduler=SimpleNamespace(address="tcp://here:1"),
    )
    with pytest.raises(ValueError, match="tcp://here:1 has no workers; start some"):
        Cluster(client)
