"""What the report shows, gathered in one plain object before any page is laid out."""

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

# Fields with places in the data, counted from 0; files count rows from 1, as the page does.
ROW_FIELDS = ("row", "rows")


@dataclass(frozen=True, eq=False)
class Summary:
    """Everything on the page, in plain values and arrays; templates do no arithmetic."""

    title: str
    verdict: tuple[str, ...]  # sentences, the answer first
    comparison: Comparison
    class_names: tuple[str, ...]  # in the order of the codes in the maps; empty for numbers
    data: DataFacts
    evidence: Evidence | None
    inspection: Inspection | None
    provenance: Provenance

    def to_dict(self) -> dict[str, Any]:
        """Return plain types, as ``--json`` writes them, with those of the comparison first."""
        rest = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "comparison"}
        return {**self.comparison.to_dict(), **{name: _plain(v) for name, v in rest.items()}}


def summarise(comparison: Comparison, dataset: Any) -> Summary:
    """Gather what needs no further fit: the verdict, the data, the methods.

    Parameters
    ----------
    comparison : Comparison
        The outcome of :func:`discrimap.comparison.compare`.
    dataset : Dataset
        The data that was compared.

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
    """Add what needs further fits: features, suspicious labels, confusions, dimensions, maps.

    Parameters
    ----------
    summary : Summary
        From :func:`summarise`.
    dataset : Dataset
        The same data.
    seconds, on_step, workers
        As in :func:`discrimap.inspection.inspect`.
    """
    samples = NamedProblem.from_dataset(dataset)
    found = inspect(summary.comparison, samples, seconds=seconds, on_step=on_step, workers=workers)
    return replace(summary, inspection=found)


def to_json(summary: Summary) -> str:
    """Write the summary as JSON, maps included."""
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
