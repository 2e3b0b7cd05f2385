"""Thumbnails of the samples for the points of a map, combined into large images (sheets)."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from PIL import Image

MOST_PICTURES = 10_000
MOST_BYTES = 900_000  # size of all sheets; a third more in the page, as base64
SIDES = (96, 64, 48, 32, 24, 16)  # pixels of one thumbnail, tried in this order
PER_SHEET = 256  # limited, because a browser decodes whole sheets
QUALITIES = (80, 60, 40)
# Allowed formats, which Pillow recognises by their first bytes. SVG is not allowed, because it can
# contain scripts.
FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF")
MOST_BYTES_OF_FILE = 50_000_000
MOST_PIXELS = 64_000_000


@dataclass(frozen=True, eq=False)
class Pictures:
    """Thumbnails of one size, side by side on sheets; each sheet is a JPEG file."""

    side: int  # width and height of one thumbnail in pixels
    columns: int  # thumbnails in one row of a sheet
    sheets: tuple[bytes, ...]
    place: np.ndarray  # (n_points,) index of the thumbnail of each point, or -1
    n_failed: int  # number of files that are missing or cannot be read as an image

    @property
    def n_pictures(self) -> int:
        return int((self.place >= 0).sum())


def collect_pictures(images: np.ndarray, rows: np.ndarray, seed: int = 0) -> Pictures | None:
    """Make thumbnails of some samples, as many and as large as a page can hold.

    Every image is decoded and encoded again, so that no other content of a file is copied to the
    page.

    Parameters
    ----------
    images : ndarray
        Paths, or pixels of shape (n_samples, height, width) or (n_samples, height, width, 3).
    rows : ndarray of int
        Indices of the samples.
    seed : int
        Determines which samples have thumbnails, if there are too many.

    Returns
    -------
    pictures : Pictures or None
        None if no image can be read.
    """
    points = np.arange(len(rows))
    if len(points) > MOST_PICTURES:
        points = np.sort(np.random.default_rng(seed).choice(points, MOST_PICTURES, replace=False))
    if images.ndim == 1:
        made = {int(point): _read(images[rows[point]]) for point in points}
    else:
        made = _from_pixels(images[rows[points]], points)
    small = {point: picture for point, picture in made.items() if picture is not None}
    if not small:
        return None
    largest = max(max(picture.size) for picture in small.values())
    sides = [side for side in SIDES if side < largest]
    if largest <= SIDES[0]:
        sides.insert(0, largest)
    side, sheets = _fit(list(small.values()), sides)
    if not sheets:
        return None
    place = np.full(len(rows), -1, dtype=np.int32)
    kept = list(small)[: len(sheets) * PER_SHEET]
    place[kept] = np.arange(len(kept))
    columns = min(16, len(kept))
    return Pictures(side, columns, tuple(sheets), place, len(made) - len(small))


def _read(path: str) -> Image.Image | None:
    """Return the thumbnail of a file, or None if it is missing, too large or not an image."""
    from PIL import Image, ImageOps

    try:
        file = Path(path)
        if not path or not file.is_file() or file.stat().st_size > MOST_BYTES_OF_FILE:
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(file, formats=FORMATS) as picture:
                if picture.width * picture.height > MOST_PIXELS:
                    return None
                picture.draft("RGB", (SIDES[0], SIDES[0]))  # a JPEG is decoded at a reduced size
                upright = ImageOps.exif_transpose(picture).convert("RGBA")
        upright.thumbnail((SIDES[0], SIDES[0]))
        paper = Image.new("RGBA", upright.size, "white")
        return Image.alpha_composite(paper, upright).convert("RGB")
    except (OSError, ValueError, SyntaxError, EOFError, MemoryError, Image.DecompressionBombError):
        return None


def _from_pixels(pixels: np.ndarray, points: np.ndarray) -> dict[int, Image.Image | None]:
    """Return the thumbnails of arrays, all scaled by the same minimum and maximum."""
    from PIL import Image

    if pixels.dtype != np.uint8:
        values = np.nan_to_num(pixels.astype(np.float64), posinf=0.0, neginf=0.0)
        low, high = values.min(), values.max()
        pixels = np.round(255 * (values - low) / (high - low if high > low else 1)).astype(np.uint8)
    made: dict[int, Image.Image | None] = {}
    for point, one in zip(points, pixels, strict=True):
        picture = Image.fromarray(one).convert("RGB")
        picture.thumbnail((SIDES[0], SIDES[0]))
        made[int(point)] = picture
    return made


def _fit(pictures: list[Image.Image], sides: list[int]) -> tuple[int, list[bytes]]:
    """Return the largest side, and the sheets in the best quality, that fit into the size limit.

    If even the smallest side is too large, only the first sheets are returned.
    """
    sheets: list[bytes] = []
    for side in sides:
        for quality in QUALITIES:
            sheets = []
            for first in range(0, len(pictures), PER_SHEET):
                sheets.append(_sheet(pictures[first : first + PER_SHEET], side, quality))
                if sum(map(len, sheets)) > MOST_BYTES:
                    break
            else:
                return side, sheets
    return side, sheets[:-1]


def _sheet(pictures: list[Image.Image], side: int, quality: int) -> bytes:
    """Encode thumbnails side by side, sixteen in a row, each centred in its square."""
    from PIL import Image

    columns = min(16, len(pictures))
    n_rows = -(-len(pictures) // columns)
    sheet = Image.new("RGB", (columns * side, n_rows * side), "white")
    for place, picture in enumerate(pictures):
        small = picture.copy()
        small.thumbnail((side, side))
        row, column = divmod(place, columns)
        x = column * side + (side - small.width) // 2
        sheet.paste(small, (x, row * side + (side - small.height) // 2))
    file = io.BytesIO()
    sheet.save(file, "JPEG", quality=quality, optimize=True)
    return file.getvalue()
