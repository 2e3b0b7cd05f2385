"""``discrimap fit --dask``: the fit on worker processes or on a cluster."""

from __future__ import annotations

import contextlib
import time

import click

LOCAL = "local"

option = click.option(
    "--dask",
    "dask_address",
    is_flag=False,
    flag_value=LOCAL,
    metavar="[ADDRESS]",
    help="Work block by block with Dask: on processes of this machine or, with the ADDRESS of a "
    "scheduler, on its cluster. DATA may then be larger than memory, or a pattern such as "
    "'data/*.parquet'.",
)
workers = click.option(
    "--workers", type=click.IntRange(1), help="Processes of --dask. [default: one per core]"
)
memory = click.option(
    "--memory",
    default="auto",
    show_default=True,
    help="Memory limit of each process of --dask, such as 2GB; 'auto' shares that of the machine.",
)


@contextlib.contextmanager
def connected(address, *, workers, memory, say):
    """A client while the block runs, of which the user is told; ends what it has started."""
    from discrimap.models.on_dask import connect

    client = connect(None if address == LOCAL else address, n_workers=workers, memory=memory)
    try:
        say(f"dask: {_workers_in_words(client)}, dashboard at {client.dashboard_link}")
        yield client
    finally:
        cluster = client.cluster
        client.close()
        if cluster is not None:
            cluster.close()


def speaker(quiet):
    """How words reach the user, or nobody."""
    return (lambda words: None) if quiet else (lambda words: click.echo(words, err=True))


def fit_on_dask(data, target, method, *, components, seed, scale, address, workers, memory, quiet):
    """Connect, say where to watch, fit and return the model."""
    from discrimap.models.on_dask import fit_collection, read_collection

    say = speaker(quiet)
    with connected(address, workers=workers, memory=memory, say=say):
        X, y = read_collection(data, target)
        say(f"{method.label}: {X.shape[1]} features in {X.npartitions} partitions ...")
        started = time.monotonic()
        model = fit_collection(
            X,
            y,
            method,
            n_components=components,
            scale=scale,
            seed=seed,
            # With much data an iteration takes long enough for a line of its own.
            verbose=0 if quiet else 2,
        )
        say(f"{method.label}: done after {time.monotonic() - started:.0f} s.")
        return model


def compare_on_dask(data, target, names, protocol, *, address, workers, memory, quiet):
    """Connect, say where to watch, compare and return what was found."""
    from discrimap.comparison import compare
    from discrimap.models.on_dask import read_collection

    say = speaker(quiet)
    with connected(address, workers=workers, memory=memory, say=say):
        X, y = read_collection(data, target)
        say(f"{X.shape[1]} features in {X.npartitions} partitions ...")
        return compare(
            X,
            y,
            names,
            protocol=protocol,
            data_name=data,
            on_progress=lambda name, n_fits: say(
                f"{name}: {n_fits} of {2 * protocol.n_repeats} fits"
            ),
        )


def _workers_in_words(client):
    """How many workers there are, and the memory limit of the smallest."""
    from dask.utils import format_bytes

    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    limits = [worker["memory_limit"] for worker in workers if worker["memory_limit"]]
    words = f"{len(workers)} worker{'s' if len(workers) != 1 else ''}"
    return f"{words} of {format_bytes(min(limits))}" if limits else words
