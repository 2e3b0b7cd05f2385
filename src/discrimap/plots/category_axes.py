"""Plot of samples in category space, with the axes of the classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from discrimap.metrics.checks import check_labels, check_points
from discrimap.plots.embedding import plot_embedding, shortened
from discrimap.plots.palette import class_colors

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_category_axes(
    Z: ArrayLike,
    y: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    show: Sequence[object] | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw samples in category space with the axes of two or three classes.

    The axis of a class is a line through the origin in the colour of the class. A sample is
    assigned to the class whose axis has the smallest angle to the sample, on either side of the
    origin. All dimensions have the same scale, so that angles are correct in two dimensions.

    Parameters
    ----------
    Z : array-like of shape (n_samples, n_classes)
        Coordinates, as returned by ``transform`` of a category space: one column per class.
    y : array-like of shape (n_samples,)
        Class labels of the samples.
    classes : array-like of shape (n_classes,), optional
        The classes of the columns, such as ``classes_``; by default the sorted classes in y.
    show : sequence of 2 or 3 classes, optional
        The classes whose axes are drawn; by default all classes, if there are 2 or 3.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on (with ``projection="3d"`` for three classes); by default a new figure is created.
    title : str, optional
        Title of the plot.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes that were drawn on.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from discrimap import CategorySpace
    >>> from discrimap.plots import plot_category_axes
    >>> X, y = load_iris(return_X_y=True)
    >>> Z = CategorySpace().fit_transform(X, y)
    >>> ax = plot_category_axes(Z, y, ax=Figure().add_subplot(projection="3d"))
    >>> ax.get_zlabel()
    'axis of 2'
    """
    Z = check_points(Z, "Z")
    y = check_labels(y, "y", len(Z), "Z")
    classes = np.unique(y) if classes is None else np.asarray(classes)
    if Z.shape[1] != len(classes):
        raise ValueError(
            f"Z has {Z.shape[1]} columns for {len(classes)} classes; pass the output of a category "
            "space, and as classes its classes_."
        )
    columns = _shown_columns(classes, show)
    colors = dict(zip(classes.tolist(), class_colors(len(classes)), strict=True))

    Z = Z[:, columns]
    ax = plot_embedding(Z, y, classes=classes, ax=ax, title=title)
    # Each axis extends from the origin as far as the samples, on each side that contains samples.
    lowest = 1.08 * np.minimum(Z.min(axis=0), 0.0).min()
    highest = 1.08 * np.maximum(Z.max(axis=0), 0.0).max()
    for direction, axis, name in zip(np.eye(len(columns)), "xyz", classes[columns], strict=False):
        ends = np.outer([lowest, highest], direction)
        color = colors[name.item() if hasattr(name, "item") else name]
        ax.plot(*ends.T, color=color, linewidth=1.4, zorder=1.5, solid_capstyle="round")
        getattr(ax, f"set_{axis}label")(f"axis of {shortened(str(name))}", color=color)
    # Few ticks in 3-D, because the tick labels of two axes are close together at the corner.
    ax.locator_params(nbins=3 if len(columns) == 3 else 5)
    if len(columns) == 3:
        # The same scale for all axes, as with "equal", and small enough for the axis labels. The
        # view is from the side on which the axes point towards the viewer.
        limits = (ax.get_xlim(), ax.get_ylim(), ax.get_zlim())  # type: ignore[attr-defined]
        ax.set_box_aspect([high - low for low, high in limits], zoom=0.9)  # type: ignore
        ax.view_init(elev=25, azim=40)  # type: ignore[attr-defined]
    else:
        ax.set_aspect("equal")
    return ax


def _shown_columns(classes: Any, show: Any) -> Any:
    if show is None:
        show = classes
    show = list(show)
    if len(show) not in (2, 3) or len(set(show)) < len(show):
        raise ValueError(
            f"a plot can show the axes of 2 or 3 different classes, not {len(show)} "
            f"({', '.join(map(str, show))}); choose them with show."
        )
    strangers = [name for name in show if name not in classes]
    if strangers:
        raise ValueError(
            f"show names {strangers[0]!r}, which is not one of the classes "
            f"({', '.join(map(str, classes))})."
        )
    return [int(np.flatnonzero(classes == name)[0]) for name in show]
