"""The fits of one method, and the result computed from them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from discrimap.comparison.one_fit import FitOutcome
from discrimap.comparison.result import FinishedRound, MethodResult
from discrimap.comparison.trials import Fit
from discrimap.registry import Method


@dataclass(eq=False)
class MethodLog:
    """The fits of one method: what is planned, and what was started.

    Parameters
    ----------
    method : Method
        The method.
    n_train : int
        Number of rows of a fit to the whole training part, including unlabelled rows if the method
        uses them.
    rows : list of int
        Numbers of rows to be fitted, ascending; empty if the method cannot be fitted.
    n_splits : int
        Number of splits to be fitted.
    notice : str
        Notice that every result of the method has.
    reason : str
        Why the method cannot be fitted.
    """

    method: Method
    n_train: int
    rows: list[int]
    n_splits: int
    notice: str = ""
    reason: str = ""
    fits: dict[Fit, FitOutcome | None] = field(default_factory=dict)  # None while it is running

    @property
    def running(self) -> list[Fit]:
        return [fit for fit, outcome in self.fits.items() if outcome is None]

    @property
    def done(self) -> dict[Fit, FitOutcome]:
        return {fit: one for fit, one in self.fits.items() if one and one.status == "done"}

    @property
    def failed(self) -> dict[Fit, FitOutcome]:
        return {fit: one for fit, one in self.fits.items() if one and one.status != "done"}

    @property
    def n_rows(self) -> int:
        """Number of rows of the largest finished fit; 0 if no fit has finished."""
        return max((fit.n_rows for fit in self.done), default=0)

    @property
    def larger(self) -> list[int]:
        """Numbers of rows to be fitted next: more than those done, fewer than those that failed."""
        n_rows = self.n_rows
        limit = min((fit.n_rows for fit in self.failed if fit.n_rows > n_rows), default=math.inf)
        return [n for n in self.rows if n_rows < n < limit]

    def outcomes(self, n_rows: int, *, is_control: bool = False) -> dict[int, FitOutcome]:
        """Return the finished fits to ``n_rows`` rows, in the order of their splits."""
        found = {
            fit.split: outcome
            for fit, outcome in self.done.items()
            if (fit.n_rows, fit.is_control) == (n_rows, is_control)
        }
        return dict(sorted(found.items()))

    def result(self, ending: str = "") -> MethodResult:
        """Return the result of the finished fits; ``ending`` is why no more were started."""
        method, status, failure = self.method, "skipped", self.reason
        for fit, outcome in self.failed.items():
            status, failure = outcome.status, self._word_failure(fit, outcome)
        if not (failure or self.done or not ending):
            failure = f"not started when {ending}"
        own = method if method.family == "own" else None  # others are found by their names
        result = MethodResult(method.name, method.label, status, failure, own_method=own)
        if not self.done:
            return result
        rounds = tuple(self._round(n) for n in sorted({fit.n_rows for fit in self.done}))
        last = rounds[-1]
        done = list(self.outcomes(last.n_rows).values())
        controls = list(self.outcomes(last.n_rows, is_control=True).values())
        first = done[0]
        return replace(
            result,
            status="done",
            reason="",
            n_components=first.n_components,
            test_errors=last.errors,
            train_errors=tuple(one.training_error for one in done),
            permuted_errors=tuple(one.error for one in controls),
            n_components_in_full=first.n_components_in_full,
            errors_in_full=tuple(
                one.error_in_full for one in done if one.error_in_full is not None
            ),
            # The median, because the first fit in a process may include compilation.
            seconds=float(np.median([one.fit_seconds for one in done])),
            iterations=tuple(one.iterations for one in done if one.iterations is not None),
            stopping_reasons=tuple(one.stopping_reason for one in done if one.stopping_reason),
            notices=self._notices([*done, *controls], failure),
            n_fitted=last.n_rows,
            n_landmarks=first.n_landmarks,
            splits=last.splits,
            rounds=rounds,
            cpu_seconds=sum(one.cpu_seconds for one in self.done.values()),
            parameters=first.parameters,
            first_map=first.first_map,
            predictions=last.predictions,
        )

    def _word_failure(self, fit: Fit, outcome: FitOutcome) -> str:
        if fit.is_control:
            # A class may be missing in a part of the data after a permutation of groups or blocks.
            return f"no control in one split: {outcome.reason}"
        where = f"{fit.n_rows:,} rows, split {fit.split + 1}: " if self.done else ""
        return where + outcome.reason

    def _round(self, n_rows: int) -> FinishedRound:
        found = self.outcomes(n_rows)
        outcomes = found.values()
        return FinishedRound(
            n_rows=n_rows,
            splits=tuple(found),
            errors=tuple(one.error for one in outcomes),
            is_whole=n_rows == self.n_train,
            elapsed=max(one.elapsed for one in outcomes),
            predictions=tuple(one.prediction for one in outcomes if one.prediction is not None),
        )

    def _notices(self, outcomes: list[FitOutcome], failure: str) -> tuple[str, ...]:
        n_rows, n_landmarks = self.n_rows, outcomes[0].n_landmarks
        notices = [self.notice, *(notice for outcome in outcomes for notice in outcome.notices)]
        if n_landmarks is not None:
            notices.append(f"with {n_landmarks:,} landmarks instead of all {n_rows:,} rows")
        if n_rows < self.n_train:
            notices.append(f"uses {n_rows:,} of {self.n_train:,} training rows")
        return tuple(dict.fromkeys(notice for notice in (*notices, failure) if notice))
