"""Which fit comes next, with a clock of the test's own."""

import math
from dataclasses import replace

import numpy as np
import pytest

from discrimap.comparison import Protocol, compare
from discrimap.comparison.compare import ALL_ROUNDS, plan_method
from discrimap.comparison.evidence import Prediction
from discrimap.comparison.method_log import MethodLog
from discrimap.comparison.one_fit import FitOutcome
from discrimap.comparison.problem import check_problem
from discrimap.comparison.rounds import n_judged, plan_rounds
from discrimap.comparison.schedule import Schedule
from discrimap.registry import Method

N_TRAIN = 8_000
PREDICTION = Prediction(np.arange(4), np.zeros(4, int), np.zeros(4, int))


def method(name, **changes):
    values = {"label": name, "family": "linear", "path": "m:C", "citation": ""}
    return Method(name=name, **values | {"memory": lambda shape: 1.0} | changes)


def outcome(seconds):
    return FitOutcome(0.1, wall_seconds=seconds, prediction=PREDICTION)


class Simulation:
    """Methods that take known times, on as many workers as there are, with a clock of its own."""

    def __init__(self, seconds, budget=math.inf, n_workers=2, time_limit=math.inf, compiles=0.0):
        self.seconds, self.compiles = seconds, compiles  # name -> function of rows
        rows = sorted({n_rows for n_rows, _ in plan_rounds(N_TRAIN, 10, 10)})
        self.logs = {name: MethodLog(method(name), N_TRAIN, rows, 10) for name in seconds}
        self.schedule = Schedule(list(self.logs.values()), n_workers, budget, time_limit)
        self.n_workers, self.now, self.first_round_after = n_workers, 0.0, None
        self.fits = []

    def run(self):
        running = []
        while True:
            while len(running) < self.n_workers:
                planned = self.schedule.begin_next(self.now)
                if planned is None:
                    break
                self.fits.append(planned.fit)  # in the order in which they begin
                takes = self.seconds[planned.fit.method.name](planned.fit.n_rows)
                if self.compiles and not planned.log.done:
                    takes += self.compiles
                running.append((self.now + min(takes, planned.limit), takes, planned))
            if not running:
                return self
            ended = min(running, key=lambda entry: entry[0])
            running.remove(ended)
            self.now, takes, planned = ended
            made = outcome(takes)
            if takes > planned.limit:
                made = FitOutcome(status="skipped", reason="too long", wall_seconds=planned.limit)
            planned.log.fits[planned.fit] = replace(made, elapsed=self.now)
            if self.first_round_after is None and self.schedule.has_first_round:
                self.first_round_after = self.now

    def reached(self, name):
        log = self.logs[name]
        return log.n_rows, len(log.outcomes(log.n_rows))


def constant(seconds):
    return lambda n_rows: seconds


def linear(seconds):
    return lambda n_rows: seconds * n_rows / 500


def cubic(seconds):
    return lambda n_rows: seconds * (n_rows / 500) ** 3


def test_rounds_grow_rows_then_splits():
    assert plan_rounds(8_000, 10, 10) == [(500, 1), (2000, 1), (8000, 1), (8000, 3), (8000, 10)]
    assert plan_rounds(118, 3, 10) == [(118, 1), (118, 3), (118, 10)]
    assert plan_rounds(118, 3, 2) == [(118, 1), (118, 2)]
    assert plan_rounds(9_000, 100, 1)[0] == (1_000, 1)


def test_fewer_points_are_judged_while_rows_are_few():
    assert n_judged(500, 4_000) == 1_000
    assert n_judged(4_000, 4_000) == 2_000
    assert n_judged(9_000, 4_000) == 4_000


def test_without_a_clock_every_fit_is_done():
    done = Simulation({"a": linear(0.1), "b": cubic(5.0)}).run()
    assert done.reached("a") == done.reached("b") == (N_TRAIN, 10)
    for log in done.logs.values():
        assert len(log.outcomes(N_TRAIN, is_control=True)) == 3
    assert done.schedule.is_complete
    assert len(done.fits) == len(set(done.fits)) == 2 * (2 + 10 + 3)


def test_every_method_has_its_first_round_before_any_grows():
    methods = {f"m{i}": linear(0.1 + i) for i in range(8)}
    done = Simulation(methods, budget=1000).run()
    assert {fit.n_rows for fit in done.fits[:8]} == {500}
    assert len({fit.method.name for fit in done.fits[:8]}) == 8


def test_the_budget_is_kept_and_cheap_methods_are_whole():
    methods = {"cheap": linear(0.01), "middle": linear(1.0), "dear": cubic(2.0)}
    done = Simulation(methods, budget=120).run()
    assert done.now <= 120
    assert done.reached("cheap") == (N_TRAIN, 10)
    # 2,000 rows of the dear one would take 128 s: more splits of 500 rows are what can be had.
    rows, n_splits = done.reached("dear")
    assert rows == 500
    assert n_splits >= 3


@pytest.mark.parametrize("budget", [30, 60, 300])
def test_most_of_the_budget_is_used_if_there_is_work(budget):
    methods = {f"m{i}": linear(1.0 + i) for i in range(6)}
    done = Simulation(methods, budget=budget).run()
    assert 0.6 * budget < done.now <= budget


def test_a_fit_that_takes_far_longer_than_expected_is_ended_and_what_was_done_counts():
    def sudden(n_rows):
        return 1.0 if n_rows < 8_000 else 1e6

    done = Simulation({"sudden": sudden, "other": linear(0.1)}, budget=300).run()
    assert done.now <= 300
    rows, n_splits = done.reached("sudden")
    assert (rows, n_splits) == (2_000, 10)
    assert "too long" in done.logs["sudden"].result().notices[-1]


def test_a_method_that_compiles_in_its_first_fit_has_more_rows_all_the_same():
    # By the first fit alone, 2,000 rows would take 80 s.
    methods = {f"m{i}": linear(0.05) for i in range(6)}
    done = Simulation(methods, budget=60, compiles=10.0).run()
    assert all(done.reached(name)[0] == N_TRAIN for name in methods)


def test_rows_come_before_splits():
    # A slow method whose time hardly grows with its rows, beside others that use most of the time.
    methods = {f"cheap{i}": linear(0.05) for i in range(12)}
    methods["steady"] = lambda n_rows: 1.5 * (n_rows / 500) ** 0.3
    done = Simulation(methods, budget=60).run()
    assert done.reached("steady")[0] == N_TRAIN
    for i in range(12):
        rows, n_splits = done.reached(f"cheap{i}")
        assert rows == N_TRAIN
        assert n_splits >= 3


def test_a_first_fit_that_fails_is_a_row_with_its_reason():
    done = Simulation({"endless": constant(1e9), "other": linear(0.1)}, budget=50).run()
    assert done.logs["endless"].result().status == "skipped"
    assert done.reached("other") == (N_TRAIN, 10)


def test_no_method_takes_more_than_its_limit():
    done = Simulation({"dear": linear(1.0)}, budget=300, time_limit=20).run()
    assert sum(one.wall_seconds for one in done.logs["dear"].done.values()) <= 20


@pytest.mark.parametrize(
    ("most_memory", "rows"), [(1e9, [500, 2_000, 8_000]), (1e7, [500, 2_000]), (1e3, [])]
)
def test_memory_limits_the_rows(most_memory, rows, rng):
    square = method("m", memory=lambda shape: float(shape.n_samples) ** 2)
    problem = check_problem(
        *(rng.standard_normal((12_000, 2)), np.arange(12_000) % 10),
        *(None, "classification", Protocol()),
    )
    log = plan_method(square, problem, Protocol(), ALL_ROUNDS, most_memory)
    assert log.rows == rows
    if not rows:
        reason = log.result().reason
        assert reason.startswith("would need about 0 GiB of memory for 500 rows")
    schedule = Schedule([log], 1, budget=1e3)
    # What memory forbids is no unfinished round.
    while (planned := schedule.begin_next(0.0)) is not None:
        assert not schedule.is_complete
        log.fits[planned.fit] = outcome(1.0)
    assert log.n_rows == max(rows, default=0)
    assert schedule.is_complete


def test_a_method_that_settles_for_want_of_time_is_not_complete():
    done = Simulation({"dear": cubic(2.0)}, budget=60).run()
    assert done.reached("dear")[0] == 500
    assert not done.schedule.is_complete


def test_rounds_give_the_same_figures_with_and_without_a_clock(rng):
    y = np.arange(1_200) % 3
    X = rng.standard_normal((1_200, 4))
    X[:, 0] += y
    protocol = Protocol(n_repeats=2)
    plain = compare(X, y, ["lda", "pca"], protocol=protocol)
    rounds = compare(X, y, ["lda", "pca"], protocol=protocol, rounds=9)
    timed = compare(X, y, ["lda", "pca"], protocol=protocol, budget=600, n_jobs=2)
    assert [one.test_errors for one in plain.done] == [one.test_errors for one in rounds.done]
    assert [one.test_errors for one in plain.done] == [one.test_errors for one in timed.done]
    assert [[r.n_rows for r in one.rounds] for one in timed.done] == [[500, 800]] * 2
    assert (plain.ending, rounds.ending, timed.ending) == ("", "", "")
    first = compare(X, y, ["lda", "pca"], protocol=protocol, rounds=1)
    for one, other in zip(first.done, rounds.done, strict=True):
        assert (one.n_fitted, one.splits) == (500, (0,))
        assert one.name == other.name
        assert one.test_errors == other.rounds[0].errors
