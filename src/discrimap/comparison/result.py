"""What a comparison found, in plain values."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from discrimap.comparison.protocol import Protocol


@dataclass(frozen=True)
class SplitMap:
    """The map of the first split, for pictures."""

    train: np.ndarray
    test: np.ndarray
    train_rows: np.ndarray
    test_rows: np.ndarray


@dataclass(frozen=True)
class MethodResult:
    """What one method reached, or why it did not."""

    name: str
    label: str
    status: str  # "done", "skipped" or "failed"
    reason: str = ""
    n_components: int = 0
    test_errors: tuple[float, ...] = ()
    train_errors: tuple[float, ...] = ()  # leave-one-out in the training map
    permuted_errors: tuple[float, ...] = ()  # held-out, with permuted labels
    seconds: float = 0.0  # mean time of one fit
    iterations: tuple[int, ...] = ()  # of the fit of each split; none where nothing iterates
    notices: tuple[str, ...] = ()
    first_map: SplitMap | None = field(default=None, repr=False, compare=False)

    @property
    def test_error(self) -> float:
        return float(np.mean(self.test_errors)) if self.test_errors else float("nan")

    def to_dict(self) -> dict[str, Any]:
        """Plain types only, without the map."""
        return {name: value for name, value in asdict(self).items() if name != "first_map"}


@dataclass(frozen=True)
class Comparison:
    """The outcome of :func:`compare`: results, best first, then what was skipped or failed."""

    data_name: str
    n_samples: int
    n_features: int
    class_counts: dict[str, int]
    chance_error: float  # of always naming the largest class
    protocol: Protocol
    results: tuple[MethodResult, ...]

    @property
    def done(self) -> tuple[MethodResult, ...]:
        return tuple(result for result in self.results if result.status == "done")

    def to_dict(self) -> dict[str, Any]:
        """Plain types only: what ``--json`` writes."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        values["protocol"] = asdict(self.protocol)
        values["results"] = [result.to_dict() for result in self.results]
        return values
