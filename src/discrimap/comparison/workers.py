"""One process per method, so that a method that runs too long can be ended."""

from __future__ import annotations

import concurrent.futures
import contextlib
import multiprocessing
import os
import signal
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from scipy import sparse

from discrimap.comparison.one_method import run_method
from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import MethodResult
from discrimap.registry import Method, get_method


def run_in_processes(
    methods: Sequence[Method],
    X,
    y: np.ndarray,
    protocol: Protocol,
    n_jobs: int,
    time_limit: float | None,
    record: Callable[[MethodResult], None],
) -> None:
    """Run methods in worker processes and record each result as it arrives."""
    from pebble import ProcessPool

    with tempfile.TemporaryDirectory(prefix="discrimap-") as folder:
        _save(Path(folder), X, y)
        pool = ProcessPool(
            max_workers=min(n_jobs, max(1, len(methods))),
            # Not fork: threads of the linear algebra libraries do not survive it.
            context=multiprocessing.get_context("spawn"),
            initializer=_share_cores,
            initargs=(n_jobs,),
        )
        try:
            with _interrupts_ignored():
                futures: dict[concurrent.futures.Future, Method] = {
                    pool.schedule(
                        _run_from_folder, args=(method.name, folder, protocol), timeout=time_limit
                    ): method
                    for method in methods
                }
            for future in concurrent.futures.as_completed(futures):
                record(_result_of(future, futures[future], time_limit))
            pool.close()
        except BaseException:
            pool.stop()
            raise
        finally:
            pool.join()


@contextlib.contextmanager
def _interrupts_ignored():
    """Start processes that ignore Ctrl-C from their first moment: ending them is the parent's job.

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


def _result_of(future, method: Method, time_limit: float | None) -> MethodResult:
    try:
        return future.result()
    except TimeoutError:
        reason = f"not done within the time limit of {time_limit:g} s"
        return MethodResult(method.name, method.label, "skipped", reason)
    except Exception as error:  # the process died, for instance for want of memory
        reason = f"its process ended: {type(error).__name__}: {error}".splitlines()[0]
        return MethodResult(method.name, method.label, "failed", reason)


def _save(folder: Path, X, y: np.ndarray) -> None:
    """Put the data where workers can map it into memory instead of receiving copies."""
    np.save(folder / "y.npy", y, allow_pickle=False)
    if sparse.issparse(X):
        sparse.save_npz(folder / "X.npz", X, compressed=False)
    else:
        np.save(folder / "X.npy", X, allow_pickle=False)


def _run_from_folder(name: str, folder: str, protocol: Protocol) -> MethodResult:
    y = np.load(Path(folder) / "y.npy")
    sparse_path = Path(folder) / "X.npz"
    if sparse_path.exists():
        X = sparse.load_npz(sparse_path)
    else:
        X = np.load(Path(folder) / "X.npy", mmap_mode="r")
    return run_method(get_method(name), X, y, protocol)


def _share_cores(n_jobs: int) -> None:
    from threadpoolctl import threadpool_limits

    threads = max(1, (os.cpu_count() or 1) // n_jobs)
    threadpool_limits(threads)  # of what is loaded already
    # Read by what is loaded later: numba, and the OpenMP of finufft.
    os.environ["NUMBA_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = str(threads)
