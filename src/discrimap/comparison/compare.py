"""The comparison of several methods on one data set."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discrimap.comparison.judgement import judge
from discrimap.comparison.limits import Limits
from discrimap.comparison.one_method import run_method
from discrimap.comparison.plan import Skipped, Workload, plan
from discrimap.comparison.problem import check_problem
from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import Comparison, MethodResult
from discrimap.comparison.workers import run_in_processes
from discrimap.errors import InputError
from discrimap.registry import METHODS, Method, get_method
from discrimap.samples.on_dask.dask_input import is_dask

# Share of the budget that one method may take where there is no time limit.
SHARE_OF_ONE_METHOD = 0.6


def compare(
    X,
    y,
    methods: Iterable[str] | None = None,
    *,
    task: str = "auto",
    is_labelled=None,
    groups=None,
    order=None,
    protocol: Protocol | None = None,
    data_name: str = "data",
    n_jobs: int = 1,
    budget: float | None = None,
    time_limit: float | None = None,
    on_plan: Callable[[list[Workload]], None] | None = None,
    on_progress: Callable[[str, int], None] | None = None,
    on_result: Callable[[MethodResult], None] | None = None,
) -> Comparison:
    """Score methods on held-out points, with permuted labels as a control.

    Parameters
    ----------
    X : array-like, sparse matrix or dask collection of shape (n_samples, n_features)
        The samples; NaN is a missing value where the protocol says how to fill it in. From a dask
        collection only a part of the map is gathered: rows are held out at random, methods are
        fitted on the workers, and errors are those of about 20,000 held-out points among about
        50,000 training points.
    y : array-like of shape (n_samples,)
        Class labels, with at least two samples per class, or numbers.
    methods : iterable of str, optional
        Names from the registry; by default all that take this kind of target.
    task : {"auto", "classification", "regression"}
        What y is. "auto" treats numbers as continuous if they have a fractional part, or more than
        30 distinct values of fewer than 10 samples each on average.
    is_labelled : array-like of bool of shape (n_samples,), optional
        False marks samples without a label, whatever y holds there: methods that can use such
        samples get them in every fit, others never see them, and none is scored on them. By default
        all samples have one, except where y is NaN.
    groups : array-like of shape (n_samples,), optional
        The group of each sample, such as its patient, where samples of a group are more alike than
        others. Groups are held out as a whole, and whole groups exchange their labels in the test
        against chance. Without it, recognising a patient counts as recognising a disease.
    order : array-like of shape (n_samples,), optional
        Numbers or dates that order the samples, where those that follow each other are more alike
        than others. Contiguous stretches are held out, with a gap on either side.
    protocol : Protocol, optional
        Number of components, splits, neighbours, the score, the seed.
    data_name : str
        Name of the data in tables and reports.
    n_jobs : int
        Number of methods that run at the same time, each in its own process if more than one.
        Without a budget the result does not depend on it, apart from the times.
    budget : float, optional
        Seconds for all methods together. Methods whose cost estimates exceed it are fitted to fewer
        rows or with fewer landmarks, with a notice, or skipped; methods that are still running at
        the end are stopped. Needs worker processes, as ``time_limit`` does.
    time_limit : float, optional
        Seconds after which a method is stopped and recorded as skipped; 60 % of the budget by
        default. Needs worker processes, so a script that sets it must start its work under
        ``if __name__ == "__main__":``.
    on_plan : callable, optional
        Called once with the list of what is going to run.
    on_progress : callable, optional
        Called with the name of a method and the number of its fits that are done.
    on_result : callable, optional
        Called with each :class:`MethodResult` as it arrives.

    Returns
    -------
    comparison : Comparison
        One row per method, best first. A method that fails is a row with its reason. Its ``verdict``
        says in a few sentences what was found.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from discrimap.comparison import Protocol, compare
    >>> X, y = load_wine(return_X_y=True)
    >>> comparison = compare(X, y, ["pca", "lda"], protocol=Protocol(n_repeats=2))
    >>> [result.name for result in comparison.results]
    ['lda', 'pca']
    >>> print(comparison.verdict[0])
    The classes separate: both methods err on 2-3 % of held-out points and cannot be told apart ...
    """
    protocol = protocol or Protocol()
    limits = Limits(budget, time_limit, n_jobs)
    limits.check()
    names = None if methods is None else list(dict.fromkeys(methods))
    arrange = _arrange_collections if is_dask(X) or is_dask(y) else _arrange_arrays
    job = arrange(X, y, _Facts(is_labelled, task, groups, order), protocol, names, limits)
    if on_plan is not None:
        on_plan(job.workloads)
    results = _run(job, protocol, on_progress or (lambda name, n_fits: None), on_result)

    problem = job.problem
    order_of = {method.name: rank for rank, method in enumerate(job.methods)}
    results.sort(key=lambda r: (r.status != "done", r.test_error, order_of[r.name]))
    ratio = protocol.test_size / (1 - protocol.test_size)
    judgement = judge(results, problem.design, protocol, ratio)
    return Comparison(
        data_name=data_name,
        n_samples=problem.X.shape[0],
        n_features=problem.X.shape[1],
        class_counts=problem.class_counts(),
        chance_error=_error_of_guessing(problem.class_counts(), protocol.score),
        protocol=protocol,
        results=judgement.results,
        task=problem.task_name,
        n_unlabelled=problem.n_unlabelled,
        target_range=_range(problem),
        held_out=problem.design.in_words,
        evidence=judgement.evidence,
        shown=judgement.shown,
    )


@dataclass(frozen=True, eq=False)
class _Facts:
    """What a caller says of the samples."""

    is_labelled: Any = None
    task: str = "auto"
    groups: Any = None
    order: Any = None


@dataclass(frozen=True, eq=False)
class _Job:
    """A checked problem, the methods chosen for it, and the runs that are planned."""

    problem: Any
    methods: list[Method]
    workloads: list[Workload]
    skipped: list[Skipped]
    limits: Limits
    make_trial: Callable | None = None


def _arrange_arrays(X, y, facts: _Facts, protocol: Protocol, names, limits: Limits) -> _Job:
    problem = check_problem(
        X, y, facts.is_labelled, facts.task, protocol, facts.groups, facts.order
    )
    methods = _choose(
        names, lambda method: method.continuous if problem.is_continuous else method.classes
    )
    if limits.time_limit is None and limits.budget is not None:
        limits = replace(limits, time_limit=SHARE_OF_ONE_METHOD * limits.budget)
    return _Job(problem, methods, *plan(methods, problem, protocol, limits), limits)


def _arrange_collections(X, y, facts: _Facts, protocol: Protocol, names, limits: Limits) -> _Job:
    from discrimap.comparison.collections import CollectionTrial, check_collection

    if limits != Limits():
        raise InputError(
            "budget, time_limit and n_jobs are for samples in memory; a comparison of dask "
            "collections runs one method after the other, each on all workers."
        )
    if facts.groups is not None or facts.order is not None:
        raise InputError("groups and order are for samples in memory; leave them out on Dask.")
    problem = check_collection(X, y, facts.is_labelled, facts.task, protocol)
    methods = _choose(names, lambda method: method.distributed)
    return _Job(problem, methods, *problem.plan(methods, protocol), limits, CollectionTrial)


def _run(
    job: _Job,
    protocol: Protocol,
    on_progress: Callable[[str, int], None],
    on_result: Callable[[MethodResult], None] | None,
) -> list[MethodResult]:
    """Run all methods, here or in worker processes; return the results in order of arrival."""
    results: list[MethodResult] = []

    def record(result: MethodResult) -> None:
        results.append(result)
        if on_result is not None:
            on_result(result)

    for one in job.skipped:
        record(MethodResult.without_scores(one.method, "skipped", one.reason))
    if job.limits.n_jobs == 1 and job.limits.time_limit is None:
        for workload in job.workloads:
            on_fit = functools.partial(on_progress, workload.method.name)
            record(run_method(workload, job.problem, protocol, on_fit, job.make_trial))
    else:
        run_in_processes(job.workloads, job.problem, protocol, job.limits, record, on_progress)
    return results


def _choose(names: Iterable[str] | None, is_suitable: Callable[[Method], bool]) -> list[Method]:
    if names is not None:
        return [get_method(name) for name in names]
    return [method for method in METHODS if is_suitable(method)]


def _error_of_guessing(counts: dict[str, int], score: str) -> float:
    """Return the error of always predicting the largest class, or the mean of a number."""
    if not counts:
        return 1.0
    if score == "balanced":
        return 1 - 1 / len(counts)
    return 1 - max(counts.values()) / sum(counts.values())


def _range(problem) -> tuple[float, float] | None:
    if not problem.is_continuous:
        return None
    return float(np.nanmin(problem.y)), float(np.nanmax(problem.y))
