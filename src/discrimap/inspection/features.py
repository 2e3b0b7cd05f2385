"""Contribution of each feature to the map of a linear method, with intervals."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import Comparison, MethodResult
from discrimap.inspection.budget import Budget, TooLong
from discrimap.inspection.contributions import FEWEST_REFITS, Contributions, feature_contributions
from discrimap.inspection.named_problem import NamedProblem
from discrimap.inspection.refits import Refit

N_BOOTSTRAP = 50
FEWEST_BOOTSTRAP = 20
LEVEL = 0.9
DENSE_ONLY = "The contributions of features are computed for dense data only."


@dataclass(frozen=True, eq=False)
class FeatureEffects:
    """Loadings of a linear method, per standard deviation of each feature."""

    name: str
    label: str
    feature_names: tuple[str, ...]
    loadings: np.ndarray  # (n_components, n_features)
    intervals: np.ndarray | None  # (2, n_components, n_features)
    ranking: np.ndarray  # features by importance, largest first
    n_bootstrap: int
    level: float
    interval_name: str  # names the intervals; for some methods their coverage is not the level


def choose_linear(
    comparison: Comparison, samples: NamedProblem, protocol: Protocol, budget: Budget
) -> MethodResult | str:
    """Return the linear method whose loadings are computed, or the reason why there is none.

    The method that the comparison shows is preferred if it is linear, then the best other linear
    method. The first of these whose intervals can be computed in time is returned, or the fastest
    method if there is none.
    """
    if sparse.issparse(samples.X):
        return DENSE_ONLY
    linear = [result for result in comparison.done if result.method.family == "linear"]
    linear.sort(key=lambda result: result.name != comparison.shown)
    if not linear:
        return "No linear method was run, and only linear methods have loadings of the features."
    seconds = [Refit(result, samples, protocol).seconds_of_all() for result in linear]
    n_fits = [budget.left / max(one, 1e-9) for one in seconds]
    chosen = next((i for i, n in enumerate(n_fits) if n > FEWEST_BOOTSTRAP), int(np.argmax(n_fits)))
    return linear[chosen]


def weigh_features(
    result: MethodResult, samples: NamedProblem, protocol: Protocol, budget: Budget
) -> FeatureEffects | TooLong | str:
    """Fit a linear method to all labelled samples and, if time allows, to random subsets of them.

    The time of one refit is measured, because the refits of some methods start at the solution of
    the fit and are much faster.

    Returns
    -------
    effects : FeatureEffects, TooLong or str
        The loadings, with intervals if there was time for at least 20 refits, or the reason why
        they cannot be computed.
    """
    if result.method.family != "linear":
        return (
            f"{result.label} is not linear, and only linear methods have loadings of the features."
        )
    if sparse.issparse(samples.X):
        return DENSE_ONLY
    refit = Refit(result, samples, protocol)
    needed = refit.seconds_of_all()
    if not budget.allows(needed):
        return TooLong(
            f"{result.label} takes too long to be fitted once more", needed, budget.given
        )
    rows = refit.limited(samples.labelled_rows, protocol.seed)
    X, y = samples.prepared(rows, scale=protocol.scale, impute=protocol.impute), samples.y[rows]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator = refit.make(result.n_components, protocol.seed).fit(X, y)
        target = y if refit.method.supervised else None

        def weigh(n_bootstrap: int) -> Contributions:
            more: dict[str, Any] = {"level": LEVEL, "random_state": protocol.seed}
            return feature_contributions(estimator, X, target, n_bootstrap=n_bootstrap, **more)

        n_bootstrap = _n_refits(weigh, needed, budget)
        found = weigh(n_bootstrap)
    axes = _shown_axes(refit, estimator, X, y)
    loadings = found.loadings[axes]
    return FeatureEffects(
        name=result.name,
        label=result.label,
        feature_names=samples.feature_names,
        loadings=loadings,
        intervals=None if found.intervals is None else found.intervals[:, axes],
        ranking=np.argsort(-np.linalg.norm(loadings, axis=0), kind="stable"),
        n_bootstrap=n_bootstrap,
        level=LEVEL,
        interval_name=f"{100 * LEVEL:.0f} % interval"
        if refit.method.calibrated
        else "variation between refits",
    )


def _n_refits(weigh: Callable[[int], Any], one_fit: float, budget: Budget) -> int:
    """Return the number of refits that fit into the time, 0 if they are too few for intervals."""
    if not budget.allows(one_fit):
        return 0
    start = time.perf_counter()
    weigh(FEWEST_REFITS)
    seconds = (time.perf_counter() - start) / FEWEST_REFITS
    n_refits = min(N_BOOTSTRAP, int(budget.left / max(seconds, 1e-9)))
    return n_refits if n_refits >= FEWEST_BOOTSTRAP else 0


def _shown_axes(refit: Refit, estimator, X, y) -> np.ndarray:
    """Return the indices of the shown components, if a method has more than requested."""
    n_components, n_in_full = refit.result.n_components, refit.result.n_components_in_full
    if n_in_full <= n_components:
        return np.arange(n_components)
    return refit.axes(np.asarray(estimator.transform(X)), y, n_components)


def telling_features(samples: NamedProblem, protocol: Protocol) -> np.ndarray:
    """Rank the features by their F statistics. Used if no linear method ranks the features."""
    from sklearn.feature_selection import f_classif, f_regression

    if samples.kernel is not None:
        return np.arange(0)
    rows = samples.labelled_rows
    test = f_regression if samples.is_continuous else f_classif
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # constant features have no F statistic
        X = samples.prepared(rows, scale=False, impute=protocol.impute)
        statistic = test(X, samples.y[rows])[0]
    return np.argsort(-np.nan_to_num(statistic, nan=-1.0), kind="stable")
