"""How many dimensions are enough: held-out error against the number of components."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from discrimap.comparison.one_fit import seeds_of_split
from discrimap.comparison.problem import n_training
from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import MethodResult
from discrimap.inspection.budget import Budget
from discrimap.inspection.named_problem import NamedProblem
from discrimap.inspection.refits import Refit

# Numbers of components: all small ones, then growing steps.
LADDER = (1, 2, 3, 4, 5, 7, 9, 12, 16, 20, 30, 50)


@dataclass(frozen=True)
class DimensionCurve:
    """Held-out errors of one method by its number of components."""

    name: str
    label: str
    n_components: tuple[int, ...]
    errors: tuple[tuple[float, ...], ...]  # one row for each number of components, one per split
    ratio: float  # held-out samples for each training sample
    not_tried: tuple[int, ...] = ()  # numbers of components for which there was no time

    @property
    def means(self) -> list[float]:
        return [float(np.mean(row)) for row in self.errors]

    @property
    def enough(self) -> int:
        """The fewest components within one standard error of the best mean.

        Splits share samples, so the standard error of the mean of J splits is larger than that of
        independent values: ``sqrt(1/J + n_test/n_train) s`` (Nadeau and Bengio, 2003). With one split
        there is none: then the fewest with the least error.
        """
        means = np.array(self.means)
        best = int(means.argmin())
        row = np.array(self.errors[best])
        margin = 0.0
        if self.has_spread:
            margin = row.std(ddof=1) * np.sqrt(1 / len(row) + self.ratio)
        return self.n_components[int(np.flatnonzero(means <= means[best] + margin)[0])]

    @property
    def is_still_falling(self) -> bool:
        """Whether the error is least at the end of a curve that was cut for want of time."""
        is_cut = any(d > self.n_components[-1] for d in self.not_tried)
        return is_cut and int(np.argmin(self.means)) == len(self.means) - 1

    @property
    def has_spread(self) -> bool:
        return len(self.errors[0]) > 1


def trace_dimensions(
    result: MethodResult, samples: NamedProblem, protocol: Protocol, budget: Budget
) -> DimensionCurve | str:
    """Fit a method with one component, two and so on, on the splits of the comparison.

    Parameters
    ----------
    result : MethodResult
        The method, with the time of one fit.
    samples : NamedProblem
        The data.
    protocol : Protocol
        Splits, neighbours, scaling and seed.
    budget : Budget
        The curve ends before the first number of components that would not fit into it.

    Returns
    -------
    curve : DimensionCurve or str
        The errors, or the reason why there are none.
    """
    refit = Refit(result, samples, protocol)
    if refit.method.fixed_components is not None:
        return f"{result.label} sets its number of components itself ({result.n_components})."
    n_train = n_training(len(samples.labelled_rows), protocol)
    ladder = [d for d in LADDER if d <= refit.most_components(n_train)]
    if len(ladder) < 2:
        return f"{result.label} can have one component only here."
    tried: list[int] = []
    not_tried: list[int] = []
    errors: list[tuple[float, ...]] = []
    for d in ladder:
        if not_tried or not budget.allows(protocol.n_repeats * refit.seconds(d, n_train)):
            not_tried.append(d)
            continue
        try:
            errors.append(tuple(_held_out_errors(refit, d)))
        except ValueError:
            # The rank of a kernel is known only to the fit, and limits its components.
            if refit.method.family != "kernel" or len(tried) < 2:
                raise
            break
        tried.append(d)
    if len(tried) < 2:
        return f"{result.label} takes too long to be fitted for several numbers of components."
    ratio = protocol.test_size / (1 - protocol.test_size)
    return DimensionCurve(
        result.name, result.label, tuple(tried), tuple(errors), ratio, tuple(not_tried)
    )


def _held_out_errors(refit: Refit, n_components: int) -> Iterator[float]:
    protocol, y = refit.protocol, refit.samples.y
    for repeat in range(protocol.n_repeats):
        split_seed, _, method_seed = seeds_of_split(protocol.seed, repeat)
        train, test = refit.samples.split(protocol, split_seed)
        Z_train, known, Z_test = refit.maps(n_components, train, test, method_seed)
        n_classes, k = refit.samples.n_classes, protocol.n_neighbors
        predicted = refit.task.predict(Z_train, known, Z_test, n_classes, k)
        yield refit.task.error(predicted, y[test], known, protocol.score)
