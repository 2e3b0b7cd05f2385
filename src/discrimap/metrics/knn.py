"""Classification error of the k nearest neighbours in a map."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from discrimap._typing import Array
from discrimap.metrics.checks import check_labels, check_maps, check_neighbors, check_points
from discrimap.metrics.tied_neighbors import TiedNeighborSearch

TIES = ("fractional", "nearest")
# Votes are sums of fractions such as 1/3; sums that differ by less than this are equal.
VOTE_ROUNDING = 1e-9


def knn_error(
    Z_train: ArrayLike,
    y_train: ArrayLike,
    Z_test: ArrayLike,
    y_test: ArrayLike,
    n_neighbors: int = 5,
    ties: Literal["fractional", "nearest"] = "fractional",
) -> float:
    """Error of classifying test points by a vote of their nearest training points.

    As in Sec. V-B of [1]_, the class with most of the ``n_neighbors`` nearest training points wins. If
    t classes have equally many votes, the test point is assigned in equal portions to all of them: it
    adds ``1 - 1/t`` to the error if its class is one of them, and 1 otherwise, which is the expected
    error of choosing one of them at random.

    The paper does not specify how to treat training points at equal distances. If r places are left
    for m such points, each counts as r/m of a vote. The error therefore depends neither on the order
    of the samples nor on a rotation of the map.

    Parameters
    ----------
    Z_train : array-like of shape (n_train, n_components)
        Map coordinates of the training points.
    y_train : array-like of shape (n_train,)
        Their class labels.
    Z_test : array-like of shape (n_test, n_components)
        Map coordinates of the points to classify.
    y_test : array-like of shape (n_test,)
        Their true class labels. A class without training points is always an error.
    n_neighbors : int, default=5
        Number of voting neighbours, at most ``n_train``.
    ties : {"fractional", "nearest"}, default="fractional"
        What to do if classes have equally many votes. "fractional" is the rule above; "nearest"
        chooses, among these classes, the one with the nearest point, and uses equal portions only if
        their nearest points have equal distances too.

    Returns
    -------
    error : float
        Mean error of the test points, from 0 to 1.

    Notes
    -----
    Costs O((n_train + n_test) log n_train) in few dimensions and O(n_train n_test) in many; memory
    is linear in both.

    References
    ----------
    .. [1] J. Peltonen and S. Kaski, "Discriminative components of data", IEEE Transactions on
       Neural Networks 16 (2005), 68-83.

    Examples
    --------
    >>> from discrimap.metrics import knn_error
    >>> Z_train, y_train = [[0.0], [1.0], [2.0], [9.0]], ["a", "a", "b", "b"]
    >>> knn_error(Z_train, y_train, [[1.2]], ["a"], n_neighbors=3)
    0.0
    >>> knn_error(Z_train, y_train, [[1.2]], ["a"], n_neighbors=4)
    0.5
    >>> knn_error(Z_train, y_train, [[1.2]], ["a"], n_neighbors=4, ties="nearest")
    0.0
    """
    Z_train, Z_test = check_maps(Z_train, Z_test)
    y_train = check_labels(y_train, "y_train", len(Z_train), "Z_train")
    y_test = check_labels(y_test, "y_test", len(Z_test), "Z_test")
    if _is_numeric(y_train) != _is_numeric(y_test):
        raise ValueError(
            f"y_train holds {y_train.dtype} and y_test {y_test.dtype} labels, which cannot be "
            "compared; pass both as numbers or both as text."
        )
    n_neighbors = check_neighbors(n_neighbors, Z_train, "Z_train")
    _check_ties(ties)
    _, labels = np.unique(np.concatenate([y_train, y_test]), return_inverse=True)
    labels_train, labels_test = labels[: len(y_train)], labels[len(y_train) :]
    return _vote_error(Z_train, labels_train, Z_test, labels_test, n_neighbors, ties, own=None)


def leave_one_out_error(
    Z: ArrayLike,
    y: ArrayLike,
    n_neighbors: int = 5,
    ties: Literal["fractional", "nearest"] = "fractional",
) -> float:
    """Error of classifying every point by a vote of its nearest other points.

    Each point is left out of its own vote, even if other points have the same coordinates. Votes and
    ties are counted as in :func:`knn_error`. The error is optimistic for a map that was fitted to the
    labels of the same points: compare it with :func:`permuted_label_error`.

    Parameters
    ----------
    Z : array-like of shape (n_samples, n_components)
        Map coordinates.
    y : array-like of shape (n_samples,)
        Class labels.
    n_neighbors : int, default=5
        Number of voting neighbours, at most ``n_samples - 1``; [1]_ uses 1.
    ties : {"fractional", "nearest"}, default="fractional"
        As in :func:`knn_error`.

    Returns
    -------
    error : float
        Mean error, from 0 to 1.

    Notes
    -----
    Costs O(n log n) in few dimensions and O(n^2) in many; memory is linear in n.

    References
    ----------
    .. [1] A. Schulz and B. Hammer, "Discriminative dimensionality reduction in kernel space",
       Table 1.

    Examples
    --------
    >>> from discrimap.metrics import leave_one_out_error
    >>> leave_one_out_error([[0.0], [0.1], [5.0], [5.2], [5.3]], [0, 0, 1, 1, 0], n_neighbors=1)
    0.4
    """
    Z = check_points(Z, "Z")
    y = check_labels(y, "y", len(Z), "Z")
    n_neighbors = check_neighbors(n_neighbors, Z, "Z", is_left_out=True)
    _check_ties(ties)
    _, labels = np.unique(y, return_inverse=True)
    return _vote_error(Z, labels, Z, labels, n_neighbors, ties, own=np.arange(len(Z)))


def class_votes(
    Z_train: Array,
    labels_train: Array,
    Z_test: Array,
    n_classes: int,
    n_neighbors: int = 5,
    own: Array | None = None,
    weights_train: Array | None = None,
) -> Array:
    """Count the votes of the nearest training points for each class, at each test point.

    Parameters
    ----------
    Z_train : ndarray of shape (n_train, n_components)
        Map coordinates of the training points.
    labels_train : ndarray of shape (n_train,)
        Their classes as codes 0..n_classes-1.
    Z_test : ndarray of shape (n_test, n_components)
        Map coordinates of the points to classify.
    n_classes : int
        Number of classes.
    n_neighbors : int, default=5
        Number of voting neighbours; ties are treated as in :func:`knn_error`.
    own : ndarray of int of shape (n_test,), optional
        Index of each test point among the training points; it is left out of its own vote.
    weights_train : ndarray of shape (n_train,), optional
        Weights of the votes of the training points, 1 by default.

    Returns
    -------
    votes : ndarray of shape (n_test, n_classes)
        Without weights, each row sums to ``n_neighbors``.
    """
    votes = np.empty((len(Z_test), n_classes))
    for found in TiedNeighborSearch(Z_train).blocks(Z_test, n_neighbors, own=own):
        votes[found.rows] = _block_votes(
            found, labels_train, n_classes, n_neighbors, weights_train
        )[0]
    return votes


def winning_shares(votes: Array) -> Array:
    """Return the share of each class in the decision: 1 for the winner, equal shares for ties."""
    wins = _winners(votes)
    shares: Array = wins / wins.sum(axis=1, keepdims=True)
    return shares


def _winners(votes: Array) -> Array:
    """Return which classes have the most votes, ties included."""
    wins: Array = votes >= votes.max(axis=1, keepdims=True, initial=0.0) - VOTE_ROUNDING
    return wins


def _block_votes(
    found: Any,
    labels_train: Array,
    n_classes: int,
    n_neighbors: int,
    weights_train: Array | None = None,
) -> tuple[Array, Array]:
    n_rows = len(found.rows)
    row = np.arange(n_rows)[:, None]
    cell = row * n_classes + labels_train[found.index]  # index in the table rows x classes
    shares = found.weights(n_neighbors)
    if weights_train is not None:
        shares = shares * weights_train[found.index]
    votes = np.bincount(cell.ravel(), shares.ravel(), minlength=n_rows * n_classes)
    return votes.reshape(n_rows, n_classes), cell


def _vote_error(
    Z_train: Array,
    labels_train: Array,
    Z_test: Array,
    labels_test: Array,
    n_neighbors: int,
    ties: Literal["fractional", "nearest"],
    own: Array | None,
) -> float:
    n_classes = 1 + max(labels_train.max(), labels_test.max())
    error = 0.0
    for found in TiedNeighborSearch(Z_train).blocks(Z_test, n_neighbors, own=own):
        n_rows = len(found.rows)
        votes, cell = _block_votes(found, labels_train, n_classes, n_neighbors)
        wins = _winners(votes)
        if ties == "nearest":
            first_place = np.full(n_rows * n_classes, len(Z_train))
            np.minimum.at(first_place, cell.ravel(), found.n_nearer.ravel())
            first_place = np.where(wins, first_place.reshape(votes.shape), len(Z_train))
            wins = first_place == first_place.min(axis=1, keepdims=True, initial=len(Z_train))
        own_wins = wins[np.arange(n_rows), labels_test[found.rows]]
        error += np.sum(1.0 - own_wins / wins.sum(axis=1))
    return float(error / len(Z_test))


def _is_numeric(labels: Array) -> bool:
    return labels.dtype.kind in "biuf"


def _check_ties(ties: str) -> None:
    if ties not in TIES:
        raise ValueError(f"ties={ties!r} is not known; choose one of {', '.join(TIES)}.")
