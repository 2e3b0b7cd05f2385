"""All splits of one method."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence

import numpy as np
from scipy import sparse

from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import MethodResult, SplitMap
from discrimap.metrics import knn_error, leave_one_out_error
from discrimap.registry import Method, Shape


def run_method(method: Method, X, y: np.ndarray, protocol: Protocol) -> MethodResult:
    """Run all splits of one method; an exception becomes a failed row with its message."""
    n_components, notices = _choose_components(method, X, y, protocol)
    test_errors, train_errors, permuted_errors, seconds, iterations = [], [], [], [], []
    first_map = None
    try:
        for repeat in range(protocol.n_repeats):
            split_seed, permute_seed, method_seed = seeds_of_repeat(protocol.seed, repeat)
            train, test = split_rows(y, protocol.test_size, split_seed)
            permuted = np.random.default_rng(permute_seed).permutation(y)

            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                estimator = method.make(n_components, random_state=method_seed)
                start = time.perf_counter()
                Z_train, Z_test = fit_maps(estimator, X, y, train, test, protocol.scale)
                seconds.append(time.perf_counter() - start)
                iterations.extend(_iterations(estimator))
                control = method.make(n_components, random_state=method_seed)
                C_train, C_test = fit_maps(control, X, permuted, train, test, protocol.scale)
            notices.extend(str(warning.message) for warning in caught)

            k = protocol.n_neighbors
            test_errors.append(knn_error(Z_train, y[train], Z_test, y[test], n_neighbors=k))
            train_errors.append(leave_one_out_error(Z_train, y[train], n_neighbors=k))
            permuted_errors.append(
                knn_error(C_train, permuted[train], C_test, permuted[test], n_neighbors=k)
            )
            if first_map is None:
                first_map = SplitMap(Z_train, Z_test, train, test)
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
        iterations=tuple(iterations),
        notices=tuple(dict.fromkeys(notices)),
        first_map=first_map,
    )


def _iterations(estimator) -> list[int]:
    """How many steps a fit took: one number, or none."""
    n_iter = getattr(estimator, "n_iter_", None)
    return [] if n_iter is None else [int(np.max(n_iter))]


def fit_maps(estimator, X, y, train, test, scale):
    """Fit on the training rows; return the maps of the training and of the held-out rows."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if scale:
        # A sparse matrix keeps its zeros: it is scaled, not centred.
        estimator = make_pipeline(StandardScaler(with_mean=not sparse.issparse(X)), estimator)
    Z_train = estimator.fit_transform(X[train], y[train])
    Z_test = estimator.transform(X[test])
    if not (np.isfinite(Z_train).all() and np.isfinite(Z_test).all()):
        raise FloatingPointError("the map holds values that are not finite")
    return np.asarray(Z_train), np.asarray(Z_test)


def seeds_of_repeat(seed: int, repeat: int) -> Sequence[int]:
    """Independent seeds for split, permutation and method; the same for every method."""
    return [int(word) for word in np.random.SeedSequence([seed, repeat]).generate_state(3)]


def split_rows(y, test_size, seed):
    from sklearn.model_selection import StratifiedShuffleSplit

    splitter = StratifiedShuffleSplit(n_splits=1, test_size=test_size, random_state=seed)
    return next(splitter.split(np.zeros(len(y)), y))


def _choose_components(method: Method, X, y, protocol: Protocol) -> tuple[int, list[str]]:
    """As many components as asked for, or as the method can have, with a notice if they differ."""
    asked = protocol.n_components
    n_train = int(len(y) * (1 - protocol.test_size))
    shape = Shape(n_train, X.shape[1], len(np.unique(y)), asked)
    if method.fixed_components is not None:
        n_components = method.fixed_components(shape)
        reason = f"always has {n_components} components here, not {asked}"
    else:
        n_components = max(1, min(asked, method.max_components(shape)))
        reason = f"can have at most {n_components} of the {asked} components here"
    return n_components, [] if n_components == asked else [reason]
