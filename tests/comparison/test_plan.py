"""What is run, and how large, is decided from estimates before anything is allocated."""

import dataclasses

import numpy as np
import pytest

from discrimap.comparison import plan as plan_module
from discrimap.comparison.limits import Limits
from discrimap.comparison.plan import SHARE_OF_BUDGET, plan
from discrimap.comparison.problem import check_problem
from discrimap.comparison.protocol import Protocol
from discrimap.costs import FLOPS_PER_SECOND, Shape
from discrimap.registry import METHODS, Method, get_method

PROTOCOL = Protocol(n_repeats=7)  # ten fits: three controls


@pytest.fixture(autouse=True)
def two_cores_and_8_gib(monkeypatch):
    monkeypatch.setattr(plan_module, "available_threads", lambda: 2)
    monkeypatch.setattr(plan_module, "_memory_of_this_machine", lambda: 8.0 * 2**30)


def problem(n_samples=10_000, n_features=100, n_classes=10, *, n_unlabelled=0):
    X = np.broadcast_to(np.float64(0.0), (n_samples, n_features))
    y = np.arange(n_samples) % n_classes
    is_labelled = np.arange(n_samples) >= n_unlabelled
    return check_problem(X, y, is_labelled, "classification", PROTOCOL)


def costing(seconds, **changes):
    """A method that takes so many seconds for one fit of 1,000 rows, growing linearly."""
    values = {
        "label": "L",
        "family": "linear",
        "path": "m:C",
        "citation": "",
        "flops": lambda s: seconds * FLOPS_PER_SECOND * s.n_samples / 1000,
        "memory": lambda s: 1.0,
    } | changes
    return Method(name=f"cost{seconds:g}", **values)


def make_plan(methods, data=None, *, budget=300.0, time_limit=None, n_jobs=2):
    return plan(
        methods,
        data or problem(),
        PROTOCOL,
        Limits(budget, time_limit, n_jobs),
    )


def test_what_fits_runs_in_full_longest_first_but_after_what_takes_nothing():
    methods = [costing(0.1), costing(0.001), costing(0.2), costing(0.002)]
    workloads, skipped = make_plan(methods)
    names = [one.method.name for one in workloads]
    assert names == ["cost0.002", "cost0.001", "cost0.2", "cost0.1"]
    assert [(one.n_fitted, one.notice) for one in workloads] == [(6666, "")] * 4
    assert skipped == []
    workloads, _ = make_plan(methods, budget=None)
    assert [one.method.name for one in workloads] == [f"cost{c}" for c in (0.2, 0.1, 0.002, 0.001)]


def test_what_is_left_is_shared_among_the_expensive():
    data = problem()
    workloads, _ = make_plan([costing(0.01), costing(20.0), costing(30.0)], data)
    by_name = {one.method.name: one for one in workloads}
    assert by_name["cost0.01"].n_fitted == 6666
    capacity = SHARE_OF_BUDGET * 300 * 2
    for seconds in (20.0, 30.0):
        one = by_name[f"cost{seconds:g}"]
        # Ten fits; each has room for 500 rows and half of what is left after that.
        spent = 10 * seconds * one.n_fitted / 1000
        room = 5 * seconds + (capacity - 5 * (20.0 + 30.0)) / 2
        assert 0.95 * room < spent < 1.02 * room
        assert one.notice == (
            f"fitted to {one.n_fitted:,} of 6,666 training rows, to stay within the budget"
        )


def test_without_a_budget_nothing_is_made_smaller():
    workloads, skipped = make_plan([costing(1e6)], budget=None)
    assert (workloads[0].n_fitted, skipped) == (6666, [])
    _, skipped = make_plan([costing(1e6)], budget=None, time_limit=60.0)
    assert "more than ten times the limit of 60 s" in skipped[0].reason


def test_what_does_not_fit_when_small_is_skipped_with_the_numbers():
    _, skipped = make_plan([costing(1e4)])
    assert skipped[0].reason.startswith("would take about 50,0")
    assert "even with 500 rows by its cost estimate" in skipped[0].reason
    assert "what is left for it of the budget of 300 s is 450 s" in skipped[0].reason


def test_the_smallest_fit_of_all_comes_before_a_larger_one_of_some():
    # 500 rows of the second cost more than half of the budget, and still there is room for it.
    workloads, skipped = make_plan([costing(0.2), costing(60.0)])
    assert skipped == []
    by_name = {one.method.name: one.n_fitted for one in workloads}
    assert 500 <= by_name["cost60"] < 750
    assert by_name["cost0.2"] == 6666


def test_placing_new_samples_counts():
    # 3,334 held-out rows in each of ten fits.
    placing = costing(0.001, flops_per_new_sample=lambda s: 0.1 * FLOPS_PER_SECOND)
    _, skipped = make_plan([placing])
    assert skipped[0].reason.startswith("would take about 3,3")


def test_a_method_is_planned_to_take_half_of_its_time_limit():
    (one,), _ = make_plan([costing(1.0)], time_limit=20.0)
    assert 850 <= one.n_fitted < 1000
    # The smallest fit may take all of it.
    (one,), _ = make_plan([costing(1.0)], time_limit=8.0)
    assert one.n_fitted == 500
    _, skipped = make_plan([costing(1.0)], time_limit=4.0)
    assert len(skipped) == 1


def test_memory_makes_a_method_smaller_too():
    quadratic = costing(0.001, memory=lambda s: 1000.0 * s.n_samples**2)
    (one,), _ = make_plan([quadratic])
    # A quarter of 8 GiB for each of two processes.
    assert 1300 < one.n_fitted <= 1466
    _, skipped = make_plan([costing(0.001, memory=lambda s: 1e11)])
    assert skipped[0].reason == (
        "would need about 93 GiB of memory even with 500 rows; 1/4 of this machine's 8 GiB is the "
        "limit"
    )


def test_kernel_methods_lose_landmarks_not_rows():
    (one,), _ = make_plan([get_method("kda")], problem(30_000), budget=60.0)
    assert one.n_fitted == 20_000
    assert 500 <= one.n_landmarks < 20_000
    assert f"with {one.n_landmarks:,} landmarks instead of all 20,000" in one.notice


def test_unlabelled_rows_count_where_they_are_used():
    data = problem(900, 5, 3, n_unlabelled=300)
    workloads, _ = make_plan([get_method("lda"), get_method("dp")], data)
    assert {one.method.name: one.n_fitted for one in workloads} == {"lda": 400, "dp": 700}


def test_every_class_keeps_rows():
    (one,), _ = make_plan([costing(10.0)], problem(20_000, 5, 200))
    assert one.n_fitted >= 2000


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_estimates_are_positive_and_grow_with_the_samples(method):
    small = Shape(500, 20, 4, 2)
    large = dataclasses.replace(small, n_samples=50_000)
    assert 0 < method.seconds(small) < method.seconds(large)
    assert method.memory(small) > 0
    if method.landmarks:
        few = dataclasses.replace(large, n_landmarks=500)
        assert method.seconds(few) < method.seconds(large)
        assert method.memory(few) < method.memory(large)


def test_at_the_size_of_the_promise_every_method_runs():
    """10,000 x 100 with 10 classes in the default budget, on two cores."""
    methods = [method for method in METHODS if method.classes]
    workloads, skipped = make_plan(methods, budget=240.0, time_limit=144.0)
    assert skipped == []
    assert len(workloads) == len(methods)
    for one in workloads:
        shape = Shape(one.n_fitted, 100, 10, 2, n_landmarks=one.n_landmarks)
        assert 10 * one.method.seconds(shape, n_new=3334) <= 72
