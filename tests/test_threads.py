"""Threads are limited where told, and come back."""

import numba
import pytest
from threadpoolctl import threadpool_info

from discrimap.threads import one_thread


def counts():
    pools = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    return [numba.get_num_threads(), *pools]


@pytest.mark.parametrize("compiled", [True, False])
def test_one_thread_inside_and_all_of_them_back_after(compiled):
    before = counts()
    with one_thread(compiled):
        assert set(counts()[1:]) == {1}
        assert counts()[0] == (1 if compiled else before[0])
    assert counts() == before
