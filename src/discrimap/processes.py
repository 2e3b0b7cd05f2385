"""How worker processes are started."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.context import BaseContext

# What every worker imports.
PRELOADED = ("discrimap.comparison.workers", "discrimap.models.pipelines", "numba")
# The server imports nothing from the current folder and has no threads of linear algebra, which a fork would
# lose. Workers set their own number of threads.
OF_SERVER = {"PYTHONSAFEPATH": "1", "OPENBLAS_NUM_THREADS": "1"}


def worker_context() -> BaseContext:
    """Return the context in which worker processes are started.

    On Linux they are forked from a server process that has imported their modules and done nothing else, so
    they start within milliseconds. The server starts with the first call and imports while this process goes
    on. A fork of this process itself is not safe: a fork copies no threads, but the locks that they hold.
    Other systems start every worker as a new interpreter, and so does Linux if the server cannot be started.
    """
    if sys.platform != "linux":
        return multiprocessing.get_context("spawn")
    from multiprocessing import forkserver

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(PRELOADED))
    given = {name: os.environ[name] for name in OF_SERVER if name in os.environ}
    os.environ.update(OF_SERVER)
    try:
        with interrupts_ignored():
            forkserver.ensure_running()
    except OSError:  # for instance because the path of the folder for temporary files is too long
        return multiprocessing.get_context("spawn")
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
