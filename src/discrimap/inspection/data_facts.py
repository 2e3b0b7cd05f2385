"""Facts about the data, and warnings about properties that can make a map misleading."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from discrimap.comparison.protocol import Protocol
from discrimap.inspection.cautions import cautions
from discrimap.inspection.named_problem import NamedProblem
from discrimap.tables.encoding import CONSTANT, report_constant


@dataclass(frozen=True)
class DataFacts:
    """Sizes of a data set, its classes, and warnings.

    Attributes
    ----------
    n_samples : int
        Number of samples.
    n_features : int
        Number of features; 0 for similarities and distances.
    n_unlabelled : int
        Number of samples without a label.
    class_counts : tuple of (str, int)
        Name and number of samples of each class; empty for a continuous target.
    target_range : tuple of float, or None
        Smallest and largest value of a continuous target.
    warnings : tuple of str
        Messages for the user.

    Examples
    --------
    >>> from discrimap.datasets import load
    >>> from discrimap.inspection import NamedProblem, describe_data
    >>> describe_data(NamedProblem.from_dataset(load("iris"))).class_counts
    (('setosa', 50), ('versicolor', 50), ('virginica', 50))
    """

    n_samples: int
    n_features: int
    n_unlabelled: int
    class_counts: tuple[tuple[str, int], ...]  # in the order of the codes; empty if continuous
    target_range: tuple[float, float] | None  # of a continuous target
    warnings: tuple[str, ...]


def describe_data(
    samples: NamedProblem, protocol: Protocol | None = None, notices: Sequence[str] = ()
) -> DataFacts:
    """Count the samples and warn about duplicate rows, constant features and small classes.

    Parameters
    ----------
    samples : NamedProblem
        The data.
    protocol : Protocol, optional
        Its ``n_neighbors`` is used for warnings about small classes: a class with at most this many
        samples is rarely predicted.
    notices : sequence of str
        Notices of the loader, placed before the other warnings.

    Returns
    -------
    facts : DataFacts

    Examples
    --------
    >>> from discrimap.datasets import load
    >>> from discrimap.inspection import NamedProblem, describe_data
    >>> facts = describe_data(NamedProblem.from_dataset(load("wine")))
    >>> facts.n_samples, facts.n_features, facts.class_counts[0]
    (178, 13, ('class_0', 59))
    """
    protocol = protocol or Protocol()
    n_samples, n_features = samples.X.shape
    rows = samples.labelled_rows
    known = samples.y[rows]
    counts = np.zeros(0, int) if samples.is_continuous else np.bincount(known)
    return DataFacts(
        n_samples=n_samples,
        n_features=n_features if samples.kernel is None else 0,
        n_unlabelled=n_samples - len(rows),
        class_counts=tuple(zip(samples.class_names, counts.tolist(), strict=True)),
        target_range=(float(known.min()), float(known.max())) if samples.is_continuous else None,
        warnings=(
            *notices,
            *cautions(samples, protocol),
            *_class_warnings(samples, counts, protocol.n_neighbors),
            *_copy_warnings(samples),
            *_feature_warnings(samples, notices),
        ),
    )


def _class_warnings(samples: Any, counts: Any, n_neighbors: int) -> Iterator[str]:
    if samples.is_continuous:
        return
    small = [f"{samples.class_names[c]} ({counts[c]})" for c in np.flatnonzero(counts < 10)]
    if small:
        yield (
            f"{_some(small)}: fewer than 10 samples. What the map shows of so few points is weak "
            f"evidence, and a vote of {n_neighbors} neighbours rarely predicts them."
        )


def _copy_warnings(samples: Any) -> Iterator[str]:
    """Warn about duplicate rows: a held-out copy of a training row is not an independent test."""
    if sparse.issparse(samples.X) or samples.kernel is not None:
        return
    first_row: dict[bytes, int] = {}
    labelled, y = set(samples.labelled_rows.tolist()), samples.y.tolist()
    n_copies = n_contradictions = 0
    for row, values in enumerate(np.ascontiguousarray(samples.X)):
        original = first_row.setdefault(values.tobytes(), row)
        if original != row:
            n_copies += 1
            n_contradictions += original in labelled and row in labelled and y[original] != y[row]
    if n_copies:
        contradiction = (
            f"; {n_contradictions:,} of them with another label" if n_contradictions else ""
        )
        yield (
            f"{n_copies:,} of {len(samples.X):,} rows repeat an earlier row exactly{contradiction}. "
            "A copy on both sides of a split makes held-out errors look better than they are."
        )


def _feature_warnings(samples: Any, notices: Any) -> Iterator[str]:
    n_samples, n_features = samples.X.shape
    if samples.kernel is not None:
        return
    if n_features >= n_samples:
        yield (
            f"{n_features:,} features for {n_samples:,} samples: many methods can separate any labels "
            "of so few samples perfectly. Look at the held-out map, not at the training map."
        )
    if not sparse.issparse(samples.X):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # features with missing values only
            spread = np.nanmax(samples.X, axis=0) - np.nanmin(samples.X, axis=0)
        constant = np.flatnonzero(spread == 0)
        names = [samples.feature_names[i] for i in constant]
        # The file reader may already have given this notice, with other words for unnamed features.
        if not any(words.startswith(CONSTANT) for words in notices):
            yield from report_constant(names)


def _some(names: Any, most: Any = 5) -> Any:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"
