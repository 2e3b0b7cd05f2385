"""Samples in chunks of rows, on the workers of a Dask cluster.

W goes out to the blocks; spectra, gradients and moments come back, summed in a tree; the samples
stay where they are. Only this room imports dask, and only when a dask collection arrives.
"""
