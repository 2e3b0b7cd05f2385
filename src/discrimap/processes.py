"""How worker processes are started."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.context import BaseContext, SpawnContext
from multiprocessing.synchronize import RLock
from typing import Any

# What every worker imports.
PRELOADED = ("discrimap.comparison.workers", "discrimap.models.pipelines", "numba")
# The server imports nothing from the current folder and has no threads of linear algebra, which a fork would
# lose. Workers set their own number of threads.
OF_SERVER = {"PYTHONSAFEPATH": "1", "OPENBLAS_NUM_THREADS": "1"}


class WorkerLock(RLock):
    """A lock of a pool of workers. A worker that is sent a lock of a stopped pool ends silently.

    A worker opens the lock by its name, which is removed when the pool is stopped or its process ends. A worker
    may start later than that: a request to start it waits while the server imports, and is then fulfilled
    although the process that made it was interrupted and is not there any more. Such a worker has nothing to
    do, and a traceback from it would only alarm the user.
    """

    def __setstate__(self, state: Any) -> None:
        try:
            super().__setstate__(state)  # type: ignore[misc]
        except FileNotFoundError:
            raise SystemExit(1) from None


class _WithWorkerLocks(BaseContext):
    def RLock(self) -> RLock:  # noqa: N802 - pebble makes the locks of a pool with it
        return WorkerLock(ctx=self.get_context())


class _SpawnContext(_WithWorkerLocks, SpawnContext):
    """New interpreters."""


def worker_context() -> BaseContext:
    """Return the context in which worker processes are started.

    On Linux they are forked from a server process that has imported their modules and done nothing else, so
    they start within milliseconds. The server starts with the first call and imports while this process goes
    on. A fork of this process itself is not safe: a fork copies no threads, but the locks that they hold.
    Other systems start every worker as a new interpreter, and so does Linux if the server cannot be started.
    """
    if sys.platform != "linux":
        return _SpawnContext()
    from multiprocessing import forkserver
    from multiprocessing.context import ForkServerContext

    class _ForkServerContext(_WithWorkerLocks, ForkServerContext):
        """Forks of a server process; other systems may not have it."""

    context = _ForkServerContext()
    context.set_forkserver_preload(list(PRELOADED))
    given = {name: os.environ[name] for name in OF_SERVER if name in os.environ}
    os.environ.update(OF_SERVER)
    try:
        with interrupts_ignored():
            forkserver.ensure_running()
    except OSError:  # for instance because the path of the folder for temporary files is too long
        return _SpawnContext()
    finally:
        for name in OF_SERVER:
            del os.environ[name]
        os.environ.update(given)
    return context


@contextmanager
def interrupts_ignored() -> Iterator[None]:
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
