"""The fits of one method on all splits."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from discrimap.comparison.evidence import Prediction
from discrimap.comparison.plan import Workload
from discrimap.comparison.problem import Problem
from discrimap.comparison.protocol import N_CONTROLS, Protocol
from discrimap.comparison.result import MethodResult, SplitMap, describe_error
from discrimap.comparison.shown_axes import choose_axes
from discrimap.costs import Shape
from discrimap.models.pipelines import make_method_pipeline


def run_method(
    workload: Workload,
    problem,
    protocol: Protocol,
    on_fit: Callable[[int], None] = lambda n_fits: None,
    make_trial: Callable | None = None,
) -> MethodResult:
    """Run all splits of one method; an exception becomes a failed row with its message.

    ``make_trial(workload, problem, protocol, repeat)`` makes one split, by default of a
    :class:`~discrimap.comparison.problem.Problem` in memory.
    """
    method, make_trial = workload.method, make_trial or ArrayTrial
    n_components, notices = _choose_components(workload, problem, protocol)
    if workload.notice:
        notices.append(workload.notice)
    record = _FitRecord(problem, protocol, n_components)
    cpu_start = time.process_time()

    def make(seed: int):
        return method.make(
            n_components,
            random_state=seed,
            continuous=problem.is_continuous,
            n_landmarks=workload.n_landmarks,
        )

    try:
        for repeat in range(protocol.n_repeats):
            method_seed = seeds_of_repeat(protocol.seed, repeat)[2]
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                trial = make_trial(workload, problem, protocol, repeat)
                estimator = make(method_seed)
                maps = record.fit(trial, estimator, method_seed)
                on_fit(record.n_fits)
                if repeat < N_CONTROLS:
                    notices += record.fit_control(trial, maps, make(method_seed), method.supervised)
                    on_fit(record.n_fits)
            notices.extend(str(warning.message) for warning in caught)
    except Exception as error:  # a method that fails must not stop the others
        return MethodResult.without_scores(
            method, "failed", describe_error(error), n_components=n_components
        )
    return MethodResult(
        name=method.name,
        label=method.label,
        status="done",
        cpu_seconds=time.process_time() - cpu_start,
        notices=tuple(dict.fromkeys(notices)),
        n_fitted=workload.n_fitted,
        n_landmarks=workload.n_landmarks,
        **record.to_fields(),
    )


class _FitRecord:
    """Errors, times and facts of all fits of one method.

    Parameters
    ----------
    problem : Problem
        Its task computes the errors.
    protocol : Protocol
        Neighbours that vote, the score, the number of components asked for.
    n_components : int
        Components of the method; of more than were asked for, the best are scored and shown.
    """

    def __init__(self, problem, protocol: Protocol, n_components: int):
        self._task, self._n_classes = problem.task, len(problem.class_names)
        self._protocol, self._n_components = protocol, n_components
        self.n_fits = 0
        self._errors: dict[str, list[float]] = {
            name: []
            for name in ("test_errors", "train_errors", "permuted_errors", "errors_in_full")
        }
        self._predictions: list[Prediction] = []
        self._seconds: list[float] = []
        self._iterations: list[int] = []
        self._stopping_reasons: list[str] = []
        self._first_map: SplitMap | None = None
        self._parameters: dict[str, Any] = {}

    def fit(self, trial, estimator, seed: int) -> TrialMaps:
        """Fit an estimator on one split, record its errors and return its maps."""
        start = time.perf_counter()
        maps = trial.fit(estimator)
        self._seconds.append(time.perf_counter() - start)
        self.n_fits += 1
        shown = self._shown(maps)
        predicted = self._predict(shown)
        self._record("test_errors", self._error(shown, predicted))
        if shown is not maps:
            self._record("errors_in_full", self._error(maps, self._predict(maps)))
        self._record("train_errors", self._training_error(shown))
        decided = self._task.decide(predicted, np.random.default_rng(seed))
        self._predictions.append(Prediction(shown.test_rows, shown.y_test, decided))
        n_iter = getattr(estimator, "n_iter_", None)
        if n_iter is not None:
            self._iterations.append(int(np.max(n_iter)))
        if hasattr(estimator, "stopping_reason_"):
            self._stopping_reasons.append(estimator.stopping_reason_)
        if self._first_map is None:
            self._first_map = SplitMap(shown.train, shown.test, shown.train_rows, shown.test_rows)
            self._parameters = _plain(estimator.get_params(deep=False))
        return maps

    def fit_control(self, trial, maps: TrialMaps, estimator, is_supervised: bool) -> list[str]:
        """Do the same with permuted labels; a map that ignores labels is the same with them.

        A part of the data may lack a class then, where whole groups or stretches are held out, and
        some methods cannot be fitted to it. Returns notices.
        """
        self.n_fits += 1
        try:
            maps = trial.fit(estimator, is_permuted=True) if is_supervised else trial.permuted(maps)
        except Exception as error:
            return [f"no control in one split: {describe_error(error)}"]
        shown = self._shown(maps)
        self._record("permuted_errors", self._error(shown, self._predict(shown)))
        return []

    def to_fields(self) -> dict[str, Any]:
        """Return the fields of a :class:`~discrimap.comparison.result.MethodResult`."""
        is_cut = bool(self._errors["errors_in_full"])
        return {
            **{name: tuple(errors) for name, errors in self._errors.items()},
            "n_components": self._protocol.n_components if is_cut else self._n_components,
            "n_components_in_full": self._n_components,
            "predictions": tuple(self._predictions),
            "seconds": float(np.mean(self._seconds)),
            "iterations": tuple(self._iterations),
            "stopping_reasons": tuple(self._stopping_reasons),
            "parameters": self._parameters,
            "first_map": self._first_map,
        }

    def _record(self, name: str, error: float) -> None:
        self._errors[name].append(float(error))

    def _shown(self, maps: TrialMaps) -> TrialMaps:
        """Return the maps as they are shown: with as many axes as were asked for."""
        protocol = self._protocol
        if maps.train.shape[1] <= protocol.n_components:
            return maps
        axes = choose_axes(
            *(maps.train, maps.y_train, self._task),
            *(protocol.n_components, protocol.n_neighbors, protocol.score),
        )
        return maps._replace(train=maps.train[:, axes], test=maps.test[:, axes])

    def _predict(self, maps: TrialMaps) -> np.ndarray:
        k = self._protocol.n_neighbors
        return self._task.predict(maps.train, maps.y_train, maps.test, self._n_classes, k)

    def _error(self, maps: TrialMaps, predicted: np.ndarray) -> float:
        return self._task.error(predicted, maps.y_test, maps.y_train, self._protocol.score)

    def _training_error(self, maps: TrialMaps) -> float:
        k, score = self._protocol.n_neighbors, self._protocol.score
        return self._task.training_error(maps.train, maps.y_train, self._n_classes, k, score)


class TrialMaps(NamedTuple):
    """Maps of training and held-out samples, with their targets and places in the data."""

    train: np.ndarray
    y_train: np.ndarray
    train_rows: np.ndarray
    test: np.ndarray
    y_test: np.ndarray
    test_rows: np.ndarray


class ArrayTrial:
    """One split of samples in memory."""

    def __init__(self, workload: Workload, problem: Problem, protocol: Protocol, repeat: int):
        self.workload, self.problem, self.protocol = workload, problem, protocol
        split_seed, permute_seed, self._method_seed = seeds_of_repeat(protocol.seed, repeat)
        self.train, self.test = problem.split(protocol, split_seed)
        self._y_permuted = problem.design.permuted(problem.y, problem.labelled_rows, permute_seed)

    def fit(self, estimator, is_permuted=False) -> TrialMaps:
        """Fit the training part, with its labels or with permuted ones."""
        workload, problem, protocol = self.workload, self.problem, self.protocol
        y = self._y_permuted if is_permuted else problem.y
        maps = fit_maps(
            estimator,
            problem.X,
            y,
            _rows_to_fit(workload, problem, y, self.train, self._method_seed),
            self.train,
            self.test,
            scale=protocol.scale,
            impute=protocol.impute,
            # A manifold method places its points jointly, so other points do not fit into its map.
            map_others=workload.method.family != "manifold",
        )
        rows = maps.train_rows
        return TrialMaps(maps.train, y[rows], rows, maps.test, y[self.test], self.test)

    def permuted(self, maps: TrialMaps) -> TrialMaps:
        """Return the same maps with permuted labels."""
        y = self._y_permuted
        return maps._replace(y_train=y[maps.train_rows], y_test=y[maps.test_rows])


def fit_maps(estimator, X, y, fit_rows, train, test, *, scale, impute, map_others=True) -> SplitMap:
    """Fit on some rows; return the maps of the training and of the held-out rows.

    Training rows that were not fitted are mapped like new ones if ``map_others``, else left out.
    """
    pipeline = make_method_pipeline(
        estimator, scale=scale, impute=impute, is_sparse=sparse.issparse(X)
    )
    Z = pipeline.fit_transform(X[fit_rows], y[fit_rows])
    if isinstance(Z, tuple):  # PLS regression maps the target as well
        Z = Z[0]
    is_training = np.isin(fit_rows, train)
    if map_others and np.count_nonzero(is_training) < len(train):
        Z_train = np.asarray(pipeline.transform(X[train]))
    else:
        train, Z_train = fit_rows[is_training], np.asarray(Z)[is_training]
    Z_test = np.asarray(pipeline.transform(X[test]))
    check_finite(Z_train, Z_test)
    return SplitMap(Z_train, Z_test, train, test)


def check_finite(*maps):
    """Refuse a map with NaN or infinite values, in which there are no neighbours."""
    if not all(np.isfinite(Z).all() for Z in maps):
        raise FloatingPointError("the map holds values that are not finite")


def _rows_to_fit(workload: Workload, problem: Problem, y, train, seed: int) -> np.ndarray:
    """Return the training rows and the unlabelled ones if the method uses them, or some of each."""
    unlabelled = problem.unlabelled_rows if workload.method.unlabelled else train[:0]
    share = workload.n_fitted / (len(train) + len(unlabelled))
    if share < 1:
        rng = np.random.default_rng(seed)
        train = train[problem.task.thin(y[train], max(2, round(share * len(train))), rng)]
        unlabelled = rng.permutation(unlabelled)[: round(share * len(unlabelled))]
    return np.concatenate([train, unlabelled])


def seeds_of_repeat(seed: int, repeat: int) -> list[int]:
    """Return independent seeds for split, permutation and method, the same for every method."""
    return [int(word) for word in np.random.SeedSequence([seed, repeat]).generate_state(3)]


def _choose_components(
    workload: Workload, problem: Problem, protocol: Protocol
) -> tuple[int, list[str]]:
    """Return the number of components, with a notice if it is not the requested number."""
    method, asked = workload.method, protocol.n_components
    full = problem.shape_of_fit(method, protocol)
    shape = Shape(workload.n_fitted, full.n_features, full.n_classes, asked)
    if method.fixed_components is not None:
        n_components = method.fixed_components(shape)
        if n_components > asked:
            reason = f"shown and scored are the best {asked} of its {_count(n_components)}"
        else:
            reason = f"always has {_count(n_components)} here, not {asked}"
    else:
        n_components = max(1, min(asked, method.max_components(shape)))
        reason = f"can have at most {n_components} of the {asked} components here"
    return n_components, [] if n_components == asked else [reason]


def _count(n_components: int) -> str:
    return f"{n_components} component{'' if n_components == 1 else 's'}"


def _plain(parameters: dict) -> dict:
    """Return parameters as JSON types; other objects are replaced by their names."""
    return {
        name: value
        if value is None or isinstance(value, (bool, int, float, str))
        else getattr(value, "__name__", repr(value))
        for name, value in parameters.items()
    }
