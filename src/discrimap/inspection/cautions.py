"""Warnings before a comparison is run: ordered samples, classes of very different sizes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from discrimap.comparison.protocol import Protocol
from discrimap.inspection.named_problem import NamedProblem

# Consecutive rows of a class are called similar if the ratio of their mean squared distance to the
# mean squared distance of random rows of the class is below this value. The ratio is about 1 for
# independent rows. It is 0.2 to 0.3 for images of an object that is rotated in small steps, and for
# the pixels of a satellite image in row order.
ALIKE = 0.5
FEWEST_PAIRS = 30
MOST_PAIRS = 3_000
IMBALANCE = 10


def cautions(samples: NamedProblem, protocol: Protocol) -> list[str]:
    """Return warnings about the order of the rows and the sizes of the classes.

    Each warning names the command-line option that addresses it.

    Parameters
    ----------
    samples : NamedProblem
        The data.
    protocol : Protocol
        Settings of the comparison.

    Returns
    -------
    warnings : list of str

    Examples
    --------
    >>> from discrimap.comparison import Protocol
    >>> from discrimap.datasets import load
    >>> from discrimap.inspection import NamedProblem, cautions
    >>> cautions(NamedProblem.from_dataset(load("wine")), Protocol())
    []
    """
    return [*_order(samples), *_imbalance(samples, protocol)]


def _imbalance(samples: NamedProblem, protocol: Protocol) -> Iterator[str]:
    if samples.is_continuous or protocol.score == "balanced":
        return
    counts = np.bincount(samples.y[samples.labelled_rows])
    if counts.max() <= IMBALANCE * counts.min():
        return
    names = samples.class_names
    yield (
        f"The largest class, {names[counts.argmax()]} ({counts.max():,}), has more than ten times the "
        f"samples of the smallest, {names[counts.argmin()]} ({counts.min():,}). Always predicting the "
        f"largest class has an error of only {100 * (1 - counts.max() / counts.sum()):.1f} %, so the error "
        "can be low even if the smallest class is never predicted. With --score balanced every class has "
        "the same weight."
    )


def _order(samples: NamedProblem) -> Iterator[str]:
    if samples.groups is not None or samples.order is not None or sparse.issparse(samples.X):
        return
    if samples.kernel is not None:
        return
    ratio = likeness_of_neighbours(samples)
    if ratio is not None and ratio < ALIKE:
        yield (
            "Consecutive rows are much more similar than other rows"
            f"{'' if samples.is_continuous else ' of the same class'} (their squared distance is "
            f"{ratio:.2f} times the usual one). If rows are held out at random, similar rows are in the "
            "training part, and the errors are too low. If the rows are in an order, such as time, pass "
            "--order COLUMN, or --blocks for the order of the file; if they belong to groups, pass "
            "--groups COLUMN."
        )


def likeness_of_neighbours(samples: NamedProblem) -> float | None:
    """Return the ratio of mean squared distances: of consecutive rows to random pairs of rows.

    Both rows of a pair have the same class, because tables are often sorted by class. Returns None
    if there are too few pairs.
    """
    rows = samples.labelled_rows
    groups = np.zeros(len(rows), dtype=int) if samples.is_continuous else samples.y[rows]
    first = np.flatnonzero((groups[:-1] == groups[1:]) & (np.diff(rows) == 1))
    if len(first) < FEWEST_PAIRS:
        return None
    rng = np.random.default_rng(0)
    if len(first) > MOST_PAIRS:
        first = rng.choice(first, MOST_PAIRS, replace=False)
    by_group = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[by_group], np.arange(groups.max() + 2))
    own = groups[first]
    other = by_group[rng.integers(starts[own], starts[own + 1])]
    near, far = (_squared_distances(samples.X, rows[first], rows[b]) for b in (first + 1, other))
    return None if far == 0 else near / far


def _squared_distances(X: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    """Return the mean squared difference of pairs of rows, each feature scaled to unit variance."""
    difference = np.asarray(X[a], dtype=np.float64) - X[b]
    known = np.asarray(X[np.unique(np.concatenate([a, b]))], dtype=np.float64)
    spread = np.nanstd(known, axis=0)
    varies = spread > 0
    return float(np.nanmean((difference[:, varies] / spread[varies]) ** 2)) if varies.any() else 0.0
