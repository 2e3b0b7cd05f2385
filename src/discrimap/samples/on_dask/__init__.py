"""Samples in blocks of rows, on the workers of a Dask cluster.

W is sent to the blocks; spectra, gradients and moments are returned, summed in a tree; the samples
stay on the workers. Only this package imports dask, and only when a dask collection is used.
"""
