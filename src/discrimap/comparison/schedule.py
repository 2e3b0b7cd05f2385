"""The order of the fits, chosen by the measured times of earlier fits."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from discrimap.comparison.method_log import MethodLog
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
class Schedule:
    """The order of the fits of all methods.

    First, the smallest fit of every method is run. Then methods are fitted to more rows, as long as
    such a fit is expected to end within the share of the method in half of the remaining time. The
    method that has used the least time comes next. A method is fitted a second time before it is
    considered too slow, because the first fit may include compilation. Finally, more splits are
    run. The shares of finished methods are given to the others.

    Parameters
    ----------
    logs : list of MethodLog
        The methods.
    n_workers : int
        Number of fits that run at the same time.
    budget : float
        Seconds for the whole comparison; infinite without a time limit.
    time_limit : float
        Seconds for one method.
    """

    logs: list[MethodLog]
    n_workers: int
    budget: float = math.inf
    time_limit: float = math.inf

    @property
    def has_first_round(self) -> bool:
        """Whether every method has a result or cannot have one."""
        return all(log.done or not log.larger for log in self.logs)

    @property
    def is_complete(self) -> bool:
        """Whether all fits are done, so that more time would not add any."""
        return not any(
            log.running
            or any(next_fits(log))
            or any(outcome.status == "skipped" for outcome in log.failed.values())
            for log in self.logs
        )

    def begin_next(self, elapsed: float) -> Planned | None:
        """Return the fit to start, ``elapsed`` seconds after the comparison started, or None."""
        left = self.budget - elapsed
        chosen = self._choose(left) if left > 0 else None
        if chosen is None:
            return None
        limit = min(left, self.time_limit)
        if chosen.seconds and self.budget < math.inf:
            limit = min(limit, max(PATIENCE * chosen.seconds, LEAST_PATIENCE))
        chosen.log.fits[chosen.fit] = None
        return chosen._replace(began=elapsed, limit=limit)

    def _choose(self, left: float) -> Planned | None:
        options = [option for log in self.logs for option in self._options(log, left)]
        larger = [option for option in options if option.fit.n_rows > option.log.n_rows]
        others = [option for option in options if option.fit.n_rows == option.log.n_rows]
        running = {log for log in self.logs if log.running}
        growing = {log for log in running if log.larger} | {option.log for option in larger}
        share_of_larger = self._share(left * SHARE_OF_ROWS, growing)
        share = self._share(left, running | {option.log for option in others})
        ranked = (
            [option for option in larger if not option.log.done],
            [option for option in larger if option.end <= share_of_larger],
            [option for option in others if len(option.log.done) == 1],
            [option for option in others if option.end <= share],
            # If no fit is within its share, the methods use the remaining time one after another.
            [] if running else larger,
            [] if running else others,
        )
        found = next(filter(None, ranked), [])
        return min(found, key=lambda one: (one.spent, one.log.method.simplicity), default=None)

    def _options(self, log: MethodLog, left: float) -> Iterator[Planned]:
        """Yield the next fits of a method that are expected to end in time."""
        for fit in next_fits(log):
            option = Planned(log, fit, _spent(log), expected_seconds(log, fit))
            if option.seconds <= left and option.end <= self.time_limit:
                yield option

    def _share(self, left: float, active: Collection[MethodLog]) -> float:
        """Return the seconds that each of these methods may use in total."""
        return (left * self.n_workers + sum(_spent(log) for log in active)) / max(1, len(active))


class Planned(NamedTuple):
    """A fit that can be started."""

    log: MethodLog  # of its method
    fit: Fit
    spent: float  # seconds used by the method so far
    seconds: float  # expected seconds of this fit
    began: float = 0.0  # seconds after the start of the comparison
    limit: float = math.inf  # seconds after which it is stopped

    @property
    def end(self) -> float:
        """Seconds used by the method after this fit."""
        return self.spent + self.seconds


def next_fits(log: MethodLog) -> Iterator[Fit]:
    """Yield the first fit to more rows, then the next fit to the current number of rows.

    There, the first splits are followed by their controls and by the other splits.
    """
    if log.larger:
        if log.running:
            return  # the next fit depends on the time of the running one
        yield Fit(log.method, log.larger[0], 0)
    n_rows, n_first = log.n_rows, min(N_CONTROLS, log.n_splits)
    order = [(split, is_control) for is_control in (False, True) for split in range(n_first)]
    order += [(split, False) for split in range(n_first, log.n_splits)]
    fits = (Fit(log.method, n_rows, *one) for one in order if n_rows)
    yield from itertools.islice((fit for fit in fits if fit not in log.fits), 1)


def _spent(log: MethodLog) -> float:
    """Return the seconds of the finished fits, plus the expected seconds of the running ones."""
    ended = sum(outcome.wall_seconds for outcome in log.fits.values() if outcome is not None)
    return ended + sum(expected_seconds(log, fit) for fit in log.running)


def expected_seconds(log: MethodLog, fit: Fit) -> float:
    """Return the expected seconds of a fit; 0 if no fit has finished."""
    known: dict[int, float] = {}
    for done, outcome in log.done.items():
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
