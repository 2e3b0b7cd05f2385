"""The fits of one method on all splits."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from discrimap.comparison.plan import Workload
from discrimap.comparison.problem import Problem
from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import MethodResult, SplitMap, describe_error
from discrimap.comparison.tasks import Task
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
    record = _FitRecord(problem.task, protocol.n_neighbors)
    cpu_start = time.process_time()
    try:
        for repeat in range(protocol.n_repeats):
            method_seed = seeds_of_repeat(protocol.seed, repeat)[2]
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                trial = make_trial(workload, problem, protocol, repeat)
                for is_permuted in (False, True):
                    estimator = method.make(
                        n_components,
                        random_state=method_seed,
                        continuous=problem.is_continuous,
                        n_landmarks=workload.n_landmarks,
                    )
                    record.fit(trial, estimator, is_permuted)
                    on_fit(2 * repeat + 1 + is_permuted)
            notices.extend(str(warning.message) for warning in caught)
    except Exception as error:  # a method that fails must not stop the others
        return MethodResult.without_scores(
            method, "failed", describe_error(error), n_components=n_components
        )
    return MethodResult(
        name=method.name,
        label=method.label,
        status="done",
        n_components=n_components,
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
    task : Task
        Computes the errors.
    n_neighbors : int
        Neighbours that vote.
    """

    def __init__(self, task: Task, n_neighbors: int):
        self._task, self._n_neighbors = task, n_neighbors
        self._test_errors: list[float] = []
        self._train_errors: list[float] = []
        self._permuted_errors: list[float] = []
        self._seconds: list[float] = []
        self._iterations: list[int] = []
        self._stopping_reasons: list[str] = []
        self._first_map: SplitMap | None = None
        self._parameters: dict[str, Any] = {}

    def fit(self, trial, estimator, is_permuted: bool) -> None:
        """Fit an estimator on one split; only the error is kept if the labels are permuted."""
        start = time.perf_counter()
        maps = trial.fit(estimator, is_permuted)
        elapsed = time.perf_counter() - start
        k = self._n_neighbors
        error = float(
            self._task.held_out_error(maps.train, maps.y_train, maps.test, maps.y_test, k)
        )
        if is_permuted:
            self._permuted_errors.append(error)
            return
        self._test_errors.append(error)
        self._seconds.append(elapsed)
        self._train_errors.append(float(self._task.training_error(maps.train, maps.y_train, k)))
        n_iter = getattr(estimator, "n_iter_", None)
        if n_iter is not None:
            self._iterations.append(int(np.max(n_iter)))
        if hasattr(estimator, "stopping_reason_"):
            self._stopping_reasons.append(estimator.stopping_reason_)
        if self._first_map is None:
            self._first_map = SplitMap(maps.train, maps.test, maps.train_rows, maps.test_rows)
            self._parameters = _plain(estimator.get_params(deep=False))

    def to_fields(self) -> dict[str, Any]:
        """Return the fields of a :class:`~discrimap.comparison.result.MethodResult`."""
        return {
            "test_errors": tuple(self._test_errors),
            "train_errors": tuple(self._train_errors),
            "permuted_errors": tuple(self._permuted_errors),
            "seconds": float(np.mean(self._seconds)),
            "iterations": tuple(self._iterations),
            "stopping_reasons": tuple(self._stopping_reasons),
            "parameters": self._parameters,
            "first_map": self._first_map,
        }


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
        split_seed, self._permute_seed, self._method_seed = seeds_of_repeat(protocol.seed, repeat)
        self.train, self.test = problem.task.split_labelled(
            problem.y, protocol.test_size, split_seed
        )

    def fit(self, estimator, is_permuted) -> TrialMaps:
        """Fit the training part, with its labels or with permuted ones."""
        workload, problem, protocol = self.workload, self.problem, self.protocol
        y = problem.y
        if is_permuted:
            y, labelled = problem.y.copy(), problem.labelled_rows
            y[labelled] = np.random.default_rng(self._permute_seed).permutation(y[labelled])
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
