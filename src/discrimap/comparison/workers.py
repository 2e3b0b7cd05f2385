"""Run fits in worker processes, each of which can be terminated."""

from __future__ import annotations

import contextlib
import math
import signal
import tempfile
import time
from collections.abc import Callable, Collection, Generator
from concurrent.futures import FIRST_COMPLETED, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from typing import Any

from discrimap.comparison.one_fit import FitOutcome, run_fit
from discrimap.comparison.problem import Problem
from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import describe_error
from discrimap.comparison.schedule import Planned, Schedule
from discrimap.comparison.shared_data import Shared
from discrimap.processes import interrupts_ignored, worker_context
from discrimap.threads import share_threads

# Longest time between two checks of the time limits by the parent process.
POLL_SECONDS = 0.2
# Number of times that the processes are started again.
MOST_RESTARTS = 3


class Workers(contextlib.AbstractContextManager["Workers"]):
    """Processes that run tasks, each of which can be terminated.

    The processes start with the first task. Several runs can reuse the same processes, which saves
    the time to load compiled code.

    Parameters
    ----------
    n_workers : int
        Number of processes.
    """

    def __init__(self, n_workers: int):
        self.n_workers = n_workers
        self._n_restarts = 0
        self._folder = tempfile.TemporaryDirectory(prefix="discrimap-")
        self._pool = self._make_pool()

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        if kind is None:
            self._pool.close()
        else:
            self.stop()
        self._pool.join()
        self._folder.cleanup()

    def _make_pool(self) -> Any:
        from pebble import ProcessPool

        return ProcessPool(
            max_workers=self.n_workers,
            context=worker_context(),
            initializer=_start_worker,
            initargs=(self.n_workers,),
        )

    def share(self, problem: Problem) -> Shared:
        """Write the arrays of the data to files that only this user can open."""
        return Shared(problem, self._folder.name)

    def submit(self, task: Callable, *arguments: Any, limit: float = math.inf) -> Any:
        """Run ``task(*arguments)`` in a process and return its future.

        The process is terminated after ``limit`` seconds.
        """
        if not self._pool.active:
            self._restart()
        timeout = limit if limit < math.inf else None
        with interrupts_ignored():
            return self._pool.schedule(task, args=arguments, timeout=timeout)

    def _restart(self) -> None:
        """Replace the pool, which cannot be used after a process has ended between two tasks."""
        self._n_restarts += 1
        if self._n_restarts > MOST_RESTARTS:
            raise RuntimeError(
                f"worker processes ended {self._n_restarts} times although no task was running; the "
                "system may have ended them because memory was exhausted. Pass n_jobs=1."
            )
        self._pool.stop()
        self._pool.join()
        self._pool = self._make_pool()

    def stop(self) -> None:
        """Terminate all processes immediately."""
        self._pool.stop()


def run_in_processes(
    schedule: Schedule, problem: Problem, protocol: Protocol, given: Workers | None = None
) -> Generator[None]:
    """Run fits until the schedule is empty or its time is over.

    It yields after fits have ended and the next ones have started. If it is closed or interrupted,
    it terminates the workers; the logs of the schedule contain the finished fits.
    """
    start = time.monotonic()
    running: dict[Any, Planned] = {}
    ended: Collection[Any] = ()
    with contextlib.nullcontext(given) if given else Workers(schedule.n_workers) as workers:
        shared = workers.share(problem)
        try:
            while True:
                while len(running) < schedule.n_workers:
                    planned = schedule.begin_next(time.monotonic() - start)
                    if planned is None:
                        break
                    task = run_fit, planned.fit, shared, protocol
                    running[workers.submit(*task, limit=planned.limit)] = planned
                if ended:
                    yield
                if not running:
                    break
                ended, _ = wait(running, POLL_SECONDS, FIRST_COMPLETED)
                for future in ended:
                    _record(future, running.pop(future), time.monotonic() - start)
        except BaseException:
            workers.stop()
            raise


def _record(future: Any, planned: Planned, elapsed: float) -> None:
    """Add the outcome of a fit to the log of its method."""
    seconds = elapsed - planned.began
    try:
        outcome = future.result()
    except BrokenProcessPool:
        del planned.log.fits[planned.fit]  # it did not run, and is planned again
        return
    except TimeoutError:
        reason = f"not done within {planned.limit:.3g} s"
        outcome = FitOutcome(status="skipped", reason=reason, wall_seconds=seconds)
    except Exception as error:  # for example, if memory is exhausted
        reason = f"its process ended: {describe_error(error)}"
        outcome = FitOutcome(status="failed", reason=reason, wall_seconds=seconds)
    planned.log.fits[planned.fit] = replace(outcome, elapsed=elapsed)


def run_here(schedule: Schedule, problem: Any, protocol: Protocol) -> Generator[None]:
    """Run the fits one after the other in this process, and yield after each."""
    start = time.monotonic()
    while (planned := schedule.begin_next(0.0)) is not None:
        outcome = run_fit(planned.fit, problem, protocol)
        planned.log.fits[planned.fit] = replace(outcome, elapsed=time.monotonic() - start)
        yield


def _start_worker(n_jobs: int) -> None:
    # This also runs in a worker that replaces a terminated worker.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    share_threads(n_jobs)
