"""The comparison of several methods on one data set."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from discrimap._typing import MatrixLike
from discrimap.comparison.inputs import SampleFacts, check_samples
from discrimap.comparison.judgement import judge
from discrimap.comparison.method_log import MethodLog
from discrimap.comparison.notebook_progress import progress_or_notebook
from discrimap.comparison.own_methods import check_portable, choose_methods
from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import Comparison, MethodResult
from discrimap.comparison.rounds import n_landmarks, plan_rounds
from discrimap.comparison.schedule import Schedule
from discrimap.comparison.workers import Workers, run_here, run_in_processes
from discrimap.costs import memory_of_this_machine
from discrimap.errors import InputError
from discrimap.registry import METHODS, SIMILARITY_METHODS, Method
from discrimap.samples.on_dask.dask_input import is_dask
from discrimap.tables.dataset import Dataset

SECONDS_BETWEEN_REPORTS = 10.0
INTERRUPTED = "it was interrupted"
ALL_ROUNDS = 1_000  # larger than any number of rounds


def compare(
    X: MatrixLike | Dataset,
    y: ArrayLike | None = None,
    methods: Iterable[Any] | None = None,
    *,
    target: str | None = None,
    task: str = "auto",
    is_labelled: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    order: ArrayLike | None = None,
    ids: ArrayLike | None = None,
    kernel: str | None = None,
    layer: str | None = None,
    protocol: Protocol | None = None,
    data_name: str | None = None,
    n_jobs: int = 1,
    budget: float | None = None,
    time_limit: float | None = None,
    rounds: int | None = None,
    workers: Workers | None = None,
    on_progress: Callable[[tuple[MethodResult, ...]], None] | None = None,
    on_round: Callable[[Comparison], None] | None = None,
) -> Comparison:
    """Score methods on held-out points, with permuted labels as a control.

    Parameters
    ----------
    X : array-like, sparse matrix, data frame, AnnData, Dataset or dask collection of shape (n_samples, n_features)
        The samples. NaN is a missing value, which ``protocol.impute`` fills in. A pandas, polars or Arrow
        table is read like a file on the command line, see :func:`~discrimap.datasets.read_table`:
        numbers, categories, dates, ids and missing values. For a Dask collection, methods are fitted on
        the workers, and only a part of the map is loaded: errors are computed for about 20,000 held-out
        points, with about 50,000 training points as neighbours.
    y : array-like of shape (n_samples,), optional
        Class labels, with at least two samples per class, or numbers.
    methods : iterable, optional
        Names of methods in the registry. ``...`` means all methods for this type of target, which is the
        default. An estimator of your own with ``fit(X, y)`` and ``transform`` is passed as a pair of a
        label and the estimator: ``[..., ("UMAP", umap.UMAP())]``. Its ``random_state`` is set to the seed
        of the split, and its ``n_components`` to the number of components unless you have set it; in a
        pipeline, the ``n_components`` of the last step is set.
    target : str, optional
        Column of a table, or of ``obs`` of an AnnData, with the target. Used instead of y.
    task : {"auto", "classification", "regression"}, default="auto"
        Type of the target. "auto" treats numbers as continuous if they have a fractional part, or more
        than 30 distinct values with fewer than 10 samples each on average.
    is_labelled : array-like of bool of shape (n_samples,), optional
        Which samples have a label; the values of y are ignored for the others. Methods that can use
        unlabelled samples get them in every fit, other methods do not, and no method is scored on them.
        By default all samples are labelled, except those for which y is NaN.
    groups : array-like of shape (n_samples,), optional
        The group of each sample, such as a patient, if samples of the same group are more similar than
        others. Whole groups are held out, and labels are permuted between groups in the test
        against chance. Without groups, a method that recognises patients would seem to recognise a
        disease.
    order : array-like of shape (n_samples,), optional
        Numbers or dates that order the samples, if consecutive samples are more similar than others.
        Contiguous blocks are held out, with a gap on either side.
    ids : array-like of shape (n_samples,), optional
        Names of the samples in reports. For a table, ``groups``, ``order`` and ``ids`` can be names of
        columns; a column of ids is recognised by default.
    kernel : {"precomputed", "precomputed_distance"}, optional
        Set this if X holds similarities or distances between the samples, one column for each sample.
        Kernel methods are then compared, with kernel PCA as a baseline. A fit gets the rows and columns of
        the training samples; held-out samples have the columns of the training samples.
    layer : str, optional
        The matrix in ``layers`` or ``obsm`` of an AnnData to be used instead of X.
    protocol : Protocol, optional
        Number of components, splits and neighbours, the score and the seed.
    data_name : str, optional
        Name of the data in tables and reports; by default the name of a Dataset, otherwise "data".
    n_jobs : int
        Number of fits that run at the same time, each in its own process if more than one.
        Without a budget the result does not depend on it, apart from the times.
    budget : float, optional
        Seconds for all methods together. Every method is first fitted to a few hundred rows, then to
        more rows and to more splits. A fit is started only if it is expected, from the times of
        earlier fits, to end within the share of the method. A budget needs worker processes, so a
        script that sets it must call this function under ``if __name__ == "__main__":``.
    time_limit : float, optional
        Largest number of seconds for one method; also needs worker processes.
    rounds : int, optional
        Number of rounds of every method, without a time limit, so that results depend only on the
        seed. The first round has a few hundred rows and one split, later rounds have more rows, and
        the last rounds have all rows and more splits. By default, only the last round is run if
        there is no budget.
    workers : Workers, optional
        Existing processes to use instead of new ones. They can be reused afterwards, for example by
        :func:`discrimap.inspection.inspect`.
    on_progress : callable, optional
        Called after fits with the current :class:`MethodResult` of each method. By default, a
        notebook shows these results below the cell until the comparison is done.
    on_round : callable, optional
        Called with the :class:`Comparison` when every method has finished its first round, and
        every few seconds afterwards.

    Returns
    -------
    comparison : Comparison
        One result for each method, best first; a method that failed has a reason instead of errors.
        After Ctrl-C it contains the results so far. ``verdict`` is a summary in a few sentences.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from discrimap.comparison import Protocol, compare
    >>> X, y = load_wine(return_X_y=True)
    >>> comparison = compare(X, y, ["pca", "lda"], protocol=Protocol(n_repeats=2))
    >>> [result.name for result in comparison.results]
    ['lda', 'pca']
    >>> print(comparison.verdict[0])
    The classes separate: both methods err on 2-3 % of held-out points and do not differ ...
    """
    protocol = protocol or Protocol()
    for name, limit in (("budget", budget), ("time_limit", time_limit), ("rounds", rounds)):
        if limit is not None and not limit > 0:
            raise InputError(f"{name}={limit:g} must be above 0.")
    has_clock = budget is not None or time_limit is not None
    on_dask = is_dask(X) or is_dask(y)
    if on_dask and (has_clock or rounds is not None or n_jobs != 1):
        raise InputError(
            "budget, time_limit, rounds and n_jobs are for samples in memory; a comparison of dask "
            "collections runs one method after the other, each on all workers."
        )
    facts = SampleFacts(target, is_labelled, task, groups, order, ids, kernel, layer)
    problem, dataset = check_samples(X, y, facts, protocol, data_name)
    # On Dask no process loads all samples.
    memory = math.inf if on_dask else memory_of_this_machine() / 2 / n_jobs
    suitable = [one for one in (*SIMILARITY_METHODS, *METHODS) if problem.is_for(one)]
    chosen = choose_methods([...] if methods is None else methods, suitable)
    n_rounds = rounds or (ALL_ROUNDS if has_clock else None)
    logs = [plan_method(method, problem, protocol, n_rounds, memory) for method in chosen]
    schedule = Schedule(logs, n_jobs, budget or math.inf, time_limit or math.inf)
    empty = _without_results(data_name or "data", problem, dataset, protocol)

    def current(ending: str) -> Comparison:
        results = tuple(log.result(ending) for log in logs)
        return judge(replace(empty, results=results, ending=ending), problem.design)

    if n_jobs == 1 and not has_clock and workers is None:
        steps = run_here(schedule, problem, protocol)
    else:
        check_portable(chosen)
        steps = run_in_processes(schedule, problem, protocol, workers)
    next_report = 0.0
    try:
        with contextlib.closing(steps), progress_or_notebook(on_progress) as show:
            for _ in steps:
                if show is not None:
                    show(tuple(log.result() for log in logs))
                if on_round and schedule.has_first_round and time.monotonic() >= next_report:
                    on_round(current("it is still running"))
                    next_report = time.monotonic() + SECONDS_BETWEEN_REPORTS
    except KeyboardInterrupt:
        if not any(log.done for log in logs):
            raise
        return current(INTERRUPTED)
    is_cut = budget is not None and not schedule.is_complete
    return current(f"the budget of {budget:g} s ended" if is_cut else "")


def plan_method(
    method: Method, problem: Any, protocol: Protocol, n_rounds: int | None, most_memory: float
) -> MethodLog:
    """Return the planned fits of one method; only the last round if ``n_rounds`` is None."""
    shape = problem.shape_of_fit(method, protocol)
    rounds = plan_rounds(shape.n_samples, shape.n_classes, protocol.n_repeats)
    rounds = rounds[-1:] if n_rounds is None else rounds[:n_rounds]
    needed = {
        n: method.memory(replace(shape, n_samples=n, n_landmarks=n_landmarks(method, n)))
        for n, _ in rounds
    }
    rows = [n for n, bytes_needed in needed.items() if bytes_needed <= most_memory]
    reason = next(problem.reasons_against(method), "")
    if not (reason or rows):
        n, bytes_needed = next(iter(needed.items()))
        reason = (
            f"would need about {bytes_needed / 2**30:,.0f} GiB of memory for {n:,} rows; "
            f"{most_memory / 2**30:,.0f} GiB is the limit here"
        )
    n_splits, notice = rounds[-1][1], problem.notice(protocol)
    return MethodLog(method, shape.n_samples, [] if reason else rows, n_splits, notice, reason)


def _without_results(
    data_name: str, problem: Any, dataset: Dataset | None, protocol: Protocol
) -> Comparison:
    counts, y = problem.class_counts(), problem.y
    target_range = (float(np.nanmin(y)), float(np.nanmax(y))) if problem.is_continuous else None
    return Comparison(
        data_name=data_name if dataset is None else dataset.name,
        n_samples=problem.X.shape[0],
        n_features=problem.X.shape[1] if problem.kernel is None else 0,
        class_counts=counts,
        chance_error=_error_of_guessing(counts, protocol.score),
        protocol=protocol,
        results=(),
        task=problem.task_name,
        n_unlabelled=problem.n_unlabelled,
        target_range=target_range,
        held_out=problem.design.in_words,
        dataset=dataset,
        kernel=problem.kernel,
    )


def _error_of_guessing(counts: dict[str, int], score: str) -> float:
    """Return the error of always predicting the largest class, or the mean in regression."""
    if not counts:
        return 1.0
    if score == "balanced":
        return 1 - 1 / len(counts)
    return 1 - max(counts.values()) / sum(counts.values())
