"""Points come in blocks: samples in chunks of rows, on the workers of a Dask cluster.

What an objective does with an array in memory, ``X @ W``, sums of kernels over the result, and
``X.T @ gradient``, it does with :class:`~discrimap.samples.on_dask.row_blocks.RowBlocks` in the same words.
W goes out to the blocks; spectra, gradients and moments come back, summed in a tree; the samples
stay where they are. Only this room imports dask, and only when a dask collection arrives.
"""

from discrimap.samples.on_dask.dask_input import is_dask
from discrimap.samples.on_dask.lazy_transform import transform_lazily

__all__ = ["is_dask", "transform_lazily"]
