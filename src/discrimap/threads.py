"""How many threads a computation gets."""

import contextlib

from threadpoolctl import threadpool_limits


@contextlib.contextmanager
def one_thread(compiled=True):
    """One thread for linear algebra and, if ``compiled``, for compiled loops in this block.

    Steps of less than a few milliseconds are slower on several threads: those of the linear
    algebra and those of the loops keep the cores busy while they wait for their next turn.
    """
    import numba

    before = numba.get_num_threads()
    if compiled:
        numba.set_num_threads(1)
    try:
        with threadpool_limits(1, user_api="blas"):
            yield
    finally:
        numba.set_num_threads(before)
