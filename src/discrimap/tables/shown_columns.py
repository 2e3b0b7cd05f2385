"""Texts and images of the samples, which are shown with the points of a map and are not features."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from discrimap.errors import InputError
from discrimap.tables.dataset import Dataset
from discrimap.tables.wording import suggest

# A column is an error if none of its first paths, at most this many, is a file.
N_TRIED = 1_000


def resolve_pictures(dataset: Dataset, name: str | None, folder: Path) -> Dataset:
    """Return a data set whose image paths are relative to the folder of its table.

    Parameters
    ----------
    dataset : Dataset
        The data set; it is returned unchanged if it has no images.
    name : str, optional
        Name of the column with the paths, for messages.
    folder : Path
        The folder of the table.

    Raises
    ------
    InputError
        If none of the first paths is an existing file.
    """
    if dataset.images is None:
        return dataset
    paths = np.array([str(folder / path) if path else "" for path in dataset.images])
    named = [path for path in paths[:N_TRIED] if path]
    if not any(_is_file(path) for path in named):
        where = f"the first would be {named[0]}" if named else "its first rows are empty"
        raise InputError(
            f"the column {name!r} (--image) names no existing file: {where}. Paths must be absolute or "
            "relative to the folder of the table."
        )
    return replace(dataset, images=paths)


def take_shown_arrays(dataset: Dataset, *, text: str | None, image: str | None) -> Dataset:
    """Return a data set whose texts and images are named arrays of its archive.

    Images are an array of shape (n_samples, height, width), with a last axis of length 3 for colours,
    or X itself if the archive has an array ``image_shape``, to which its rows are reshaped.
    """
    found: dict[str, Any] = {}
    n_samples = 0 if dataset.y is None else len(dataset.y)
    if text is not None:
        values = dataset.extras.get(text)
        if values is None or values.shape != (n_samples,):
            usable = [name for name, array in dataset.extras.items() if array.shape == (n_samples,)]
            raise InputError(
                f"{dataset.name} has no array {text!r} with one text for each sample (--text); "
                f"{suggest(text, usable)}."
            )
        found["texts"] = values.astype(str)
    if image is not None:
        found["images"] = _pictures(dataset, image, n_samples)
    return replace(dataset, **found)


def _pictures(dataset: Dataset, name: str, n_samples: int) -> np.ndarray:
    values = dataset.extras.get(name)
    shape = dataset.extras.get("image_shape")
    if name == "X" and isinstance(dataset.X, np.ndarray) and shape is not None:
        lengths = tuple(int(length) for length in np.ravel(shape))
        if np.prod(lengths) == dataset.X.shape[1]:
            values = dataset.X.reshape(n_samples, *lengths)
    if values is None or not _is_stack(values, n_samples):
        usable = [other for other, array in dataset.extras.items() if _is_stack(array, n_samples)]
        raise InputError(
            f"{dataset.name} has no array {name!r} of shape ({n_samples}, height, width) with an image of "
            f"each sample (--image); {suggest(name, usable)}."
        )
    return values


def _is_stack(values: np.ndarray, n_samples: int) -> bool:
    is_grey = values.ndim == 3
    has_colours = values.ndim == 4 and values.shape[3] == 3
    return (is_grey or has_colours) and len(values) == n_samples and values.dtype.kind in "biuf"


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):  # too long, or with a null byte
        return False
