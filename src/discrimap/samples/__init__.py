"""What a method may ask of labelled samples, in memory or on Dask."""
