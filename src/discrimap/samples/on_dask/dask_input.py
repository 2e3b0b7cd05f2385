"""Convert Dask arrays and data frames to aligned sources of rows."""

from __future__ import annotations

import math
import warnings

import numpy as np

from discrimap.samples.on_dask.sources import Source


def is_dask(collection) -> bool:
    """Return whether an object is a Dask array or data frame, without importing dask."""
    return type(collection).__module__.partition(".")[0] == "dask" and hasattr(
        collection, "__dask_graph__"
    )


def as_array(collection, name):
    """Convert a Dask array, data frame or series to a Dask array with known chunk sizes."""
    import dask.array as da

    if not isinstance(collection, da.Array):
        collection = _from_table(collection, name)
    if any(np.isnan(size) for size in collection.chunks[0]):
        raise ValueError(
            f"{name} has chunks of unknown size, but the rows of X and y must be matched; call "
            f"{name} = {name}.compute_chunk_sizes() first (one pass over it)."
        )
    return collection


def _from_table(table, name):
    if not hasattr(table, "to_dask_array"):
        raise TypeError(
            f"{name} is a {type(table).__module__}.{type(table).__name__}, but must be a Dask array, data "
            "frame or series; convert bags and delayed values with dask.array.from_delayed."
        )
    if table.ndim == 2:
        others = [str(c) for c, kind in table.dtypes.items() if not _is_number(kind)]
        if others:
            raise ValueError(
                f"{name} has columns that are not numbers: {', '.join(others[:5])}"
                f"{' ...' if len(others) > 5 else ''}; encode or drop them, for instance "
                f"{name}.drop(columns={others[:5]!r})."
            )
    with warnings.catch_warnings():
        # Text becomes an array of objects, which is allowed for labels.
        warnings.filterwarnings("ignore", message="Dask currently has limited support")
        # dask combines files if few columns are read; this must happen before rows are counted.
        return table.optimize().to_dask_array(lengths=True)


def _is_number(kind):
    return getattr(kind, "kind", "O") in "fiub"


def samples_array(X):
    """Return X as a Dask array of float32 or float64 with whole rows in each chunk."""
    X = as_array(X, "X")
    if X.ndim != 2:
        raise ValueError(
            f"X has {X.ndim} dimension{'s' if X.ndim != 1 else ''}, but needs 2: samples in rows and "
            "features in columns. Reshape your data."
        )
    if X.dtype.kind not in "fiub":
        raise ValueError(
            f"X has dtype {X.dtype}, but numbers are needed; call X.astype('float32') if every value is "
            "a number."
        )
    if type(X._meta).__module__.partition(".")[0] != "numpy":
        raise TypeError(
            f"X holds chunks of {type(X._meta).__module__}.{type(X._meta).__name__}, but dense chunks are "
            "needed; convert sparse chunks with X.map_blocks(lambda chunk: chunk.toarray())."
        )
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    return X if len(X.chunks[1]) == 1 else X.rechunk({1: -1})


def labels_array(y, X):
    """Return y as a Dask array with the chunks of the samples: one label for each row."""
    y = values_array(y, X)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        raise ValueError(f"y has shape {y.shape}, but one label for each row of X is needed.")
    return y


def values_array(y, X):
    """Return y as a Dask array with the chunks of the samples: numbers for each row."""
    import dask.array as da

    if not is_dask(y):
        y = np.asarray(y)
        if y.ndim == 0 or len(y) != X.shape[0]:
            _refuse_lengths(X, len(y) if y.ndim else 1)
        y = da.from_array(y, chunks=(X.chunks[0], *y.shape[1:]))
    y = as_array(y, "y")
    if y.shape[0] != X.shape[0]:
        _refuse_lengths(X, y.shape[0])
    # Labels need less memory than the samples, so that they are rechunked to the chunks of X.
    chunks = (X.chunks[0], *y.shape[1:])
    return (
        y
        if y.chunks[0] == X.chunks[0] and y.numblocks[1:] == (1,) * (y.ndim - 1)
        else (y.rechunk(chunks))
    )


def _refuse_lengths(X, n_labels):
    raise ValueError(
        f"Found input variables with inconsistent numbers of samples: X has {X.shape[0]} rows and "
        f"y has {n_labels} labels; pass one label for each row."
    )


def chunk_groups(row_counts, row_bytes, n_slots, most_bytes):
    """Group neighbouring chunks into as few blocks of equal size as memory allows.

    Each block costs a few tasks in every evaluation, and the fields of all classes once. Therefore
    each core gets one block or, if this block would be too large, the same small number of blocks.

    Parameters
    ----------
    row_counts : sequence of int
        Number of rows of each chunk.
    row_bytes : int
        Memory of a row of a block while it is processed.
    n_slots : int
        Number of cores.
    most_bytes : float
        Maximum memory of all rows of a block.

    Returns
    -------
    groups : list of list of int
        Indices of the chunks of each block; empty chunks are left out.
    """
    filled = [number for number, n_rows in enumerate(row_counts) if n_rows]
    ends = np.cumsum([row_counts[number] for number in filled])
    total = int(ends[-1])
    n_blocks = n_slots * max(1, math.ceil(total * row_bytes / (n_slots * most_bytes)))
    # A chunk belongs to the block that contains its middle.
    middles = ends - np.array([row_counts[number] for number in filled]) / 2
    owners = np.minimum((middles * n_blocks / total).astype(int), n_blocks - 1)
    groups = [[filled[k] for k in np.flatnonzero(owners == block)] for block in range(n_blocks)]
    return [group for group in groups if group]


def pieces_of(numbers, row_counts, row_bytes, most_bytes):
    """Group neighbouring chunks of a block that are read together, at least one chunk each."""
    pieces: list[list[int]] = []
    size = math.inf
    for number in numbers:
        n_bytes = row_counts[number] * row_bytes
        if size + n_bytes > most_bytes:
            pieces.append([])
            size = 0
        pieces[-1].append(number)
        size += n_bytes
    return pieces


def holds_futures(array) -> bool:
    """Return whether a Dask array consists of futures, which a cluster has computed or is computing."""
    import sys

    if "distributed" not in sys.modules:
        return False
    from distributed.client import futures_of

    return bool(futures_of(array))


def make_source(array, numbers, is_remote):
    """Make the source of a few neighbouring chunks of a Dask array.

    Only the client can request results of a cluster. Their graphs must not be optimised, because the
    optimisation would treat the results as missing.
    """
    import dask

    ends = np.cumsum((0, *array.chunks[0]))
    chunks = [array.blocks[number] for number in numbers]
    return Source(
        chunks if is_remote else list(dask.optimize(*chunks)),
        numbers=list(numbers),
        starts=[int(ends[number]) for number in numbers],
    )
