"""The content of the report in one object, independent of its format."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np

from discrimap.comparison import Comparison, Evidence
from discrimap.comparison.workers import Workers
from discrimap.inspection import (
    DataFacts,
    Inspection,
    NamedProblem,
    describe_data,
    inspect,
)
from discrimap.report.provenance import Provenance, record_provenance

# Fields with row indices of the data, from 0. Files and the page count rows from 1.
ROW_FIELDS = ("row", "rows")


@dataclass(frozen=True, eq=False)
class Summary:
    """Content of the report, in plain values and arrays.

    Parameters
    ----------
    title : str
        Name of the data.
    verdict : tuple of str
        Sentences, the main result first.
    comparison : Comparison
        The result of :func:`discrimap.comparison.compare`.
    class_names : tuple of str
        Names in the order of the class codes; empty for a continuous target.
    data : DataFacts
        Description of the data, with warnings.
    evidence : Evidence or None
        The test against chance, if a method was fitted.
    inspection : Inspection or None
        Details of the methods, from :func:`look_closer`.
    provenance : Provenance
        Versions, seeds and settings.

    Examples
    --------
    >>> from discrimap.comparison import Protocol, compare
    >>> from discrimap.datasets import load
    >>> from discrimap.report import summarise
    >>> iris = load("iris")
    >>> comparison = compare(iris.X, iris.class_labels, ["lda"], protocol=Protocol(n_repeats=2))
    >>> summary = summarise(comparison, iris)
    >>> summary.class_names
    ('setosa', 'versicolor', 'virginica')
    >>> summary.to_dict()["n_samples"]
    150
    """

    title: str
    verdict: tuple[str, ...]
    comparison: Comparison
    class_names: tuple[str, ...]
    data: DataFacts
    evidence: Evidence | None
    inspection: Inspection | None
    provenance: Provenance

    def to_dict(self) -> dict[str, Any]:
        """Return plain types as written by ``--json``; the fields of the comparison come first."""
        rest = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "comparison"}
        return {**self.comparison.to_dict(), **{name: _plain(v) for name, v in rest.items()}}


def summarise(comparison: Comparison, dataset: Any) -> Summary:
    """Summarise the verdict, the data and the methods, which need no additional fits.

    Parameters
    ----------
    comparison : Comparison
        The result of :func:`discrimap.comparison.compare`.
    dataset : Dataset
        The data of the comparison.

    Returns
    -------
    summary : Summary
        Without an inspection, which :func:`look_closer` adds.

    Examples
    --------
    >>> from discrimap.comparison import Protocol, compare
    >>> from discrimap.datasets import load
    >>> from discrimap.report import summarise
    >>> iris = load("iris")
    >>> comparison = compare(iris.X, iris.class_labels, ["lda"], protocol=Protocol(n_repeats=2))
    >>> print(summarise(comparison, iris).verdict[0])
    The classes separate: LDA was tried alone and errs on 4.0 ± 2.8 % of held-out points.
    """
    samples = NamedProblem.from_dataset(dataset)
    return Summary(
        title=comparison.data_name,
        verdict=comparison.verdict,
        comparison=comparison,
        class_names=samples.class_names,
        data=describe_data(samples, comparison.protocol, dataset.notices),
        evidence=comparison.evidence,
        inspection=None,
        provenance=record_provenance(comparison),
    )


def look_closer(
    summary: Summary,
    dataset: Any,
    *,
    seconds: float = 60.0,
    on_step: Callable[[str], None] | None = None,
    workers: Workers | None = None,
) -> Summary:
    """Add the inspection: features, suspicious labels, confusions, dimensions and maps.

    The inspection needs additional fits.

    Parameters
    ----------
    summary : Summary
        From :func:`summarise`.
    dataset : Dataset
        The same data.
    seconds, on_step, workers
        As in :func:`discrimap.inspection.inspect`.

    Returns
    -------
    summary : Summary
        A copy with the inspection.

    Examples
    --------
    >>> from discrimap.comparison import Protocol, compare
    >>> from discrimap.datasets import load
    >>> from discrimap.report import look_closer, summarise
    >>> iris = load("iris")
    >>> comparison = compare(iris.X, iris.class_labels, ["lda"], protocol=Protocol(n_repeats=2))
    >>> summary = look_closer(summarise(comparison, iris), iris, seconds=10)
    >>> summary.inspection.label
    'LDA'
    """
    samples = NamedProblem.from_dataset(dataset)
    found = inspect(summary.comparison, samples, seconds=seconds, on_step=on_step, workers=workers)
    return replace(summary, inspection=found)


def to_json(summary: Summary) -> str:
    """Return the summary as JSON, including the maps.

    Parameters
    ----------
    summary : Summary
        From :func:`summarise` and :func:`look_closer`.

    Returns
    -------
    text : str
        Rows are counted from 1. NaN is written as null.

    Examples
    --------
    >>> import json
    >>> from discrimap.comparison import Protocol, compare
    >>> from discrimap.datasets import load
    >>> from discrimap.report import summarise, to_json
    >>> iris = load("iris")
    >>> comparison = compare(iris.X, iris.class_labels, ["lda"], protocol=Protocol(n_repeats=2))
    >>> json.loads(to_json(summarise(comparison, iris)))["class_counts"]
    {'setosa': 50, 'versicolor': 50, 'virginica': 50}
    """
    return json.dumps(summary.to_dict(), indent=1, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """Convert dataclasses, tuples and arrays to JSON types; NaN becomes null."""
    if is_dataclass(value):
        written = [f.name for f in fields(value) if f.metadata.get("in_files", True)]
        named = {name: getattr(value, name) for name in written}
        named |= {name: named[name] + 1 for name in ROW_FIELDS if name in named}
        return {name: _plain(entry) for name, entry in named.items()}
    if isinstance(value, dict):
        return {str(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, np.ndarray):
        if value.dtype.kind != "f":
            return value.tolist()
        # The float32 coordinates of a map have about seven significant digits.
        digits = value.astype(np.float64)
        return [_plain(entry) for entry in digits.tolist()]
    if isinstance(value, float | np.floating):
        return float(f"{value:.7g}") if np.isfinite(value) else None
    return value
