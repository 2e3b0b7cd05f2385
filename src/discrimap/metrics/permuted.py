"""The permuted-label control: the error of maps that are fitted to random labels."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.utils import check_random_state

from discrimap._sklearn import safe_indexing
from discrimap._typing import Array, MatrixLike, RandomState
from discrimap.metrics.checks import check_count, check_labels
from discrimap.metrics.knn import knn_error, leave_one_out_error


def permuted_label_error(
    estimator: Any,
    X: MatrixLike,
    y: ArrayLike,
    *,
    n_repeats: int = 10,
    test_size: float | int | None = 0.3,
    n_neighbors: int = 5,
    ties: Literal["fractional", "nearest"] = "fractional",
    random_state: RandomState = None,
) -> float:
    """Mean nearest-neighbour error of maps that are fitted to randomly permuted labels.

    The baseline of [1]_: the labels are shuffled among all samples, so that they carry no
    information, and the map is fitted and scored as usual. On held-out points the error must be at
    chance level; if it is far below, the protocol leaks labels. On the fitted points themselves
    (``test_size=None``, as in the paper) it shows how well the method separates classes of pure
    noise.

    Parameters
    ----------
    estimator : transformer
        Cloned for every repeat. ``fit_transform(X, y)`` maps the training points, and
        ``transform(X)`` the held-out ones.
    X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
        The data, passed to the estimator unchanged.
    y : array-like of shape (n_samples,)
        The class labels that are permuted.
    n_repeats : int, default=10
        Number of permutations, each with its own split.
    test_size : float, int or None, default=0.3
        Held-out share or number of samples, stratified by the permuted labels. None fits all
        samples and scores the map with :func:`leave_one_out_error`, for methods that cannot map
        new points.
    n_neighbors : int, default=5
        Number of voting neighbours.
    ties : {"fractional", "nearest"}, default="fractional"
        As in :func:`knn_error`.
    random_state : int, RandomState instance or None, default=None
        Seed of permutations and splits, and of an estimator with ``random_state=None``.

    Returns
    -------
    error : float
        Mean over the repeats. :func:`permuted_label_errors` returns the errors of all repeats.

    References
    ----------
    .. [1] A. Schulz and B. Hammer, "Discriminative dimensionality reduction in kernel space",
       Table 1, where it is called the baseline.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> from discrimap.metrics import permuted_label_error
    >>> X, y = load_iris(return_X_y=True)
    >>> error = permuted_label_error(LinearDiscriminantAnalysis(), X, y, random_state=0)
    >>> 0.55 < error < 0.75  # three equal classes: chance is 2/3
    True
    """
    errors = permuted_label_errors(
        estimator,
        X,
        y,
        n_repeats=n_repeats,
        test_size=test_size,
        n_neighbors=n_neighbors,
        ties=ties,
        random_state=random_state,
    )
    return float(errors.mean())


def permuted_label_errors(
    estimator: Any,
    X: MatrixLike,
    y: ArrayLike,
    *,
    n_repeats: int = 10,
    test_size: float | int | None = 0.3,
    n_neighbors: int = 5,
    ties: Literal["fractional", "nearest"] = "fractional",
    random_state: RandomState = None,
) -> Array:
    """Errors of all repeats of :func:`permuted_label_error`.

    Parameters
    ----------
    estimator, X, y, n_repeats, test_size, n_neighbors, ties, random_state
        As in :func:`permuted_label_error`.

    Returns
    -------
    errors : ndarray of shape (n_repeats,)
        Their mean is ``permuted_label_error`` with the same ``random_state``. Their spread shows how
        far from chance an error must be to be meaningful.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from discrimap.metrics import permuted_label_errors
    >>> X, y = load_iris(return_X_y=True)
    >>> permuted_label_errors(PCA(2), X, y, n_repeats=3, random_state=0).shape
    (3,)
    """
    n_samples = X.shape[0] if hasattr(X, "shape") and len(X.shape) else len(X)  # type: ignore[arg-type]
    y = check_labels(y, "y", n_samples, "X")
    n_repeats = check_count(n_repeats, "n_repeats", 10**9, "it is a number of permutations")
    random = check_random_state(random_state)
    errors = np.empty(n_repeats)
    for repeat in range(n_repeats):
        permuted = random.permutation(y)
        seeds = random.randint(np.iinfo(np.int32).max, size=2)
        model = _seeded_clone(estimator, int(seeds[0]))
        if test_size is None:
            Z = model.fit_transform(X, permuted)
            errors[repeat] = leave_one_out_error(Z, permuted, n_neighbors, ties)
            continue
        split = StratifiedShuffleSplit(1, test_size=test_size, random_state=int(seeds[1]))
        train, test = next(split.split(np.zeros(n_samples), permuted))
        Z_train = model.fit_transform(safe_indexing(X, train), permuted[train])
        Z_test = model.transform(safe_indexing(X, test))
        errors[repeat] = knn_error(
            Z_train, permuted[train], Z_test, permuted[test], n_neighbors, ties
        )
    return errors


def _seeded_clone(estimator: Any, seed: Any) -> Any:
    """Clone an estimator and replace every ``random_state=None``, so that repeats are reproducible."""
    model = clone(estimator)
    unseeded = {
        name: seed
        for name, value in model.get_params().items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    }
    return model.set_params(**unseeded)
