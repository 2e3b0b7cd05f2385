from dataclasses import replace

import numpy as np
import pytest

from discrimap.comparison.workers import Workers
from discrimap.inspection import inspect
from discrimap.inspection.budget import Budget
from discrimap.inspection.confusion import count_confusions
from discrimap.inspection.dimensions import trace_dimensions
from discrimap.inspection.features import weigh_features
from discrimap.inspection.other_methods import Shares, jobs_of_others


@pytest.fixture
def comparison(corners, compared):
    return compared(corners, ["pca", "lda", "plsda", "kda"])


def test_every_method_but_the_shown_one_is_looked_at(corners, comparison):
    found = inspect(comparison, corners).others
    names = [result.name for result in comparison.done if result.name != comparison.shown]
    assert [one.name for one in found] == names
    assert len(names) == 3
    results = {result.name: result for result in comparison.done}
    for one in found:
        result = results[one.name]
        assert (one.label, one.n_components) == (result.label, result.n_components)
        np.testing.assert_array_equal(
            one.confusion.counts, count_confusions(result, corners).counts
        )
        if one.name == "kda":
            assert one.features.startswith(f"{one.label} is not linear")
        else:
            assert one.features.name == one.dimensions.name == one.name
            assert set(one.features.ranking[:3].tolist()) == {0, 1, 2}  # the planted ones


def test_without_time_there_are_confusions_alone(corners, comparison):
    for one in inspect(comparison, corners, seconds=0.0).others:
        assert not isinstance(one.confusion, str)
        assert isinstance(one.features, str)
        assert "too long" in one.dimensions


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        # A thirtieth of the inspection's time is 16 s, of which ten are spare, a third for each.
        (480.0, [1 + 10 / 3, 2 + 10 / 3, 3 + 10 / 3]),
        # A thirtieth would be 3 s, but 6 s are needed.
        (90.0, [1.0, 2.0, 3.0]),
        # There are no more than 4 s: the last has what is left.
        (4.0, [1.0, 2.0, 1.0]),
    ],
)
def test_each_job_has_what_it_needs_and_a_part_of_the_rest(seconds, expected, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    shares = Shares([1.0, 2.0, 3.0], 1, Budget(seconds))
    for wanted in expected:
        given = shares.next()
        assert given == pytest.approx(wanted)
        now[0] += given


def test_quick_jobs_come_first_and_nothing_is_done_twice(corners, compared):
    comparison = compared(corners, ["lda", "pca", "nca", "kda"])
    seconds = {"lda": 0.5, "pca": 0.1, "nca": 2.0, "kda": 1.0}
    results = tuple(replace(one, seconds=seconds[one.name]) for one in comparison.done)
    comparison = replace(comparison, results=results, shown="kda")
    jobs, shares = jobs_of_others(comparison, corners, "lda", Budget(60), 1)
    # NCA is fitted anew for each number of components; the features of LDA are weighed anyway.
    found = [(job.part, job.result.name) for job in jobs]
    assert set(found[:2]) == {(trace_dimensions, "pca"), (weigh_features, "pca")}
    assert found[2:] == [
        (trace_dimensions, "lda"),
        (weigh_features, "nca"),
        (trace_dimensions, "nca"),
    ]
    assert shares.seconds > 2 * 0.1 + 0.5 + 2.0 + 3 * 2.0


def test_worker_processes_find_the_same(corners, comparison):
    steps = []
    here = inspect(comparison, corners, seconds=600)
    with Workers(2) as workers:
        there = inspect(comparison, corners, seconds=600, workers=workers, on_step=steps.append)
    assert steps == [
        "weighing the features",
        "trying other numbers of dimensions",
        "checking the labels",
        "inspecting the other methods",
    ]
    assert there.suspects.jurors == here.suspects.jurors
    for one, other in zip(here.methods, there.methods, strict=True):
        assert one.dimensions == other.dimensions
        if isinstance(one.features, str):
            assert one.features == other.features
        else:
            np.testing.assert_allclose(other.features.intervals, one.features.intervals)
