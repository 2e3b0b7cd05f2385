"""Regression error of the k nearest neighbours in a map."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from discrimap._typing import Array
from discrimap.metrics.checks import check_maps, check_neighbors, check_numbers, check_points
from discrimap.metrics.tied_neighbors import TiedNeighborSearch


def knn_regression_error(
    Z_train: ArrayLike,
    y_train: ArrayLike,
    Z_test: ArrayLike,
    y_test: ArrayLike,
    n_neighbors: int = 5,
) -> float:
    """Squared error of predicting by the mean of the nearest training points, relative to the mean.

        sum_i (y_i - mean of y over the neighbours of i)^2  /  sum_i (y_i - mean of y_train)^2

    over the test points i: 0 is perfect, 1 is no better than always predicting the mean of the
    training points, and a map without any information has about ``1 + 1 / n_neighbors``. Training
    points at equal distances share the last places among the neighbours equally, as in
    :func:`knn_error`.

    Parameters
    ----------
    Z_train : array-like of shape (n_train, n_components)
        Map coordinates of the training points.
    y_train : array-like of shape (n_train,)
        Their numbers.
    Z_test : array-like of shape (n_test, n_components)
        Map coordinates of the points to predict.
    y_test : array-like of shape (n_test,)
        Their true numbers.
    n_neighbors : int, default=5
        Number of neighbours, at most ``n_train``.

    Returns
    -------
    error : float
        At least 0; infinite if the mean is a perfect prediction but the neighbours are not.

    Notes
    -----
    Costs O((n_train + n_test) log n_train) in few dimensions and O(n_train n_test) in many; memory
    is linear in both.

    Examples
    --------
    >>> from discrimap.metrics import knn_regression_error
    >>> Z_train, y_train = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
    >>> knn_regression_error(Z_train, y_train, [[0.4], [2.6]], [0.5, 2.5], n_neighbors=2)
    0.0
    >>> knn_regression_error(Z_train, y_train, [[0.4], [2.6]], [0.5, 2.5], n_neighbors=4)
    1.0
    """
    Z_train, Z_test = check_maps(Z_train, Z_test)
    y_train = check_numbers(y_train, "y_train", len(Z_train), "Z_train")
    y_test = check_numbers(y_test, "y_test", len(Z_test), "Z_test")
    n_neighbors = check_neighbors(n_neighbors, Z_train, "Z_train")
    predicted = neighbor_means(Z_train, y_train, Z_test, n_neighbors)
    return relative_squared_error(y_test - predicted, y_test - y_train.mean())


def leave_one_out_regression_error(Z: ArrayLike, y: ArrayLike, n_neighbors: int = 5) -> float:
    """Relative squared error of predicting every point by its nearest other points.

    The same as :func:`knn_regression_error`, with all other points as training points of each point.

    Parameters
    ----------
    Z : array-like of shape (n_samples, n_components)
        Map coordinates.
    y : array-like of shape (n_samples,)
        Numbers.
    n_neighbors : int, default=5
        Number of neighbours, at most ``n_samples - 1``.

    Returns
    -------
    error : float
        At least 0; infinite if y is constant but the neighbours do not predict it.

    Notes
    -----
    Costs O(n log n) in few dimensions and O(n^2) in many; memory is linear in n.

    Examples
    --------
    >>> from discrimap.metrics import leave_one_out_regression_error
    >>> leave_one_out_regression_error([[0.0], [0.1], [5.0], [5.1]], [1, 1, 2, 2], n_neighbors=1)
    0.0
    """
    Z = check_points(Z, "Z")
    y = check_numbers(y, "y", len(Z), "Z")
    n_neighbors = check_neighbors(n_neighbors, Z, "Z", is_left_out=True)
    predicted = neighbor_means(Z, y, Z, n_neighbors, own=np.arange(len(Z)))
    # y_i minus the mean of the others is n / (n - 1) times y_i minus the mean of all.
    return relative_squared_error(y - predicted, (y - y.mean()) * len(y) / (len(y) - 1))


def neighbor_means(
    Z_train: Array, y_train: Any, Z: Array, n_neighbors: int, own: Array | None = None
) -> Array:
    """Return the mean target of the nearest training points; tied points share the last places."""
    predicted = np.empty(len(Z))
    for found in TiedNeighborSearch(Z_train).blocks(Z, n_neighbors, own=own):
        weights = found.weights(n_neighbors)
        predicted[found.rows] = (weights * y_train[found.index]).sum(axis=1) / n_neighbors
    return predicted


def relative_squared_error(errors: Array, errors_of_the_mean: Array) -> float:
    """Return the sum of squared errors divided by that of the mean.

    It is infinite if only the divisor is 0, and 0 if both are.
    """
    total, reference = float(errors @ errors), float(errors_of_the_mean @ errors_of_the_mean)
    if reference == 0.0:
        return 0.0 if total == 0.0 else float("inf")
    return total / reference
