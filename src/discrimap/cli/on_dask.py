"""Run fits and comparisons on Dask: on worker processes of this machine or on a cluster."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable

import click

from discrimap.cli.options import LOCAL, DaskOptions, DataOptions, FitOptions


@contextlib.contextmanager
def connected(dask: DaskOptions, say: Callable[[str], None]):
    """Yield a client while the block runs, and then close it and any workers started for it.

    ``say`` is called with the number of workers and the address of the dashboard.
    """
    from discrimap.samples.on_dask.local_cluster import connect, workers_in_words

    address = None if dask.dask_address == LOCAL else dask.dask_address
    client = connect(address, n_workers=dask.workers, memory=dask.memory)
    try:
        say(f"dask: {workers_in_words(client)}, dashboard at {client.dashboard_link}")
        yield client
    finally:
        cluster = client.cluster
        client.close()
        if cluster is not None:
            cluster.close()


def fit_on_dask(source: DataOptions, method, fitting: FitOptions, dask: DaskOptions, quiet: bool):
    """Connect to the workers, fit the method there and return the model."""
    from discrimap.models.on_dask import fit_collection
    from discrimap.samples.on_dask.table_files import read_collection

    say = _printer(quiet)
    with connected(dask, say):
        X, y = read_collection(source.data, source.target)
        say(f"{method.label}: {X.shape[1]} features in {X.npartitions} partitions ...")
        started = time.monotonic()
        model = fit_collection(
            X,
            y,
            method,
            n_components=fitting.components,
            scale=not fitting.no_scale,
            seed=fitting.seed,
            task=source.task,
            # On large data each iteration takes long, so that every one is reported.
            verbose=0 if quiet else 2,
        )
        say(f"{method.label}: done after {time.monotonic() - started:.0f} s.")
        return model


def compare_on_dask(source: DataOptions, names, protocol, dask: DaskOptions, quiet: bool):
    """Connect to the workers, compare the methods there and return the comparison."""
    from discrimap.comparison import compare
    from discrimap.samples.on_dask.table_files import read_collection

    say = _printer(quiet)
    with connected(dask, say):
        X, y = read_collection(source.data, source.target)
        say(f"{X.shape[1]} features in {X.npartitions} partitions ...")
        return compare(
            X,
            y,
            names,
            task=source.task,
            protocol=protocol,
            data_name=source.data,
            on_progress=lambda results: say(_progress_in_words(results, protocol.n_repeats)),
        )


def _progress_in_words(results, n_repeats: int) -> str:
    done = [result for result in results if result.status == "done"]
    return "; ".join(f"{one.name}: {len(one.splits)} of {n_repeats} splits" for one in done)


def _printer(quiet: bool) -> Callable[[str], None]:
    """Return a function that prints text to stderr, or does nothing with --quiet."""
    return (lambda text: None) if quiet else (lambda text: click.echo(text, err=True))
