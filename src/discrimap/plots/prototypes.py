"""Plot of the positions of the class labels in a map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from discrimap._typing import Array
from discrimap.metrics.checks import check_points
from discrimap.plots.axes import new_axes, tidy
from discrimap.plots.palette import INK, class_colors, class_markers

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_prototypes(
    prototypes: ArrayLike, classes: ArrayLike, *, ax: Axes | None = None, title: str | None = None
) -> Axes:
    """Draw the positions of the class labels in a map. Similar classes are close to each other.

    As in Fig. 5 of [1]_. With one component, the labels are on a line.

    Parameters
    ----------
    prototypes : array-like of shape (n_classes, n_components)
        Coordinates of the labels in the map, such as ``prototypes_`` of
        :class:`~discrimap.DiscriminativeProjections`; only the first two components are drawn.
    classes : array-like of shape (n_classes,)
        Names of the classes, such as ``classes_``. A class has the same colour and marker as in
        :func:`plot_embedding`.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default a new figure is created.
    title : str, optional
        Title of the plot.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes that were drawn on.

    References
    ----------
    .. [1] C. Wang and S. Mahadevan, "Learning locality-preserving discriminative features".

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from discrimap.plots import plot_prototypes
    >>> ax = plot_prototypes([[0, 1], [2, 1]], ["cat", "dog"], ax=Figure().add_subplot())
    >>> [text.get_text() for text in ax.texts]
    ['cat', 'dog']
    """
    prototypes = check_points(prototypes, "prototypes")
    names = [str(name) for name in np.asarray(classes)]
    if len(names) != len(prototypes):
        raise ValueError(
            f"classes has {len(names)} names, but prototypes has {len(prototypes)} rows; pass one "
            "name per row."
        )
    is_line = prototypes.shape[1] == 1
    if is_line:
        prototypes = np.column_stack([prototypes, np.zeros(len(prototypes))])
    ax = new_axes(ax)
    places = prototypes[:, :2]
    looks = zip(class_colors(len(names)), class_markers(len(names)), strict=True)
    sides = _free_sides(places)
    for place, side, name, (color, marker) in zip(places, sides, names, looks, strict=True):
        ax.scatter(place[0], place[1], color=color, marker=marker, s=42, linewidths=0, zorder=2)
        ax.annotate(
            name,
            place,
            xytext=((7 + 3 * len(name)) * side[0], 11 * side[1]),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=10,
            color=INK,
        )
    ax.margins(0.12)
    ax.set_xlabel("first component")
    if is_line:
        ax.set_yticks([])
    else:
        ax.set_ylabel("second component")
    tidy(ax, title)
    return ax


def _free_sides(places: Array) -> Any:
    """Return unit vectors away from the nearest other point, where there is space for a name."""
    # Alternately above and below, for points on a line or points that coincide.
    sides = np.column_stack([np.zeros(len(places)), (-1.0) ** np.arange(len(places))])
    extent = np.ptp(places, axis=0)
    if len(places) < 2 or not extent.all():
        return sides
    scaled = places / extent
    for i, place in enumerate(scaled):
        others = np.delete(scaled, i, axis=0)
        away = place - others[np.square(others - place).sum(axis=1).argmin()]
        if away.any():
            sides[i] = away / np.linalg.norm(away)
    return sides
