"""Coverage of the intervals of feature loadings, for every linear method.

Samples are drawn repeatedly from populations whose features with an effect are known. Each sample is
standardised and fitted as in the report, and ``feature_contributions`` gives intervals at the
nominal level of 0.90. An interval should contain the mean loading of samples of this size: all fits
are rotated and scaled to each other and averaged, and the mean is rotated and scaled to each fit. How
often the same intervals contain the loading of one sample of 3,000 is stored as well. The results of
each method and population are stored when they are complete, so that a run can be stopped and continued.

    python benchmarks/feature_intervals.py [--quick] [--methods lda lpp] [--populations small] [--again]

Rows of version "before" are of commit 2eae7bc, whose intervals were percentiles of refits to halves:
PYTHONPATH names the folder of its source, and the options are ``--version before --runs 20``.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import linalg

sys.path.append(str(Path(__file__).resolve().parents[1]))
from benchmarks.results import add_options, open_store
from discrimap import feature_contributions
from discrimap.registry import METHODS, Method

LEVEL, N_REFITS, N_LARGE, FEWEST_FITS = 0.9, 30, 3000, 60
QUICK_METHODS = ("pca", "lda", "pls")
LINEAR = [method for method in METHODS if method.family == "linear"]


@dataclass(frozen=True)
class Population:
    """Features in two independent blocks; only those of the first depend on the target."""

    n_samples: int
    n_features: int
    n_effects: int
    n_runs: int
    correlation: float = 0.5  # of neighbouring features
    is_skewed: bool = False
    is_continuous: bool = False

    def draw(self, seed: int, n_samples: int | None = None):
        """Draw standardised samples and their target: three classes, or a number."""
        n, p, q = n_samples or self.n_samples, self.n_features, self.n_effects
        rng = np.random.default_rng(seed)
        X = np.hstack([self._block(rng, n, q), self._block(rng, n, p - q)])
        # Two directions matter, one of the even features with an effect and one of the odd ones.
        effects = np.zeros((2, q))
        for row in (0, 1):
            effects[row, row::2] = np.linspace(1.0, 0.5, len(effects[row, row::2]))
        if self.is_continuous:
            # The curved function of Li (1991), in which inverse regression can see both directions.
            first, second = (X[:, :q] @ effects.T).T / 1.5
            y = first / (0.5 + (second + 1.5) ** 2) + 0.2 * rng.standard_normal(n)
        else:
            y = np.arange(n) % 3
            angles = 2 * np.pi * np.arange(3) / 3
            corners = 1.6 * np.column_stack([np.cos(angles), np.sin(angles)])
            X[:, :q] += (corners @ effects)[y]
        if self.is_skewed:
            X[:, 0::3] = np.exp(0.5 * X[:, 0::3])
            X[:, 1::3] = np.sinh(X[:, 1::3])
        return (X - X.mean(axis=0)) / X.std(axis=0), y

    def _block(self, rng, n_samples, n_features):
        places = np.arange(n_features)
        covariance = self.correlation ** np.abs(np.subtract.outer(places, places))
        return rng.standard_normal((n_samples, n_features)) @ linalg.cholesky(covariance)


POPULATIONS = {
    "small": Population(150, 10, 4, n_runs=60),
    "wide": Population(150, 60, 6, n_runs=40),
    "skewed": Population(150, 10, 4, n_runs=40, is_skewed=True),
    "large": Population(600, 20, 6, n_runs=30, correlation=0.8),
    "number": Population(400, 10, 4, n_runs=60, is_continuous=True),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser, quick="three methods, the small populations, five runs")
    parser.add_argument("--methods", nargs="+", default=[method.name for method in LINEAR])
    parser.add_argument("--populations", nargs="+", default=list(POPULATIONS))
    parser.add_argument("--version", default="now", help="what the rows are stored as")
    parser.add_argument("--runs", type=int, help="samples of each population, instead of its own")
    parser.add_argument("--again", action="store_true", help="also what is stored")
    arguments = parser.parse_args()
    store = open_store("feature_intervals", arguments)
    warnings.simplefilter("ignore")  # of iterations that end early, in some of many fits
    for name in arguments.populations:
        population = POPULATIONS[name]
        for method in LINEAR:
            is_wanted = method.name in (QUICK_METHODS if arguments.quick else arguments.methods)
            is_stored = method.name in store.tree(arguments.version, name)
            if is_wanted and takes(method, population) and (arguments.again or not is_stored):
                n_runs = 5 if arguments.quick else arguments.runs or population.n_runs
                row = measure(method, population, n_runs)
                store.put((arguments.version, name, method.name), row)
                print(arguments.version, name, method.name, row, flush=True)


def takes(method: Method, population: Population) -> bool:
    return method.continuous if population.is_continuous else method.classes


def measure(method: Method, population: Population, n_runs: int) -> dict:
    """Count how often intervals contain the mean loading of many samples, and zero."""
    began = time.perf_counter()
    n_fits = max(n_runs, FEWEST_FITS if n_runs > 5 else 0)
    fits = [fitted(method, population, seed) for seed in range(1000, 1000 + n_fits)]
    loadings = [feature_contributions(estimator, X).loadings for estimator, X, _ in fits]
    mean = mean_loadings(loadings)
    estimator, X, _ = fitted(method, population, 999, N_LARGE)
    large = feature_contributions(estimator, X).loadings
    outcomes = []
    for seed, (estimator, X, y) in enumerate(fits[:n_runs]):
        found = feature_contributions(
            estimator,
            X,
            y if method.supervised else None,
            n_bootstrap=N_REFITS,
            level=LEVEL,
            random_state=seed,
        )
        outcomes.append(judge(found, mean, large, population.n_effects))
    columns = {name: [outcome[name] for outcome in outcomes] for name in outcomes[0]}
    row = {name: round(float(np.mean(values)), 4) for name, values in columns.items()}
    row["coverage_error"] = round(float(np.std(columns["coverage"]) / np.sqrt(n_runs - 1)), 4)
    return {**row, "n_runs": n_runs, "seconds": round(time.perf_counter() - began, 1)}


def fitted(method: Method, population: Population, seed: int, n_samples: int | None = None):
    X, y = population.draw(seed, n_samples)
    estimator = method.make(2, 0, continuous=population.is_continuous).fit(X, y)
    return estimator, X, y


def judge(found, mean, large, n_effects) -> dict:
    """Compare the intervals of one sample with the mean, the large sample, zero and the fit."""
    low, high = found.intervals
    length = np.linalg.norm(found.loadings)

    def share_of(values):
        return np.mean((low <= values) & (values <= high))

    return {
        "coverage": share_of(length * turned(mean, found.loadings)),
        "coverage_large": share_of(length * turned(unit(large), found.loadings)),
        "false_signals": np.mean((low * high)[:, n_effects:] > 0),
        "fit_outside": 1 - share_of(found.loadings),
    }


def mean_loadings(loadings) -> np.ndarray:
    """Average loadings of length one, each turned to the average (generalised Procrustes)."""
    units = [unit(each) for each in loadings]
    mean = units[0]
    for _ in range(10):
        mean = np.mean([turned(each, mean) for each in units], axis=0)
    return mean  # shorter than one: where fits differ, loadings cancel


def unit(loadings):
    return loadings / np.linalg.norm(loadings)


def turned(loadings, reference):
    rotation, _ = linalg.orthogonal_procrustes(loadings.T, reference.T)
    return rotation.T @ loadings


if __name__ == "__main__":
    main()
