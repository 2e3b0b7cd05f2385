"""Plot of a local metric in the plane, as ellipses of constant length."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from discrimap.plots.axes import new_axes, tidy
from discrimap.plots.palette import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LONGEST = 0.48  # longest half axis, as a share of the spacing


def plot_metric_ellipses(
    points: ArrayLike,
    information: ArrayLike,
    *,
    length: float | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw ellipses of constant length in a local metric: small where the metric is large.

    The ellipse ``dx' J dx = length^2`` is drawn around each point. It is infinitely long in a
    direction in which J is zero. Half axes are therefore limited to about half the distance to the
    nearest point. If both half axes are limited, the circle is drawn faint.

    Parameters
    ----------
    points : array-like of shape (n_points, 2)
        Centres of the ellipses.
    information : array-like of shape (n_points, 2, 2)
        The metric J at the points, from :meth:`discrimap.FisherMetric.information`.
    length : float, optional
        Length of the step ``dx`` in the metric. By default it is chosen such that a tenth of the
        points have a half axis shorter than a tenth of the spacing.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default a new figure is created.
    title : str, optional
        Title of the plot.

    Returns
    -------
    ax : matplotlib.axes.Axes

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from discrimap.plots import plot_metric_ellipses
    >>> points = np.array([[0.0, 0.0], [1.0, 0.0]])
    >>> ax = plot_metric_ellipses(points, [np.eye(2), np.diag([4, 1])], ax=Figure().subplots())
    >>> len(ax.patches)
    2
    """
    from matplotlib.patches import Ellipse

    points = np.asarray(points, dtype=float)
    information = np.asarray(information, dtype=float)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2:
        raise ValueError(f"points must have shape (n_points >= 2, 2), got {points.shape}.")
    if information.shape != (len(points), 2, 2):
        raise ValueError(
            f"information must have shape ({len(points)}, 2, 2), one matrix per point, got "
            f"{information.shape}; pass FisherMetric.information(points)."
        )
    ax = new_axes(ax)
    between = linalg.norm(points[:, None] - points, axis=2)
    spacing = np.median(np.where(between > 0, between, np.inf).min(axis=1))
    values, vectors = np.linalg.eigh(information)
    steepness = np.sqrt(np.maximum(values, 0))  # (n_points, 2), ascending
    if length is None:
        length = 0.1 * spacing * np.quantile(steepness[:, 1], 0.9)
    with np.errstate(divide="ignore", invalid="ignore"):
        half_axes = np.minimum(np.where(steepness > 0, length / steepness, np.inf), 1e300)
    half_axes = np.minimum(half_axes, _LONGEST * spacing)
    for point, (long_axis, short_axis), directions in zip(points, half_axes, vectors, strict=True):
        angle = np.degrees(np.arctan2(directions[1, 0], directions[0, 0]))
        ax.add_patch(
            Ellipse(
                point,
                2 * long_axis,
                2 * short_axis,
                angle=angle,
                facecolor="none",
                edgecolor=INK,
                linewidth=0.8,
                alpha=0.2 if short_axis >= _LONGEST * spacing else 1,
                zorder=5,
            )
        )
    ax.update_datalim(points)
    ax.autoscale_view()
    ax.set_aspect("equal", adjustable="datalim")
    tidy(ax, title)
    return ax
