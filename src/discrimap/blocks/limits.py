"""What points in blocks cannot have."""

MOST_DIMENSIONS = 3


def refuse_other_engines(engine, n_components):
    """Sums over pairs that live on different machines are Fourier series, or none."""
    if n_components > MOST_DIMENSIONS:
        raise ValueError(
            f"n_components={n_components}: on dask collections kernel sums are Fourier series, in "
            f"at most {MOST_DIMENSIONS} dimensions. Pass n_components <= {MOST_DIMENSIONS}, or "
            "fit in memory on a sample of the rows."
        )
    if engine == "exact":
        raise ValueError(
            "engine='exact' visits all pairs and needs all points in one memory; on dask "
            "collections pass engine='auto' or 'fourier'."
        )
