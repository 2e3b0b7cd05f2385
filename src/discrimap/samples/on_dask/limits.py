"""Checks for methods and parameters that do not support samples on Dask."""

from discrimap.optional import require

MOST_DIMENSIONS = 3


def refuse_collection(estimator):
    """Raise an error that a method needs all samples in memory, naming those that do not."""
    from discrimap.registry import METHODS

    name = type(estimator).__name__
    others = ", ".join(
        method.class_name for method in METHODS if method.distributed and method.class_name != name
    )
    raise TypeError(
        f"{name} needs all samples in one memory and takes no dask collections; pass arrays, "
        f"for instance X.compute() or a sample of the rows, or use one of {others}."
    )


def refuse_collection_of_new_samples(estimator):
    """Raise an error that tells how to map a collection by a method that does not take one."""
    raise TypeError(
        f"{type(estimator).__name__} takes new samples as arrays, and a dask collection would be "
        "gathered in memory; pass it block by block: X.map_blocks or X.map_partitions with the "
        "method of the fitted estimator."
    )


def why_not_on_dask(engine, n_components):
    """Messages about unsupported kernel sums: only Fourier series can be added over blocks."""
    if n_components > MOST_DIMENSIONS:
        yield (
            f"n_components={n_components}: on dask collections kernel sums are Fourier series, in "
            f"at most {MOST_DIMENSIONS} dimensions. Pass n_components <= {MOST_DIMENSIONS}, or "
            "fit in memory on a sample of the rows."
        )
    if engine == "exact":
        yield (
            "engine='exact' visits all pairs and needs all points in one memory; on dask "
            "collections pass engine='auto' or 'fourier'."
        )


def check_engine(engine, n_components):
    """Refuse kernel sums that are not supported on Dask."""
    for reason in why_not_on_dask(engine, n_components):
        raise ValueError(reason)
    require("finufft", "a dask collection, whose kernel sums are Fourier series,")
