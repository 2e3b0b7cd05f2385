"""The choice of axes to show, for a map with more axes than requested."""

from __future__ import annotations

import numpy as np

from discrimap.comparison.tasks import Task

# Axes are chosen by the errors of this many training points.
MOST_POINTS = 1_000


def choose_axes(
    Z: np.ndarray, y: np.ndarray, task: Task, n_axes: int, n_neighbors: int, score: str = "error"
) -> np.ndarray:
    """Choose the axes of a training map that together separate the classes best.

    Some methods have one axis for each class, independent of the requested number. Axes are chosen
    by forward selection: in each step, the axis with the smallest leave-one-out error is added.

    Parameters
    ----------
    Z : ndarray of shape (n_train, n_components)
        Map of training points, which must all have a label.
    y : ndarray of shape (n_train,)
        Classes or numbers of the training points.
    task : Task
        Computes the errors.
    n_axes : int
        Number of axes to choose; if there are not more, all are returned.
    n_neighbors, score
        As in the protocol.

    Returns
    -------
    axes : ndarray of int
        Indices of the axes in increasing order.
    """
    if Z.shape[1] <= n_axes:
        return np.arange(Z.shape[1])
    if len(Z) > MOST_POINTS:
        # Drawn at random and not at equal steps, because the classes may have a periodic order.
        kept = np.random.default_rng(0).choice(len(Z), MOST_POINTS, replace=False)
        Z, y = Z[kept], y[kept]
    n_classes = 1 + int(y.max()) if y.dtype.kind in "iu" else 0
    n_neighbors = min(n_neighbors, len(Z) - 1)
    chosen: list[int] = []
    for _ in range(n_axes):
        rest = [axis for axis in range(Z.shape[1]) if axis not in chosen]
        errors = [
            task.training_error(Z[:, [*chosen, axis]], y, n_classes, n_neighbors, score)
            for axis in rest
        ]
        # Rounded, because sums of votes differ by rounding errors between machines. The first of
        # equal axes is chosen.
        chosen.append(rest[int(np.argmin(np.round(errors, 9)))])
    return np.sort(chosen)
