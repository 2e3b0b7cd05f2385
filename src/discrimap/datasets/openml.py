"""Download research data sets from OpenML, for users who do not have the files."""

from __future__ import annotations

import warnings

import numpy as np

from discrimap.datasets.catalogue import Entry
from discrimap.errors import InputError
from discrimap.samples.targets import encode_classes
from discrimap.tables.dataset import Dataset
from discrimap.tables.input_files import first_line

# Attributes that the papers leave out: the only attribute of UCI mushroom with missing values.
_LEFT_OUT = {"mushroom": ("stalk-root",)}


def load_openml(entry: Entry) -> Dataset:
    """Download a data set from OpenML, or read it from scikit-learn's cache.

    Rows with missing values are dropped, categorical attributes are one-hot encoded, and classes are
    encoded as 0..C-1 in the order of their names. The notices report this, and any difference in size
    from the data set of the papers.

    Parameters
    ----------
    entry : Entry
        An entry of the catalogue with an ``openml_id``.

    Returns
    -------
    dataset : Dataset
    """
    bunch = _fetch(entry)
    notices = [
        f"{entry.name}: from OpenML (data set {entry.openml_id}); the order of rows and classes "
        "may differ from the original files."
    ]
    columns: list[np.ndarray] = []
    feature_names: list[str] = []
    for values, name in zip(np.asarray(bunch.data).T, bunch.feature_names, strict=True):
        if name in _LEFT_OUT.get(entry.name, ()):
            notices.append(f"{entry.name}: attribute {name} is left out.")
        elif name in (bunch.categories or {}):
            expanded, categories = _one_hot(values, bunch.categories[name])
            columns.append(expanded)
            feature_names.extend(f"{name}={category}" for category in categories)
        else:
            columns.append(values.astype(np.float64)[:, np.newaxis])
            feature_names.append(str(name))
    X = np.hstack(columns)
    target_names, y = encode_classes(np.asarray(bunch.target).astype(str))

    is_complete = ~np.isnan(X).any(axis=1)
    if not is_complete.all():
        notices.append(
            f"{entry.name}: {np.count_nonzero(~is_complete)} rows with missing values are dropped."
        )
        X, y = X[is_complete], y[is_complete]
    if X.shape != (entry.n_samples, entry.n_features):
        notices.append(
            f"{entry.name}: OpenML has {X.shape[0]} x {X.shape[1]} values, the original data set "
            f"{entry.n_samples} x {entry.n_features}."
        )
    return Dataset(entry.name, X, y, feature_names, target_names, notices=tuple(notices))


def _fetch(entry: Entry):
    from sklearn.datasets import fetch_openml

    try:
        with warnings.catch_warnings():
            # scikit-learn warns before a retry. A retry that fails raises an error, and one that
            # succeeds needs no warning.
            warnings.filterwarnings("ignore", message="A network error occurred")
            warnings.filterwarnings("ignore", message="Invalid cache")
            return fetch_openml(
                data_id=entry.openml_id,
                as_frame=False,
                # The pandas parser is faster, but needs a package that is not a dependency, and
                # fails with pandas 3 if class names are numbers (seen with scikit-learn 1.9.1).
                parser="liac-arff",
            )
    except OSError as error:  # covers URLError, HTTPError, time-outs and a full disk
        raise InputError(
            f"the data set {entry.name!r} could not be fetched from OpenML ({first_line(error)}); "
            f"check the network, or get it from {entry.source}, save it as {entry.name}.npz "
            "(arrays X and y) and set DISCRIMAP_DATA to its folder."
        ) from None


def _one_hot(codes, categories):
    """Return one 0/1 column for each category that occurs; rows without a category are NaN."""
    is_missing = np.isnan(codes)
    present = np.unique(codes[~is_missing])
    expanded = (codes[:, np.newaxis] == present).astype(np.float64)
    expanded[is_missing] = np.nan
    return expanded, [categories[int(code)] for code in present]
