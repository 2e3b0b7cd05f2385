"""The finished fits of one method, and the result computed from them."""

from __future__ import annotations

import numpy as np

from discrimap.comparison.one_fit import FitOutcome
from discrimap.comparison.result import FinishedRound, MethodResult
from discrimap.comparison.trials import Fit
from discrimap.registry import Method


class MethodLog:
    """The outcomes of the fits of one method.

    Parameters
    ----------
    method : Method
        The method.
    n_train : int
        Number of rows of a fit to the whole training part, including unlabelled rows if the method
        uses them.
    notice : str
        Notice that every result of the method has.
    """

    def __init__(self, method: Method, n_train: int, notice: str = ""):
        self.method, self.n_train, self.notice = method, n_train, notice
        self.outcomes: dict[Fit, FitOutcome] = {}
        self.finished_after: dict[int, float] = {}  # by number of rows, in seconds since the start
        self.failure = ""  # why a fit failed, or why none was started
        self.status = "skipped"  # of the result if no fit has finished

    def add(self, fit: Fit, outcome: FitOutcome, elapsed: float = 0.0) -> None:
        """Record a finished fit."""
        self.outcomes[fit] = outcome
        if not fit.is_control:
            self.finished_after[fit.n_rows] = elapsed

    def fail(self, status: str, reason: str) -> None:
        """Record why a fit has no outcome."""
        self.status, self.failure = status, reason

    def fits(self, n_rows: int, *, is_control: bool = False) -> list[Fit]:
        """Return the finished fits to ``n_rows`` rows, in the order of the splits."""
        found = [
            fit for fit in self.outcomes if (fit.n_rows, fit.is_control) == (n_rows, is_control)
        ]
        return sorted(found, key=lambda fit: fit.split)

    @property
    def n_rows(self) -> int:
        """Number of rows of the largest finished fit; 0 if no fit has finished."""
        return max(self.finished_after, default=0)

    def result(self) -> MethodResult:
        """Return the result of the finished fits."""
        method, rows = self.method, self.n_rows
        if not self.outcomes:
            return MethodResult(
                method.name, method.label, self.status, self.failure, own_method=self._own_method
            )
        rounds = tuple(self._round(n) for n in sorted(self.finished_after))
        done = [self.outcomes[fit] for fit in self.fits(rows)]
        controls = [self.outcomes[fit] for fit in self.fits(rows, is_control=True)]
        first = done[0]
        return MethodResult(
            name=method.name,
            label=method.label,
            status="done",
            n_components=first.n_components,
            test_errors=rounds[-1].errors,
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
            notices=self._notices([*done, *controls], first.n_landmarks),
            n_fitted=rows,
            n_landmarks=first.n_landmarks,
            splits=rounds[-1].splits,
            rounds=rounds,
            cpu_seconds=sum(one.cpu_seconds for one in self.outcomes.values()),
            parameters=first.parameters,
            first_map=first.first_map,
            predictions=rounds[-1].predictions,
            own_method=self._own_method,
        )

    @property
    def _own_method(self) -> Method | None:
        """The method if it is not in the registry; results look up other methods by name."""
        return self.method if self.method.family == "own" else None

    def _round(self, n_rows: int) -> FinishedRound:
        fits = self.fits(n_rows)
        outcomes = [self.outcomes[fit] for fit in fits]
        return FinishedRound(
            n_rows=n_rows,
            splits=tuple(fit.split for fit in fits),
            errors=tuple(one.error for one in outcomes),
            is_whole=n_rows == self.n_train,
            elapsed=self.finished_after[n_rows],
            predictions=tuple(one.prediction for one in outcomes if one.prediction is not None),
        )

    def _notices(self, outcomes: list[FitOutcome], n_landmarks: int | None) -> tuple[str, ...]:
        notices = [self.notice, *(notice for outcome in outcomes for notice in outcome.notices)]
        if n_landmarks is not None:
            notices.append(f"with {n_landmarks:,} landmarks instead of all {self.n_rows:,} rows")
        if self.n_rows < self.n_train:
            notices.append(f"uses {self.n_rows:,} of {self.n_train:,} training rows")
        notices.append(self.failure)
        return tuple(dict.fromkeys(notice for notice in notices if notice))
