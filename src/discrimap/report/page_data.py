"""Data of the maps for the scripts of the page: JSON with packed arrays, safe inside HTML."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from discrimap.inspection.maps import Maps
from discrimap.inspection.pictures import PER_SHEET, Pictures
from discrimap.inspection.suspects import Suspects
from discrimap.plots.palette import (
    MARKERS,
    UNLABELLED,
    class_colors,
    class_markers,
    hex_of,
    rgb_of,
)

# Marker of matplotlib -> symbols of plotly in 2-D and in 3-D, which has fewer symbols.
SYMBOLS = dict(
    zip(
        MARKERS,
        ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x", "pentagon"),
        strict=True,
    )
)
SYMBOLS_IN_SPACE = {
    "triangle-up": "diamond-open",
    "triangle-down": "square-open",
    "pentagon": "circle-open",
}
# Smallest relative luminance of a colour that is visible on a dark page.
DARK_LUMINANCE = 0.16


def pack_maps(
    maps: Maps,
    class_names: tuple[str, ...],
    n_neighbors: int,
    suspects: Suspects | str = "",
    judged: Mapping[str, np.ndarray] | None = None,
) -> dict[str, Any]:
    """Collect the data for the scripts, with arrays as base64 of little-endian numbers.

    Parameters
    ----------
    maps : Maps
        Points, their labels and values, and their coordinates in the map of each method.
    class_names : tuple of str
        Names of the classes in the order of the codes; empty for a continuous target.
    n_neighbors : int
        Number of neighbours that the page lists.
    suspects : Suspects or str
        Suspicious labels, from which the suggested label of each point is taken.
    judged : mapping of str to ndarray, optional
        For each method name, the predicted class of each row of the data, or -1.
    """
    judged = judged or {}
    code_type = "<i2" if len(class_names) < 2**15 else "<i4"
    n_held_out = int(maps.is_held_out.sum())
    continuous = not class_names
    return {
        "classes": [
            {"name": name, **style}
            for name, style in zip(class_names, class_styles(len(class_names)), strict=True)
        ],
        "unlabelled": UNLABELLED,
        "range": colour_range(maps) if continuous else None,
        "nNeighbors": n_neighbors,
        "nTraining": len(maps.rows) - n_held_out,  # training points come first
        "rows": pack(maps.rows + 1, "<u4"),  # counted from 1
        "labels": pack(maps.target, "<f4" if continuous else "<i4"),
        "suggested": None
        if isinstance(suspects, str)
        else pack(suggest_labels(maps, class_names, suspects), "<f4" if continuous else "<i4"),
        "idName": maps.id_name,
        "ids": None if maps.ids is None else maps.ids.tolist(),
        "texts": None if maps.texts is None else list(maps.texts),
        "pictures": None if maps.pictures is None else _pack_pictures(maps.pictures),
        "valueNames": list(maps.value_names),
        "values": pack(maps.values, "<f4"),
        "methods": [
            {
                "name": method.name,
                "label": method.label,
                "nComponents": method.coordinates.shape[1],
                "coordinates": pack(method.coordinates, "<f4"),
                "judged": pack(judged[method.name][maps.rows], code_type)
                if method.name in judged
                else None,
            }
            for method in maps.methods
        ],
    }


def _pack_pictures(pictures: Pictures) -> dict[str, Any]:
    return {
        "side": pictures.side,
        "columns": pictures.columns,
        "perSheet": PER_SHEET,
        "n": pictures.n_pictures,
        "sheets": [base64.b64encode(sheet).decode("ascii") for sheet in pictures.sheets],
        "place": pack(pictures.place, "<i4"),
    }


def suggest_labels(maps: Maps, class_names: tuple[str, ...], suspects: Suspects) -> np.ndarray:
    """Return the label that the neighbours of each point suggest.

    It is the given label unless the label is suspicious. Points without a label have no suggestion.
    """
    found = {item.row: item.suggested for item in suspects.items}
    codes = {name: code for code, name in enumerate(class_names)}
    suggested = maps.target.copy()
    for point, row in enumerate(maps.rows.tolist()):
        if row in found:
            suggested[point] = codes.get(found[row], -1) if class_names else float(found[row])
    return suggested


def colour_range(maps: Maps) -> tuple[float, float]:
    """Return the limits of the colour scale: percentiles 1 and 99, which are robust to outliers."""
    known = maps.target[~np.isnan(maps.target)]
    low, high = np.percentile(known, [1, 99])
    return float(low), float(high if high > low else low + 1)


def class_styles(n_classes: int) -> list[dict[str, str]]:
    """Return the colours of each class on light and dark pages, and its symbols in 2-D and 3-D."""
    styles = []
    for color, marker in zip(class_colors(n_classes), class_markers(n_classes), strict=True):
        symbol = SYMBOLS[marker]
        styles.append(
            {
                "color": color,
                "dark": _on_dark(color),
                "symbol": symbol,
                "symbol3d": SYMBOLS_IN_SPACE.get(symbol, symbol),
            }
        )
    return styles


def _on_dark(color: str) -> str:
    """Lighten a colour that is hardly visible on a dark page. Black becomes nearly white."""
    if color == "#000000":
        return "#F2F2F2"
    rgb = np.array(rgb_of(color)) / 255
    for mix in np.linspace(0.0, 1.0, 21):
        lighter = rgb + mix * (1 - rgb)
        if lighter**2.2 @ [0.2126, 0.7152, 0.0722] >= DARK_LUMINANCE:
            break
    return hex_of(255 * lighter)


def pack(values: np.ndarray, dtype: str) -> str:
    """Return the values as base64, in row-major order."""
    return base64.b64encode(np.ascontiguousarray(values, dtype=dtype).tobytes()).decode("ascii")


def script_safe_json(value: Any) -> str:
    r"""Return JSON that is safe inside HTML and JavaScript.

    Inside a script element, HTML parsers search only for ``</script`` and ``<!--``. Escaping the
    characters themselves is safe in every context. U+2028 and U+2029 end a line in older
    JavaScript.

    Examples
    --------
    >>> from discrimap.report.page_data import script_safe_json
    >>> print(script_safe_json("</script>"))
    "\u003c/script\u003e"
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text
