"""Raise errors for methods and parameters that do not support samples on Dask."""

from collections.abc import Iterator

from discrimap.optional import require

MOST_DIMENSIONS = 3


def refuse_collection(estimator):
    """Raise an error for a method that needs all samples in memory; list the methods that do not."""
    from discrimap.registry import METHODS

    name = type(estimator).__name__
    others = ", ".join(
        method.class_name for method in METHODS if method.distributed and method.class_name != name
    )
    raise TypeError(
        f"{name} needs all samples in memory and does not support Dask collections; pass arrays, "
        f"for instance X.compute() or a sample of the rows, or use one of {others}."
    )


def refuse_collection_of_new_samples(estimator):
    """Raise an error for a collection of new samples, with instructions how to map it in blocks."""
    raise TypeError(
        f"{type(estimator).__name__} needs new samples as arrays, so that a Dask collection would be "
        "loaded into memory; pass it block by block: X.map_blocks or X.map_partitions with the "
        "method of the fitted estimator."
    )


def why_not_on_dask(engine: str, n_components: int) -> Iterator[str]:
    """Yield messages about unsupported kernel sums; only Fourier series can be added over blocks."""
    if n_components > MOST_DIMENSIONS:
        yield (
            f"n_components={n_components} is too large for Dask collections, where kernel sums are Fourier "
            f"series in at most {MOST_DIMENSIONS} dimensions; pass n_components <= {MOST_DIMENSIONS}, or "
            "fit in memory to a sample of the rows."
        )
    if engine == "exact":
        yield (
            "engine='exact' sums over all pairs and needs all points in memory; for Dask "
            "collections pass engine='auto' or 'fourier'."
        )


def check_engine(engine, n_components):
    """Raise an error for kernel sums that are not supported on Dask."""
    for reason in why_not_on_dask(engine, n_components):
        raise ValueError(reason)
    require("finufft", "a Dask collection, whose kernel sums are Fourier series,")
