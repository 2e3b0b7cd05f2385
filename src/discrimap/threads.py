"""How many threads a computation gets."""

import contextlib

from threadpoolctl import threadpool_limits


@contextlib.contextmanager
def one_thread():
    """One thread for linear algebra and compiled loops, until the block ends.

    Steps of less than a millisecond are slower on several threads: those of the linear algebra
    and those of the compiled loops keep the cores busy while they wait for their next turn.
    """
    import numba

    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        with threadpool_limits(1):
            yield
    finally:
        numba.set_num_threads(before)
