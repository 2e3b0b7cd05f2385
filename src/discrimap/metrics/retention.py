"""Share of points whose neighbours in a map include their class, or their nearest neighbour."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from discrimap._typing import Array, MatrixLike
from discrimap.metrics.checks import check_counts, check_labels, check_points
from discrimap.metrics.tied_neighbors import TiedNeighborSearch


def class_retention(Z: ArrayLike, y: ArrayLike, ks: int | Sequence[int]) -> Array:
    """Share of points with at least one point of the same class among their k nearest neighbours.

    Figs. 3 and 7 of [1]_ use it to test how discriminative information is preserved. If points at
    equal distances compete for the last of the k places, the expected value over all choices is
    returned, so that the order of the samples does not matter.

    Parameters
    ----------
    Z : array-like of shape (n_samples, n_components)
        Map coordinates.
    y : array-like of shape (n_samples,)
        Class labels. The only point of a class counts as not retained.
    ks : int or sequence of int
        Numbers of neighbours, each at most ``n_samples - 1``; the paper uses 1 to 10.

    Returns
    -------
    retention : ndarray of shape (len(ks),)
        One share per k, from 0 to 1; it never decreases with k.

    Notes
    -----
    Costs O(n log n) in few dimensions and O(n^2) in many; memory is linear in n.

    References
    ----------
    .. [1] C. Wang and S. Mahadevan, "Learning locality-preserving discriminative features".

    Examples
    --------
    >>> from discrimap.metrics import class_retention
    >>> class_retention([[0.0], [1.0], [3.0], [4.5]], ["a", "a", "b", "a"], ks=[1, 2])
    array([0.5 , 0.75])
    """
    Z = check_points(Z, "Z")
    y = check_labels(y, "y", len(Z), "Z")
    ks = _check_ks(ks, len(Z), "Z")
    _, labels = np.unique(y, return_inverse=True)
    retained = np.zeros(len(ks))
    search = TiedNeighborSearch(Z)
    for found in search.blocks(Z, ks.max(), own=np.arange(len(Z))):
        is_own_class = labels[found.index] == labels[found.rows, None]
        rows = np.flatnonzero(is_own_class.any(axis=1))
        # Neighbours are sorted, so this is the nearest one of the same class, with its ties.
        first = is_own_class[rows].argmax(axis=1)
        n_nearer, n_tied = found.n_nearer[rows, first], found.n_tied[rows, first]
        in_group = found.n_nearer[rows] == n_nearer[:, None]
        n_own = (is_own_class[rows] & in_group).sum(axis=1)
        for position, k in enumerate(ks):
            n_places = np.clip(k - n_nearer, 0, n_tied)
            retained[position] += np.sum(1.0 - _miss_probability(n_tied, n_own, n_places))
    return retained / len(Z)


def neighbor_retention(X: MatrixLike, Z: ArrayLike, ks: int | Sequence[int]) -> Array:
    """Share of points whose nearest neighbour in the data is among their k nearest in the map.

    Fig. 6 of [1]_ uses it to test how topology is preserved. If several points are nearest, or points
    tie for the last of the k places in the map, the expected value over all choices is returned.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The data before mapping. Neighbours are nearest in Euclidean distance; for cosine distances,
        normalise the rows.
    Z : array-like of shape (n_samples, n_components)
        Map coordinates of the same samples, in the same order.
    ks : int or sequence of int
        Numbers of neighbours, each at most ``n_samples - 1``; the paper uses 1 to 10.

    Returns
    -------
    retention : ndarray of shape (len(ks),)
        One share per k, from 0 to 1; it never decreases with k.

    Notes
    -----
    Costs O(n^2 p) if X has many features; memory is linear in n.

    References
    ----------
    .. [1] C. Wang and S. Mahadevan, "Learning locality-preserving discriminative features".

    Examples
    --------
    >>> from discrimap.metrics import neighbor_retention
    >>> X = [[0.0, 0.0], [1.0, 0.0], [0.0, 9.0], [2.5, 9.0]]
    >>> neighbor_retention(X, [[0.0], [1.0], [0.3], [2.5]], ks=[1, 2])
    array([0.  , 0.75])
    """
    X = check_points(X, "X", accept_sparse=True)
    Z = check_points(Z, "Z")
    if X.shape[0] != len(Z):
        raise ValueError(
            f"Z has {len(Z)} samples, but X has {X.shape[0]}; pass the same samples in the same "
            "order."
        )
    ks = _check_ks(ks, len(Z), "Z")
    everyone = np.arange(len(Z))
    retained = np.zeros(len(ks))
    data_search, map_search = TiedNeighborSearch(X), TiedNeighborSearch(Z)
    for in_data in data_search.blocks(X, 1, own=everyone):
        share = in_data.weights(1)  # 1 / number of nearest points, otherwise 0
        for in_map in map_search.blocks(Z[in_data.rows], ks.max(), own=in_data.rows):
            # Rows of in_map are indices in the block of in_data.
            data_index, data_share = in_data.index[in_map.rows], share[in_map.rows]
            weight_of_place = _lookup(data_index, data_share, in_map.index)
            for position, k in enumerate(ks):
                retained[position] += np.sum(weight_of_place * in_map.weights(k))
    return retained / len(Z)


def _lookup(keys: Array, values: Array, wanted: Array) -> Array:
    """Return the value of each wanted key in its row, or 0 if the row does not have the key."""
    stride = 1 + max(keys.max(initial=0), wanted.max(initial=0))
    offset = np.arange(len(keys))[:, None] * stride  # so that keys of different rows differ
    flat_keys = (keys + offset).ravel()
    order = np.argsort(flat_keys)
    flat_keys, flat_values = flat_keys[order], values.ravel()[order]
    flat_wanted = (wanted + offset).ravel()
    place = np.minimum(np.searchsorted(flat_keys, flat_wanted), max(0, flat_keys.size - 1))
    hit = flat_keys[place] == flat_wanted
    return np.where(hit, flat_values[place], 0.0).reshape(wanted.shape)


def _miss_probability(n_tied: Array, n_own: Array, n_places: Array) -> Array:
    """Return the probability that n_places of n_tied points, drawn without replacement, miss all n_own.

    This is the hypergeometric ratio C(n_tied - n_own, n_places) / C(n_tied, n_places), computed from
    logarithms because thousands of points can be tied in a collapsed map.
    """
    n_other = n_tied - n_own
    can_miss = n_places <= n_other
    left = np.where(can_miss, n_other - n_places, 0)
    log_ratio = (
        gammaln(n_other + 1)
        - gammaln(left + 1)
        - gammaln(n_tied + 1)
        + gammaln(n_tied - n_places + 1)
    )
    return np.where(n_places == 0, 1.0, np.where(can_miss, np.exp(log_ratio), 0.0))


def _check_ks(ks: int | Sequence[int], n_samples: int, name: str) -> Array:
    return check_counts(
        ks, "ks", n_samples - 1, f"a point of {name} has {n_samples - 1} others as neighbours"
    )
