"""``discrimap fit --dask``: the fit on worker processes or on a cluster."""

from __future__ import annotations

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


def fit_on_dask(data, target, method, *, components, seed, scale, address, workers, memory, quiet):
    """Connect, say where to watch, fit and return the model."""
    from discrimap.dask_models import connect, fit_collection, read_collection

    client = connect(None if address == LOCAL else address, n_workers=workers, memory=memory)
    try:
        if not quiet:
            n_workers = len(client.nthreads())
            click.echo(
                f"dask: {n_workers} worker{'s' if n_workers > 1 else ''}, ", err=True, nl=False
            )
            click.echo(f"dashboard at {client.dashboard_link}", err=True)
        X, y = read_collection(data, target)
        return fit_collection(
            X,
            y,
            method,
            n_components=components,
            scale=scale,
            seed=seed,
            verbose=0 if quiet else 1,
        )
    finally:
        cluster = client.cluster
        client.close()
        if cluster is not None:
            cluster.close()
