"""Labelled samples, in memory or on Dask, and their validation."""
