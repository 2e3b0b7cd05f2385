"""Bar plot of the loadings of features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from discrimap.plots.axes import new_axes, tidy
from discrimap.plots.palette import INK, OKABE_ITO, class_colors

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POSITIVE, NEGATIVE = OKABE_ITO[0], OKABE_ITO[5]
LONGEST_NAME = 32


def plot_loadings(
    loadings: ArrayLike,
    feature_names: Sequence[str] | None = None,
    *,
    intervals: ArrayLike | None = None,
    top: int = 15,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the features with the largest loadings as horizontal bars, largest on top.

    Parameters
    ----------
    loadings : array-like of shape (n_features,) or (n_components, n_features)
        Loadings of one component, or of several drawn side by side (such as ``components_``).
    feature_names : sequence of str, optional
        One name per feature; by default ``feature 0``, ``feature 1``, ...
    intervals : array-like of shape (2, ...), optional
        Lower and upper ends of the error bars, each with the shape of ``loadings``, such as
        ``intervals`` from :func:`discrimap.feature_contributions`. A bar whose interval contains
        zero is drawn in a pale colour.
    top : int, default=15
        Number of features to draw: the features with the largest magnitude in any component.
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
    >>> from discrimap.plots import plot_loadings
    >>> ax = plot_loadings(
    ...     [0.2, -0.9, 0.1], ["width", "length", "age"], top=2, ax=Figure().subplots()
    ... )
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['length', 'width']
    """
    values, names, intervals = _checked(loadings, feature_names, intervals)
    n_components, n_features = values.shape
    if isinstance(top, bool) or not isinstance(top, (int, np.integer)) or top < 1:
        raise ValueError(f"top must be a whole number of at least 1, got {top!r}.")
    shown = np.argsort(-np.abs(values).max(axis=0), kind="stable")[:top]
    height = 0.34 * len(shown) * (1.0 if n_components == 1 else 0.6 + 0.3 * n_components)
    ax = new_axes(ax, size=(6.4, 1.2 + height))

    thickness = 0.8 / n_components
    place = np.arange(len(shown))
    for component in range(n_components):
        bars = values[component, shown]
        if n_components == 1:
            colors = [POSITIVE if bar >= 0 else NEGATIVE for bar in bars]
        else:
            colors = [class_colors(n_components)[component]] * len(bars)
        at = place + (component - (n_components - 1) / 2) * thickness
        drawn = ax.barh(
            at, bars, 0.92 * thickness, color=colors, label=f"component {component + 1}", zorder=2
        )
        if intervals is not None:
            low, high = intervals[:, component, shown]
            for bar, holds_zero in zip(drawn, (low <= 0) & (high >= 0), strict=True):
                bar.set_alpha(0.3 if holds_zero else 1.0)
            # ``xerr`` of barh is not used, because an interval may not contain its estimate.
            ax.hlines(at, low, high, color=INK, linewidth=1.2, zorder=3)
            ends: dict[str, Any] = {
                "color": INK,
                "linestyle": "",
                "marker": "|",
                "markersize": 5,
                "zorder": 3,
            }
            ax.plot(np.concatenate([low, high]), np.concatenate([at, at]), **ends)

    ax.axvline(0.0, color=INK, linewidth=0.8, zorder=2.5)
    ax.set_yticks(place, [names[i] for i in shown])
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color=INK, alpha=0.15, linewidth=0.6)
    rest = n_features - len(shown)
    ax.set_xlabel(f"loading (largest {len(shown)} of {n_features})" if rest else "loading")
    if n_components > 1:
        ax.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.01, 1.0))
    tidy(ax, title)
    ax.spines["left"].set_visible(False)
    return ax


def _checked(loadings: ArrayLike, feature_names: Any, intervals: Any) -> Any:
    values = np.asarray(loadings, dtype=float)
    shape = values.shape
    if values.ndim not in (1, 2) or values.size == 0:
        raise ValueError(
            "loadings must have shape (n_features,) or (n_components, n_features), but the shape "
            f"is {shape}."
        )
    values = np.atleast_2d(values)
    if not np.isfinite(values).all():
        raise ValueError("loadings hold NaN or infinity; they cannot be drawn.")
    n_components, n_features = values.shape
    if n_components > len(OKABE_ITO):
        raise ValueError(
            f"loadings have {n_components} components, but at most {len(OKABE_ITO)} can be drawn in different "
            "colours; pass fewer rows."
        )
    if feature_names is None:
        feature_names = [f"feature {i}" for i in range(n_features)]
    if len(feature_names) != n_features:
        raise ValueError(
            f"feature_names has {len(feature_names)} names, but loadings have {n_features} "
            "features; pass one name per feature."
        )
    names = [_shortened(str(name)) for name in feature_names]
    if intervals is not None:
        intervals = np.asarray(intervals, dtype=float)
        if intervals.shape != (2, *shape):
            raise ValueError(
                f"intervals must have shape {(2, *shape)}, lower ends first, but the shape is "
                f"{intervals.shape}."
            )
        intervals = intervals.reshape(2, n_components, n_features)
        if not (intervals[0] <= intervals[1]).all():
            raise ValueError(
                "intervals must hold lower ends first and no NaN, but a lower end exceeds its upper end."
            )
    return values, names, intervals


def _shortened(name: str) -> str:
    """Shorten a name in the middle, because long feature names often differ only at the end."""
    if len(name) <= LONGEST_NAME:
        return name
    return name[: LONGEST_NAME // 2] + "…" + name[-(LONGEST_NAME // 2 - 1) :]
