"""Plot of the SDA cost as a function of the distance, with the distances in a map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import pdist

from discrimap._typing import Array
from discrimap.plots.axes import new_axes, tidy
from discrimap.plots.palette import INK, OKABE_ITO

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_SAMPLES = 2000
N_BINS = 60


def plot_distances(
    Z: ArrayLike,
    y: ArrayLike,
    *,
    epsilon: float | Literal["auto"] = "auto",
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the SDA cost of a distance and histograms of the distances in a map.

    As in Figs. 4 and 5 of [1]_. The curve is the objective for a map in which the samples of each
    class coincide and all classes have the same distance. Its minimum is zero, at the ideal
    distance ``sqrt(1 / epsilon - 1)``. The histograms show the distances within classes and between
    classes. The curve and both histograms are scaled to the same height.

    Parameters
    ----------
    Z : array-like of shape (n_samples, n_components)
        Coordinates in the map. If there are more than 2000 samples, 2000 are chosen at random.
    y : array-like of shape (n_samples,)
        Class labels.
    epsilon : "auto" or float in (0, 1), default="auto"
        Target similarity between classes, such as ``epsilon_`` of a fitted estimator. "auto" is
        ``1 / n_classes**2``, the default of :class:`~discrimap.StochasticDiscriminantAnalysis`.
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
    .. [1] M. Juuti, F. Corona and J. Karhunen, "Stochastic discriminant analysis for linear
       supervised dimension reduction", Neurocomputing 291 (2018), 136-150.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from discrimap.plots import plot_distances
    >>> ax = plot_distances([[0.0], [0.1], [2.0]], [0, 0, 1], ax=Figure().add_subplot())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['within classes', 'between classes', 'cost', 'ideal distance 1.73']
    """
    Z, y = np.asarray(Z, dtype=float), np.asarray(y)
    if Z.ndim != 2 or y.shape != (len(Z),):
        raise ValueError(
            f"Z has shape {Z.shape} and y {y.shape}; pass coordinates (n_samples, n_components) "
            "and one label for each sample."
        )
    classes, sizes = np.unique(y, return_counts=True)
    if len(classes) < 2 or sizes.max() < 2:
        raise ValueError(
            "distances within and between classes need at least 2 classes, one of them with 2 "
            f"samples; y holds {len(classes)} classes of at most {sizes.max()} samples."
        )
    if epsilon == "auto":
        epsilon = 1 / len(classes) ** 2
    if not 0 < epsilon < 1:
        raise ValueError(f"epsilon={epsilon} must lie between 0 and 1.")
    ideal = np.sqrt(1 / epsilon - 1)
    if len(Z) > MAX_SAMPLES:
        rows = np.random.default_rng(0).permutation(len(Z))[:MAX_SAMPLES]
        Z, y = Z[rows], y[rows]

    distances = pdist(Z)
    first, second = np.triu_indices(len(y), 1)
    same = y[first] == y[second]
    end = 1.05 * max(distances.max(), 1.5 * ideal)
    edges = np.linspace(0, end, N_BINS + 1)
    ax = new_axes(ax)
    for part, color, label in (
        (distances[same], OKABE_ITO[0], "within classes"),
        (distances[~same], OKABE_ITO[1], "between classes"),
    ):
        counts = np.histogram(part, edges)[0]
        heights = counts / max(counts.max(), 1)
        ax.bar(
            edges[:-1], heights, np.diff(edges), align="edge", color=color, alpha=0.6, label=label
        )
    grid = np.linspace(0, end, 400)
    cost = _cost(grid, sizes, epsilon)
    ax.plot(grid, cost / cost.max(), color=INK, linewidth=1.5, label="cost")
    ax.axvline(ideal, color=INK, linestyle="--", linewidth=1, label=f"ideal distance {ideal:.3g}")
    ax.set_xlim(0, end)
    ax.set_ylim(0, 1.05)
    ax.set_yticks([])
    ax.set_xlabel("distance in the map")
    ax.set_ylabel("cost, and number of pairs (scaled)")
    _add_legend(ax, ["within classes", "between classes", "cost", f"ideal distance {ideal:.3g}"])
    tidy(ax, title, title_pad=36)
    return ax


def _add_legend(ax: Axes, order: Any) -> None:
    handles = {text: handle for handle, text in zip(*ax.get_legend_handles_labels(), strict=True)}
    # The legend is above the plot, where it covers no bars. The title is above the legend.
    ax.legend(
        [handles[text] for text in order],
        order,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=2,
        frameon=False,
        fontsize=8,
        labelcolor=INK,
        borderaxespad=0.3,
        borderpad=0.0,
    )


def _cost(distance: Any, sizes: Array, epsilon: float) -> Any:
    """Return the objective if each class is one point and all classes have the same distance."""
    n_same = float((sizes**2).sum())
    n_other = float(sizes.sum()) ** 2 - n_same
    total = n_same + epsilon * n_other
    similarity = 1 / (1 + distance**2)
    normaliser = n_same + n_other * similarity
    return (
        n_other * epsilon / total * np.log(epsilon / similarity)
        - np.log(total)
        + np.log(normaliser)
    )
