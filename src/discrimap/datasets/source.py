"""Open data by a name or a path, as on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from discrimap.datasets.catalogue import dataset_names
from discrimap.datasets.named import load
from discrimap.errors import InputError
from discrimap.tables.anndata_tables import is_anndata
from discrimap.tables.dataset import Dataset
from discrimap.tables.frames import NAME_OF_A_FRAME, is_frame
from discrimap.tables.pair_matrices import check_kernel, take_matrix
from discrimap.tables.reading import read_table
from discrimap.tables.sample_columns import take_from_extras
from discrimap.tables.shown_columns import take_shown_arrays
from discrimap.tables.text_files import STANDARD_INPUT

# Sums of squares of larger numbers could exceed the largest float, 1.8e308.
LARGEST_NUMBER = 1e150


def open_source(
    source: Any,
    *,
    target: str | None = None,
    keep_missing: bool = False,
    unlabelled: str = "error",
    task: str | None = None,
    groups: str | None = None,
    order: str | None = None,
    ids: str | None = None,
    kernel: str | None = None,
    layer: str | None = None,
    text: str | None = None,
    image: str | None = None,
) -> Dataset:
    """Load a named data set, or read a file or a data frame.

    Parameters
    ----------
    source : str, AnnData, or table of pandas, polars or Arrow
        A name that :func:`load` knows, a path that :func:`read_table` can read, or "-" for CSV from
        standard input; or a data frame. If a file has the name of a data set, the data set is loaded.
    target, keep_missing, unlabelled, task
        As in :func:`read_table`; for files and data frames only.
    groups, order, ids, layer, text, image
        As in :func:`read_table`; for a named data set, the names of arrays in ``extras``.
    kernel : {"precomputed", "precomputed_distance"} or None
        As in :func:`read_table`.

    Returns
    -------
    dataset : Dataset
        With samples and labels.

    Raises
    ------
    InputError
        If the data cannot be used; the message states the reason and a remedy.

    Examples
    --------
    >>> from discrimap.datasets import open_source
    >>> open_source("iris").class_labels[0]
    np.str_('setosa')
    """
    is_in_memory = is_frame(source) or is_anndata(source)
    if is_in_memory or _is_file(source):
        dataset = read_table(
            source,
            target,
            keep_missing=keep_missing,
            unlabelled=unlabelled,
            task=task,
            groups=groups,
            order=order,
            ids=ids,
            kernel=kernel,
            layer=layer,
            text=text,
            image=image,
        )
    elif target is not None:
        raise InputError(
            f"the data set {source!r} has its own target, so --target {target!r} cannot be used; "
            "leave it out, or name a file."
        )
    elif task == "regression":
        raise InputError(
            f"the target of the data set {source!r} is classes; --task regression needs numbers."
        )
    else:
        check_kernel(kernel)
        dataset = load(source)
        if kernel is not None:
            dataset = take_matrix(source, dataset, kernel, layer)
        dataset = take_shown_arrays(dataset, text=text, image=image)
        dataset = take_from_extras(dataset, groups=groups, order=order, ids=ids)
    if dataset.X is None:
        raise InputError(
            f"{source!r} has no features, only similarities or distances ({', '.join(dataset.extras)}); pass "
            "--kernel precomputed."
        )
    name = NAME_OF_A_FRAME if is_in_memory else source
    _refuse_constant(name, dataset.X)
    _refuse_large(name, dataset.X)
    return dataset


def _is_file(source: str) -> bool:
    """Return whether ``source`` is a file or standard input, not the name of a data set."""
    path = Path(source)
    looks_like_a_path = bool(path.suffix) or len(path.parts) > 1 or path.exists()
    return source == STANDARD_INPUT or (looks_like_a_path and source not in dataset_names())


def _refuse_constant(source: str, X: Any) -> None:
    """Raise an error if all samples are equal, apart from missing values."""
    if isinstance(X, np.ndarray):
        # fmax and fmin ignore NaN.
        varies = (np.fmax.reduce(X, axis=0) > np.fmin.reduce(X, axis=0)).any()
    else:
        # max and min of a sparse array include the zeros that are not stored.
        varies = (X.max(axis=0).toarray() > X.min(axis=0).toarray()).any()
    if not varies:
        raise InputError(
            f"{source}: every feature is constant, so that all samples are equal; add features that vary."
        )


def _refuse_large(source: str, X: Any) -> None:
    """Raise an error for numbers so large that variances would not be finite."""
    values = X if isinstance(X, np.ndarray) else X.data
    # Largest and smallest value, because np.abs would copy X.
    extremes = (np.fmax.reduce(values, axis=None), np.fmin.reduce(values, axis=None))
    largest = max(abs(float(value)) for value in extremes)
    if largest > LARGEST_NUMBER:
        raise InputError(
            f"{source}: the largest absolute value of the features is {largest:.3g}, but it must be at most "
            f"{LARGEST_NUMBER:g}; use another unit, or logarithms."
        )
