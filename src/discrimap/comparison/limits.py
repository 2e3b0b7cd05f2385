"""How much time and how many processes a comparison may take."""

from __future__ import annotations

from dataclasses import dataclass

from discrimap.errors import InputError


@dataclass(frozen=True)
class Limits:
    """Limits of a comparison of samples in memory.

    Parameters
    ----------
    budget : float or None
        Seconds for all methods together.
    time_limit : float or None
        Seconds for one method.
    n_jobs : int
        Methods that run at the same time.
    """

    budget: float | None = None
    time_limit: float | None = None
    n_jobs: int = 1

    def check(self) -> None:
        """Refuse times that are not positive."""
        for name in ("budget", "time_limit"):
            seconds = getattr(self, name)
            if seconds is not None and not seconds > 0:
                raise InputError(f"{name}={seconds:g} must be above 0 seconds.")

    @property
    def may_shrink(self) -> bool:
        """Whether methods are fitted to fewer rows or landmarks to stay within the budget."""
        return self.budget is not None
