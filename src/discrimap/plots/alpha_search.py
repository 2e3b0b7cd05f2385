"""Plot of the held-out error against the penalty of SDA."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from discrimap.plots.axes import new_axes, tidy
from discrimap.plots.palette import INK, OKABE_ITO

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_alpha_search(
    alphas: ArrayLike,
    errors: ArrayLike,
    *,
    best: float | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the validation error of each penalty, as in Fig. 6 of [1]_.

    Parameters
    ----------
    alphas : array-like of shape (n_alphas,)
        The penalties, all positive: ``alphas_`` of a fitted estimator.
    errors : array-like of shape (n_alphas,)
        The validation errors: ``cv_errors_`` of a fitted estimator.
    best : float, optional
        The chosen penalty, ``alpha_``; by default the penalty with the smallest error.
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
    >>> from discrimap.plots import plot_alpha_search
    >>> ax = plot_alpha_search([1e-4, 1e-2, 1], [0.5, 0.2, 0.3], ax=Figure().add_subplot())
    >>> ax.get_xscale(), ax.get_legend().get_texts()[0].get_text()
    ('log', 'chosen: 0.01')
    """
    alphas, errors = np.asarray(alphas, dtype=float), np.asarray(errors, dtype=float)
    if alphas.ndim != 1 or alphas.shape != errors.shape or len(alphas) == 0:
        raise ValueError(
            f"alphas has shape {alphas.shape} and errors {errors.shape}; pass one error for each "
            "of at least one penalty."
        )
    if not (alphas > 0).all():
        raise ValueError(
            f"alphas holds {alphas.min():g}, which a logarithmic axis cannot show; pass positive "
            "penalties."
        )
    order = np.argsort(alphas)
    alphas, errors = alphas[order], errors[order]
    best = alphas[errors.argmin()] if best is None else best
    ax = new_axes(ax)
    ax.plot(alphas, errors, color=OKABE_ITO[0], marker="o", markersize=4, linewidth=1.3)
    ax.axvline(best, color=INK, linestyle="--", linewidth=1, label=f"chosen: {best:.3g}")
    ax.set_xscale("log")
    ax.set_ylim(bottom=0)
    ax.set_xlabel("penalty alpha")
    ax.set_ylabel("error on held-out samples")
    ax.grid(axis="y", linewidth=0.4, color="#DDDDDD")
    ax.legend(frameon=False, fontsize=8, labelcolor=INK)
    tidy(ax, title)
    return ax
