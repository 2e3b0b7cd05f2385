"""Number of threads of all computations.

Compiled loops, Fourier transforms and products with the samples run as tasks on one pool of threads
that sleep while they wait. The pools of OpenMP and OpenBLAS busy-wait for their next task instead:
with three such pools the idle ones keep all cores busy while one of them works, which made fits
with steps of a millisecond up to twenty times slower on two cores than on one. Decompositions of
matrices suffer in the same way. Their threads wait for each other thousands of times: up to an order
of about 1,000, two threads take longer than one on a quiet machine, and where another program uses
one of the cores, ten times as long and more at any order (``python benchmarks/speed/threads.py
--decompositions [--busy]``). So linear algebra has one thread during a fit, transforms have one
thread each, and the number of parallel tasks depends on the size of the work.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any

# Nanoseconds of work on one core below which another thread does not pay off. Waking a thread takes
# 0.1 ms (``python benchmarks/speed/threads.py --grain``). With five times this value, fits of SDA to
# 200,000 samples took a tenth longer on two cores; on a busy machine fits were as fast with both.
WORTH_A_THREAD = 500_000.0
# Number of samples of a fit from which the OpenMP loops of other libraries (neighbour searches, t-SNE)
# have more than one thread.
MANY_SAMPLES = 5_000
# The variables that limit compiled loops and transforms, as they do in numba and OpenMP.
VARIABLES = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS")


def available_threads() -> int:
    """Number of cores that this process may use, or less if an environment variable says so.

    Affinity and container limits are respected, as are ``OMP_NUM_THREADS`` and
    ``NUMBA_NUM_THREADS``, unless they are larger than the number of cores.
    """
    limits = [os.environ.get(name, "").split(",")[0].strip() for name in VARIABLES]
    return max(1, min([_cores(), *(int(limit) for limit in limits if limit.isdigit())]))


@functools.cache
def _cores() -> int:
    from joblib import cpu_count

    return cpu_count()


def threads_for(nanoseconds: float) -> int:
    """Number of threads for work that takes this time on one core, see :func:`run_tasks`."""
    if nanoseconds < 2 * WORTH_A_THREAD:
        return 1
    return max(1, min(available_threads(), int(nanoseconds / WORTH_A_THREAD)))


def run_tasks(
    task: Callable[[Any], Any],
    items: Iterable[Any],
    nanoseconds: float,
) -> list[Any]:
    """Call ``task(item)`` for all items, in parallel if that is faster.

    Parameters
    ----------
    task : callable
        Must release the interpreter lock for most of its time.
    items : iterable
        Arguments of the calls.
    nanoseconds : float
        Approximate total time on one core.

    Returns
    -------
    results : list
        In the order of the items.
    """
    items = list(items)
    n_threads = min(threads_for(nanoseconds), len(items))
    if n_threads <= 1:
        return [task(item) for item in items]
    results: list[Any] = [None] * len(items)
    numbers = iter(range(len(items)))
    failures: list[BaseException] = []

    def work():
        # next() on an iterator of range is atomic.
        for number in numbers:
            if failures:
                return
            try:
                results[number] = task(items[number])
            except BaseException as failure:
                failures.append(failure)

    helpers = [_pool(os.getpid()).submit(work) for _ in range(n_threads - 1)]
    work()
    for helper in helpers:
        # A helper that has not begun, because the pool is busy, has nothing left to do.
        if not helper.cancel():
            helper.result()
    if failures:
        raise failures[0]
    return results


def run_ranges(task: Callable[[int, int], None], n: int, nanoseconds: float) -> None:
    """Call ``task(begin, end)`` in parallel for ranges that cover ``0 .. n - 1``.

    The results of the task must not depend on how the rows are divided.
    """
    n_threads = min(threads_for(nanoseconds), max(n, 1))
    # More ranges than threads, so that one delayed thread does not delay the whole.
    n_ranges = 1 if n_threads == 1 else min(n, 4 * n_threads)
    bounds = [n * k // n_ranges for k in range(n_ranges + 1)]
    run_tasks(lambda k: task(bounds[k], bounds[k + 1]), range(n_ranges), nanoseconds)


@functools.cache
def _pool(process: int) -> ThreadPoolExecutor:
    """One pool for each process: threads do not survive a fork."""
    return ThreadPoolExecutor(max(1, _cores() - 1), thread_name_prefix="discrimap")


class OneThread:
    """One thread for linear algebra in the whole process.

    Several threads of a program may fit estimators at the same time, and fits may be nested: the
    first one to begin sets the limit, and the last one to end restores the previous state.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._n_active = 0
        self._libraries: list[Any] = []
        self._before: list[int] = []
        self._known = (0, [])  # type: tuple[int, list[Any]]

    @contextlib.contextmanager
    def active(self, n_loop_threads: int) -> Iterator[None]:
        """Limit linear algebra, and the OpenMP loops of this thread to ``n_loop_threads``."""
        with self._lock:
            if not self._n_active:
                self._libraries = self._loaded("blas")
                self._before = [library.num_threads for library in self._libraries]
                self._set(self._libraries, self._before, 1)
            self._n_active += 1
            loops = self._loaded("openmp")
        before = [library.num_threads for library in loops]
        self._set(loops, before, n_loop_threads)
        try:
            yield
        finally:
            self._set(loops, before, sys.maxsize)
            with self._lock:
                self._n_active -= 1
                if not self._n_active:
                    self._set(self._libraries, self._before, sys.maxsize)

    @staticmethod
    def _set(libraries, before, n_threads) -> None:
        for library, usual in zip(libraries, before, strict=True):
            library.set_num_threads(min(usual, n_threads))

    def _loaded(self, user_api: str) -> list[Any]:
        """Libraries that are loaded now; finding them takes a millisecond."""
        if self._known[0] != len(sys.modules):
            from threadpoolctl import ThreadpoolController

            self._known = (len(sys.modules), ThreadpoolController().lib_controllers)
        return [library for library in self._known[1] if library.user_api == user_api]


_linear_algebra = OneThread()


def one_thread() -> AbstractContextManager[None]:
    """Context in which linear algebra has one thread, for loops that use :func:`run_tasks`."""
    return _linear_algebra.active(1)


def threads_of_fit(n_samples: float) -> AbstractContextManager[None]:
    """Context of a whole fit: one thread for linear algebra, and several for long OpenMP loops."""
    return _linear_algebra.active(1 if n_samples < MANY_SAMPLES else available_threads())


def share_threads(n_processes: int) -> None:
    """Limit this process permanently to its share of the threads of several processes."""
    from threadpoolctl import threadpool_limits

    n_threads = max(1, available_threads() // n_processes)
    threadpool_limits(n_threads)  # of what is loaded already
    # Read by what is loaded later, and by available_threads.
    for name in (*VARIABLES, "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(n_threads)
