"""Models of tables that are larger than memory: read, standardised and fitted block by block."""

from __future__ import annotations

import glob

from discrimap.errors import InputError
from discrimap.models.model import Model
from discrimap.registry import METHODS, Method

CONNECT_SECONDS = 8


def connect(address: str | None = None, *, n_workers: int | None = None, memory: str = "auto"):
    """A client of a running cluster, or of a new one on this machine.

    Parameters
    ----------
    address : str, optional
        Of the scheduler, such as ``tcp://10.0.0.1:8786``; without it worker processes are started.
    n_workers : int, optional
        Number of worker processes to start; one per core by default.
    memory : str, default="auto"
        Limit of each of these, such as ``2GB``.

    Returns
    -------
    client : distributed.Client
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise InputError(
            "dask and distributed are not installed; pip install 'discrimap[dask]'."
        ) from error

    from discrimap.samples.on_dask.local_cluster import start_local_cluster

    if address is None:
        return Client(start_local_cluster(n_workers, memory_limit=memory))
    try:
        return Client(address, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise InputError(
            f"no Dask scheduler answers at {address!r} within {CONNECT_SECONDS} seconds; check the "
            "address, or leave it out to work with processes on this machine."
        ) from error


def read_collection(pattern: str, target: str | None):
    """Features and target of Parquet or CSV files as dask dataframes.

    Parameters
    ----------
    pattern : str
        A file, a folder of Parquet files, or a pattern such as ``data/*.parquet``.
    target : str
        Column of the classes.

    Returns
    -------
    X : dask dataframe
    y : dask series
    """
    import dask.dataframe as dd

    if "://" not in pattern and not glob.glob(pattern):
        raise InputError(f"no file matches {pattern!r}.")
    if target is None:
        raise InputError("name the column of the classes with --target.")
    is_csv = pattern.endswith((".csv", ".tsv"))
    try:
        if is_csv:
            table = dd.read_csv(pattern, sep="\t" if pattern.endswith(".tsv") else ",")
        else:
            table = dd.read_parquet(pattern)
    except (OSError, ValueError) as error:
        raise InputError(f"{pattern!r} cannot be read: {str(error).splitlines()[0]}") from error
    names = [str(name) for name in table.columns]
    if target not in names:
        shown = ", ".join(names[:10]) + (" ..." if len(names) > 10 else "")
        raise InputError(f"{pattern!r} has no column {target!r}; its columns are {shown}.")
    return table.drop(columns=[target]), table[target]


def fit_collection(
    X, y, method: Method, *, n_components: int = 2, scale: bool = True, seed: int = 0, verbose=0
) -> Model:
    """Fit one method to a dask dataframe or array.

    Parameters
    ----------
    X : dask dataframe or array of shape (n_samples, n_features)
        The samples.
    y : dask series or array of shape (n_samples,)
        Class labels.
    method : Method
        An entry of the registry that takes dask collections.
    n_components : int
        Dimensions of the map, where the method lets one choose.
    scale : bool
        Standardise the features first, by means and variances of one pass.
    seed : int
        Determines the result.
    verbose : int
        1 prints every tenth iteration to stderr.

    Returns
    -------
    model : Model
    """
    from sklearn.pipeline import make_pipeline

    from discrimap.samples.on_dask.dask_input import samples_array
    from discrimap.samples.on_dask.scaling import fit_scaler, scale_lazily

    if not method.distributed:
        others = ", ".join(other.name for other in METHODS if other.distributed)
        raise InputError(
            f"{method.label} needs all samples in one memory; on Dask there are {others}."
        )
    estimator = method.make(n_components, random_state=seed)
    if "verbose" in estimator.get_params():
        estimator.set_params(verbose=verbose)
    try:
        names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
        X = samples_array(X)
        steps = [fit_scaler(X, y)] if scale else []
        estimator.fit(scale_lazily(X, steps[0]) if scale else X, y)
    except (TypeError, ValueError) as error:
        raise InputError(f"{method.label}: {error}") from error
    return Model(
        pipeline=make_pipeline(*steps, estimator),
        method=method.name,
        feature_names=names or [f"x{j}" for j in range(X.shape[1])],
        classes=[str(name) for name in estimator.classes_],
        n_fitted=X.shape[0],
    )
