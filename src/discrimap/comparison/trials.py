"""One split of the samples: the rows of a fit, and the maps of training and held-out rows."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from discrimap.comparison.protocol import Protocol
from discrimap.comparison.rounds import n_judged
from discrimap.models.pipelines import make_method_pipeline
from discrimap.registry import Method


class Fit(NamedTuple):
    """A fit to run: the method, the number of training rows, the split, and the type of labels."""

    method: Method
    n_rows: int
    split: int
    is_control: bool = False  # with permuted labels


class TrialMaps(NamedTuple):
    """Maps of training and held-out samples, with their targets and their rows in the data."""

    train: np.ndarray
    y_train: np.ndarray
    train_rows: np.ndarray
    test: np.ndarray
    y_test: np.ndarray
    test_rows: np.ndarray
    seconds: float = 0.0  # time of fitting and transforming


def fit_split(estimator: Any, fit: Fit, problem: Any, protocol: Protocol) -> TrialMaps:
    """Fit one split of a :class:`~discrimap.comparison.problem.Problem`, or a subset of its rows."""
    split_seed, permute_seed, method_seed = seeds_of_split(protocol.seed, fit.split)
    train, test = problem.split(protocol, split_seed)
    unlabelled = problem.unlabelled_rows if fit.method.unlabelled else train[:0]
    y = y_fitted = problem.y
    if fit.is_control:
        y = problem.design.permuted(problem.y, problem.labelled_rows, permute_seed)
        # The map of an unsupervised method is the same with permuted labels.
        y_fitted = y if fit.method.supervised else problem.y
    n_all = len(train) + len(unlabelled)
    if fit.n_rows < n_all:
        share, thin = fit.n_rows / n_all, problem.task.thin
        rng = np.random.default_rng(method_seed)
        train = train[thin(y_fitted[train], max(2, round(share * len(train))), rng)]
        unlabelled = rng.permutation(unlabelled)[: round(share * len(unlabelled))]
        # The held-out rows are the same for all methods, which can then be compared.
        rng = np.random.default_rng(split_seed)
        test = test[thin(problem.y[test], n_judged(fit.n_rows, len(test)), rng)]
    rows = np.concatenate([train, unlabelled])
    maps = fit_maps(estimator, problem, y_fitted, rows, test, protocol)
    return maps._replace(y_train=y[maps.train_rows], y_test=y[test])


def fit_maps(estimator: Any, problem: Any, y, rows, test, protocol: Protocol) -> TrialMaps:
    """Fit the given rows; return the maps of those that have a label, and of the held-out rows."""
    start = time.perf_counter()
    pipeline = make_method_pipeline(
        estimator,
        scale=protocol.scale,
        impute=protocol.impute,
        is_sparse=sparse.issparse(problem.X),
        kernel=problem.kernel,
    )
    Z = _as_map(pipeline.fit_transform(problem.samples(rows, rows), y[rows]), len(rows))
    Z_test = _as_map(pipeline.transform(problem.samples(test, rows)), len(test))
    seconds = time.perf_counter() - start
    is_training = problem.task.is_labelled(y[rows])
    Z, train = Z[is_training], rows[is_training]
    check_finite(Z, Z_test)
    return TrialMaps(Z, y[train], train, Z_test, y[test], test, seconds)


def _as_map(Z: Any, n_samples: int) -> np.ndarray:
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


def check_finite(*maps: np.ndarray) -> None:
    """Raise an error if a map contains NaN or infinite values, because neighbours are then undefined."""
    if not all(np.isfinite(Z).all() for Z in maps):
        raise FloatingPointError("the map holds values that are not finite")


def seeds_of_split(seed: int, split: int) -> list[int]:
    """Return independent seeds of the split, the permutation and the method.

    They are the same for all methods.
    """
    return [int(word) for word in np.random.SeedSequence([seed, split]).generate_state(3)]
