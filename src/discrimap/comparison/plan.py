"""Which methods are run, and how large their fits are, from cost estimates alone.

No memory is allocated for it. Every method first gets the time of its smallest fit, as long as
there is time left; the rest is shared equally, and what a cheap method does not need goes to the
others. Each fit is as large as its share allows: kernel methods are limited by the number of their
landmarks, others by the number of training rows. A method whose smallest fit takes too long is
skipped.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from discrimap.comparison.limits import Limits
from discrimap.comparison.problem import Problem, n_held_out
from discrimap.comparison.protocol import N_CONTROLS, Protocol
from discrimap.costs import Shape
from discrimap.registry import Method
from discrimap.threads import available_threads

# Estimates are rough and processes need time to start: only this share of the budget is planned.
SHARE_OF_BUDGET = 0.75
# A map of fewer rows or landmarks than this says little about the method.
SMALLEST_FIT = 500
ROWS_PER_CLASS = 10
# Splitting, scaling and the votes of the neighbours, for each fit and each row of it.
SECONDS_PER_FIT = 0.02
SECONDS_PER_ROW = 1e-5
# Methods that take less than this share of the budget are run first.
NEXT_TO_NOTHING = 0.01
# Estimates are often wrong by half, and a method that is stopped at its limit has no result: a fit
# larger than the smallest is planned to take this share of the limit.
SHARE_OF_LIMIT = 0.5
# Without a budget, a method is skipped if its estimate exceeds the time limit by this factor.
DOUBT = 10


@dataclass(frozen=True)
class Workload:
    """One method and the size of its fits."""

    method: Method
    n_fitted: int  # training rows of one fit
    n_landmarks: int | None = None
    notice: str = ""  # why the fit is smaller than all rows or landmarks


@dataclass(frozen=True)
class Skipped:
    """One method that is not run, and why."""

    method: Method
    reason: str


def plan(
    methods: Sequence[Method],
    problem: Problem,
    protocol: Protocol,
    limits: Limits,
) -> tuple[list[Workload], list[Skipped]]:
    """Decide what is run, in which order, and what is skipped.

    Parameters
    ----------
    methods : sequence of Method
        The requested methods.
    problem : Problem
        The data.
    protocol : Protocol
        Every split is fitted with the labels, and some with permuted ones too.
    limits : Limits
        Without a budget no method is made smaller. Processes share the time and the memory of this
        machine.
    """
    skipped, possible = [], []
    memory = _memory_of_this_machine() / 2 / limits.n_jobs
    for method in methods:
        reason = next(problem.reasons_against(method), None)
        if reason is not None:
            skipped.append(Skipped(method, reason))
        else:
            possible.append(_Candidate(method, problem, protocol, limits))
    possible.sort(key=lambda candidate: candidate.seconds(candidate.largest))

    budget = limits.budget
    n_cores = min(limits.n_jobs, available_threads())
    left = math.inf if budget is None else SHARE_OF_BUDGET * budget * n_cores
    ceiling = math.inf
    if limits.time_limit is not None:
        ceiling = limits.time_limit * (DOUBT if budget is None else 1.0)

    # Reserve the time of the smallest fit of as many methods as possible ...
    reserved: dict[_Candidate, float] = {}
    for candidate in sorted(possible, key=lambda one: one.least_seconds):
        least = candidate.least_seconds
        if candidate.least_memory > memory or least > min(left, ceiling):
            reason = candidate.reason_against(left, memory)
            skipped.append(Skipped(candidate.method, reason))
        else:
            reserved[candidate] = least
            left -= least
    # ... and share the rest; what a cheap method does not need goes to the others.
    sized = []
    chosen = [candidate for candidate in possible if candidate in reserved]
    for rank, candidate in enumerate(chosen):
        share = reserved[candidate] + left / (len(chosen) - rank)
        size = candidate.size_within(min(share, SHARE_OF_LIMIT * ceiling), memory)
        sized.append((candidate.seconds(size), candidate.workload(size)))
        left -= candidate.seconds(size) - reserved[candidate]
    # Long methods come first, so that no process is left with one at the end. Very short methods
    # come before them, so that a machine slower than expected loses long methods, not short ones.
    next_to_nothing = 0.0 if budget is None else NEXT_TO_NOTHING * budget
    sized.sort(key=lambda pair: (pair[0] > next_to_nothing, -pair[0]))
    return [workload for _, workload in sized], skipped


class _Candidate:
    """A method whose size is still to be chosen: rows, or landmarks where it has them."""

    def __init__(self, method: Method, problem: Problem, protocol: Protocol, limits: Limits):
        self.method, self.limits = method, limits
        self.shape = problem.shape_of_fit(method, protocol)
        self.n_fits = protocol.n_repeats + min(protocol.n_repeats, N_CONTROLS)
        self.n_rows = problem.X.shape[0]
        self.n_new = n_held_out(len(problem.labelled_rows), protocol)
        self.largest = self.shape.n_samples
        self.smallest = min(self.largest, max(SMALLEST_FIT, ROWS_PER_CLASS * self.shape.n_classes))
        self.least = self.smallest if limits.may_shrink else self.largest

    def resized(self, size: int) -> Shape:
        if size >= self.largest:
            return self.shape
        return replace(
            self.shape, **{"n_landmarks" if self.method.landmarks else "n_samples": size}
        )

    def seconds(self, size: int) -> float:
        one_fit = self.method.seconds(self.resized(size), self.n_new)
        return self.n_fits * (SECONDS_PER_FIT + SECONDS_PER_ROW * self.n_rows + one_fit)

    @property
    def least_seconds(self) -> float:
        return self.seconds(self.least)

    @property
    def least_memory(self) -> float:
        return self.method.memory(self.resized(self.least))

    def size_within(self, seconds: float, memory: float) -> int:
        """Return the largest size within these limits, or the smallest size if none is."""

        def fits(size: int) -> bool:
            return (
                self.seconds(size) <= seconds and self.method.memory(self.resized(size)) <= memory
            )

        if not self.limits.may_shrink or fits(self.largest):
            return self.largest
        low, high = self.smallest, self.largest
        while high - low > 0.01 * low + 1:  # costs grow with the size
            middle = (low + high) // 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        step = 10 ** max(0, len(str(low)) - 2)
        return max(self.smallest, low // step * step)

    def workload(self, size: int) -> Workload:
        if size >= self.largest:
            return Workload(self.method, self.largest)
        if self.method.landmarks:
            notice = f"with {size:,} landmarks instead of all {self.largest:,} training rows"
            return Workload(self.method, self.largest, size, f"{notice}, to stay within the budget")
        notice = f"fitted to {size:,} of {self.largest:,} training rows, to stay within the budget"
        return Workload(self.method, size, None, notice)

    def reason_against(self, share: float, memory: float) -> str:
        """Say why even the smallest fit is too large."""
        size, needed, n_jobs = self.least, self.least_memory, self.limits.n_jobs
        what = "" if size >= self.largest else f" even with {size:,} rows"
        if needed > memory:
            whole = memory * 2 * n_jobs / 2**30
            part = "half" if n_jobs == 1 else f"1/{2 * n_jobs}"
            return (
                f"would need about {needed / 2**30:,.0f} GiB of memory{what}; "
                f"{part} of this machine's {whole:,.0f} GiB is the limit"
            )
        seconds = self.seconds(size)
        if self.limits.budget is None:
            return (
                f"would take about {seconds:,.0f} s by its cost estimate, "
                f"more than ten times the limit of {self.limits.time_limit:g} s"
            )
        return (
            f"would take about {seconds:,.0f} s{what} by its cost estimate; "
            f"what is left for it of the budget of {self.limits.budget:g} s is "
            f"{max(0.0, share):,.0f} s of one core"
        )


def _memory_of_this_machine() -> float:
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not a POSIX system
        return math.inf
