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
    """The map of the first split of a method.

    Attributes
    ----------
    train : ndarray of shape (n_train, n_components)
        Map coordinates of the training samples.
    test : ndarray of shape (n_test, n_components)
        Map coordinates of the held-out samples.
    train_rows : ndarray of shape (n_train,)
        Indices of the training samples in the data.
    test_rows : ndarray of shape (n_test,)
        Indices of the held-out samples in the data.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from discrimap.comparison import Protocol, compare
    >>> X, y = load_wine(return_X_y=True)
    >>> split = compare(X, y, ["lda"], protocol=Protocol(n_repeats=1)).results[0].first_map
    >>> split.train.shape, split.test.shape
    ((118, 2), (60, 2))
    """

    train: np.ndarray
    test: np.ndarray
    train_rows: np.ndarray
    test_rows: np.ndarray


@dataclass(frozen=True)
class FinishedRound:
    """The errors of the fits with one number of training rows."""

    n_rows: int
    splits: tuple[int, ...]  # those that are done, counted from 0
    errors: tuple[float, ...]  # held-out error of each split
    is_whole: bool = True  # whether all training rows are used
    # Seconds from the start of the comparison to the end of the last of these fits.
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
    """The errors of one method, or the reason why it has none.

    Attributes
    ----------
    name, label : str
        Name of the method in the registry, and its name in tables.
    status : {"done", "skipped", "failed"}
        Whether the method has errors.
    reason : str
        Why it was skipped or failed.
    n_components : int
        Number of dimensions of the map that is scored and shown.
    test_errors : tuple of float
        Held-out error of each split.
    train_errors : tuple of float
        Leave-one-out error of the training samples in the map, of each split.
    permuted_errors : tuple of float
        Held-out error with permuted labels, of the first splits.
    n_components_in_full : int
        Number of components of the method, if it has more than requested; the best of them are shown.
    errors_in_full : tuple of float
        Held-out errors with all these components; empty if all are shown.
    p_worse : float or None
        p-value of the test whether the method is worse than the best one; 1 for the best.
    is_as_good_as_best : bool
        Whether it cannot be distinguished from the best method.
    seconds : float
        Median time of one fit, including the transformation of the samples.
    iterations : tuple of int
        Number of iterations in each split; empty if the method is not iterative.
    stopping_reasons : tuple of str
        Reasons why these iterations stopped, if known.
    notices : tuple of str
        Messages for the user.
    n_fitted : int
        Number of training rows of one fit; smaller than possible if the time was short.
    splits : tuple of int
        Indices of the splits that were run.
    rounds : tuple
        Results on fewer rows; the last of them are the errors above.
    n_landmarks : int or None
        Number of landmarks of a kernel method, if they were needed to limit memory.
    cpu_seconds : float
        Processor time of all fits, including those with permuted labels.
    parameters : dict
        Parameters of the estimator.
    first_map : SplitMap or None
        The map of the first split.
    predictions : tuple
        Predictions of the held-out samples in each split.
    own_method : Method or None
        The method, if it is an estimator of the user.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from discrimap.comparison import Protocol, compare
    >>> X, y = load_wine(return_X_y=True)
    >>> result = compare(X, y, ["lda"], protocol=Protocol(n_repeats=2)).results[0]
    >>> result.status, len(result.test_errors), result.test_error < 0.1
    ('done', 2, True)
    """

    name: str
    label: str
    status: str  # "done", "skipped" or "failed"
    reason: str = ""
    n_components: int = 0  # of the map that is scored and shown
    test_errors: tuple[float, ...] = ()
    train_errors: tuple[float, ...] = ()  # leave-one-out in the training map
    permuted_errors: tuple[float, ...] = ()  # held-out, with permuted labels; of the first splits
    # A method may have more components than requested. Only the best are shown.
    n_components_in_full: int = 0
    errors_in_full: tuple[float, ...] = ()  # held-out, of all components; empty if all are shown
    p_worse: float | None = None  # p-value of being worse than the best; 1 for the best
    is_as_good_as_best: bool = False  # not distinguishable from the best
    seconds: float = 0.0  # median time of one fit, including its maps
    iterations: tuple[int, ...] = ()  # number in each split; empty if not iterative
    stopping_reasons: tuple[str, ...] = ()  # of the same fits, if the method reports them
    notices: tuple[str, ...] = ()
    n_fitted: int = 0  # training rows of one fit; a subset if the time was short
    splits: tuple[int, ...] = ()  # those that are done, counted from 0
    rounds: tuple[FinishedRound, ...] = ()  # by number of rows; the last has the errors above
    n_landmarks: int | None = None  # set if landmarks were needed to limit memory
    # Processor time of all fits, including controls; other programs are not counted.
    cpu_seconds: float = field(default=0.0, compare=False)
    parameters: dict[str, Any] = field(default_factory=dict)  # of the estimator
    first_map: SplitMap | None = field(default=None, repr=False, compare=False)
    predictions: tuple[Prediction, ...] = field(default=(), repr=False, compare=False)
    own_method: Method | None = field(
        default=None, repr=False, compare=False
    )  # not in the registry

    @property
    def method(self) -> Method:
        """The entry of the registry, or the estimator of the user."""
        return self.own_method or get_method(self.name)

    @property
    def test_error(self) -> float:
        """Mean of the held-out errors; NaN if there are none."""
        return float(np.mean(self.test_errors)) if self.test_errors else float("nan")

    @property
    def gap(self) -> float:
        """Mean held-out error minus mean training error."""
        return float(np.mean(self.test_errors) - np.mean(self.train_errors))

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain types, without the map, the predictions and the method.

        Returns
        -------
        values : dict
        """
        left_out = ("first_map", "predictions", "rounds", "own_method")
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in left_out}
        return {**values, "rounds": [one.to_dict() for one in self.rounds]}


@dataclass(frozen=True)
class Comparison:
    """The result of :func:`compare`: methods sorted by error, then those skipped or failed.

    Attributes
    ----------
    data_name : str
        Name of the data.
    n_samples : int
        Number of samples.
    n_features : int
        Number of features; 0 for similarities and distances.
    class_counts : dict
        Number of samples of each class; empty for a continuous target.
    chance_error : float
        Error of always predicting the largest class, or the mean.
    protocol : Protocol
        Settings of the comparison.
    results : tuple of MethodResult
        One for each method, best first.
    task : {"classification", "regression"}
        Type of the target.
    n_unlabelled : int
        Number of samples without a label.
    target_range : tuple of float, or None
        Smallest and largest value of a continuous target.
    held_out : str
        How samples were held out, in words.
    evidence : Evidence or None
        Test of the best method against chance; None if no method was fitted.
    shown : str or None
        Name of the method that reports show: the simplest method among the ties with the best.
    ending : str
        Why not all rounds were run; empty if all were.
    kernel : {"precomputed", "precomputed_distance"} or None
        Whether the samples were similarities or distances instead of features.
    dataset : Dataset or None
        The samples, with names of features, classes and rows; None if they are on Dask.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from discrimap.comparison import Protocol, compare
    >>> X, y = load_wine(return_X_y=True)
    >>> comparison = compare(X, y, ["pca", "lda"], protocol=Protocol(n_repeats=2))
    >>> comparison.n_samples, comparison.n_features, comparison.shown_result.status
    (178, 13, 'done')
    """

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
    shown: str | None = None  # name of the method that reports show
    ending: str = ""  # why not all rounds were run; empty if all were
    kernel: str | None = (
        None  # "precomputed" or "precomputed_distance" if X is not a matrix of features
    )
    # The samples, with names of features, classes and rows; None if they are on Dask.
    dataset: Dataset | None = field(default=None, repr=False, compare=False)

    @property
    def verdict(self) -> tuple[str, ...]:
        """Summary of the result in a few sentences, the most important first."""
        from discrimap.comparison.verdict import state_verdict

        return state_verdict(self)

    @property
    def features_in_words(self) -> str:
        """The input in words: a number of features, similarities or distances."""
        pairs = {"precomputed": "similarities", "precomputed_distance": "distances"}
        if self.kernel is not None:
            return f"{pairs[self.kernel]} between them"
        return f"{self.n_features} features"

    @property
    def most_splits(self) -> int:
        """Largest number of splits of any method."""
        return max((len(result.test_errors) for result in self.done), default=0)

    @property
    def as_good_as_best(self) -> tuple[MethodResult, ...]:
        """The methods that cannot be distinguished from the best one, best first."""
        return tuple(result for result in self.done if result.is_as_good_as_best)

    @property
    def shown_result(self) -> MethodResult | None:
        """The result of the method that reports show; the best one if none was chosen."""
        best = self.done[0] if self.done else None
        return next((result for result in self.done if result.name == self.shown), best)

    @property
    def done(self) -> tuple[MethodResult, ...]:
        """The results of the methods that were fitted, best first."""
        return tuple(result for result in self.results if result.status == "done")

    def to_frame(self) -> Any:
        """Return the table of the methods as a data frame.

        Returns
        -------
        frame : pandas.DataFrame or polars.DataFrame
            One row for each method, best first. pandas if it is installed, otherwise polars.
        """
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
            Time for additional fits; parts that would take longer are reduced or left out.
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
        """Return the verdict, the table and the maps for notebooks, in an iframe."""
        if self.dataset is None:
            return None
        from discrimap.report.notebook import comparison_page

        return comparison_page(self)._repr_html_()

    def __repr__(self) -> str:
        from discrimap.report.frames import comparison_lines

        return comparison_lines(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain types, without the samples.

        Returns
        -------
        values : dict
            The content of the file that ``discrimap compare --json`` writes.
        """
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
