"""A time limit shared by several steps, whose costs are estimated beforehand."""

from __future__ import annotations

import time


class Budget:
    """Seconds that may be spent; each step checks them before it starts.

    Parameters
    ----------
    seconds : float
        For all steps together, counted from now.
    """

    def __init__(self, seconds: float):
        self._end = time.perf_counter() + seconds

    def allows(self, seconds: float) -> bool:
        """Return whether a step of this many seconds fits into the time left."""
        return seconds <= self.left

    def part(self, share: float) -> Budget:
        """Return a separate budget for one step, a share of the time left."""
        return Budget(share * self.left)

    @property
    def left(self) -> float:
        return max(0.0, self._end - time.perf_counter())
