"""Texts and pictures of the samples, which are shown with the points of a map and are no features."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from discrimap.errors import InputError
from discrimap.tables.dataset import Dataset
from discrimap.tables.wording import suggest

N_TRIED = 1_000  # files that are looked for before a column is taken for one without paths


def resolve_pictures(dataset: Dataset, name: str | None, folder: Path) -> Dataset:
    """Return a data set whose paths of pictures begin at the folder of its table.

    Raises
    ------
    InputError
        If none of the first paths leads to a file.
    """
    if dataset.images is None:
        return dataset
    paths = np.array([str(folder / path) if path else "" for path in dataset.images])
    named = [path for path in paths[:N_TRIED] if path]
    if not any(_is_file(path) for path in named):
        where = f"the first would be {named[0]}" if named else "its first rows are empty"
        raise InputError(
            f"the column {name!r} (--image) names no file: {where}. Paths are taken from the folder of the "
            "table, and files must be on this machine."
        )
    return replace(dataset, images=paths)


def take_shown_arrays(dataset: Dataset, *, text: str | None, image: str | None) -> Dataset:
    """Return a data set whose texts and pictures are further arrays of an archive.

    Pictures are an array of shape (n_samples, height, width), with a last axis of 3 if they have
    colours, or X itself, where ``image_shape`` says how its rows are arranged.
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
            f"{dataset.name} has no array {name!r} of shape ({n_samples}, height, width) with a picture of "
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
    except (OSError, ValueError):  # too long, or with a zero byte
        return False
