"""One process per method, so that a method that runs too long can be stopped."""

from __future__ import annotations

import collections
import concurrent.futures
import contextlib
import math
import multiprocessing
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from discrimap.comparison.limits import Limits
from discrimap.comparison.one_method import run_method
from discrimap.comparison.plan import Workload
from discrimap.comparison.problem import Problem
from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import MethodResult, describe_error
from discrimap.registry import Method, get_method
from discrimap.threads import share_threads

# Time between two checks of the progress of the workers by the parent process.
POLL_SECONDS = 0.1


def run_in_processes(
    workloads: Sequence[Workload],
    problem: Problem,
    protocol: Protocol,
    limits: Limits,
    record: Callable[[MethodResult], None],
    progress: Callable[[str, int], None],
) -> None:
    """Run methods in worker processes and record each result as it arrives."""
    from pebble import ProcessPool

    budget, n_jobs = limits.budget, limits.n_jobs
    deadline = time.monotonic() + (math.inf if budget is None else budget)
    waiting = collections.deque(workloads)
    running: dict[Any, tuple[Method, str]] = {}
    with tempfile.TemporaryDirectory(prefix="discrimap-") as name:
        folder = Path(name)
        _save(folder, problem)
        pool = ProcessPool(
            max_workers=min(n_jobs, max(1, len(workloads))),
            # Not fork: threads of the linear algebra libraries do not survive it.
            context=multiprocessing.get_context("spawn"),
            initializer=_start_worker,
            initargs=(n_jobs,),
        )

        def start(workload: Workload, left: float) -> None:
            seconds, too_long = _seconds_of_one(limits, left)
            order = _order(workload, problem, protocol, folder)
            with _interrupts_ignored():
                future = pool.schedule(_carry_out, args=(order,), timeout=seconds)
            running[future] = workload.method, too_long

        try:
            while waiting or running:
                left = deadline - time.monotonic()
                while waiting and left <= 0:
                    reason = f"not begun within the budget of {budget:g} s"
                    record(MethodResult.without_scores(waiting.popleft().method, "skipped", reason))
                while waiting and len(running) < n_jobs:
                    start(waiting.popleft(), left)
                ended, _ = concurrent.futures.wait(
                    running, POLL_SECONDS, concurrent.futures.FIRST_COMPLETED
                )
                for method, _ in running.values():
                    progress(method.name, _fits_done(folder, method.name))
                for one in ended:
                    record(_result_of(one, *running.pop(one)))
            pool.close()
        except BaseException:
            # First, because stopping the pool removes what a worker that is just starting reads.
            for worker in multiprocessing.active_children():
                worker.kill()
            pool.stop()
            raise
        finally:
            pool.join()


def _seconds_of_one(limits: Limits, left: float) -> tuple[float | None, str]:
    """Return the seconds left for one method, and the reason given when they have passed."""
    if limits.time_limit is not None and limits.time_limit <= left:
        return limits.time_limit, f"not done within the time limit of {limits.time_limit:g} s"
    if left < math.inf:
        return left, f"not done within the budget of {limits.budget:g} s"
    return None, ""


@contextlib.contextmanager
def _interrupts_ignored():
    """Start processes that ignore Ctrl-C from the beginning; the parent process ends them.

    A process inherits what its parent ignores. Otherwise each worker that is still importing when
    the user presses Ctrl-C would print a traceback of its own.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set signal handlers, and only it receives Ctrl-C
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def _result_of(future, method: Method, too_long: str) -> MethodResult:
    try:
        return future.result()
    except TimeoutError:
        return MethodResult.without_scores(method, "skipped", too_long)
    except Exception as error:  # the process ended, for instance because memory was exhausted
        reason = f"its process ended: {describe_error(error)}"
        return MethodResult.without_scores(method, "failed", reason)


def _save(folder: Path, problem: Problem) -> None:
    """Save the data, so that workers can map it into memory instead of receiving copies."""
    for name in ("y", "groups", "order"):
        values = getattr(problem, name)
        if values is not None:
            np.save(folder / f"{name}.npy", values, allow_pickle=False)
    if sparse.issparse(problem.X):
        sparse.save_npz(folder / "X.npz", problem.X, compressed=False)
    else:
        np.save(folder / "X.npy", problem.X, allow_pickle=False)


def _load(folder: Path, task_name: str, class_names: tuple[str, ...]) -> Problem:
    arrays = {
        name: np.load(folder / f"{name}.npy")
        for name in ("y", "groups", "order")
        if (folder / f"{name}.npy").exists()
    }
    sparse_path = folder / "X.npz"
    if sparse_path.exists():
        X = sparse.load_npz(sparse_path)
    else:
        X = np.load(folder / "X.npy", mmap_mode="r")
    return Problem(X, task_name=task_name, class_names=class_names, **arrays)


@dataclass(frozen=True)
class _Order:
    """Message to a worker, with the name of the method, because functions are not pickled."""

    name: str
    n_fitted: int
    n_landmarks: int | None
    notice: str
    folder: str
    task_name: str
    class_names: tuple[str, ...]
    protocol: Protocol


def _order(workload: Workload, problem: Problem, protocol: Protocol, folder: Path) -> _Order:
    return _Order(
        name=workload.method.name,
        n_fitted=workload.n_fitted,
        n_landmarks=workload.n_landmarks,
        notice=workload.notice,
        folder=str(folder),
        task_name=problem.task_name,
        class_names=problem.class_names,
        protocol=protocol,
    )


def _carry_out(order: _Order) -> MethodResult:
    folder = Path(order.folder)
    problem = _load(folder, order.task_name, order.class_names)
    workload = Workload(get_method(order.name), order.n_fitted, order.n_landmarks, order.notice)

    def on_fit(n_fits: int) -> None:
        _progress_file(folder, order.name).write_text(str(n_fits))

    return run_method(workload, problem, order.protocol, on_fit)


def _progress_file(folder: Path, method_name: str) -> Path:
    return folder / f"{method_name}.fits"


def _fits_done(folder: Path, method_name: str) -> int:
    try:
        # The file is empty for a moment while it is rewritten.
        return int(_progress_file(folder, method_name).read_text() or 0)
    except FileNotFoundError:
        return 0


def _start_worker(n_jobs: int) -> None:
    # This also runs in a worker that replaces one that was ended.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    share_threads(n_jobs)
