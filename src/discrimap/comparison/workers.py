"""Fits in worker processes, each of which can be ended."""

from __future__ import annotations

import concurrent.futures
import math
import multiprocessing
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from discrimap.comparison.one_fit import Failure, Fit, FitOutcome, run_fit
from discrimap.comparison.problem import Problem
from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import describe_error
from discrimap.comparison.schedule import Planned, Schedule
from discrimap.comparison.shared_data import SharedData, load_shared, share
from discrimap.processes import interrupts_ignored, worker_context
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
    running: dict[Any, Planned] = {}
    with tempfile.TemporaryDirectory(prefix="discrimap-") as name:
        shared = share(problem, Path(name) / "arrays")
        pool = ProcessPool(
            max_workers=schedule.n_workers,
            context=worker_context(),
            initializer=_start_worker,
            initargs=(schedule.n_workers,),
        )
        try:
            while True:
                while len(running) < schedule.n_workers:
                    planned = schedule.begin_next(time.monotonic() - start)
                    if planned is None:
                        break
                    with interrupts_ignored():
                        future = pool.schedule(
                            _run_in_worker,
                            args=(planned.fit, shared, protocol),
                            timeout=planned.limit if planned.limit < math.inf else None,
                        )
                    running[future] = planned
                if not running:
                    break
                ended, _ = concurrent.futures.wait(
                    running, POLL_SECONDS, concurrent.futures.FIRST_COMPLETED
                )
                for one in ended:
                    elapsed, planned = time.monotonic() - start, running.pop(one)
                    planned.end(_outcome(one, planned, elapsed), elapsed)
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


def _outcome(future, planned: Planned, elapsed: float) -> FitOutcome | Failure:
    seconds = elapsed - planned.began
    try:
        return future.result()
    except TimeoutError:
        return Failure("skipped", f"not done within {planned.limit:.3g} s", seconds)
    except Exception as error:  # for instance because memory was exhausted
        return Failure("failed", f"its process ended: {describe_error(error)}", seconds)


def run_here(
    schedule: Schedule,
    problem,
    protocol: Protocol,
    on_end: Callable[[], None],
    make_trial: Callable | None = None,
) -> None:
    """Run the fits one after the other in this process."""
    start = time.monotonic()
    while (planned := schedule.begin_next(0.0)) is not None:
        outcome = _attempt(planned.fit, problem, protocol, make_trial)
        planned.end(outcome, time.monotonic() - start)
        on_end()


def _attempt(fit: Fit, problem, protocol: Protocol, make_trial=None) -> FitOutcome | Failure:
    """Run one fit; if it fails, the others must go on."""
    start = time.monotonic()
    try:
        return run_fit(fit, problem, protocol, make_trial)
    except Exception as error:
        return Failure("failed", describe_error(error), time.monotonic() - start)


def _run_in_worker(fit: Fit, shared: SharedData, protocol: Protocol) -> FitOutcome | Failure:
    return _attempt(fit, load_shared(shared), protocol)


def _start_worker(n_jobs: int) -> None:
    # This also runs in a worker that replaces one that was ended.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    share_threads(n_jobs)
