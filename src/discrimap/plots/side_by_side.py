"""Plot of several maps of the same points in one row, each with its held-out error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from discrimap._typing import Array
from discrimap.metrics import knn_error
from discrimap.plots.embedding import plot_embedding
from discrimap.plots.palette import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_side_by_side(
    maps: Mapping[str, ArrayLike],
    y: ArrayLike,
    *,
    is_test: ArrayLike | None = None,
    axes: Sequence[Axes] | Array | None = None,
) -> Array:
    """Draw maps of the same points next to each other, with the held-out error in each title.

    Held-out points are drawn with hollow markers. The title contains the 1-NN error of the held-out
    points, with the training points of the map as neighbours. Without held-out points no error is
    shown, because the training error of a supervised map is not informative.

    Parameters
    ----------
    maps : dict of str to array-like of shape (n_samples, n_components)
        Title and coordinates of each map.
    y : array-like of shape (n_samples,)
        Class labels.
    is_test : array-like of bool of shape (n_samples,), optional
        Which points were held out of the fit.
    axes : sequence of matplotlib.axes.Axes, optional
        One Axes for each map; by default a new figure is created.

    Returns
    -------
    axes : ndarray of matplotlib.axes.Axes

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from discrimap.plots import plot_side_by_side
    >>> Z, y = np.arange(8.0).reshape(4, 2), [0, 1, 0, 1]
    >>> maps = {"original": Z, "mirrored": -Z}
    >>> axes = plot_side_by_side(maps, y, axes=Figure().subplots(1, 2))
    >>> [ax.get_title(loc="left") for ax in axes]
    ['original', 'mirrored']
    """
    if not maps:
        raise ValueError("maps is empty; pass at least one title with coordinates.")
    if axes is None:
        import matplotlib.pyplot as plt

        figure = plt.figure(figsize=(6.2 * len(maps), 4.6), layout="constrained")
        axes = figure.subplots(1, len(maps), squeeze=False)[0]
    axes = np.atleast_1d(axes)  # type: ignore[arg-type]
    if len(axes) != len(maps):
        raise ValueError(
            f"axes holds {len(axes)} axes, but there are {len(maps)} maps; pass one for each."
        )
    y = np.asarray(y)
    for ax, (title, Z) in zip(axes, maps.items(), strict=True):
        plot_embedding(Z, y, is_test=is_test, ax=ax, title=title)
        if is_test is not None and np.any(is_test) and not np.all(is_test):
            held_out, Z = np.asarray(is_test, dtype=bool), np.asarray(Z)
            error = knn_error(Z[~held_out], y[~held_out], Z[held_out], y[held_out], n_neighbors=1)
            ax.set_title(
                f"{title}\nheld-out 1-NN error {100 * error:.1f} %",
                loc="left",
                fontsize=11,
                color=INK,
            )
    return axes
