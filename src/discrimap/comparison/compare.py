"""The comparison of several methods on one data set."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

import numpy as np
from scipy import sparse

from discrimap.comparison.one_method import run_method
from discrimap.comparison.protocol import Protocol, check_data
from discrimap.comparison.result import Comparison, MethodResult
from discrimap.comparison.workers import run_in_processes
from discrimap.registry import METHODS, Method, Shape, get_method

# What one core does in a second on the small dense products of these methods, to within a factor
# of a few: enough to tell apart what takes a minute and what takes a day.
_FLOPS_PER_SECOND = 2e9


def compare(
    X,
    y,
    methods: Iterable[str] | None = None,
    *,
    protocol: Protocol | None = None,
    data_name: str = "data",
    n_jobs: int = 1,
    time_limit: float | None = None,
    on_result: Callable[[MethodResult], None] | None = None,
) -> Comparison:
    """Score methods on held-out points and beside permuted labels.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The samples.
    y : array-like of shape (n_samples,)
        Class labels; each class needs at least two samples.
    methods : iterable of str, optional
        Names from the registry; all of them by default.
    protocol : Protocol, optional
        Number of components, splits, neighbours, the seed.
    data_name : str
        What the data is called in tables and reports.
    n_jobs : int
        Methods that run at the same time, each in a process of its own if there is more than one.
        The result does not depend on it.
    time_limit : float, optional
        Seconds after which a method is ended and recorded as skipped. Needs worker processes, so a
        script that sets it must start its work under ``if __name__ == "__main__":``.
    on_result : callable, optional
        Called with each :class:`MethodResult` as it arrives.

    Returns
    -------
    comparison : Comparison
        One row per method, best first. A method that fails is a row with its reason.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from discrimap.comparison import Protocol, compare
    >>> X, y = load_wine(return_X_y=True)
    >>> comparison = compare(X, y, ["pca", "lda"], protocol=Protocol(n_repeats=2))
    >>> [result.name for result in comparison.results]
    ['lda', 'pca']
    """
    protocol = protocol or Protocol()
    X, y = check_data(X, y, protocol)
    chosen = METHODS if methods is None else [get_method(name) for name in dict.fromkeys(methods)]
    classes, y, counts = np.unique(y, return_inverse=True, return_counts=True)
    shape = Shape(X.shape[0], X.shape[1], len(classes), protocol.n_components)

    results: list[MethodResult] = []

    def record(result: MethodResult) -> None:
        results.append(result)
        if on_result is not None:
            on_result(result)

    to_run = []
    for method in chosen:
        reason = _reason_to_skip(method, X, shape, protocol, time_limit)
        if reason:
            record(MethodResult(method.name, method.label, "skipped", reason))
        else:
            to_run.append(method)
    if n_jobs == 1 and time_limit is None:
        for method in to_run:
            record(run_method(method, X, y, protocol))
    else:
        run_in_processes(to_run, X, y, protocol, n_jobs, time_limit, record)

    order = {method.name: rank for rank, method in enumerate(chosen)}
    results.sort(key=lambda r: (r.status != "done", r.test_error, order[r.name]))
    return Comparison(
        data_name=data_name,
        n_samples=X.shape[0],
        n_features=X.shape[1],
        class_counts={str(name): int(count) for name, count in zip(classes, counts, strict=True)},
        chance_error=float(1 - counts.max() / counts.sum()),
        protocol=protocol,
        results=tuple(results),
    )


def _reason_to_skip(
    method: Method, X, shape: Shape, protocol: Protocol, time_limit: float | None
) -> str:
    """Say why not even to start, from the estimates alone; an empty string means go."""
    if sparse.issparse(X) and not method.sparse:
        return f"{method.label} takes dense data only, and X is sparse"
    needed, available = method.memory(shape), _memory_of_this_machine()
    if needed > available / 2:
        return (
            f"would need about {needed / 2**30:,.0f} GiB of memory; "
            f"half of this machine's {available / 2**30:,.0f} GiB is the limit"
        )
    # Every split is fitted twice: once with the labels and once with permuted ones.
    seconds = 2 * protocol.n_repeats * method.flops(shape) / _FLOPS_PER_SECOND
    if time_limit is not None and seconds > 10 * time_limit:
        return (
            f"would take about {seconds:,.0f} s by its cost estimate, "
            f"more than ten times the limit of {time_limit:g} s"
        )
    return ""


def _memory_of_this_machine() -> float:
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not a POSIX system
        return float("inf")
