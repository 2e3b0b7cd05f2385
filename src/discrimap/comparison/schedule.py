"""The order of the fits, chosen by the measured times of earlier fits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from discrimap.comparison.method_log import MethodLog
from discrimap.comparison.one_fit import Failure, FitOutcome
from discrimap.comparison.protocol import N_CONTROLS
from discrimap.comparison.trials import Fit

# The time of a fit grows with a power of the number of rows: the exponent that is assumed before
# two rounds are measured, and its limits. From 500 to 2,000 rows of 16 features, the exponents of
# twelve methods were 0.1 to 1.8, with a median of 0.5.
USUAL_POWER = 1.0
POWERS = (1.0, 3.0)
# A fit is stopped after PATIENCE times the expected time, but not before LEAST_PATIENCE seconds.
PATIENCE = 4.0
LEAST_PATIENCE = 20.0
# Share of the remaining time for fits to more rows; the rest is for more splits.
SHARE_OF_ROWS = 0.5


@dataclass(eq=False)
class MethodSchedule:
    """The fits of one method that can be started next."""

    log: MethodLog  # the finished fits
    rows: list[int]  # possible numbers of rows, ascending; empty if the method cannot be fitted
    n_splits: int
    running: set[Fit] = field(default_factory=set)
    spent: float = 0.0  # seconds of wall time of its fits
    _failed: set[Fit] = field(default_factory=set)
    _was_ended: bool = False  # a fit was stopped because it took too long

    def candidates(self) -> Iterator[Fit]:
        """Yield the first fit to more rows, then the next fit to the current number of rows."""
        larger = [n for n in self.rows if n > self.log.n_rows]
        if larger and self.running:
            return  # the next fit depends on the time of the running one
        if larger:
            yield Fit(self.log.method, larger[0], 0)
        for fit in self._fits():
            if not (fit in self.running or fit in self._failed or fit in self.log.outcomes):
                yield fit
                return

    def _fits(self) -> Iterator[Fit]:
        """Yield the fits to the current number of rows: first splits, controls, other splits."""
        method, n_rows = self.log.method, self.log.n_rows
        n_first = min(N_CONTROLS, self.n_splits)
        if n_rows:
            for is_control in (False, True):
                yield from (Fit(method, n_rows, split, is_control) for split in range(n_first))
            yield from (Fit(method, n_rows, split) for split in range(n_first, self.n_splits))

    @property
    def can_grow(self) -> bool:
        """Whether the method can be fitted to more rows."""
        return bool(self.rows) and self.rows[-1] > self.log.n_rows

    @property
    def is_complete(self) -> bool:
        """Whether all fits are done, so that more time would not add any."""
        return not (self._was_ended or self.running or any(self.candidates()))

    @property
    def committed(self) -> float:
        """Seconds of the finished fits, plus the expected seconds of the running ones."""
        return self.spent + sum(self.expected(fit) for fit in self.running)

    def expected(self, fit: Fit) -> float:
        """Return the expected seconds of a fit; 0 if no fit has finished."""
        known: dict[int, float] = {}
        for done, outcome in self.log.outcomes.items():
            # The shortest time is used, because the first fit in a process may include compilation.
            seconds = max(outcome.wall_seconds, 1e-9)
            known[done.n_rows] = min(known.get(done.n_rows, seconds), seconds)
        if fit.n_rows in known or not known:
            return known.get(fit.n_rows, 0.0)
        *before, last = sorted(known)
        power = USUAL_POWER
        if before:
            power = math.log(known[last] / known[before[-1]]) / math.log(last / before[-1])
            power = min(max(power, POWERS[0]), POWERS[1])
        return known[last] * (fit.n_rows / last) ** power

    def end(self, fit: Fit, outcome: FitOutcome | Failure, elapsed: float) -> None:
        """Record the outcome of a fit, ``elapsed`` seconds after the start of the comparison."""
        self.running.discard(fit)
        self.spent += outcome.wall_seconds
        if isinstance(outcome, FitOutcome):
            self.log.add(fit, outcome, elapsed)
            return
        self._failed.add(fit)
        self._was_ended |= outcome.status == "skipped"
        reason = outcome.reason
        if fit.is_control:
            # A class may be missing in a part of the data after a permutation of groups or blocks.
            reason = f"no control in one split: {reason}"
        elif self.log.outcomes:
            reason = f"{fit.n_rows:,} rows, split {fit.split + 1}: {reason}"
        self.log.fail(outcome.status, reason)
        if fit.n_rows > self.log.n_rows:
            self.rows = [n for n in self.rows if n < fit.n_rows]


@dataclass(frozen=True)
class Planned:
    """A running fit, with its start and its time limit in seconds."""

    method: MethodSchedule
    fit: Fit
    began: float
    limit: float

    def forget(self) -> None:
        """Return the fit to the schedule, because it did not run."""
        self.method.running.discard(self.fit)

    def end(self, outcome: FitOutcome | Failure, elapsed: float) -> None:
        """Record the outcome."""
        self.method.end(self.fit, outcome, elapsed)


class Schedule:
    """The order of the fits of all methods.

    First, the smallest fit of every method is run. Then methods are fitted to more rows, as long as
    such a fit is expected to end within the share of the method in half of the remaining time. The
    method that has used the least time comes next. A method is fitted a second time before it is
    considered too slow, because the first fit may include compilation. Finally, more splits are
    run. The shares of finished methods are given to the others.

    Parameters
    ----------
    methods : list of MethodSchedule
        Fast methods first.
    n_workers : int
        Number of fits that run at the same time.
    budget : float
        Seconds for the whole comparison; infinite without a time limit.
    time_limit : float
        Seconds for one method.
    """

    def __init__(
        self,
        methods: list[MethodSchedule],
        n_workers: int,
        budget: float = math.inf,
        time_limit: float = math.inf,
    ):
        self.methods, self.n_workers = methods, n_workers
        self.budget, self.time_limit = budget, time_limit

    @property
    def has_first_round(self) -> bool:
        """Whether every method has a result or has failed."""
        return all(one.log.outcomes or one.log.failure for one in self.methods)

    def begin_next(self, elapsed: float) -> Planned | None:
        """Return the fit to start, ``elapsed`` seconds after the comparison started, or None."""
        left = self.budget - elapsed
        chosen = self._choose(left) if left > 0 else None
        if chosen is None:
            return None
        limit = min(left, self.time_limit)
        if chosen.seconds and self.budget < math.inf:
            limit = min(limit, max(PATIENCE * chosen.seconds, LEAST_PATIENCE))
        chosen.method.running.add(chosen.fit)
        return Planned(chosen.method, chosen.fit, elapsed, limit)

    def _choose(self, left: float) -> _Option | None:
        options = [option for one in self.methods for option in self._options(one, left)]
        firsts = [option for option in options if not option.method.log.outcomes]
        if firsts:
            return firsts[0]
        running = {one for one in self.methods if one.running}
        more_rows = [option for option in options if option.has_more_rows]
        growing = {one for one in running if one.can_grow} | {one.method for one in more_rows}
        share = self._share(left * SHARE_OF_ROWS, growing)
        rest = [option for option in options if not option.has_more_rows]
        return (
            _least(option for option in more_rows if option.end <= share)
            or _least(option for option in rest if len(option.method.log.outcomes) == 1)
            or self._choose_split(rest, running, left)
            # If no fit is within its share, the methods use the remaining time one after another.
            or (None if running else _least(more_rows) or _least(rest))
        )

    def _choose_split(
        self, options: list[_Option], running: set[MethodSchedule], left: float
    ) -> _Option | None:
        """Return the next fit that does not need more rows."""
        share = self._share(left, running | {option.method for option in options})
        return _least(option for option in options if option.end <= share)

    def _options(self, one: MethodSchedule, left: float) -> Iterator[_Option]:
        """Yield the next fits of a method that are expected to end in time."""
        for fit in one.candidates():
            option = _Option(one, fit, one.committed, one.expected(fit))
            if option.seconds <= left and option.end <= self.time_limit:
                yield option

    def _share(self, left: float, active: set[MethodSchedule]) -> float:
        """Return the seconds that each of these methods may use in total."""
        if left == math.inf or not active:
            return math.inf
        return (left * self.n_workers + sum(one.committed for one in active)) / len(active)


class _Option(NamedTuple):
    """A fit that can be started next."""

    method: MethodSchedule
    fit: Fit
    committed: float  # seconds used by the method so far
    seconds: float  # expected seconds of this fit

    @property
    def has_more_rows(self) -> bool:
        return self.fit.n_rows > self.method.log.n_rows

    @property
    def end(self) -> float:
        """Seconds used by the method after this fit."""
        return self.committed + self.seconds


def _least(options: Iterable[_Option]) -> _Option | None:
    """Return the fit of the method that has used the least time."""
    return min(options, key=lambda option: option.committed, default=None)
