"""Held-out error as a function of the number of components."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from discrimap.comparison.one_fit import score_maps
from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import MethodResult
from discrimap.inspection.budget import Budget, TooLong
from discrimap.inspection.named_problem import NamedProblem
from discrimap.inspection.refits import Refit

# Numbers of components to try, in increasing steps. The first pass uses only some of them.
LADDER = (1, 2, 3, 4, 5, 7, 9, 12, 16, 20, 30, 50)
FIRST_PASS = (1, 2, 3, 5, 9, 16, 30)
FEW_SPLITS = 3


@dataclass(frozen=True)
class DimensionCurve:
    """Held-out errors of one method for each number of components."""

    name: str
    label: str
    n_components: tuple[int, ...]
    errors: tuple[tuple[float, ...], ...]  # a row per number of components, a column per split
    ratio: float  # held-out samples for each training sample
    n_held_out: int  # number of held-out samples in each split
    not_tried: tuple[int, ...] = ()  # numbers of components that were skipped to save time
    n_splits: int = 0  # splits of the comparison; the curve may have fewer

    @property
    def means(self) -> list[float]:
        return [float(np.mean(row)) for row in self.errors]

    @property
    def enough(self) -> int:
        """The smallest number of components within one standard error of the lowest mean error.

        Splits share samples, so the standard error of the mean of J splits is larger than for
        independent values: ``sqrt(1/J + n_test/n_train) s`` (Nadeau and Bengio, 2003). The variance
        ``s^2`` between splits is at least the binomial variance ``e (1 - e) / n_test`` of an error
        e of n_test held-out points. With one split, the binomial variance is used.
        """
        means = np.array(self.means)
        best = int(means.argmin())
        row = np.array(self.errors[best])
        variance = row.var(ddof=1) if self.has_spread else 0.0
        share = min(float(means[best]), 1.0)  # a relative squared error may exceed 1
        variance = max(variance, share * (1 - share) / self.n_held_out)
        margin = np.sqrt(variance * (1 / len(row) + self.ratio))
        return self.n_components[int(np.flatnonzero(means <= means[best] + margin)[0])]

    @property
    def is_still_falling(self) -> bool:
        """Whether the curve was cut short by the time limit and has its minimum at its end."""
        is_cut = any(d > self.n_components[-1] for d in self.not_tried)
        return is_cut and int(np.argmin(self.means)) == len(self.means) - 1

    @property
    def has_spread(self) -> bool:
        return len(self.errors[0]) > 1


def trace_dimensions(
    result: MethodResult, samples: NamedProblem, protocol: Protocol, budget: Budget
) -> DimensionCurve | TooLong | str:
    """Fit a method with increasing numbers of components, on the splits of the comparison.

    Errors known from the comparison are not computed again. If the first components do not depend
    on the number of components (``Method.nested``), one fit per split gives all errors of the
    split. Other methods are fitted with some numbers of components in three splits first, then with
    the other numbers, then in the other splits, until the time limit is reached. All points of the
    curve are computed from the same splits.

    Parameters
    ----------
    result : MethodResult
        The method, with the time of one fit.
    samples : NamedProblem
        The data.
    protocol : Protocol
        Splits, neighbours, scaling and seed.
    budget : Budget
        Fits that are not expected to end in time are not started.

    Returns
    -------
    curve : DimensionCurve, TooLong or str
        The errors, or the reason why they cannot be computed.
    """
    refit = Refit(result, samples, protocol)
    if refit.method.fixed_components is not None:
        return f"{result.label} sets its number of components itself ({result.n_components})."
    ladder = [d for d in LADDER if d <= refit.most_components(refit.n_fitted)]
    if len(ladder) < 2:
        return f"{result.label} can have one component only here."
    trials = _Trials(refit)
    needed = trials.run(ladder, budget)
    ladder = trials.ladder
    first = [d for d in ladder if d in FIRST_PASS]
    n_splits = max(1, trials.n_complete(first))
    tried = [d for d in ladder if trials.n_complete([d]) >= n_splits]
    if len(tried) < 2:
        what = f"{result.label} takes too long to be fitted for several numbers of components"
        return TooLong(what, needed, budget.given)
    splits = trials.splits[:n_splits]
    return DimensionCurve(
        name=result.name,
        label=result.label,
        n_components=tuple(tried),
        errors=tuple(tuple(trials.errors[split, d] for split in splits) for d in tried),
        ratio=protocol.test_size / (1 - protocol.test_size),
        n_held_out=round(protocol.test_size * len(samples.labelled_rows)),
        not_tried=tuple(d for d in ladder if d not in tried),
        n_splits=len(result.splits),
    )


def seconds_of(refit: Refit, n_components: int) -> float:
    """Return the expected time of a fit. Nested methods take little extra time per component."""
    if refit.method.nested:
        n_components = refit.result.n_components
    return refit.seconds(n_components, refit.n_fitted)


def expected_seconds(refit: Refit) -> list[float]:
    """Return the expected times of the fits needed for a curve of one split."""
    if refit.method.fixed_components is not None:
        return []
    most = refit.most_components(refit.n_fitted)
    numbers = [d for d in FIRST_PASS if d <= most and d != refit.result.n_components]
    if refit.method.nested:
        numbers = numbers[-1:]
    return [seconds_of(refit, d) for d in numbers]


class _Trials:
    """Known errors of one method by split and number of components."""

    def __init__(self, refit: Refit):
        self.refit, self.splits = refit, refit.result.splits
        self.ladder: list[int] = []
        self.errors: dict[tuple[int, int], float] = {
            (split, refit.result.n_components): error
            for split, error in zip(self.splits, refit.result.test_errors, strict=True)
        }

    def run(self, ladder: Sequence[int], budget: Budget) -> float:
        """Run fits until all errors are known or the time is over.

        Returns the expected seconds of the next fit, 0 if there is none.
        """
        self.ladder = list(ladder)
        times: list[float] = []
        for split, wanted in self._work():
            missing = [d for d in wanted if d in self.ladder and (split, d) not in self.errors]
            if not missing:
                continue
            needed = float(np.mean(times)) if times else seconds_of(self.refit, missing[-1])
            if not budget.allows(needed):
                return needed
            start = time.perf_counter()
            self._fit(split, missing)
            times.append(time.perf_counter() - start)
        return 0.0

    def n_complete(self, numbers: Sequence[int]) -> int:
        """Return the number of leading splits with errors for all these numbers of components."""
        for n, split in enumerate(self.splits):
            if not all((split, d) in self.errors for d in numbers):
                return n
        return len(self.splits)

    def _work(self) -> Iterator[tuple[int, list[int]]]:
        """Yield the split and the numbers of components of each fit."""
        ladder = list(self.ladder)
        if self.refit.method.nested:
            yield from ((split, ladder) for split in self.splits)
            return
        first = [d for d in ladder if d in FIRST_PASS]
        few, more = self.splits[:FEW_SPLITS], self.splits[FEW_SPLITS:]
        for splits, numbers in ((few, first), (few, ladder), (more, ladder)):
            yield from ((split, [d]) for split in splits for d in numbers)

    def _fit(self, split: int, numbers: list[int]) -> None:
        """Fit one split with the largest of these numbers of components, and score all of them."""
        refit = self.refit
        while True:
            try:
                maps = refit.trial(numbers[-1], split)
                break
            except ValueError:
                # The limit may be known only after a fit, such as the rank of a kernel matrix.
                self.ladder = [d for d in self.ladder if d < numbers[-1]]
                numbers = numbers[:-1]
                if len(self.ladder) < 2:
                    raise
                if not numbers:
                    return
        for d in numbers:
            part = maps._replace(train=maps.train[:, :d], test=maps.test[:, :d])
            self.errors[split, d], _ = score_maps(part, refit.samples, refit.protocol)
