"""Threads are limited where told, and come back."""

import numba
from threadpoolctl import threadpool_info

from discrimap.threads import one_thread


def counts():
    return [numba.get_num_threads(), *(pool["num_threads"] for pool in threadpool_info())]


def test_one_thread_inside_and_all_of_them_back_after():
    before = counts()
    with one_thread():
        assert set(counts()) == {1}
    assert counts() == before
