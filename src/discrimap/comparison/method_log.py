"""The fits of one method that are done so far, and the result that they make up."""

from __future__ import annotations

import numpy as np

from discrimap.comparison.one_fit import Fit, FitOutcome
from discrimap.comparison.result import FinishedRound, MethodResult
from discrimap.registry import Method


class MethodLog:
    """Outcomes of one method, by rows and split.

    Parameters
    ----------
    method : Method
        The method.
    n_train : int
        Rows of a fit to all of the training part, and to unlabelled rows if the method uses them.
    """

    def __init__(self, method: Method, n_train: int):
        self.method, self.n_train = method, n_train
        self.outcomes: dict[int, dict[int, FitOutcome]] = {}  # by rows, then split
        self.controls: dict[int, dict[int, FitOutcome]] = {}
        self.finished_after: dict[int, float] = {}  # seconds since the beginning, by rows
        self.failure = ""  # why a fit failed, or why none was begun
        self.status = "skipped"  # where no fit is done
        self.cpu_seconds = 0.0
        self.notice = ""  # on what its figures are, in any case

    def add(self, fit: Fit, outcome: FitOutcome, elapsed: float = 0.0) -> None:
        """Record a fit that is done."""
        place = self.controls if fit.is_control else self.outcomes
        place.setdefault(fit.n_rows, {})[fit.split] = outcome
        self.cpu_seconds += outcome.cpu_seconds
        if not fit.is_control:
            self.finished_after[fit.n_rows] = elapsed

    def has(self, fit: Fit) -> bool:
        """Return whether a fit is done."""
        place = self.controls if fit.is_control else self.outcomes
        return fit.split in place.get(fit.n_rows, {})

    def fail(self, status: str, reason: str) -> None:
        """Record why a fit has no outcome."""
        self.status, self.failure = status, reason

    @property
    def n_rows(self) -> int:
        """Rows of the largest fit that is done, 0 before the first."""
        return max(self.outcomes, default=0)

    def result(self) -> MethodResult:
        """Return the result of the fits that are done so far."""
        method = self.method
        if not self.outcomes:
            return MethodResult(method.name, method.label, self.status, self.failure)
        rows = self.n_rows
        done = [self.outcomes[rows][split] for split in sorted(self.outcomes[rows])]
        controls = self.controls.get(rows, {})
        first = done[0]
        in_full = [one.error_in_full for one in done if one.error_in_full is not None]
        return MethodResult(
            name=method.name,
            label=method.label,
            status="done",
            n_components=first.n_components,
            test_errors=tuple(one.error for one in done),
            train_errors=tuple(one.training_error for one in done),
            permuted_errors=tuple(controls[split].error for split in sorted(controls)),
            n_components_in_full=first.n_components_in_full,
            errors_in_full=tuple(in_full),
            seconds=float(np.mean([one.fit_seconds for one in done])),
            iterations=tuple(one.iterations for one in done if one.iterations is not None),
            stopping_reasons=tuple(one.stopping_reason for one in done if one.stopping_reason),
            notices=self._notices([*done, *controls.values()], first.n_landmarks),
            n_fitted=rows,
            n_landmarks=first.n_landmarks,
            splits=tuple(sorted(self.outcomes[rows])),
            rounds=tuple(self._round(n) for n in sorted(self.outcomes)),
            cpu_seconds=self.cpu_seconds,
            parameters=first.parameters,
            first_map=first.first_map,
            predictions=tuple(one.prediction for one in done if one.prediction is not None),
        )

    def _round(self, n_rows: int) -> FinishedRound:
        outcomes = self.outcomes[n_rows]
        splits = tuple(sorted(outcomes))
        return FinishedRound(
            n_rows=n_rows,
            splits=splits,
            errors=tuple(outcomes[split].error for split in splits),
            is_whole=n_rows == self.n_train,
            elapsed=self.finished_after[n_rows],
            predictions=tuple(
                outcome.prediction
                for outcome in (outcomes[split] for split in splits)
                if outcome.prediction is not None
            ),
        )

    def _notices(self, outcomes: list[FitOutcome], n_landmarks: int | None) -> tuple[str, ...]:
        notices = [self.notice] if self.notice else []
        notices += [notice for outcome in outcomes for notice in outcome.notices]
        if n_landmarks is not None:
            notices.append(f"with {n_landmarks:,} landmarks instead of all {self.n_rows:,} rows")
        if self.n_rows < self.n_train:
            notices.append(f"rests on {self.n_rows:,} of {self.n_train:,} training rows")
        if self.failure:
            notices.append(self.failure)
        return tuple(dict.fromkeys(notices))
