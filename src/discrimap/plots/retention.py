"""Plot of class or neighbour retention of maps against the number of neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from discrimap._typing import Array
from discrimap.plots.axes import new_axes, tidy
from discrimap.plots.palette import INK, class_colors, class_markers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Line styles of the curves in a family.
LINES = ("-", "--", ":", "-.")


def plot_retention(
    curves: Mapping[str, ArrayLike],
    ks: Sequence[float] | Array | None = None,
    *,
    spread: Mapping[str, ArrayLike] | None = None,
    families: Mapping[str, str] | None = None,
    what: str = "class retention",
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw how well several maps preserve classes or topology.

    As in Figs. 3, 6 and 7 of [1]_.

    Parameters
    ----------
    curves : mapping of str to array-like of shape (n_ks,)
        Name of each map, and its values from :func:`~discrimap.metrics.class_retention` or
        :func:`~discrimap.metrics.neighbor_retention`.
    ks : array-like of shape (n_ks,), optional
        Numbers of neighbours; by default 1, 2, 3, ...
    spread : mapping of str to array-like of shape (n_ks,), optional
        Standard deviations over repeats, drawn as bands.
    families : mapping of str to str, optional
        The family of each map. Maps of one family have the same colour and marker, and different
        line styles. By default each map is its own family.
    what : str, default="class retention"
        Label of the vertical axis.
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
    >>> from discrimap.plots import plot_retention
    >>> curves = {"LDA": [0.91, 0.94, 0.96], "PCA": [0.85, 0.9, 0.92]}
    >>> ax = plot_retention(curves, ax=Figure().add_subplot())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['LDA', 'PCA']
    """
    if not isinstance(curves, Mapping) or not curves:
        raise TypeError("curves must be a non-empty mapping of a name to the shares of one map.")
    shares = {name: np.asarray(values, dtype=float) for name, values in curves.items()}
    n_ks = len(next(iter(shares.values()))) if ks is None else len(ks)
    for name, values in shares.items():
        if values.shape != (n_ks,):
            raise ValueError(
                f"the curve {name!r} has shape {values.shape}, but {n_ks} numbers of neighbours "
                "are drawn; pass one share for each."
            )
    ks = np.arange(1, n_ks + 1) if ks is None else np.asarray(ks)
    ax = new_axes(ax)
    looks = _looks(shares, families or {})
    for name, values in shares.items():
        color, marker, line = looks[name]
        ax.plot(
            ks,
            values,
            color=color,
            marker=marker,
            linestyle=line,
            markersize=4,
            linewidth=1.3,
            label=name,
        )
        if spread is not None and name in spread:
            deviation = np.asarray(spread[name], dtype=float)
            ax.fill_between(
                ks, values - deviation, values + deviation, color=color, alpha=0.15, lw=0
            )
    ax.set_xticks(ks)
    ax.set_xlabel("neighbours looked at")
    ax.set_ylabel(what)
    ax.grid(axis="y", linewidth=0.4, color="#DDDDDD")
    # The legend has the order of the curves at their left ends, where they differ most.
    handles = sorted(ax.lines[-len(shares) :], key=lambda line: -np.asarray(line.get_ydata())[0])
    ax.legend(
        handles=handles,
        frameon=False,
        fontsize=8,
        labelcolor=INK,
        loc="center left",
        bbox_to_anchor=(1.01, 0.5),
        handlelength=3,
    )
    tidy(ax, title)
    return ax


def _looks(names: Any, families: Any) -> Any:
    """Return the colour and marker of the family of each curve, and the line style of the curve."""
    members: dict[str, list[str]] = {}
    for name in names:
        members.setdefault(families.get(name, name), []).append(name)
    styles = zip(class_colors(len(members)), class_markers(len(members)), strict=True)
    return {
        name: (color, marker, LINES[place % len(LINES)])
        for group, (color, marker) in zip(members.values(), styles, strict=True)
        for place, name in enumerate(group)
    }
