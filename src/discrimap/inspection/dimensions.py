"""How many dimensions are enough: held-out error against the number of components."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from discrimap.comparison.one_method import fit_maps, seeds_of_repeat, split_rows
from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import MethodResult
from discrimap.inspection.budget import Budget, expected_seconds
from discrimap.inspection.samples import Samples
from discrimap.metrics import knn_error
from discrimap.registry import Shape, get_method

# Close together where most maps are, then about half as many again each time.
LADDER = (1, 2, 3, 4, 5, 7, 9, 12, 16, 20, 30, 50)


@dataclass(frozen=True)
class DimensionCurve:
    """Held-out errors of one method by its number of components."""

    name: str
    label: str
    n_components: tuple[int, ...]
    errors: tuple[tuple[float, ...], ...]  # one row for each number of components, one per split

    @property
    def means(self) -> list[float]:
        return [float(np.mean(row)) for row in self.errors]

    @property
    def enough(self) -> int:
        """The fewest components within one standard error of the best mean."""
        means = np.array(self.means)
        best = int(means.argmin())
        row = np.array(self.errors[best])
        spread = row.std(ddof=1) / np.sqrt(len(row)) if len(row) > 1 else 0.0
        return self.n_components[int(np.flatnonzero(means <= means[best] + spread)[0])]


def trace_dimensions(
    result: MethodResult, samples: Samples, protocol: Protocol, budget: Budget, share: float
) -> DimensionCurve | str:
    """Fit a method with one component, two and so on, on the splits of the comparison.

    Parameters
    ----------
    result : MethodResult
        The method, with the time of one fit.
    samples : Samples
        The data.
    protocol : Protocol
        Splits, neighbours, scaling and seed.
    budget : Budget
        Numbers of components that would not fit into ``share`` of it are left out.
    share : float
        Part of the time that is left.

    Returns
    -------
    curve : DimensionCurve or str
        Or the reason why there is none.
    """
    method = get_method(result.name)
    rows = samples.labelled_rows
    n_train = int(len(rows) * (1 - protocol.test_size))
    shape = Shape(n_train, samples.X.shape[1], max(2, len(samples.class_names)), 2)
    if method.fixed_components is not None:
        return f"{result.label} sets its number of components itself ({result.n_components})."
    most = method.max_components(shape)
    ladder = [d for d in LADDER if d <= most]
    if len(ladder) < 2:
        return f"{result.label} can have one component only here."
    allowed = share * budget.left
    tried, errors = [], []
    for d in ladder:
        seconds = protocol.n_repeats * expected_seconds(
            result, shape, d, result.n_components, n_train
        )
        if seconds > allowed:
            continue
        before = budget.left
        row = []
        for repeat in range(protocol.n_repeats):
            split_seed, _, method_seed = seeds_of_repeat(protocol.seed, repeat)
            train, test = split_rows(samples.y[rows], protocol.test_size, split_seed)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                estimator = method.make(d, random_state=method_seed)
                Z_train, Z_test = fit_maps(
                    estimator, samples.X, samples.y, rows[train], rows[test], protocol.scale
                )
            y_train, y_test = samples.y[rows[train]], samples.y[rows[test]]
            row.append(knn_error(Z_train, y_train, Z_test, y_test, protocol.n_neighbors))
        tried.append(d)
        errors.append(tuple(row))
        allowed -= before - budget.left
    if len(tried) < 2:
        return f"{result.label} takes too long to be fitted for several numbers of components."
    return DimensionCurve(result.name, result.label, tuple(tried), tuple(errors))
