"""Plot of the held-out errors of several methods, with their errors for permuted labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from discrimap._typing import Array
from discrimap.plots.axes import new_axes, tidy
from discrimap.plots.palette import INK, OKABE_ITO

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HELD_OUT, CONTROL = OKABE_ITO[0], OKABE_ITO[1]


def plot_comparison(
    rows: Sequence[Any],
    *,
    chance: float | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the error of every method, best on top, with its permuted-label control.

    Small dots are the repeats. The large marker is the mean, and the line is the mean plus and
    minus one standard deviation.

    Parameters
    ----------
    rows : sequence of (label, errors, control_errors)
        Name of a method, its held-out errors (one per repeat, from 0 to 1), and its held-out errors
        with permuted labels, or None without a control.
    chance : float, optional
        Error of guessing, drawn as a dashed line.
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
    >>> from discrimap.plots import plot_comparison
    >>> ax = plot_comparison(
    ...     [("PCA", [0.3, 0.4], [0.6, 0.7]), ("LDA", [0.1, 0.2], None)], ax=Figure().subplots()
    ... )
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['LDA', 'PCA']
    """
    rows = [_checked_row(row, number) for number, row in enumerate(rows)]
    if not rows:
        raise ValueError("rows is empty; pass at least one (label, errors, control_errors).")
    if chance is not None and not 0.0 <= chance <= 1.0:
        raise ValueError(f"chance must be from 0 to 1, got {chance!r}.")
    rows.sort(key=lambda row: row[1].mean())  # stable: methods with equal errors keep their order
    ax = new_axes(ax, size=(7.2, 1.5 + (0.5 if len(rows) <= 12 else 0.36) * len(rows)))

    has_control = any(control is not None for _, _, control in rows)
    shift = 0.17 if has_control else 0.0
    for place, (_, errors, control) in enumerate(rows):
        _draw_errors(ax, errors, place - shift, HELD_OUT, "o", is_hollow=False)
        if control is not None:
            _draw_errors(ax, control, place + shift, CONTROL, "s", is_hollow=True)
        if place:
            ax.axhline(place - 0.5, color=INK, linewidth=0.4, alpha=0.2, zorder=0)
    if chance is not None:
        ax.axvline(100 * chance, color=INK, linewidth=1.0, linestyle=(0, (4, 3)), zorder=1)

    ax.set_yticks(range(len(rows)), [label for label, _, _ in rows])
    ax.set_ylim(len(rows) - 0.45, -0.55)  # best on top
    ax.set_xlim(left=min(0.0, ax.get_xlim()[0]))
    ax.set_xlabel("error on held-out points (%)")
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color=INK, alpha=0.15, linewidth=0.6)
    _write_means(ax, rows)
    _add_legend(ax, has_control, chance)
    tidy(ax, title, title_pad=24)
    ax.tick_params(axis="y", labelsize=9)
    ax.spines["left"].set_visible(False)
    return ax


def _checked_row(row: Any, number: Any) -> Any:
    try:
        label, errors, control = row
    except (TypeError, ValueError):
        raise ValueError(f"rows[{number}] must be (label, errors, control_errors).") from None
    checked = [
        None if values is None else np.asarray(values, float) for values in (errors, control)
    ]
    for name, values in zip(("errors", "control_errors"), checked, strict=True):
        if values is None and name == "control_errors":
            continue
        if values is None or values.ndim != 1 or values.size == 0:
            raise ValueError(f"{name} of {label!r} must be a list of at least one number.")
        if not ((values >= 0.0) & (values <= 1.0)).all():
            raise ValueError(f"{name} of {label!r} must lie from 0 to 1, without NaN.")
    return str(label), *checked


def _draw_errors(
    ax: Axes, errors: Array, place: Any, color: str, marker: str, *, is_hollow: bool
) -> None:
    percent = 100 * errors
    mean, spread = percent.mean(), percent.std(ddof=1) if len(percent) > 1 else 0.0
    ax.plot(
        percent, np.full(len(percent), place), linestyle="", marker="o", markersize=3.2,
        markerfacecolor=color, markeredgewidth=0, alpha=0.35, zorder=2,
    )  # fmt: skip
    ax.hlines(place, mean - spread, mean + spread, color=color, linewidth=2.0, zorder=3)
    ax.plot(
        [mean], [place], linestyle="", marker=marker, markersize=7.5, markeredgecolor=color,
        markerfacecolor="white" if is_hollow else color, markeredgewidth=1.8, zorder=4,
    )  # fmt: skip


def _write_means(ax: Axes, rows: Any) -> None:
    """Write the mean errors in a column to the right of the plot."""
    for place, (_, errors, _) in enumerate(rows):
        text = f"{100 * errors.mean():.1f}"
        if len(errors) > 1:
            text += f" ± {100 * errors.std(ddof=1):.1f} %"
        else:
            text += " %"
        ax.annotate(
            text,
            (1.0, place),
            xycoords=("axes fraction", "data"),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize=8.5,
            color=INK,
        )


def _add_legend(ax: Axes, has_control: bool, chance: Any) -> None:
    from matplotlib.lines import Line2D

    def handle(color: str, marker: str, face: Any, name: str) -> Any:
        return Line2D(
            [], [], color=color, linewidth=2.0, marker=marker, markerfacecolor=face,
            markeredgewidth=1.8, label=name,
        )  # fmt: skip

    handles = [handle(HELD_OUT, "o", HELD_OUT, "held-out error")]
    if has_control:
        handles.append(handle(CONTROL, "s", "white", "with permuted labels"))
    if chance is not None:
        dashed = (0, (4, 3))
        handles.append(Line2D([], [], color=INK, linewidth=1.0, linestyle=dashed, label="chance"))
    # The legend is above the plot, where it covers no method. The title is above the legend.
    ax.legend(
        handles=handles, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=len(handles),
        frameon=False, fontsize=8.5, borderaxespad=0.3, borderpad=0.0,
    )  # fmt: skip
