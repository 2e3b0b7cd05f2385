"""Samples in blocks of rows, on the workers of a Dask cluster.

W is sent to the blocks; spectra, gradients and moments are summed in a tree and returned; the samples
stay on the workers. Only this package imports dask, and only if a Dask collection is used.
"""
