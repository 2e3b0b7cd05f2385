"""Read matrices of similarities or distances between samples, instead of features."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discrimap.errors import InputError
from discrimap.tables.column_plan import is_named_like_an_id
from discrimap.tables.dataset import Dataset
from discrimap.tables.encoding import Features
from discrimap.tables.sample_columns import as_ids
from discrimap.tables.wording import list_names, suggest

if TYPE_CHECKING:
    import polars as pl

SIMILARITIES, DISTANCES = "precomputed", "precomputed_distance"
KERNELS = (SIMILARITIES, DISTANCES)
# Arrays of an archive that are tried by default, in this order.
_USUAL_NAMES = ("S", "D", "K", "X")
# Relative to the largest entry: a smaller asymmetry is attributed to rounding.
_ROUNDING = 1e-8


def check_kernel(kernel: str | None) -> None:
    """Raise an error for an unknown ``kernel``."""
    if kernel is not None and kernel not in KERNELS:
        raise InputError(
            f"kernel={kernel!r} is not known; pass {list_names(KERNELS)}, or None for features."
        )


def take_matrix(source: object, dataset: Dataset, kernel: str, name: str | None) -> Dataset:
    """Return a data set whose X is the matrix of similarities or distances among its arrays.

    Parameters
    ----------
    source : object
        Name of the data in messages, such as its path.
    dataset : Dataset
        With the matrix in ``extras``, or as X.
    kernel : {"precomputed", "precomputed_distance"}
        Whether the matrix holds similarities or distances. An array whose name begins with D holds
        distances in both cases.
    name : str, optional
        Name of the array; by default the first of S, D, K and X that exists.

    Returns
    -------
    dataset : Dataset
    """
    assert dataset.y is not None
    n_samples = len(dataset.y)
    arrays = dict(dataset.extras)
    if isinstance(dataset.X, np.ndarray):
        arrays["X"] = dataset.X
    square = [key for key, one in arrays.items() if one.shape == (n_samples, n_samples)]
    if name is None:
        name = next((one for one in _USUAL_NAMES if one in square), None)
        if name is None:
            raise InputError(
                f"{source} has no array 'S' or 'D' of {n_samples} x {n_samples} similarities or distances, "
                f"one row and one column for each label; name another one (--layer): "
                f"{list_names(square) if square else 'none of its arrays has this shape'}."
            )
    elif name not in square:
        raise InputError(
            f"{source} has no array {name!r} of {n_samples} x {n_samples} similarities or distances; "
            f"{suggest(name, square)}."
        )
    if name.upper().startswith("D"):
        kernel = DISTANCES
    X, kernel, notices = check_matrix(source, arrays.pop(name), kernel, judge=name == "X")
    return replace(
        dataset,
        X=X,
        extras=arrays,
        feature_names=None,
        kernel=kernel,
        notices=(*dataset.notices, *notices),
    )


def encode_pairs(source: object, frame: pl.DataFrame, kernel: str, rows: np.ndarray) -> Features:
    """Return a matrix of similarities or distances that is stored as a table.

    Parameters
    ----------
    source : object
        Name of the data in messages.
    frame : polars.DataFrame
        As many numeric columns as rows, in the order of the rows, and optionally a column of ids.
    kernel : {"precomputed", "precomputed_distance"}
        Whether the matrix holds similarities or distances. With "precomputed", a matrix without
        negative values whose diagonal is zero is taken as distances.
    rows : ndarray of bool of shape (n_rows,)
        The rows, and the columns, to keep.

    Returns
    -------
    features : Features
    """
    others = [column for column in frame.iter_columns() if not column.dtype.is_numeric()]
    columns = [column for column in frame.iter_columns() if column.dtype.is_numeric()]
    if not others and len(columns) == frame.height + 1 and is_named_like_an_id(columns[0].name):
        others = [columns.pop(0)]
    if len(columns) != frame.height or len(others) > 1:
        words = f", and {list_names([column.name for column in others])} of text" if others else ""
        raise InputError(
            f"{source} has {frame.height} rows and {len(columns)} columns of numbers apart from the target{words}; "
            "a matrix of similarities or distances has one column for each row, and at most one column "
            "that names the rows."
        )
    missing = [column.name for column in columns if column.null_count()]
    if missing:
        raise InputError(
            f"{source}: the matrix has missing values, in columns {list_names(missing)}."
        )
    X = np.column_stack([column.cast(float).to_numpy() for column in columns])
    X, kernel, notices = check_matrix(source, X, kernel, judge=True)
    names = others[0] if others else None
    return Features(
        X[np.ix_(rows, rows)],
        None,
        tuple(notices),
        id_name=None if names is None else names.name,
        ids=None if names is None else as_ids(names)[rows],
        kernel=kernel,
    )


def check_matrix(
    source: object, X: np.ndarray, kernel: str, *, judge: bool = False
) -> tuple[np.ndarray, str, list[str]]:
    """Check a matrix of similarities or distances and make it symmetric.

    Parameters
    ----------
    source : object
        Name of the data in messages.
    X : ndarray
        The matrix.
    kernel : {"precomputed", "precomputed_distance"}
        What the matrix is supposed to hold.
    judge : bool
        Whether a matrix with a zero diagonal is taken as distances although ``kernel`` is
        "precomputed"; otherwise it raises an error.

    Returns
    -------
    X : ndarray of shape (n_samples, n_samples)
    kernel : {"precomputed", "precomputed_distance"}
    notices : list of str
    """
    if X.ndim != 2 or X.shape[0] != X.shape[1]:
        raise InputError(
            f"{source}: kernel={kernel!r} needs a square matrix, one row and one column for each sample; "
            f"its shape is {X.shape}."
        )
    if X.dtype.kind not in "biuf":
        raise InputError(f"{source}: the matrix must hold real numbers, but its type is {X.dtype}.")
    X = X.astype(np.float64) if X.dtype.kind != "f" else X
    if not np.isfinite(X).all():
        raise InputError(f"{source}: the matrix has missing or infinite values; fill them in.")
    notices: list[str] = []
    largest, asymmetry = float(np.abs(X).max()), float(np.abs(X - X.T).max())
    if asymmetry > _ROUNDING * largest:
        notices.append(
            f"the matrix is not symmetric: entries differ from those across the diagonal by up to "
            f"{asymmetry:.3g} (largest entry {largest:.3g}); the mean of both is used."
        )
    if asymmetry:
        X = (X + X.T) / 2
    diagonal, smallest = np.abs(np.diag(X)).max(), float(X.min())
    is_like_distances = diagonal <= _ROUNDING * largest and smallest >= 0
    if kernel == SIMILARITIES and is_like_distances:
        if not judge:
            raise InputError(
                f"{source}: the diagonal of the matrix is zero, so it holds distances; pass "
                f"kernel={DISTANCES!r}."
            )
        kernel = DISTANCES
        notices.append("the diagonal of the matrix is zero: it is taken as distances.")
    if kernel == DISTANCES and not is_like_distances:
        what = f"{smallest:.3g} is below zero" if smallest < 0 else "the diagonal is not zero"
        raise InputError(
            f"{source}: the matrix does not hold distances, because {what}; pass similarities with "
            f"kernel={SIMILARITIES!r}, and in an archive give the array a name that does not begin with D."
        )
    return X, kernel, notices
