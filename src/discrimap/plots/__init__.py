"""Plots of arrays on matplotlib Axes. matplotlib is imported when the first plot is drawn."""

from discrimap.plots.alpha_search import plot_alpha_search
from discrimap.plots.category_axes import plot_category_axes
from discrimap.plots.comparison import plot_comparison
from discrimap.plots.distances import plot_distances
from discrimap.plots.embedding import plot_embedding
from discrimap.plots.loadings import plot_loadings
from discrimap.plots.metric_ellipses import plot_metric_ellipses
from discrimap.plots.palette import class_colors, class_markers
from discrimap.plots.prototypes import plot_prototypes
from discrimap.plots.retention import plot_retention
from discrimap.plots.side_by_side import plot_side_by_side

__all__ = [
    "class_colors",
    "class_markers",
    "plot_alpha_search",
    "plot_category_axes",
    "plot_comparison",
    "plot_distances",
    "plot_embedding",
    "plot_loadings",
    "plot_metric_ellipses",
    "plot_prototypes",
    "plot_retention",
    "plot_side_by_side",
]
