"""Comparison of methods on dask collections: fits on the workers, errors of a subset of the points.

One random number per row, which depends only on the seed and the position of the row, determines
whether the row is held out and whether it is drawn for the votes. The result therefore does not
depend on the chunks, and no array of length n_samples is created. The labels of the control are not
permuted but drawn in the same way from the class frequencies.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from discrimap.comparison.designs import Design, Independent
from discrimap.comparison.inputs import SampleFacts
from discrimap.comparison.problem import check_n_components, check_protocol
from discrimap.comparison.protocol import Protocol
from discrimap.comparison.tasks import TASKS
from discrimap.comparison.trials import Fit, TrialMaps, check_finite
from discrimap.costs import Shape
from discrimap.errors import InputError
from discrimap.registry import METHODS, Method
from discrimap.samples.on_dask.chunks import compute_for_each
from discrimap.samples.on_dask.dask_input import labels_array, samples_array
from discrimap.samples.on_dask.moments import find_label_fault
from discrimap.samples.on_dask.scaling import fit_scaler, scale_lazily

# Largest number of map points that are fetched from the workers: training points that vote, and
# held-out points that are classified.
MOST_VOTERS = 50_000
MOST_JUDGED = 20_000


@dataclass(frozen=True, eq=False)
class CollectionProblem:
    """Labelled samples in chunks."""

    X: Any  # dask array
    y: Any  # dask array of codes 0, 1, ..., in the same chunks
    class_names: tuple[str, ...]
    counts: np.ndarray  # samples of each class
    task_name: str = "classification"
    is_continuous: bool = False
    n_unlabelled: int = 0
    kernel: None = None

    @property
    def task(self):
        return TASKS[self.task_name]

    @property
    def design(self) -> Design:
        return Independent()

    @property
    def n_samples(self) -> int:
        return self.X.shape[0]

    @property
    def n_classes(self) -> int:
        return len(self.class_names)

    def fit_split(self, estimator: Any, fit: Fit, protocol: Protocol) -> TrialMaps:
        """Fit an estimator to the training rows of a split."""
        start = time.perf_counter()
        maps = CollectionTrial(fit, self, protocol).fit(estimator)
        return maps._replace(seconds=time.perf_counter() - start)

    def class_counts(self) -> dict[str, int]:
        return {name: int(count) for name, count in zip(self.class_names, self.counts, strict=True)}

    def n_train(self, protocol: Protocol) -> int:
        """Return the expected number of training rows; each row is held out at random."""
        return round((1 - protocol.test_size) * self.n_samples)

    def shape_of_fit(self, method: Method, protocol: Protocol) -> Shape:
        n_train, n_features = self.n_train(protocol), self.X.shape[1]
        return Shape(n_train, n_features, self.n_classes, protocol.n_components)

    def is_for(self, method: Method) -> bool:
        """Return whether a method can be fitted on workers."""
        return method.distributed

    def reasons_against(self, method: Method) -> Iterator[str]:
        """Yield the reason why a method cannot be fitted: it needs all samples in memory."""
        if not method.distributed:
            others = ", ".join(other.name for other in METHODS if other.distributed)
            yield f"needs all samples in memory; the methods for Dask are {others}"

    def notice(self, protocol: Protocol) -> str:
        """Return a notice on the number of points used for the errors, empty if all are used."""
        n_train = self.n_train(protocol)
        n_held_out = self.n_samples - n_train
        if n_train <= MOST_VOTERS and n_held_out <= MOST_JUDGED:
            return ""
        return (
            f"errors are of about {min(n_held_out, MOST_JUDGED):,} held-out points, among the votes "
            f"of about {min(n_train, MOST_VOTERS):,} training points, drawn at random"
        )


def check_collection(X, y, facts: SampleFacts, protocol: Protocol) -> CollectionProblem:
    """Check dask collections and encode their labels, in one pass over the labels."""
    check_protocol(protocol)
    if facts.groups is not None or facts.order is not None:
        raise InputError("groups and order are not supported for Dask collections; leave them out.")
    if facts.is_labelled is not None or protocol.impute is not None or facts.task == "regression":
        raise InputError(
            "a comparison of Dask collections needs samples that all have a class and no missing "
            "values: leave out is_labelled, impute and task='regression', or pass a sample of the "
            "rows in memory."
        )
    try:
        X = samples_array(X)
        y = labels_array(y, X)
    except (TypeError, ValueError) as error:
        raise InputError(str(error)) from error
    check_n_components(protocol, X.shape[1])
    classes, counts = _count_classes(y)
    if len(classes) < 2:
        raise InputError(f"the target has one class only ({classes[0]!r}); at least 2 are needed.")
    # With this many samples of a class, the class is very rarely missing in a part of a split.
    needed = 10 / min(protocol.test_size, 1 - protocol.test_size)
    if counts.min() < needed:
        raise InputError(
            f"class {str(classes[counts.argmin()])!r} has {counts.min()} samples; for random splits "
            f"of dask collections at least {needed:.0f} are needed. Leave the class out, or pass "
            "arrays."
        )
    codes = y.map_blocks(_encode, classes, dtype=np.intp, meta=np.empty(0, dtype=np.intp))
    return CollectionProblem(X, codes, tuple(str(name) for name in classes), counts)


class CollectionTrial:
    """One split of samples in chunks."""

    def __init__(self, fit: Fit, problem: CollectionProblem, protocol: Protocol):
        self.problem, self.protocol, self._is_control = problem, protocol, fit.is_control
        words = np.random.SeedSequence([protocol.seed, fit.split]).generate_state(3, np.uint64)
        self._split_seed, self._draw_seed, self._permute_seed = (int(word) for word in words)
        self._ends = np.cumsum(problem.counts) / problem.n_samples
        sizes = problem.X.chunks[0]
        self.firsts = tuple(int(first) for first in np.cumsum((0, *sizes))[:-1])
        n_train = problem.n_train(protocol)
        self.shares = (
            MOST_VOTERS / n_train,
            MOST_JUDGED / max(problem.n_samples - n_train, 1),
        )

    def fit(self, estimator) -> TrialMaps:
        """Fit the training part on the workers, and fetch the map of the drawn points."""
        X, y = self.problem.X, self.problem.y
        if self._is_control:
            how = (self.firsts, self._permute_seed, self._ends)
            y = y.map_blocks(_draw_labels, *how, dtype=y.dtype, meta=y._meta)
        X_train, y_train = self._training_part(X), self._training_part(y)
        scaler = None
        if self.protocol.scale:
            scaler = fit_scaler(X_train, y_train)
            X_train = scale_lazily(X_train, scaler)
        estimator.fit(X_train, y_train)
        return self._maps(estimator, scaler, X, y)

    def _training_part(self, rows):
        sizes = tuple(
            int(np.count_nonzero(~self._is_held_out(first, n_rows)))
            for first, n_rows in zip(self.firsts, rows.chunks[0], strict=True)
        )
        return rows.map_blocks(
            _keep_training_rows,
            self.firsts,
            self.protocol.test_size,
            self._split_seed,
            dtype=rows.dtype,
            chunks=(sizes, *rows.chunks[1:]),
            meta=rows._meta,
        )

    def _is_held_out(self, first, n_rows):
        return numbers_of_rows(first, n_rows, self._split_seed) < self.protocol.test_size

    def _maps(self, estimator, scaler, X, y) -> TrialMaps:
        rest = (self.protocol.test_size, self._split_seed, self._draw_seed, self.shares)
        tasks = [
            (rows, labels, first, *rest)
            for rows, labels, first, n_rows in zip(
                X.to_delayed().ravel(),
                y.to_delayed().ravel(),
                self.firsts,
                X.chunks[0],
                strict=True,
            )
            if n_rows
        ]
        parts = compute_for_each(_map_drawn_rows, tasks, shared=[(estimator, scaler)])
        joined: Any = (np.concatenate(part) for part in zip(*parts, strict=True))
        maps = TrialMaps(*joined)
        check_finite(maps.train, maps.test)
        return maps


def numbers_of_rows(first, n_rows, seed):
    """Return a uniform random number in [0, 1) for each of n_rows rows from row ``first`` on.

    The numbers are computed by SplitMix64 from the positions of the rows.
    """
    z = np.arange(first + 1, first + n_rows + 1).astype(np.uint64)
    z *= np.uint64(0x9E3779B97F4A7C15)
    z += np.uint64(seed % 2**64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        z ^= z >> np.uint64(shift)
        z *= np.uint64(factor)
    z ^= z >> np.uint64(31)
    return (z >> np.uint64(11)) * 2.0**-53


def _encode(labels, classes):
    return np.searchsorted(classes, labels).astype(np.intp)


def _draw_labels(labels, firsts, seed, ends, block_id=None):
    numbers = numbers_of_rows(firsts[block_id[0]], len(labels), seed)
    return np.searchsorted(ends, numbers, side="right").clip(max=len(ends) - 1).astype(np.intp)


def _keep_training_rows(rows, firsts, test_size, seed, block_id=None):
    return rows[numbers_of_rows(firsts[block_id[0]], len(rows), seed) >= test_size]


def _map_drawn_rows(model, X, y, first, test_size, split_seed, draw_seed, shares):
    """Return the map of the training rows that vote and of the held-out rows to classify."""
    estimator, scaler = model
    is_held_out = numbers_of_rows(first, len(X), split_seed) < test_size
    numbers = numbers_of_rows(first, len(X), draw_seed)
    maps = []
    for which, share in zip((~is_held_out, is_held_out), shares, strict=True):
        rows = np.flatnonzero(which & (numbers < share))
        Z = np.empty((0, estimator._n_features_out))
        if len(rows):
            samples = X[rows] if scaler is None else scaler.transform(X[rows])
            Z = np.asarray(estimator.transform(samples))
        maps += [Z, y[rows], first + rows]
    return maps


def _count_classes(y):
    firsts = np.cumsum((0, *y.chunks[0]))
    chunks = enumerate(zip(y.to_delayed().ravel(), firsts, strict=False))
    tasks = [(labels, number, int(first)) for number, (labels, first) in chunks]
    parts = compute_for_each(_count_labels, tasks)
    faults = [fault for fault, _, _ in parts if fault is not None]
    if faults:
        raise InputError(min(faults)[1])
    filled = [(names, counts) for _, names, counts in parts if len(names)]
    classes = np.unique(np.concatenate([names for names, _ in filled]))
    counts = np.zeros(len(classes), dtype=np.int64)
    for names, some in filled:
        counts[np.searchsorted(classes, names)] += some
    return classes, counts


def _count_labels(labels, number, first):
    labels = np.asarray(labels)
    fault = find_label_fault(labels, lambda row: (number, first + row)) if len(labels) else None
    if fault is not None:
        return fault, [], []
    return None, *np.unique(labels, return_counts=True)
