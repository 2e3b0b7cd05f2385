"""The results of a comparison, in plain values."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np

from discrimap.comparison.evidence import Evidence, Prediction
from discrimap.comparison.protocol import Protocol
from discrimap.registry import Method, get_method
from discrimap.tables.dataset import Dataset


@dataclass(frozen=True)
class SplitMap:
    """The map of the first split, for pictures."""

    train: np.ndarray
    test: np.ndarray
    train_rows: np.ndarray
    test_rows: np.ndarray


@dataclass(frozen=True)
class FinishedRound:
    """The errors of fits to so many training rows."""

    n_rows: int
    splits: tuple[int, ...]  # those that are done, counted from 0
    errors: tuple[float, ...]  # held out, one for each split
    is_whole: bool = True  # all rows there are
    # Seconds from the beginning of the comparison to the last of them.
    elapsed: float = field(default=0.0, compare=False)
    predictions: tuple[Prediction, ...] = field(default=(), repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain types, without the predictions."""
        return {
            "n_rows": self.n_rows,
            "splits": list(self.splits),
            "errors": list(self.errors),
            "is_whole": self.is_whole,
            "elapsed": self.elapsed,
        }


@dataclass(frozen=True)
class MethodResult:
    """The errors of one method, or the reason why it has none."""

    name: str
    label: str
    status: str  # "done", "skipped" or "failed"
    reason: str = ""
    n_components: int = 0  # of the map that is scored and shown
    test_errors: tuple[float, ...] = ()
    train_errors: tuple[float, ...] = ()  # leave-one-out in the training map
    permuted_errors: tuple[float, ...] = ()  # held-out, with permuted labels; of the first splits
    # A method may have more components than asked for, of which the best are shown.
    n_components_in_full: int = 0
    errors_in_full: tuple[float, ...] = ()  # held-out, of all components; empty if all are shown
    p_worse: float | None = None  # that it is worse than the best by chance alone; 1 for the best
    is_as_good_as_best: bool = False  # it cannot be told from the best
    seconds: float = 0.0  # mean time of one fit, its maps included
    iterations: tuple[int, ...] = ()  # of the fit of each split; empty if it does not iterate
    stopping_reasons: tuple[str, ...] = ()  # of the same fits, where the method knows them
    notices: tuple[str, ...] = ()
    n_fitted: int = 0  # training rows of one fit; fewer than there are where time was short
    splits: tuple[int, ...] = ()  # those that are done, counted from 0
    rounds: tuple[FinishedRound, ...] = ()  # by rows; the last are the errors above
    n_landmarks: int | None = None  # where a kernel method was made smaller
    # Processor time of all fits, controls included; that of other programs is not counted.
    cpu_seconds: float = field(default=0.0, compare=False)
    parameters: dict[str, Any] = field(default_factory=dict)  # of the estimator
    first_map: SplitMap | None = field(default=None, repr=False, compare=False)
    predictions: tuple[Prediction, ...] = field(default=(), repr=False, compare=False)
    own_method: Method | None = field(
        default=None, repr=False, compare=False
    )  # not in the registry

    @property
    def method(self) -> Method:
        return self.own_method or get_method(self.name)

    @property
    def test_error(self) -> float:
        return float(np.mean(self.test_errors)) if self.test_errors else float("nan")

    @property
    def gap(self) -> float:
        """Mean difference between the held-out error and the training error."""
        return float(np.mean(self.test_errors) - np.mean(self.train_errors))

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain types, without the map, the predictions and the method."""
        left_out = ("first_map", "predictions", "rounds", "own_method")
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in left_out}
        return {**values, "rounds": [one.to_dict() for one in self.rounds]}


@dataclass(frozen=True)
class Comparison:
    """The outcome of :func:`compare`: results, best first, then what was skipped or failed."""

    data_name: str
    n_samples: int
    n_features: int  # 0 for similarities and distances
    class_counts: dict[str, int]  # empty for a continuous target
    chance_error: float  # of always predicting the largest class, or the mean
    protocol: Protocol
    results: tuple[MethodResult, ...]
    task: str = "classification"  # or "regression"
    n_unlabelled: int = 0
    target_range: tuple[float, float] | None = None  # of a continuous target
    held_out: str = "at random"  # how samples were held out, in words
    evidence: Evidence | None = None  # of the best method against chance; None without a method
    shown: str | None = None  # name of the method that is looked at: the simplest of the best
    ending: str = ""  # why not all rounds were run, or empty; a clock decided then
    kernel: str | None = (
        None  # "precomputed" or "precomputed_distance" where samples had no features
    )
    # The samples, with names of features, classes and rows; None if they are on Dask.
    dataset: Dataset | None = field(default=None, repr=False, compare=False)

    @property
    def verdict(self) -> tuple[str, ...]:
        """The answer in a few sentences, the most important first."""
        from discrimap.comparison.verdict import state_verdict

        return state_verdict(self)

    @property
    def features_in_words(self) -> str:
        """What the samples were given by."""
        pairs = {"precomputed": "similarities", "precomputed_distance": "distances"}
        if self.kernel is not None:
            return f"{pairs[self.kernel]} between them"
        return f"{self.n_features} features"

    @property
    def most_splits(self) -> int:
        """Splits of the method that has most of them."""
        return max((len(result.test_errors) for result in self.done), default=0)

    @property
    def as_good_as_best(self) -> tuple[MethodResult, ...]:
        """The methods that cannot be told from the best, best first."""
        return tuple(result for result in self.done if result.is_as_good_as_best)

    @property
    def shown_result(self) -> MethodResult | None:
        """The result of the method that is looked at, or the best if none was chosen."""
        best = self.done[0] if self.done else None
        return next((result for result in self.done if result.name == self.shown), best)

    @property
    def done(self) -> tuple[MethodResult, ...]:
        return tuple(result for result in self.results if result.status == "done")

    def to_frame(self) -> Any:
        """Return one row for each method, best first: a frame of pandas if it is installed, else polars."""
        from discrimap.report.frames import comparison_frame

        return comparison_frame(self)

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        seconds: float = 60.0,
        on_step: Callable[[str], None] | None = None,
    ) -> Any:
        """Make the report of the command line: features, labels, confusions, dimensions and maps.

        Parameters
        ----------
        path : str or path, optional
            Where to write the page.
        seconds : float
            Time for further fits; parts that would take longer are reduced or left out.
        on_step : callable, optional
            Called with a description of each step before it starts.

        Returns
        -------
        page : discrimap.report.Page
            A notebook shows it; ``save(path)`` writes it.
        """
        from discrimap.report.notebook import report_page

        return report_page(self, path, seconds, on_step)

    def _repr_html_(self) -> str | None:
        """Return verdict, table and maps for notebooks, in a frame of their own."""
        if self.dataset is None:
            return None
        from discrimap.report.notebook import comparison_page

        return comparison_page(self)._repr_html_()

    def __repr__(self) -> str:
        from discrimap.report.frames import comparison_lines

        return comparison_lines(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain types, as ``--json`` writes them, without the samples."""
        names = [name for name in self.__dataclass_fields__ if name != "dataset"]
        values = {name: getattr(self, name) for name in names}
        values["protocol"] = asdict(self.protocol)
        values["evidence"] = None if self.evidence is None else asdict(self.evidence)
        values["verdict"] = list(self.verdict)
        values["results"] = [result.to_dict() for result in self.results]
        return values


def describe_error(error: Exception) -> str:
    """Return the type of an error and the first line of its message."""
    return f"{type(error).__name__}: {error}".splitlines()[0]
