"""One fit of one method: scale, fit, transform and score by nearest neighbours."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from discrimap.comparison.evidence import Prediction
from discrimap.comparison.problem import Problem
from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import SplitMap
from discrimap.comparison.rounds import n_judged, n_landmarks
from discrimap.comparison.shown_axes import choose_axes
from discrimap.costs import Shape
from discrimap.models.pipelines import make_method_pipeline
from discrimap.registry import Method


@dataclass(frozen=True)
class Fit:
    """A fit to run: the method, the number of training rows, the split, and the type of labels."""

    method: Method
    n_rows: int
    split: int
    is_control: bool = False  # with permuted labels


@dataclass(frozen=True, eq=False)
class FitOutcome:
    """The outcome of a fit. For a control, only the error is set."""

    error: float
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0  # time of the whole task
    notices: tuple[str, ...] = ()
    fit_seconds: float = 0.0  # time of fitting and transforming only
    training_error: float = 0.0
    error_in_full: float | None = None  # with all components, if not all are shown
    n_components: int = 0
    n_components_in_full: int = 0
    n_landmarks: int | None = None
    prediction: Prediction | None = None
    iterations: int | None = None
    stopping_reason: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    first_map: SplitMap | None = None


@dataclass(frozen=True)
class Failure:
    """The reason why a fit has no outcome."""

    status: str  # "skipped" or "failed"
    reason: str
    wall_seconds: float


def run_fit(
    fit: Fit, problem, protocol: Protocol, make_trial: Callable | None = None
) -> FitOutcome:
    """Run one fit.

    ``make_trial(fit, problem, protocol)`` creates the split; by default, for a
    :class:`~discrimap.comparison.problem.Problem` in memory.
    """
    cpu, wall = time.process_time(), time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        outcome = _fit_and_judge(fit, problem, protocol, make_trial or ArrayTrial)
    notices = (*outcome.notices, *(_word_warning(warning.message) for warning in caught))
    return replace(
        outcome,
        cpu_seconds=time.process_time() - cpu,
        wall_seconds=time.perf_counter() - wall,
        notices=tuple(dict.fromkeys(notices)),
    )


def _word_warning(message: Warning | str) -> str:
    """Return the text of a warning, without numbers that differ between splits."""
    text = str(message)
    if text.startswith("the kernel is indefinite"):
        return "the kernel is indefinite; its negative eigenvalues are set to zero"
    return text


def _fit_and_judge(fit: Fit, problem, protocol: Protocol, make_trial) -> FitOutcome:
    method, judge = fit.method, Judge(problem, protocol)
    seed = seeds_of_split(protocol.seed, fit.split)[2]
    n_components, notices = _choose_components(fit, problem, protocol)
    landmarks = n_landmarks(method, fit.n_rows)
    estimator = method.make(
        n_components,
        seed,
        continuous=problem.is_continuous,
        n_landmarks=landmarks,
        kernel=problem.kernel,
    )
    trial = make_trial(fit, problem, protocol)
    start = time.perf_counter()
    # The map of an unsupervised method is the same with permuted labels.
    maps = trial.fit(estimator, is_permuted=fit.is_control and method.supervised)
    seconds = time.perf_counter() - start
    if fit.is_control and not method.supervised:
        maps = trial.permuted(maps)
    n_components = maps.train.shape[1]
    if not notices and n_components != protocol.n_components:
        # The number of components of a user's own method is only known after the fit.
        notices = (_word_components(n_components, protocol.n_components),)
    shown = judge.shown(maps)
    predicted = judge.predict(shown)
    notices = (*notices, *getattr(estimator, "choices_", ()))
    error = judge.error(shown, predicted)
    if fit.is_control:
        return FitOutcome(error, notices=notices)
    n_iter = getattr(estimator, "n_iter_", None)
    decided = problem.task.decide(predicted, np.random.default_rng(seed))
    rows = shown.train_rows, shown.test_rows
    return FitOutcome(
        error,
        notices=notices,
        fit_seconds=seconds,
        training_error=judge.training_error(shown),
        error_in_full=None if shown is maps else judge.error(maps, judge.predict(maps)),
        n_components=shown.train.shape[1],
        n_components_in_full=n_components,
        n_landmarks=landmarks,
        prediction=Prediction(shown.test_rows, shown.y_test, decided),
        iterations=None if n_iter is None else int(np.max(n_iter)),
        stopping_reason=getattr(estimator, "stopping_reason_", None),
        parameters=_plain(estimator),
        first_map=SplitMap(shown.train, shown.test, *rows) if fit.split == 0 else None,
    )


class Judge:
    """Compute the errors of maps according to the protocol."""

    def __init__(self, problem, protocol: Protocol):
        self._task, self._n_classes = problem.task, len(problem.class_names)
        self._protocol = protocol

    def shown(self, maps: TrialMaps) -> TrialMaps:
        """Return the maps reduced to at most the requested number of axes, as shown in reports."""
        protocol = self._protocol
        if maps.train.shape[1] <= protocol.n_components:
            return maps
        axes = choose_axes(
            *(maps.train, maps.y_train, self._task),
            *(protocol.n_components, protocol.n_neighbors, protocol.score),
        )
        return maps._replace(train=maps.train[:, axes], test=maps.test[:, axes])

    def predict(self, maps: TrialMaps) -> np.ndarray:
        k = self._protocol.n_neighbors
        return self._task.predict(maps.train, maps.y_train, maps.test, self._n_classes, k)

    def error(self, maps: TrialMaps, predicted: np.ndarray) -> float:
        return float(self._task.error(predicted, maps.y_test, maps.y_train, self._protocol.score))

    def training_error(self, maps: TrialMaps) -> float:
        k, score = self._protocol.n_neighbors, self._protocol.score
        return float(self._task.training_error(maps.train, maps.y_train, self._n_classes, k, score))


class TrialMaps(NamedTuple):
    """Maps of training and held-out samples, with their targets and their rows in the data."""

    train: np.ndarray
    y_train: np.ndarray
    train_rows: np.ndarray
    test: np.ndarray
    y_test: np.ndarray
    test_rows: np.ndarray


class ArrayTrial:
    """One split of samples in memory, or a subset of the rows of the split."""

    def __init__(self, fit: Fit, problem: Problem, protocol: Protocol):
        self._fit, self.problem, self.protocol = fit, problem, protocol
        split_seed, permute_seed, self._method_seed = seeds_of_split(protocol.seed, fit.split)
        self.train, test = problem.split(protocol, split_seed)
        n_all = len(self.train) + (problem.n_unlabelled if fit.method.unlabelled else 0)
        n_test = n_judged(fit.n_rows, n_all, len(test))
        if n_test < len(test):
            # A subset of the rows of the split, so that methods in different rounds can be
            # compared.
            rng = np.random.default_rng(split_seed)
            test = test[problem.task.thin(problem.y[test], n_test, rng)]
        self.test = test
        self._y_permuted = problem.design.permuted(problem.y, problem.labelled_rows, permute_seed)

    def fit(self, estimator, is_permuted=False) -> TrialMaps:
        """Fit the training part with the real or with permuted labels."""
        problem, protocol = self.problem, self.protocol
        y = self._y_permuted if is_permuted else problem.y
        maps = fit_maps(
            estimator,
            problem,
            y,
            self._rows_to_fit(y),
            self.train,
            self.test,
            scale=protocol.scale,
            impute=protocol.impute,
        )
        rows = maps.train_rows
        return TrialMaps(maps.train, y[rows], rows, maps.test, y[self.test], self.test)

    def permuted(self, maps: TrialMaps) -> TrialMaps:
        """Return the same maps with permuted labels."""
        y = self._y_permuted
        return maps._replace(y_train=y[maps.train_rows], y_test=y[maps.test_rows])

    def _rows_to_fit(self, y) -> np.ndarray:
        """Return the training rows, plus unlabelled rows if the method uses them, or a subset."""
        train = self.train
        unlabelled = self.problem.unlabelled_rows if self._fit.method.unlabelled else train[:0]
        share = self._fit.n_rows / (len(train) + len(unlabelled))
        if share < 1:
            rng = np.random.default_rng(self._method_seed)
            n_kept = max(2, round(share * len(train)))
            train = train[self.problem.task.thin(y[train], n_kept, rng)]
            unlabelled = rng.permutation(unlabelled)[: round(share * len(unlabelled))]
        return np.concatenate([train, unlabelled])


def fit_maps(estimator, problem: Problem, y, fit_rows, train, test, *, scale, impute) -> SplitMap:
    """Fit on ``fit_rows``; return the maps of the fitted training rows and of the held-out rows."""
    pipeline = make_method_pipeline(
        estimator,
        scale=scale,
        impute=impute,
        is_sparse=sparse.issparse(problem.X),
        kernel=problem.kernel,
    )
    X = problem.samples(fit_rows, fit_rows)
    Z = _as_map(pipeline.fit_transform(X, y[fit_rows]), len(fit_rows))
    is_training = np.isin(fit_rows, train)
    Z_train = Z[is_training]
    Z_test = _as_map(pipeline.transform(problem.samples(test, fit_rows)), len(test))
    check_finite(Z_train, Z_test)
    return SplitMap(Z_train, Z_test, fit_rows[is_training], test)


def _as_map(Z, n_samples: int) -> np.ndarray:
    """Return the output of a transformer as an array, after checking its shape."""
    if isinstance(Z, tuple):  # PLS regression also returns a map of the target
        Z = Z[0]
    Z = np.asarray(Z.toarray() if sparse.issparse(Z) else Z)
    if Z.ndim != 2 or len(Z) != n_samples:
        raise ValueError(
            f"a map of {n_samples} samples has one row for each of them and one column for each "
            f"component, but this has the shape {Z.shape}"
        )
    return Z


def check_finite(*maps):
    """Raise an error if a map contains NaN or infinite values, because neighbours are then undefined."""
    if not all(np.isfinite(Z).all() for Z in maps):
        raise FloatingPointError("the map holds values that are not finite")


def seeds_of_split(seed: int, split: int) -> list[int]:
    """Return independent seeds of the split, the permutation and the method.

    They are the same for all methods.
    """
    return [int(word) for word in np.random.SeedSequence([seed, split]).generate_state(3)]


def _choose_components(fit: Fit, problem, protocol: Protocol) -> tuple[int, tuple[str, ...]]:
    """Return the number of components, with a notice if it is not the requested number."""
    method, asked = fit.method, protocol.n_components
    full = problem.shape_of_fit(method, protocol)
    shape = Shape(fit.n_rows, full.n_features, full.n_classes, asked)
    if method.fixed_components is not None:
        n_components = method.fixed_components(shape)
        reason = _word_components(n_components, asked)
    else:
        n_components = max(1, min(asked, method.max_components(shape)))
        reason = f"can have at most {n_components} of the {asked} components here"
    return n_components, () if n_components == asked else (reason,)


def _word_components(n_components: int, asked: int) -> str:
    if n_components > asked:
        return f"the best {asked} of its {_count(n_components)} are shown and scored"
    return f"always has {_count(n_components)} here, not {asked}"


def _count(n_components: int) -> str:
    return f"{n_components} component{'' if n_components == 1 else 's'}"


def _plain(estimator) -> dict:
    """Return parameters as JSON types; other objects are replaced by their names."""
    # A user-defined object may have no ``get_params``.
    parameters = estimator.get_params(deep=False) if hasattr(estimator, "get_params") else {}
    return {
        name: value
        if value is None or isinstance(value, (bool, int, float, str))
        else getattr(value, "__name__", repr(value))
        for name, value in parameters.items()
    }
