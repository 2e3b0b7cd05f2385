"""Which fit comes next, decided by the times that earlier fits took."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator

from discrimap.comparison.method_log import MethodLog
from discrimap.comparison.one_fit import Fit, FitOutcome
from discrimap.comparison.protocol import N_CONTROLS
from discrimap.comparison.rounds import MOST_LANDMARKS, Round
from discrimap.costs import Shape

# How the time of a fit grows with its rows, before two rounds tell it, and within which limits.
USUAL_POWER = 1.5
POWERS = (1.0, 3.0)
# A fit is ended if it takes this many times as long as expected, and at least so many seconds.
PATIENCE = 4.0
LEAST_PATIENCE = 20.0


class MethodSchedule:
    """The next fit of one method: more rows while there is time, then more splits.

    Parameters
    ----------
    log : MethodLog
        What is done.
    rounds : list of Round
        Of this method, up to the last one that may be run.
    shape : Shape
        Size of the problem, for the memory that a fit needs.
    most_memory : float
        Bytes that a fit may need.
    """

    def __init__(self, log: MethodLog, rounds: list[Round], shape: Shape, most_memory: float):
        self.log, self.shape, self.most_memory = log, shape, most_memory
        possible = [one for one in rounds if self._memory(one.n_rows) <= most_memory]
        self.rows = sorted({one.n_rows for one in possible})
        # Splits of the last round, also for a method that settles for fewer rows.
        self.n_splits = rounds[-1].n_splits
        self.running: set[Fit] = set()
        self.spent = 0.0  # seconds of wall time of its fits
        self._given_up: set[Fit] = set()
        # Those of the last round that memory allows, also after it settles for fewer.
        self._most_rows = max(self.rows, default=0)
        if not self.rows:
            log.fail("skipped", self._reason_of_memory(rounds[0].n_rows))

    @property
    def is_complete(self) -> bool:
        """Whether the last round is done, or can never be."""
        if not self.rows:
            return True
        return self.log.n_rows == self._most_rows and not self.is_active

    def settle(self) -> None:
        """Go on with splits of the rows that are done."""
        self.rows = [n for n in self.rows if n <= self.log.n_rows]

    @property
    def committed(self) -> float:
        """Seconds that its fits have taken, and that those running are expected to take."""
        return self.spent + sum(self.expected(fit) for fit in self.running)

    @property
    def is_active(self) -> bool:
        return bool(self.running) or self.candidate is not None

    @property
    def candidate(self) -> Fit | None:
        """The fit that comes next, if there is one."""
        done = self.log.n_rows
        larger = [n for n in self.rows if n > done]
        if larger and self.running:
            return None  # what comes next depends on the time that these rows take
        fits = [Fit(self.log.method, larger[0], 0)] if larger else self._fits_of(done)
        for fit in fits:
            if not (fit in self.running or fit in self._given_up or self.log.has(fit)):
                return fit
        return None

    def _fits_of(self, n_rows: int) -> Iterator[Fit]:
        """Yield all fits of these rows: some splits, their controls, then the other splits."""
        if not self.rows:
            return
        n_first = min(N_CONTROLS, self.n_splits)
        for is_control in (False, True):
            for split in range(n_first):
                yield Fit(self.log.method, n_rows, split, is_control)
        for split in range(n_first, self.n_splits):
            yield Fit(self.log.method, n_rows, split)

    def expected(self, fit: Fit) -> float:
        """Return the seconds that a fit is expected to take, 0 before the first is done."""
        known = {
            n: max(one.wall_seconds for one in outcomes.values())
            for n, outcomes in self.log.outcomes.items()
        }
        if not known:
            return 0.0
        if fit.n_rows in known:
            return known[fit.n_rows]
        *before, last = sorted(known)
        power = USUAL_POWER
        if before:
            power = math.log(known[last] / max(known[before[-1]], 1e-9)) / math.log(
                last / before[-1]
            )
            power = min(max(power, POWERS[0]), POWERS[1])
        return known[last] * (fit.n_rows / last) ** power

    def end(self, fit: Fit, outcome: FitOutcome, elapsed: float) -> None:
        """Record a fit that is done, so many seconds after the beginning of all."""
        self.running.discard(fit)
        self.spent += outcome.wall_seconds
        self.log.add(fit, outcome, elapsed)

    def fail(self, fit: Fit, status: str, reason: str, seconds: float) -> None:
        """Record why a fit that took so many seconds has no outcome."""
        self.running.discard(fit)
        self._given_up.add(fit)
        self.spent += seconds
        if fit.is_control:
            # A part of the data may lack a class where groups or stretches exchange labels.
            reason = f"no control in one split: {reason}"
        elif self.log.outcomes:
            reason = f"{fit.n_rows:,} rows, split {fit.split + 1}: {reason}"
        self.log.fail(status, reason)
        if fit.n_rows > self.log.n_rows:
            self.settle()

    def _memory(self, n_rows: int) -> float:
        method = self.log.method
        landmarks = min(MOST_LANDMARKS, n_rows) if method.landmarks else None
        shape = Shape(
            n_rows,
            self.shape.n_features,
            self.shape.n_classes,
            self.shape.n_components,
            landmarks,
        )
        return method.memory(shape)

    def _reason_of_memory(self, n_rows: int) -> str:
        return (
            f"would need about {self._memory(n_rows) / 2**30:,.0f} GiB of memory for {n_rows:,} rows; "
            f"{self.most_memory / 2**30:,.0f} GiB is the limit here"
        )


class Schedule:
    """The next fit of all methods.

    First every method gets its smallest fit. Then the method that has taken the least time comes
    next. A larger fit is begun only if it is expected to end within the method's share of the time
    that is left; a method for which it would not goes on with splits of the rows it has. Shares of
    methods that are done go to the others.

    Parameters
    ----------
    methods : list of MethodSchedule
        Cheap ones first.
    n_workers : int
        Fits that run at the same time.
    budget : float
        Seconds in all; infinite without a clock.
    time_limit : float
        Seconds of one method.
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
        """Whether every method has a figure, or never will."""
        return all(one.log.outcomes or not one.is_active for one in self.methods)

    def next_fit(self, elapsed: float) -> tuple[MethodSchedule, Fit, float] | None:
        """Return the next fit and its time limit, or None if nothing is to be begun now."""
        left = self.budget - elapsed
        if left <= 0:
            return None
        for one in self.methods:
            if not one.log.outcomes and not one.running and one.candidate is not None:
                return one, one.candidate, min(left, self.time_limit)
        active = [one for one in self.methods if one.is_active]
        share = self._share(left, active)
        waiting = sorted(active, key=lambda one: one.committed)
        is_idle = not any(one.running for one in active)
        # What fits into a share; if nothing does, more splits instead of more rows; and if everybody
        # waits, what is left goes to one after the other.
        steps = [(share, False), (share, True), *([(math.inf, True)] if is_idle else [])]
        for most, may_settle in steps:
            for one in waiting:
                found = self._affordable(one, most, left, may_settle)
                if found is not None:
                    return one, found, self._limit(one, found, left)
        return None

    def _share(self, left: float, active: list[MethodSchedule]) -> float:
        """Return the seconds that a method may have taken in the end."""
        if left == math.inf or not active:
            return math.inf
        return (left * self.n_workers + sum(one.committed for one in active)) / len(active)

    def _affordable(
        self, one: MethodSchedule, share: float, left: float, may_settle: bool
    ) -> Fit | None:
        fit = one.candidate
        if fit is None:
            return None
        expected = one.expected(fit)
        if expected <= left and one.committed + expected <= min(share, self.time_limit):
            return fit
        if may_settle and fit.n_rows > one.log.n_rows:
            one.settle()
            return self._affordable(one, share, left, may_settle=False)
        return None

    def _limit(self, one: MethodSchedule, fit: Fit, left: float) -> float:
        if self.budget == math.inf:
            return self.time_limit
        return min(left, self.time_limit, max(PATIENCE * one.expected(fit), LEAST_PATIENCE))


def memory_of_this_machine() -> float:
    """Return the bytes of memory, infinite where this cannot be asked."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not a POSIX system
        return math.inf
