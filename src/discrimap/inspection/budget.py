"""A time limit shared by several steps, whose costs are estimated beforehand."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

# Share of the budget of a comparison that the command line keeps for its inspection.
SHARE_OF_BUDGET = 0.2
# A part that needs more than this many times its time is not promised for a larger budget.
MOST_TIMES = 50


class Budget:
    """Seconds that may be spent; each step checks them before it starts.

    Parameters
    ----------
    seconds : float
        For all steps together, counted from now.
    """

    def __init__(self, seconds: float):
        self.given = seconds
        self._end = time.perf_counter() + seconds

    def allows(self, seconds: float) -> bool:
        """Return whether a step of this many seconds fits into the time left."""
        return seconds <= self.left

    def part(self, share: float) -> float:
        """Return a share of the seconds left."""
        return share * self.left

    @property
    def left(self) -> float:
        return max(0.0, self._end - time.perf_counter())


@dataclass(frozen=True)
class TooLong:
    """A part for which there was no time."""

    what: str  # the sentence that says so, without its full stop
    needed: float  # seconds, at least
    given: float  # seconds that it had

    def in_words(self, seconds: float) -> str:
        """Return the sentence, with the budget that would be enough if all parts have ``seconds``."""
        times = self.needed / self.given if self.given > 0 else math.inf
        if times > MOST_TIMES:
            return f"{self.what}."
        enough = _round_up(1.2 * max(times, 1.0) * seconds)
        return (
            f"{self.what}: one fit takes about {self.needed:.2g} s. With --budget "
            f"{enough / SHARE_OF_BUDGET:,.0f}, or report(seconds={enough:,.0f}) in Python, there is time."
        )


def _round_up(seconds: float) -> float:
    """Return the next number with one digit and zeros, at least 10."""
    power = 10.0 ** math.floor(math.log10(max(seconds, 10.0)))
    return math.ceil(seconds / power) * power if seconds > 10 else 10.0
