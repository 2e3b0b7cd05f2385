"""Colours and markers of classes, the same in all plots and in the report."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from discrimap._typing import Array

# The colours of Okabe and Ito, which can be distinguished with all common types of colour
# blindness. They are ordered so that the first few also differ most in lightness.
OKABE_ITO = (
    "#0072B2",  # blue
    "#E69F00",  # orange
    "#009E73",  # bluish green
    "#CC79A7",  # reddish purple
    "#56B4E9",  # sky blue
    "#D55E00",  # vermilion
    "#000000",  # black
    "#F0E442",  # yellow
)
UNLABELLED = "#B4B4B4"
INK = "#333333"  # text, edges and guide lines

# Filled markers that can be distinguished at small sizes, also if drawn hollow (held-out points).
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")

# More colours could not be distinguished. After this many, colours are repeated with other markers.
N_DISTINCT = 60

# Linear RGB as perceived without the medium-wave or the long-wave cones (Machado et al., 2009).
_DEUTERANOPIA = np.array(
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]
)
_PROTANOPIA = np.array(
    [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ]
)
# The Oklab colour space of Ottosson, in which distances approximate perceived differences.
_RGB_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_CONES_TO_OKLAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def class_colors(n_classes: int) -> list[str]:
    """Return one colour per class; a class keeps its colour when more classes follow.

    The first 8 are the colours of Okabe and Ito. Each further colour is the one farthest from all
    earlier colours, with and without red-green colour blindness.

    Parameters
    ----------
    n_classes : int
        Number of classes.

    Returns
    -------
    colors : list of str
        Hexadecimal colours such as ``"#0072B2"``.

    Examples
    --------
    >>> from discrimap.plots import class_colors
    >>> class_colors(3)
    ['#0072B2', '#E69F00', '#009E73']
    """
    cycle = OKABE_ITO if n_classes <= len(OKABE_ITO) else _spread_colors()
    return [cycle[i % len(cycle)] for i in range(n_classes)]


def class_markers(n_classes: int) -> list[str]:
    """Return one matplotlib marker per class, so that classes with the same colour differ.

    Parameters
    ----------
    n_classes : int
        Number of classes.

    Returns
    -------
    markers : list of str
        Marker codes such as ``"o"``.

    Examples
    --------
    >>> from discrimap.plots import class_markers
    >>> len(set(class_markers(4)))
    4
    """
    # The markers are shifted by one each time the colours repeat, so that a repeated colour gets
    # another marker.
    return [MARKERS[(i + i // N_DISTINCT) % len(MARKERS)] for i in range(n_classes)]


@cache
def _spread_colors() -> Any:
    """Extend the colours of Okabe and Ito by farthest points of a grid of RGB colours."""
    level = np.linspace(0.0, 240.0, 11)
    grid = np.stack(np.meshgrid(level, level, level, indexing="ij"), axis=-1).reshape(-1, 3)
    seen = _seen_coordinates(grid)
    lightness, chroma = seen[0, :, 0], np.hypot(seen[0, :, 1], seen[0, :, 2])
    # Visible on white, and different from the grey of unlabelled points.
    usable = (lightness > 0.3) & (lightness < 0.82) & (chroma > 0.07)
    grid, seen = grid[usable], seen[:, usable]

    taken = _seen_coordinates(np.array([rgb_of(color) for color in (*OKABE_ITO, UNLABELLED)]))
    nearest = _difference(seen[:, :, None], taken[:, None, :]).min(axis=1)
    colors = list(OKABE_ITO)
    while len(colors) < N_DISTINCT:
        farthest = int(nearest.argmax())
        colors.append(hex_of(grid[farthest]))
        nearest = np.minimum(nearest, _difference(seen, seen[:, [farthest]]))
    return tuple(colors)


def _difference(one: Any, other: Any) -> Any:
    """Return the smallest difference over types of vision, doubled for colour-blind vision."""
    normal, *blind = np.linalg.norm(one - other, axis=-1)
    return np.minimum(normal, 2.0 * np.minimum(*blind))


def _seen_coordinates(rgb: Array) -> Any:
    """Return Oklab coordinates of RGB colours from 0 to 255 for 3 types of vision.

    The shape is (3, n_colors, 3).
    """
    value = rgb / 255.0
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    eyes = (np.eye(3), _DEUTERANOPIA, _PROTANOPIA)
    seen = np.stack([np.clip(linear @ eye.T, 0.0, 1.0) for eye in eyes])
    return np.cbrt(seen @ _RGB_TO_CONES.T) @ _CONES_TO_OKLAB.T


def hex_of(rgb: Any) -> str:
    """Write red, green and blue from 0 to 255 as a hexadecimal colour."""
    return "#" + "".join(f"{round(value):02X}" for value in rgb)


def rgb_of(color: str) -> list[int]:
    """Read red, green and blue from 0 to 255 from a hexadecimal colour."""
    return [int(color[i : i + 2], 16) for i in (1, 3, 5)]
