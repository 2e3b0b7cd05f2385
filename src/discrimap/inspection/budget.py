"""A time limit shared by several steps. The time of a step is estimated before it starts."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

# Share of the budget of a comparison that the command line reserves for the inspection.
SHARE_OF_BUDGET = 0.2
# No larger budget is suggested if a part needs more than this many times the seconds it was given.
MOST_TIMES = 50


class Budget:
    """Time limit in seconds; each step checks the remaining time before it starts.

    Parameters
    ----------
    seconds : float
        Time for all steps together. It starts when the object is created.
    """

    def __init__(self, seconds: float):
        self.given = seconds
        self._end = time.perf_counter() + seconds

    def allows(self, seconds: float) -> bool:
        """Return whether a step of this many seconds fits into the remaining time."""
        return seconds <= self.left

    def part(self, share: float) -> float:
        """Return a share of the remaining seconds."""
        return share * self.left

    @property
    def left(self) -> float:
        return max(0.0, self._end - time.perf_counter())


@dataclass(frozen=True)
class TooLong:
    """A part that was skipped because the time was too short."""

    what: str  # sentence that names the skipped part, without its full stop
    needed: float  # least number of seconds that the part needs
    given: float  # seconds that the part was given

    def in_words(self, seconds: float) -> str:
        """Return the sentence and a sufficient budget, if all parts were given ``seconds``."""
        times = self.needed / self.given if self.given > 0 else math.inf
        if times > MOST_TIMES:
            return f"{self.what}."
        enough = _round_up(1.2 * max(times, 1.0) * seconds)
        return (
            f"{self.what}: one fit takes about {self.needed:.2g} s. With --budget "
            f"{enough / SHARE_OF_BUDGET:,.0f}, or report(seconds={enough:,.0f}) in Python, there is time."
        )


def _round_up(seconds: float) -> float:
    """Round up to one significant digit, at least 10."""
    power = 10.0 ** math.floor(math.log10(max(seconds, 10.0)))
    return math.ceil(seconds / power) * power if seconds > 10 else 10.0
