"""Create or check matplotlib Axes, and set the style of frame, ticks and title."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discrimap.plots.palette import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def new_axes(
    ax: Axes | None, *, is_3d: bool = False, size: tuple[float, float] = (6.8, 5.0)
) -> Axes:
    """Check and return ``ax``, or create Axes in a new figure."""
    if ax is None:
        import matplotlib.pyplot as plt

        figure = plt.figure(figsize=size, layout="constrained")
        # 3-D axes are square. They are placed on the left, so that a legend fits on the right.
        return figure.add_subplot(projection="3d" if is_3d else None, anchor="W" if is_3d else "C")
    if hasattr(ax, "zaxis") != is_3d:
        needed = "a 3-D axes (projection='3d')" if is_3d else "a plain 2-D axes"
        raise ValueError(f"ax must be {needed} for this picture; pass one, or leave ax out.")
    return ax


def tidy(ax: Axes, title: str | None, title_pad: float = 6) -> None:
    """Make the frame and the ticks thin, and set the title."""
    if not hasattr(ax, "zaxis"):
        ax.spines[["top", "right"]].set_visible(False)
        ax.spines[["left", "bottom"]].set_color(INK)
        ax.spines[["left", "bottom"]].set_linewidth(0.6)
        ax.set_axisbelow(True)
    ax.tick_params(labelsize=8, color=INK, labelcolor=INK, width=0.6)
    if title is not None:
        ax.set_title(title, loc="left", fontsize=11, color=INK, pad=title_pad)
