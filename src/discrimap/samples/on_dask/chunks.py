"""Evaluate a function for each chunk of a Dask collection."""

from __future__ import annotations


def compute_for_each(function, tasks, shared=()):
    """Return the results of ``function(*shared, *task)`` for each task, in order.

    Parameters
    ----------
    function : callable
        Function that runs on the workers.
    tasks : iterable of tuple
        Arguments, including delayed chunks.
    shared : sequence
        Arguments that are sent once, not with every task.

    Returns
    -------
    results : tuple
    """
    import dask

    common = [dask.delayed(value, traverse=False) for value in shared]
    return dask.compute(*[dask.delayed(function)(*common, *task) for task in tasks])
