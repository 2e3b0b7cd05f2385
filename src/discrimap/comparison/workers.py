"""Fits in worker processes, each of which can be ended."""

from __future__ import annotations

import concurrent.futures
import contextlib
import functools
import math
import multiprocessing
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from discrimap.comparison.one_fit import Fit, FitOutcome, run_fit
from discrimap.comparison.problem import Problem
from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import describe_error
from discrimap.comparison.schedule import MethodSchedule, Schedule
from discrimap.registry import get_method
from discrimap.threads import share_threads

# Longest time between two looks at the clock by the parent process.
POLL_SECONDS = 0.2


def run_in_processes(
    schedule: Schedule, problem: Problem, protocol: Protocol, on_end: Callable[[], None]
) -> None:
    """Run fits until the schedule has no more, or its time is over.

    ``on_end`` is called after each fit. An exception, such as that of Ctrl-C, ends the workers and is
    passed on; what is done is in the logs of the schedule.
    """
    from pebble import ProcessPool

    start = time.monotonic()
    running: dict[Any, _Running] = {}
    with tempfile.TemporaryDirectory(prefix="discrimap-") as name:
        folder = Path(name)
        _save(folder, problem)
        facts = (str(folder), problem.task_name, problem.class_names, protocol)
        pool = ProcessPool(
            max_workers=schedule.n_workers,
            # Not fork: threads of the linear algebra libraries do not survive it.
            context=multiprocessing.get_context("spawn"),
            initializer=_start_worker,
            initargs=(schedule.n_workers,),
        )
        try:
            while True:
                while len(running) < schedule.n_workers:
                    found = schedule.next_fit(time.monotonic() - start)
                    if found is None:
                        break
                    one, fit, limit = found
                    one.running.add(fit)
                    with _interrupts_ignored():
                        future = pool.schedule(
                            _carry_out,
                            args=(fit.method.name, fit.n_rows, fit.split, fit.is_control, *facts),
                            timeout=limit if limit < math.inf else None,
                        )
                    running[future] = _Running(one, fit, limit, time.monotonic())
                if not running:
                    break
                ended, _ = concurrent.futures.wait(
                    running, POLL_SECONDS, concurrent.futures.FIRST_COMPLETED
                )
                for one_ended in ended:
                    running.pop(one_ended).end(one_ended, time.monotonic() - start)
                    on_end()
            pool.close()
        except BaseException:
            # Stopping the pool removes what a worker that is just starting reads. Later, a worker must not
            # be killed while it holds the lock of the pool, for which the pool would wait a minute.
            if not any(one.spent for one in schedule.methods):
                for worker in multiprocessing.active_children():
                    worker.kill()
            pool.stop()
            raise
        finally:
            pool.join()


def run_here(
    schedule: Schedule,
    problem,
    protocol: Protocol,
    on_end: Callable[[], None],
    make_trial: Callable | None = None,
) -> None:
    """Run the fits one after the other in this process."""
    start = time.monotonic()
    while (found := schedule.next_fit(0.0)) is not None:
        one, fit, _ = found
        began = time.monotonic()
        try:
            outcome = run_fit(fit, problem, protocol, make_trial)
        except Exception as error:  # a method that fails must not stop the others
            one.fail(fit, "failed", describe_error(error), time.monotonic() - began)
        else:
            one.end(fit, outcome, time.monotonic() - start)
        on_end()


@dataclass(frozen=True)
class _Running:
    """A fit that is running."""

    schedule: MethodSchedule
    fit: Fit
    limit: float
    began: float

    def end(self, future, elapsed: float) -> None:
        try:
            found = future.result()
        except TimeoutError:
            self._fail("skipped", f"not done within {self.limit:.3g} s")
        except Exception as error:  # the process ended, for instance because memory was exhausted
            self._fail("failed", f"its process ended: {describe_error(error)}")
        else:
            if isinstance(found, FitOutcome):
                self.schedule.end(self.fit, found, elapsed)
            else:
                self._fail("failed", found)

    def _fail(self, status: str, reason: str) -> None:
        self.schedule.fail(self.fit, status, reason, time.monotonic() - self.began)


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


@functools.cache
def _load(folder: str, task_name: str, class_names: tuple[str, ...]) -> Problem:
    """Load the data, once in each worker."""
    arrays = {
        name: np.load(Path(folder) / f"{name}.npy")
        for name in ("y", "groups", "order")
        if (Path(folder) / f"{name}.npy").exists()
    }
    sparse_path = Path(folder) / "X.npz"
    if sparse_path.exists():
        X = sparse.load_npz(sparse_path)
    else:
        X = np.load(Path(folder) / "X.npy", mmap_mode="r")
    return Problem(X, task_name=task_name, class_names=class_names, **arrays)


def _carry_out(
    name: str,
    n_rows: int,
    split: int,
    is_control: bool,
    folder: str,
    task_name: str,
    class_names: tuple[str, ...],
    protocol: Protocol,
) -> FitOutcome | str:
    """Run one fit in a worker; methods travel by name, because functions are not pickled."""
    fit = Fit(get_method(name), n_rows, split, is_control)
    try:
        return run_fit(fit, _load(folder, task_name, class_names), protocol)
    except Exception as error:  # a method that fails must not stop the others
        return describe_error(error)


def _start_worker(n_jobs: int) -> None:
    # This also runs in a worker that replaces one that was ended.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    share_threads(n_jobs)
