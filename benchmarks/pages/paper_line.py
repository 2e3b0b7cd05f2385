"""One figure of a paper beside ours."""

from dataclasses import dataclass, field

import numpy as np

from benchmarks.pages.verdicts import mean_and_deviation, verdict
from benchmarks.papers.at_hand import NOT_AVAILABLE, is_at_hand


@dataclass
class Line:
    """One figure of a paper beside ours."""

    data: str
    method: str
    paper: float | None
    deviation: float | None = None
    values: list = field(default_factory=list)  # ours, one for each run
    spread: float | None = None  # our deviation, where only the mean of the runs was kept
    n_runs: int | None = None
    unit: float = 1.0
    lower_is_better: bool = False
    tolerance: float | None = None  # half the width of "reproduced", where a script sets its own
    reason: str = ""  # not comparable because, or why there is nothing
    note: str = ""  # what explains a figure that is not reproduced
    script: str = ""  # that measures it
    wanted: int = 1  # runs it is to have
    missing: int | None = None  # runs it lacks, where several columns make one row
    seconds: float | None = None  # of one run

    @property
    def word(self):
        return verdict(
            self.values,
            self.paper,
            self.tolerance or self.deviation or self._least_spread(),
            unit=self.unit,
            lower_is_better=self.lower_is_better,
        )

    @property
    def verdict(self):
        if not self.values:
            return self.reason or ("not run" if is_at_hand(self.data) else NOT_AVAILABLE)
        if self.reason:
            return f"not comparable: {self.reason}"
        return f"{self.word}: {self.note}" if self.note and self.word != "reproduced" else self.word

    @property
    def n_done(self):
        return len(self.values) if self.n_runs is None else self.n_runs

    @property
    def n_left(self):
        """Runs that are missing and can be made."""
        if not self.values and self.verdict != "not run":
            return 0
        return max(self.wanted - self.n_done, 0) if self.missing is None else self.missing

    def _least_spread(self):
        """Our own deviation, where only that was kept; None lets the runs speak."""
        return None if self.spread is None else max(0.01 * self.unit, self.spread)

    def cells(self):
        digits = 3 if self.unit == 1.0 else 1
        theirs = "" if self.paper is None else f"{self.paper:.{digits}f}"
        if self.deviation:
            theirs += f" ± {self.deviation:.{digits}f}"
        ours = mean_and_deviation(self.values, digits) if self.values else ""
        if self.spread is not None and ours:
            ours = f"{self.values[0]:.{digits}f} ± {self.spread:.{digits}f}"
        return [self.data, self.method, theirs, ours, str(self.n_done), self.verdict]


def mean_seconds(runs):
    """Of the runs that were timed; None if there is none."""
    times = [run["seconds"] for run in runs if "seconds" in run]
    return float(np.mean(times)) if times else None
