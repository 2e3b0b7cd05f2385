"""One fit of one method: scale, fit, transform and score by nearest neighbours."""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from discrimap.comparison.evidence import Prediction
from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import SplitMap, describe_error
from discrimap.comparison.rounds import n_landmarks
from discrimap.comparison.shown_axes import choose_axes
from discrimap.comparison.trials import Fit, TrialMaps, seeds_of_split


@dataclass(frozen=True, eq=False)
class FitOutcome:
    """The outcome of a fit. For a control, only the error is set."""

    error: float = math.nan
    status: str = "done"  # "skipped" if the fit was stopped, "failed" after an error
    reason: str = ""  # why it was stopped or failed
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0  # time of the whole task
    elapsed: float = 0.0  # seconds from the start of the comparison to the end of the fit
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


def run_fit(fit: Fit, problem: Any, protocol: Protocol) -> FitOutcome:
    """Run one fit. An error is returned as the reason of a failure, so that other fits continue."""
    cpu, wall = time.process_time(), time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            outcome = _fit_and_score(fit, problem, protocol)
        except Exception as error:
            outcome = FitOutcome(status="failed", reason=describe_error(error))
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


def _fit_and_score(fit: Fit, problem: Any, protocol: Protocol) -> FitOutcome:
    method, task, asked = fit.method, problem.task, protocol.n_components
    seed = seeds_of_split(protocol.seed, fit.split)[2]
    shape = replace(problem.shape_of_fit(method, protocol), n_samples=fit.n_rows)
    landmarks = n_landmarks(method, fit.n_rows)
    estimator = method.make(
        max(1, min(asked, method.max_components(shape))),
        seed,
        continuous=problem.is_continuous,
        n_landmarks=landmarks,
        kernel=problem.kernel,
    )
    maps = problem.fit_split(estimator, fit, protocol)
    shown = _reduce(maps, problem, protocol)
    error, predicted = score_maps(shown, problem, protocol)
    n_components = maps.train.shape[1]
    notices = (*_word_components(n_components, asked), *getattr(estimator, "choices_", ()))
    if fit.is_control:
        return FitOutcome(error, notices=notices)
    n_iter = getattr(estimator, "n_iter_", None)
    known = shown.train, shown.y_train, problem.n_classes
    rows = shown.train_rows, shown.test_rows
    decided = task.decide(predicted, np.random.default_rng(seed))
    return FitOutcome(
        error,
        notices=notices,
        fit_seconds=maps.seconds,
        training_error=float(task.training_error(*known, protocol.n_neighbors, protocol.score)),
        error_in_full=None if shown is maps else score_maps(maps, problem, protocol)[0],
        n_components=shown.train.shape[1],
        n_components_in_full=n_components,
        n_landmarks=landmarks,
        prediction=Prediction(shown.test_rows, shown.y_test, decided),
        iterations=None if n_iter is None else int(np.max(n_iter)),
        stopping_reason=getattr(estimator, "stopping_reason_", None),
        parameters=_plain(estimator.get_params(deep=False)),
        first_map=SplitMap(shown.train, shown.test, *rows) if fit.split == 0 else None,
    )


def _reduce(maps: TrialMaps, problem: Any, protocol: Protocol) -> TrialMaps:
    """Return the maps with at most the requested number of axes, as shown in reports."""
    n_axes, k, score = protocol.n_components, protocol.n_neighbors, protocol.score
    if maps.train.shape[1] <= n_axes:
        return maps
    axes = choose_axes(maps.train, maps.y_train, problem.task, n_axes, k, score)
    return maps._replace(train=maps.train[:, axes], test=maps.test[:, axes])


def score_maps(maps: TrialMaps, problem: Any, protocol: Protocol) -> tuple[float, np.ndarray]:
    """Return the held-out error of a map, and the predictions by the nearest training points."""
    known = maps.train, maps.y_train
    predicted = problem.task.predict(*known, maps.test, problem.n_classes, protocol.n_neighbors)
    error = problem.task.error(predicted, maps.y_test, maps.y_train, protocol.score)
    return float(error), predicted


def _word_components(n_components: int, asked: int) -> tuple[str, ...]:
    """Return a notice if the number of components is not the requested one."""
    if n_components > asked:
        return (f"the best {asked} of its {n_components} components are shown and scored",)
    if n_components < asked:
        return (f"has only {n_components} of the {asked} components here",)
    return ()


def _plain(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters as JSON types; other objects are replaced by their names."""
    return {
        name: value
        if isinstance(value, (int, float, str, type(None)))
        else getattr(value, "__name__", repr(value))
        for name, value in parameters.items()
    }
