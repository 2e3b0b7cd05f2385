"""A time limit that several steps share, each of which knows beforehand what it costs."""

from __future__ import annotations

import time


class Budget:
    """Seconds that may be spent; a step asks before it starts.

    Parameters
    ----------
    seconds : float
        For all steps together, counted from now.
    """

    def __init__(self, seconds: float):
        self._end = time.perf_counter() + seconds

    def allows(self, seconds: float) -> bool:
        """Whether a step of so many seconds fits into what is left."""
        return seconds <= self.left

    def part(self, share: float) -> Budget:
        """Return a budget of its own for one step: a share of what is left."""
        return Budget(share * self.left)

    @property
    def left(self) -> float:
        return max(0.0, self._end - time.perf_counter())
