"""Read samples and labels from a NumPy archive."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from discrimap.errors import InputError
from discrimap.tables.archives import read_archive, split_archive
from discrimap.tables.dataset import Dataset
from discrimap.tables.encoding import is_constant, report_constant
from discrimap.tables.missing import (
    count_nan,
    fill_nan,
    refuse_infinite,
    refuse_missing,
    report_kept,
)
from discrimap.tables.pair_matrices import take_matrix
from discrimap.tables.targets import Target, check_rows, encode_target
from discrimap.tables.wording import list_names


def read_npz(
    path: Path,
    target: str,
    missing: str | None,
    unlabelled: str,
    task: str | None = None,
    kernel: str | None = None,
    layer: str | None = None,
) -> Dataset:
    """Read X and labels from an archive; the arguments are the same as in ``read_table``.

    ``missing`` is "median", "mean", "keep", or None to raise an error for missing values. Constant
    columns are reported but never dropped, because images and spectra would lose their shape.
    """
    dataset = split_archive(path.stem, path, read_archive(path), target)
    if kernel is not None:
        dataset = take_matrix(path, dataset, kernel, layer)
    if dataset.X is None:
        raise InputError(
            f"{path} has no array 'X' with the samples; it has "
            f"{list_names([target, *dataset.extras])}. For similarities or distances between the samples, "
            "pass --kernel precomputed."
        )
    check_rows(path, dataset.X.shape[0])

    assert dataset.y is not None
    labels = encode_target(path, target, _mark_unlabelled(dataset.y, unlabelled), unlabelled, task)
    rows = labels.is_labelled if unlabelled == "drop" else slice(None)
    X = dataset.X[rows] if kernel is None else dataset.X[rows][:, rows]
    # An extra array with one entry for each sample loses the same rows.
    extras = {
        name: array[rows] if array.shape[:1] == labels.y.shape else array
        for name, array in dataset.extras.items()
    }

    if kernel is not None:
        notices = list(dataset.notices)
    else:
        names = dataset.feature_names or [f"X[:, {j}]" for j in range(X.shape[1])]
        notices = clean_samples(path, X, names, missing)
    return Dataset(
        name=path.stem,
        X=X,
        y=labels.y[rows],
        feature_names=dataset.feature_names,
        target_names=_name_classes(labels, dataset.target_names),
        extras=extras,
        notices=(*labels.notices, *notices),
        is_labelled=labels.is_labelled[rows],
        kernel=dataset.kernel,
    )


def _mark_unlabelled(y: np.ndarray, unlabelled: str) -> np.ndarray:
    """Mark -1 in whole numbers as missing unless ``unlabelled`` is "error"."""
    if y.dtype.kind == "S":
        y = np.char.decode(y, "utf-8", errors="replace")
    if y.dtype.kind == "i" and unlabelled != "error":
        marked = y.astype(object)
        marked[y == -1] = None
        return marked
    return y


def clean_samples(source: object, X: Any, names: list[str], how: str | None) -> list[str]:
    """Check X, dense or sparse, and impute it in place; return notices."""
    notices: list[str] = []
    if not isinstance(X, np.ndarray):
        refuse_infinite(source, X.data[:, np.newaxis], ["X"])
        # Missing values of sparse data are not imputed: the median of a sparse column is mostly zero.
        refuse_missing(source, count_nan(X.data[:, np.newaxis], ["X"]), X.shape[0])
        return notices
    if X.dtype.kind == "f":
        refuse_infinite(source, X, names)
        missing = count_nan(X, names)
        empty = {name: count for name, count in missing.items() if count == X.shape[0]}
        if how is None or empty:
            refuse_missing(source, empty or missing, X.shape[0])
        elif missing and how == "keep":
            notices.append(report_kept(missing))
        elif missing:
            fill_nan(X, how)
            notices.append(
                f"imputed {sum(missing.values())} missing values by the {how} of their column, "
                "over all rows."
            )
    constant = [names[j] for j in np.flatnonzero(is_constant(X))]
    return notices + report_constant(constant)


def _name_classes(labels: Target, target_names: list[str] | None) -> list[str] | None:
    """Return the class names of the archive for the encoded labels."""
    if target_names is None:
        return labels.names
    if labels.names is None:
        # Only nonnegative integers can be indices into the names.
        y = labels.y[labels.is_labelled]
        are_codes = y.dtype.kind in "iu" and y.min() >= 0 and y.max() < len(target_names)
        return target_names if are_codes else None
    codes = labels.names
    if all(code.isdigit() and int(code) < len(target_names) for code in codes):
        return [target_names[int(code)] for code in codes]
    return codes
