"""Which features make up the map of a linear method, with intervals."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import Comparison
from discrimap.inspection.budget import Budget
from discrimap.inspection.contributions import feature_contributions
from discrimap.inspection.named_problem import NamedProblem
from discrimap.inspection.refits import Refit

N_BOOTSTRAP = 50
FEWEST_BOOTSTRAP = 20
LEVEL = 0.9
DENSE_ONLY = "The contributions of features are computed for dense data only."


@dataclass(frozen=True, eq=False)
class FeatureEffects:
    """Loadings of a linear method in units of the spread of each feature."""

    name: str
    label: str
    feature_names: tuple[str, ...]
    loadings: np.ndarray  # (n_components, n_features)
    intervals: np.ndarray | None  # (2, n_components, n_features)
    ranking: np.ndarray  # features by importance, largest first
    n_bootstrap: int
    level: float
    interval_name: str  # what the intervals are: not every method's hold at the level


def weigh_features(
    comparison: Comparison, samples: NamedProblem, protocol: Protocol, budget: Budget
) -> FeatureEffects | str:
    """Fit a linear method to all labelled samples, and again to random parts of them.

    The method is the one that the comparison shows if that is linear, else the best linear one.

    Returns
    -------
    effects : FeatureEffects or str
        The loadings, or the reason why there are none.
    """
    if sparse.issparse(samples.X):
        return DENSE_ONLY
    linear = [result for result in comparison.done if result.method.family == "linear"]
    linear.sort(key=lambda result: result.name != comparison.shown)
    if not linear:
        return "No linear method was run, and only linear methods weigh the features."
    refits = [Refit(result, samples, protocol) for result in linear]
    n_fits = [_n_fits(refit, budget) for refit in refits]
    chosen = next((i for i, n in enumerate(n_fits) if n > FEWEST_BOOTSTRAP), int(np.argmax(n_fits)))
    if n_fits[chosen] < 1:
        return "Every linear method takes too long to be fitted once more."
    return weigh_method(refits[chosen], budget)


def _n_fits(refit: Refit, budget: Budget) -> float:
    """Return how many fits to all labelled samples there is time for."""
    n_rows = len(refit.samples.labelled_rows)
    return budget.left / max(refit.seconds(refit.result.n_components, n_rows), 1e-9)


def weigh_method(refit: Refit, budget: Budget) -> FeatureEffects | str:
    """Fit one linear method to all labelled samples, and, in time, again to random parts of them."""
    result, samples, protocol = refit.result, refit.samples, refit.protocol
    if sparse.issparse(samples.X):
        return DENSE_ONLY
    n_fits = _n_fits(refit, budget)
    if n_fits < 1:
        return f"{result.label} takes too long to be fitted once more."
    rows = refit.limited(samples.labelled_rows, protocol.seed)
    X, y = samples.prepared(rows, scale=protocol.scale, impute=protocol.impute), samples.y[rows]
    n_bootstrap = min(N_BOOTSTRAP, int(n_fits) - 1)
    if n_bootstrap < FEWEST_BOOTSTRAP:
        n_bootstrap = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator = refit.make(result.n_components, protocol.seed).fit(X, y)
        found = feature_contributions(
            estimator,
            X,
            y if refit.method.supervised else None,
            n_bootstrap=n_bootstrap,
            level=LEVEL,
            random_state=protocol.seed,
        )
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


def _shown_axes(refit: Refit, estimator, X, y) -> np.ndarray:
    """Return which components are shown, where a method has more than were asked for."""
    n_components, n_in_full = refit.result.n_components, refit.result.n_components_in_full
    if n_in_full <= n_components:
        return np.arange(n_components)
    return refit.axes(np.asarray(estimator.transform(X)), y, n_components)


def telling_features(samples: NamedProblem, protocol: Protocol) -> np.ndarray:
    """Rank the features by their F statistics, for use where no linear method ranks them."""
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
