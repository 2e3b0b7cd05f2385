"""All splits of one method."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse

from discrimap.comparison.plan import Workload
from discrimap.comparison.problem import Problem
from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import MethodResult, SplitMap
from discrimap.comparison.tasks import TASKS
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

    ``make_trial(workload, problem, protocol, repeat)`` is one split: by default of a
    :class:`~discrimap.comparison.problem.Problem` in memory.
    """
    method, task, make_trial = workload.method, problem.task, make_trial or ArrayTrial
    n_components, notices = _choose_components(workload, problem, protocol)
    if workload.notice:
        notices.append(workload.notice)
    test_errors, train_errors, permuted_errors, seconds = [], [], [], []
    iterations: list[int] = []
    stopping_reasons: list[str] = []
    first_map, parameters = None, {}
    cpu_start = time.process_time()
    try:
        for repeat in range(protocol.n_repeats):
            method_seed = seeds_of_repeat(protocol.seed, repeat)[2]
            k = protocol.n_neighbors
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
                    start = time.perf_counter()
                    maps = trial.fit(estimator, is_permuted)
                    elapsed = time.perf_counter() - start
                    error = task.held_out_error(maps.train, maps.y_train, maps.test, maps.y_test, k)
                    if is_permuted:
                        permuted_errors.append(error)
                        on_fit(2 * repeat + 2)
                        continue
                    test_errors.append(error)
                    seconds.append(elapsed)
                    train_errors.append(task.training_error(maps.train, maps.y_train, k))
                    iterations.extend(_iterations(estimator))
                    if hasattr(estimator, "stopping_reason_"):
                        stopping_reasons.append(estimator.stopping_reason_)
                    if first_map is None:
                        first_map = SplitMap(maps.train, maps.test, maps.train_rows, maps.test_rows)
                        parameters = _plain(estimator.get_params(deep=False))
                    on_fit(2 * repeat + 1)
            notices.extend(str(warning.message) for warning in caught)
    except Exception as error:  # any failure of one method must not lose the others
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        return MethodResult(method.name, method.label, "failed", reason, n_components)
    return MethodResult(
        name=method.name,
        label=method.label,
        status="done",
        n_components=n_components,
        test_errors=tuple(float(error) for error in test_errors),
        train_errors=tuple(float(error) for error in train_errors),
        permuted_errors=tuple(float(error) for error in permuted_errors),
        seconds=float(np.mean(seconds)),
        cpu_seconds=time.process_time() - cpu_start,
        notices=tuple(dict.fromkeys(notices)),
        n_fitted=workload.n_fitted,
        n_landmarks=workload.n_landmarks,
        parameters=parameters,
        iterations=tuple(iterations),
        stopping_reasons=tuple(stopping_reasons),
        first_map=first_map,
    )


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
        labelled = problem.labelled_rows
        self.train, self.test = (
            labelled[part]
            for part in problem.task.split(problem.y[labelled], protocol.test_size, split_seed)
        )

    def fit(self, estimator, is_permuted) -> TrialMaps:
        """Fit the training part, by its labels or by permuted ones."""
        workload, problem, protocol = self.workload, self.problem, self.protocol
        y = problem.y
        if is_permuted:
            y, labelled = problem.y.copy(), problem.labelled_rows
            y[labelled] = np.random.default_rng(self._permute_seed).permutation(y[labelled])
        maps = _fit_maps(
            estimator,
            problem.X,
            y,
            _rows_to_fit(workload, problem, y, self.train, self._method_seed),
            self.train,
            self.test,
            scale=protocol.scale,
            impute=protocol.impute,
            # Points of a manifold's map get their places together.
            map_others=workload.method.family != "manifold",
        )
        rows = maps.train_rows
        return TrialMaps(maps.train, y[rows], rows, maps.test, y[self.test], self.test)


def fit_maps(estimator, X, y, train, test, scale, impute=None):
    """Fit on the training rows; return the maps of the training and of the held-out rows."""
    maps = _fit_maps(estimator, X, y, train, train, test, scale=scale, impute=impute)
    return maps.train, maps.test


class _Maps(NamedTuple):
    train: np.ndarray
    test: np.ndarray
    train_rows: np.ndarray  # which samples the points of the training map are


def _fit_maps(estimator, X, y, fit_rows, train, test, *, scale, impute, map_others=True) -> _Maps:
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
    return _Maps(Z_train, Z_test, train)


def check_finite(*maps):
    """Refuse a map that no neighbour can be found in."""
    if not all(np.isfinite(Z).all() for Z in maps):
        raise FloatingPointError("the map holds values that are not finite")


def _rows_to_fit(workload: Workload, problem: Problem, y, train, seed: int) -> np.ndarray:
    """The training rows and, where the method uses them, those without a label; or some of each."""
    unlabelled = problem.unlabelled_rows if workload.method.unlabelled else train[:0]
    share = workload.n_fitted / (len(train) + len(unlabelled))
    if share < 1:
        rng = np.random.default_rng(seed)
        train = train[problem.task.thin(y[train], max(2, round(share * len(train))), rng)]
        unlabelled = rng.permutation(unlabelled)[: round(share * len(unlabelled))]
    return np.concatenate([train, unlabelled])


def _iterations(estimator) -> list[int]:
    """How many steps a fit took: one number, or none."""
    n_iter = getattr(estimator, "n_iter_", None)
    return [] if n_iter is None else [int(np.max(n_iter))]


def seeds_of_repeat(seed: int, repeat: int) -> list[int]:
    """Independent seeds for split, permutation and method; the same for every method."""
    return [int(word) for word in np.random.SeedSequence([seed, repeat]).generate_state(3)]


def split_rows(y, test_size, seed):
    """Training rows and held-out rows of samples with classes."""
    return TASKS["classification"].split(y, test_size, seed)


def _choose_components(
    workload: Workload, problem: Problem, protocol: Protocol
) -> tuple[int, list[str]]:
    """As many components as asked for, or as the method can have, with a notice if they differ."""
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
    """Parameters as they would be written in JSON; others by what they are called."""
    return {
        name: value
        if value is None or isinstance(value, (bool, int, float, str))
        else getattr(value, "__name__", repr(value))
        for name, value in parameters.items()
    }
