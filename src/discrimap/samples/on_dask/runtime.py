"""Run tasks in this process, or on the workers of a cluster."""

from __future__ import annotations

import os
import time
import uuid
import warnings

FAN_IN = 16  # number of results that one task combines
FEW_HOMES = 4  # up to this many workers send results to each other directly
CHECK_SECONDS = 0.2  # between two checks for lost workers, each of which is a round trip
# Fraction of a worker's memory that is used: distributed starts to spill to disk at 60 %, and the C
# library keeps a part of the freed memory.
OUR_SHARE = 0.4
BASE_BYTES = 150e6  # memory of a process with its libraries


def current_runtime():
    """Return the cluster of the active client or, without a client, this process."""
    client = _active_client()
    return ThisProcess() if client is None else Cluster(client)


def _active_client():
    import sys

    # Without distributed, which may not be installed, no client exists.
    if "distributed" not in sys.modules:
        return None
    from distributed import get_client

    try:
        return get_client()
    except ValueError:
        return None


class ThisProcess:
    """Run tasks immediately, one after the other, each on all cores."""

    n_slots = 1
    homes = (None,)

    def budget(self, home):
        """Return the number of bytes available for samples and points."""
        pages = os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0
        return OUR_SHARE * pages * os.sysconf("SC_PAGE_SIZE") if pages else float("inf")

    def submit(self, function, *args, home=None):
        return function(*args)

    def submit_each(self, function, tasks, homes):
        return [function(*args) for args in tasks]

    def result(self, handle):
        return handle

    def compute_parts(self, chunks, home):
        """Raise an error for chunks that are results of a cluster that is not connected."""
        raise ValueError(
            "the Dask collection holds results of a cluster, but no client is connected to it; create "
            "distributed.Client(address) before fitting, or pass a collection that is not persisted."
        )

    def check_workers(self):
        """Do nothing, because there are no workers."""


class Cluster:
    """Run tasks on workers; handles are futures, which are computed again if a worker is lost."""

    def __init__(self, client):
        self.client = client
        info = workers_of(client)
        if not info:
            raise ValueError(
                f"the cluster at {client.scheduler.address} has no workers; start some, for "
                "instance cluster.scale(2), and wait with client.wait_for_workers(1)."
            )
        self.homes = tuple(sorted(info, key=lambda address: str(info[address]["id"])))
        self.n_slots = sum(worker["nthreads"] for worker in info.values())
        self._limits = {address: worker["memory_limit"] for address, worker in info.items()}
        self._known = set(info)
        self._checked = time.monotonic()

    def budget(self, home):
        """Return the number of bytes available for samples and points on a worker."""
        limit = self._limits.get(home) or 0
        return max(OUR_SHARE * limit - BASE_BYTES, 0.1 * limit) if limit else float("inf")

    def submit(self, function, *args, home=None):
        place = {} if home is None else {"workers": [home], "allow_other_workers": True}
        return self.client.submit(function, *args, pure=False, **place)

    def submit_each(self, function, tasks, homes):
        """Call a function with several tuples of arguments, sent in one message; return handles.

        Messages are sent at intervals of 10 ms, so that tasks in separate messages would wait.
        """
        import dask

        keys = [f"{function.__name__}-{uuid.uuid4()}" for _ in tasks]
        home_of = {key: [home] for key, home in zip(keys, homes, strict=True)}
        with dask.annotate(workers=home_of.__getitem__, allow_other_workers=True):
            return self.client.map(function, *map(list, zip(*tasks, strict=True)), key=keys)

    def result(self, handle):
        return self.client.gather(handle)

    def compute_parts(self, chunks, home):
        """Return futures of chunks whose graphs contain futures."""
        return self.client.compute(list(chunks))

    def check_workers(self):
        """Warn about workers that were lost since the fit began."""
        if time.monotonic() < self._checked + CHECK_SECONDS:
            return
        self._checked = time.monotonic()
        lost = self._known - set(self.client.nthreads())
        if lost:
            self._known -= lost
            warnings.warn(
                f"the cluster lost {len(lost)} worker{'s' if len(lost) > 1 else ''} during "
                f"the fit ({', '.join(sorted(lost))}); their blocks were computed again on other workers, "
                "and the result is not affected.",
                RuntimeWarning,
                stacklevel=2,
            )


def workers_of(client):
    """Return a dictionary of all workers of a client's cluster, by address.

    ``client.scheduler_info`` returns an attribute of the client that the client overwrites every two
    seconds with information in which the workers are missing.
    """
    while True:
        known = set(client.nthreads())
        workers = client.scheduler_info(n_workers=-1)["workers"]
        if known <= set(workers):
            return workers


def reduce_in_tree(runtime, handles, homes, function):
    """Apply ``function(list of results)`` in a tree, and return one handle.

    Results of one worker are combined there first, so that the amount of data transferred grows
    with the number of workers, not with the number of blocks. Blocks are combined in a fixed order, so
    that a fit is reproducible.
    """
    handles, homes = _reduce_homes(runtime, handles, homes, function)
    return _reduce(runtime, handles, homes, function)


def reduce_for_all(runtime, handles, homes, function):
    """Return handles of partial results, one per worker, which every worker then combines.

    With many workers this would transfer too much data. Then the results are combined in a tree,
    and the only handle is for the combined result.
    """
    handles, homes = _reduce_homes(runtime, handles, homes, function)
    if len(handles) > FEW_HOMES:
        handles = [_reduce(runtime, handles, homes, function)]
    return handles


def fetch_reduced(runtime, handles, homes, function):
    """Fetch combined small results; the last step runs in this process, to save a transfer."""
    handles, homes = _reduce_homes(runtime, handles, homes, function)
    if len(handles) > FAN_IN:
        handles = [_reduce(runtime, handles, homes, function)]
    return function(runtime.result(handles))


def _reduce_homes(runtime, handles, homes, function):
    """Combine the results of each worker, and return one handle for each worker."""
    by_home: dict = {}
    for handle, home in zip(handles, homes, strict=True):
        by_home.setdefault(home, []).append(handle)
    tops = [
        _reduce(runtime, group, [home] * len(group), function) for home, group in by_home.items()
    ]
    return tops, list(by_home)


def _reduce(runtime, handles, homes, function):
    while len(handles) > 1:
        starts = range(0, len(handles), FAN_IN)
        handles = [
            runtime.submit(function, handles[first : first + FAN_IN], home=homes[first])
            for first in starts
        ]
        homes = [homes[first] for first in starts]
    return handles[0]


def add(parts):
    """Add arrays, in the given order."""
    total = parts[0].copy()
    for part in parts[1:]:
        total += part
    return total
