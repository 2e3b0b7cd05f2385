"""Connect to a cluster, or start worker processes on this machine, configured for kernel sums."""

from __future__ import annotations

from discrimap.errors import InputError
from discrimap.samples.on_dask.runtime import workers_of
from discrimap.threads import available_threads

CONNECT_SECONDS = 8

# By default the workers of distributed return memory to the system after every task and request it
# again, page by page, for the next task. For tasks of about ten milliseconds this took as long as the
# tasks. Here the memory of arrays up to 32 MB, the maximum that the C library allows, is kept.
KEPT_MEMORY = {
    "MALLOC_TRIM_THRESHOLD_": 1 << 28,
    "MALLOC_MMAP_THRESHOLD_": 1 << 25,
    # Tasks run in a thread, which would otherwise get an arena with other limits.
    "MALLOC_ARENA_MAX": 1,
}
# At most this fraction of the memory limit is kept.
KEPT_SHARE = 1 / 16
# The threads of linear algebra are limited by distributed itself.
ONE_THREAD = {"NUMBA_NUM_THREADS": 1}
# Scheduler and workers sample their stacks and loads for the dashboard many times a second, which
# slows down the tasks, because all cores are busy.
QUIET = {
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.worker.profile.enabled": False,
}


def start_local_cluster(n_workers=None, *, memory_limit="auto", dashboard=True):
    """Start worker processes of one thread each.

    Parameters
    ----------
    n_workers : int, optional
        Number of processes; one per core by default.
    memory_limit : str or int, default="auto"
        Memory limit of each process, such as "2GB". Above it data is spilled to disk and, in the worst
        case, the process is restarted. "auto" divides the memory of the machine.
    dashboard : bool, default=True
        Whether to provide a page about the cluster, at ``cluster.dashboard_link``.

    Returns
    -------
    cluster : distributed.LocalCluster
        Fits run on it after ``distributed.Client(cluster)``.
    """
    import logging

    import dask.utils
    from distributed import LocalCluster

    if n_workers is None:
        n_workers = available_threads()
    environment = dask.config.get("distributed.nanny.pre-spawn-environ", {})
    environment = environment | KEPT_MEMORY | ONE_THREAD
    if memory_limit not in ("auto", 0):
        limit = KEPT_SHARE * dask.utils.parse_bytes(memory_limit)
        kept = min(KEPT_MEMORY["MALLOC_TRIM_THRESHOLD_"], int(limit))
        environment["MALLOC_TRIM_THRESHOLD_"] = kept
    with dask.config.set({"distributed.nanny.pre-spawn-environ": environment, **QUIET}):
        return LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            memory_limit=memory_limit,
            # Any free port, because another cluster may use the default one.
            dashboard_address=":0" if dashboard else None,
            silence_logs=logging.ERROR,
        )


def connect(address: str | None = None, *, n_workers: int | None = None, memory: str = "auto"):
    """Connect a client to a running cluster, or to a new cluster on this machine.

    Parameters
    ----------
    address : str, optional
        Address of the scheduler, such as ``tcp://10.0.0.1:8786``; None starts worker processes.
    n_workers : int, optional
        Number of worker processes to start; one per core by default.
    memory : str, default="auto"
        Memory limit of each process, such as ``2GB``.

    Returns
    -------
    client : distributed.Client

    Raises
    ------
    InputError
        If dask is not installed, or the scheduler does not answer.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise InputError(
            "dask and distributed are not installed; get them with: "
            "python -m pip install 'discrimap[dask]'."
        ) from error

    if address is None:
        return Client(start_local_cluster(n_workers, memory_limit=memory))
    try:
        return Client(address, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise InputError(
            f"no Dask scheduler answered at {address!r} within {CONNECT_SECONDS} seconds; check the "
            "address, or leave it out to use worker processes on this machine."
        ) from error


def workers_in_words(client) -> str:
    """Describe the number of workers, and the memory limit of the smallest."""
    from dask.utils import format_bytes

    workers = workers_of(client).values()
    limits = [worker["memory_limit"] for worker in workers if worker["memory_limit"]]
    words = f"{len(workers)} worker{'s' if len(workers) != 1 else ''}"
    return f"{words} of {format_bytes(min(limits))}" if limits else words
