"""Scatter plot of a map, with one colour and marker per class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from discrimap._typing import Array
from discrimap.metrics.checks import check_labels, check_points
from discrimap.plots.axes import new_axes, tidy
from discrimap.plots.palette import INK, UNLABELLED, class_colors, class_markers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# With at most this many classes, a legend is easier to read than names inside the plot.
MOST_CLASSES_WITHOUT_NAMES = 12
MOST_CLASSES_WITH_LEGEND = 60
LEGEND_ROWS = 20
LONGEST_NAME = 14
# Above this many points a vector file would be too large to open.
MOST_VECTOR_POINTS = 20_000


def plot_embedding(
    Z: ArrayLike,
    y: ArrayLike,
    *,
    is_test: ArrayLike | None = None,
    unlabelled: bool = False,
    classes: ArrayLike | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw a map of one, two or three components, coloured by class.

    Two components are drawn as a scatter plot, and three components as a 3-D scatter plot. One
    component is drawn as one strip per class; the vertical position within a strip has no meaning.
    With many classes, the class names are also written at the medians of the classes.

    Parameters
    ----------
    Z : array-like of shape (n_samples, n_components)
        Map coordinates, with 1, 2 or 3 components.
    y : array-like of shape (n_samples,)
        Class labels.
    is_test : array-like of bool of shape (n_samples,), optional
        Which points were held out of the fit; these are drawn with hollow markers.
    unlabelled : bool, default=False
        Whether ``y == -1`` marks unlabelled points. These are drawn in grey below the other points.
    classes : array-like, optional
        The classes that get a colour; by default the classes in y. With the same list, a class has
        the same colour in several plots, even if some of the classes are missing in a plot.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default a new figure is created.
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
    >>> from discrimap import PLSDA
    >>> from discrimap.plots import plot_embedding
    >>> X, y = load_iris(return_X_y=True)
    >>> ax = plot_embedding(PLSDA().fit_transform(X, y), y, ax=Figure().subplots())
    >>> len(ax.collections)
    3
    """
    Z = check_points(Z, "Z")
    n_samples, n_components = Z.shape
    if n_components > 3:
        raise ValueError(
            f"Z has {n_components} columns, but at most 3 can be drawn; pass Z[:, :2]."
        )
    y = check_labels(y, "y", n_samples, "Z")
    is_test = _check_mask(is_test, n_samples)
    is_labelled = np.ones(n_samples, dtype=bool)
    if unlabelled and y.dtype.kind in "if":
        is_labelled = y != -1
    present = np.unique(y[is_labelled])
    classes = present if classes is None else np.unique(classes)
    if not np.isin(present, classes).all():
        strangers = ", ".join(map(str, np.setdiff1d(present, classes)))
        raise ValueError(f"y holds classes that are not in classes: {strangers}; add them.")
    ax = new_axes(ax, is_3d=n_components == 3, size=(6.0 + _legend_width(classes), 5.0))

    groups = [
        (y == name, str(name), color, marker)
        for name, color, marker in zip(
            classes, class_colors(len(classes)), class_markers(len(classes)), strict=True
        )
    ]
    if not is_labelled.all():
        groups.insert(0, (~is_labelled, "unlabelled", UNLABELLED, "o"))
    places = _strip_places(Z, groups) if n_components == 1 else Z
    # Large classes are drawn first, so that small classes are on top. Unlabelled points are below.
    below = sorted(groups, key=lambda group: (group[2] != UNLABELLED, -np.count_nonzero(group[0])))
    for zorder, (members, _, color, marker) in enumerate(below, start=2):
        # A few labelled points must be visible among many unlabelled points.
        n_alike = is_labelled.sum() if color != UNLABELLED else n_samples
        for chosen, is_hollow in ((members & ~is_test, False), (members & is_test, True)):
            if chosen.any():
                ax.scatter(
                    *places[chosen].T,
                    **_mark(color, marker, is_hollow, n_alike),
                    rasterized=n_samples > MOST_VECTOR_POINTS,
                    zorder=zorder,
                )

    if n_components == 1:
        _name_strips(ax, groups)
    else:
        axis_names = ("first component", "second component", "third component")
        for axis, name in zip("xyz"[:n_components], axis_names, strict=False):
            getattr(ax, f"set_{axis}label")(name)
        if n_components == 3:  # more tick labels would overlap in an oblique view
            ax.locator_params(nbins=5)
        # In 3-D, the depth of a name would not be visible.
        if len(classes) > MOST_CLASSES_WITHOUT_NAMES and n_components == 2:
            _name_medians(ax, Z, groups)
    _add_legend(ax, groups, has_test=bool(is_test.any()), is_strip=n_components == 1)
    tidy(ax, title)
    return ax


def _check_mask(is_test: Any, n_samples: int) -> Any:
    if is_test is None:
        return np.zeros(n_samples, dtype=bool)
    mask = np.asarray(is_test)
    if mask.shape != (n_samples,):
        raise ValueError(
            f"is_test has shape {mask.shape}, but Z has {n_samples} samples; pass one value per "
            "sample."
        )
    if not np.isin(mask, [0, 1]).all():  # a 0/1 column of a table is accepted
        raise ValueError("is_test must hold True and False only; indices are not a mask.")
    return mask.astype(bool)


def _mark(color: str, marker: str, is_hollow: bool, n_alike: int) -> Any:
    """Return the style of the markers. More points give smaller and more transparent markers."""
    size = float(np.clip(14000 / n_alike, 5, 38))
    look = {"marker": marker, "s": size}
    if is_hollow:  # the edge line increases the size
        width = 1.1 if size > 12 else 0.7
        return look | {
            "s": 0.7 * size,
            "facecolors": "none",
            "edgecolors": color,
            "linewidths": width,
        }
    edge = {"edgecolors": "white", "linewidths": 0.3} if size > 12 else {"linewidths": 0}
    alpha = 0.8 if n_alike <= 2000 else 0.5
    return look | {"facecolors": color, "alpha": alpha} | edge


def _strip_places(Z: Array, groups: Any) -> Any:
    """Return each coordinate with a vertical position in the strip of its class, spread evenly."""
    places = np.column_stack([Z[:, 0], np.zeros(len(Z))])
    for strip, (members, *_) in enumerate(groups):
        # The golden ratio sequence fills a strip evenly and needs no random state.
        spread = (np.arange(members.sum()) * 0.6180339887498949) % 1.0
        places[members, 1] = strip + 0.7 * (spread - 0.5)
    return places


def _name_strips(ax: Axes, groups: Any) -> None:
    names = [shortened(name) for _, name, *_ in groups]
    ax.set_yticks(range(len(groups)), names, fontsize=9 if len(groups) <= 20 else 7)
    ax.set_ylim(len(groups) - 0.4, -0.6)  # first class on top
    ax.set_xlabel("first component")
    ax.tick_params(axis="y", length=0)
    for line in range(1, len(groups)):
        ax.axhline(line - 0.5, color=INK, linewidth=0.4, alpha=0.2, zorder=0)


def _name_medians(ax: Axes, Z: Array, groups: Any) -> None:
    from matplotlib.patheffects import withStroke

    for members, name, color, _ in groups:
        if not members.any() or (name == "unlabelled" and color == UNLABELLED):
            continue
        ax.annotate(
            shortened(name),
            np.median(Z[members], axis=0),
            # Above the median, because the name would cover a class whose points coincide.
            xytext=(0, 4),
            textcoords="offset points",
            fontsize=8,
            fontweight="bold",
            color=INK,
            ha="center",
            va="bottom",
            zorder=1000,
            path_effects=[withStroke(linewidth=2.5, foreground="white", alpha=0.9)],
        )


def _legend_width(classes: Any) -> Any:
    """Return the width of the legend in inches, from the number and length of the names."""
    if len(classes) > MOST_CLASSES_WITH_LEGEND:
        return 0.0
    n_columns = -(-(len(classes) + 2) // LEGEND_ROWS)
    return n_columns * (0.4 + 0.08 * max(len(shortened(str(name))) for name in classes))


def _add_legend(ax: Axes, groups: Any, *, has_test: bool, is_strip: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.transforms import ScaledTranslation

    # The distance is in inches, because the layout cannot reserve a distance that depends on the
    # layout. The third axis of a 3-D plot is labelled outside the box of the axes.
    beside = ScaledTranslation(0.6 if hasattr(ax, "zaxis") else 0.06, 0, ax.figure.dpi_scale_trans)

    def handle(color: str, marker: str, name: str, is_hollow: bool = False) -> Any:
        return Line2D(
            [],
            [],
            linestyle="",
            marker=marker,
            markersize=6.5,
            markerfacecolor="none" if is_hollow else color,
            markeredgecolor=color if is_hollow else "white",
            markeredgewidth=1.1 if is_hollow else 0.3,
            label=name,
        )

    # The strips are already labelled with the class names.
    listed = [] if is_strip or len(groups) > MOST_CLASSES_WITH_LEGEND else groups
    handles = [handle(color, marker, shortened(name)) for _, name, color, marker in listed]
    if has_test:
        handles += [
            handle(INK, "o", "fitted"),
            handle(INK, "o", "held out", is_hollow=True),
        ]
    if handles:
        ax.legend(
            handles=handles,
            loc="upper left",
            bbox_to_anchor=(1.0, 1.0),
            bbox_transform=ax.transAxes + beside,
            ncols=-(-len(handles) // LEGEND_ROWS),
            fontsize=9 if len(handles) <= LEGEND_ROWS else 8,
            frameon=False,
            handletextpad=0.2,
            columnspacing=0.8,
            borderaxespad=0.0,
        )


def shortened(name: str) -> str:
    """Return the name of a class, cut to the largest length that fits into a plot."""
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
