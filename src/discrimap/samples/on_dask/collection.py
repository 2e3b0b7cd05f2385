"""Convert Dask collections of the user to samples and labels in blocks."""

from __future__ import annotations

import numpy as np

from discrimap.samples.on_dask.dask_input import (
    chunk_groups,
    holds_futures,
    labels_array,
    make_source,
    pieces_of,
    samples_array,
    values_array,
)
from discrimap.samples.on_dask.dask_samples import Block, DaskSamples, View
from discrimap.samples.on_dask.runtime import current_runtime
from discrimap.samples.on_dask.sources import hold, hold_labels, hold_parts

# The chunks of a piece are read and stacked, so that several copies exist for a short time. Below
# 32 MB the C library reuses the memory for the next piece. Requesting new pages from the system would
# take as long as the reading.
MOST_PIECE_BYTES = 3 << 23
PIECE_SHARE = 0.1
PIECE_COPIES = 4
# Memory for each row of the current block during an evaluation, in addition to the samples:
# coordinates, angles, gradients and labels, each of them temporarily twice. Then the memory that is
# kept for every row: coordinates of this evaluation and the last one, weights and labels.
POINT_BYTES = 100
POINT_SHARE = 0.25
KEPT_POINT_BYTES = 50


def open_collection(X, y, runtime=None, *, is_labels=True, is_pooled=False):
    """Return samples with their labels in blocks; only rows that workers keep are computed here.

    Parameters
    ----------
    X : dask array or dataframe of shape (n_samples, n_features)
        The samples.
    y : dask array or series, or array-like, of shape (n_samples,)
        The labels.
    runtime : ThisProcess or Cluster, optional
        Runtime that holds the blocks; by default the cluster of the active client.
    is_labels : bool
        Whether y holds class labels; otherwise it holds numbers, of one or several outputs.
    is_pooled : bool
        Whether the scatter of all classes together is enough.

    Returns
    -------
    samples : DaskSamples
    """
    names = None
    if hasattr(X, "columns") and all(isinstance(name, str) for name in X.columns):
        names = np.asarray(X.columns, dtype=object)
    X = samples_array(X)
    y = labels_array(y, X) if is_labels else values_array(y, X)
    if X.shape[0] < 2 or X.shape[1] < 1:
        raise ValueError(
            f"Found array with {X.shape[0]} sample(s) and {X.shape[1]} feature(s) "
            f"(shape={X.shape}) while a minimum of 2 samples and 1 feature is required."
        )
    runtime = current_runtime() if runtime is None else runtime
    row_bytes = X.shape[1] * X.dtype.itemsize
    smallest = min(runtime.budget(home) for home in runtime.homes)
    groups = chunk_groups(X.chunks[0], POINT_BYTES, runtime.n_slots, POINT_SHARE * smallest)
    sizes = [sum(X.chunks[0][number] for number in numbers) for numbers in groups]
    homes = _homes(sizes, runtime.homes)
    most_bytes = min(MOST_PIECE_BYTES, PIECE_SHARE * smallest)
    largest_piece = max(most_bytes, max(X.chunks[0]) * row_bytes)
    left = {home: runtime.budget(home) - PIECE_COPIES * largest_piece for home in runtime.homes}
    for home, n_rows in zip(homes, sizes, strict=True):
        left[home] -= KEPT_POINT_BYTES * n_rows
    is_remote, labels_are_remote = holds_futures(X), holds_futures(y)
    kind = X.shape[1], X.dtype
    blocks = []
    for numbers, n_rows, home in zip(groups, sizes, homes, strict=True):
        label_source = _label_source(runtime, y, numbers, labels_are_remote, home)
        if is_remote:
            parts = runtime.compute_parts(make_source(X, numbers, True).chunks, home)
            samples = runtime.submit(hold_parts, parts, *kind, home=home)
        else:
            pieces = pieces_of(numbers, X.chunks[0], row_bytes, most_bytes)
            sources = [make_source(X, piece, False) for piece in pieces]
            n_held = 0
            while n_held < len(sources) and sources[n_held].n_rows * row_bytes <= left[home]:
                left[home] -= sources[n_held].n_rows * row_bytes
                n_held += 1
            samples = runtime.submit(hold, sources, n_held, *kind, home=home)
        blocks.append(Block(samples, label_source, home, n_rows, View()))
    return DaskSamples(runtime, blocks, X.shape[1], X.dtype, names, is_pooled)


def _label_source(runtime, y, numbers, is_remote, home):
    """Return a source of labels that a task can read."""
    source = make_source(y, numbers, is_remote)
    if not is_remote:
        return source
    parts = runtime.compute_parts(source.chunks, home)
    return runtime.submit(hold_labels, parts, source.numbers, source.starts, home=home)


def _homes(sizes, homes):
    """Assign a worker to each block: neighbouring blocks together, with equal numbers of rows."""
    middles = np.cumsum(sizes) - np.asarray(sizes) / 2
    shares = middles / max(sum(sizes), 1)
    return [homes[min(int(share * len(homes)), len(homes) - 1)] for share in shares]
