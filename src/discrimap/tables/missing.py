"""Missing and infinite values: raise an error that counts them by column, or impute them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from discrimap.errors import InputError
from discrimap.tables.wording import list_names

IMPUTATIONS = ("median", "mean")


def check_impute(impute: str | None) -> None:
    """Raise an error for an unknown kind of imputation."""
    if impute is not None and impute not in IMPUTATIONS:
        raise InputError(
            f"impute={impute!r} is not known; pass one of {list_names(IMPUTATIONS)} or None."
        )


def refuse_missing(source: object, counts: Mapping[str, int], n_rows: int) -> None:
    """Raise an error if values are missing, with their number in each column."""
    if counts:
        columns = [f"{name} ({count})" for name, count in counts.items()]
        raise InputError(
            f"{source}: missing values ({sum(counts.values())} in {n_rows} rows), by column: "
            f"{list_names(columns, quote=False)}; fill them in, leave these columns out, or impute "
            "them (impute='median' or 'mean'; on the command line --impute median)."
        )


def refuse_missing_later(source: object, counts: Mapping[str, int], n_rows: int) -> None:
    """Raise an error if values of new samples are missing and the model has no imputer."""
    if counts:
        columns = [f"{name} ({count})" for name, count in counts.items()]
        raise InputError(
            f"{source}: missing values ({sum(counts.values())} in {n_rows} rows), by column: "
            f"{list_names(columns, quote=False)}; fill them in, or fit the model with --impute, so "
            "that it stores the medians of its training rows and fills them in."
        )


def report_kept(counts: Mapping[str, int]) -> str:
    """Return the notice about missing values that an imputer will fill in during the fit."""
    columns = [f"{name} ({count})" for name, count in counts.items()]
    return (
        f"{sum(counts.values())} missing values, to be filled in from training rows, by column: "
        f"{list_names(columns, quote=False)}; missing text is 0 in the column of each category."
    )


def refuse_infinite(source: object, X: np.ndarray, names: Sequence[str]) -> None:
    """Raise an error if values are infinite, with their number in each column."""
    counts = np.isinf(X).sum(axis=0)
    if counts.any():
        columns = [f"{names[j]} ({counts[j]})" for j in np.flatnonzero(counts).tolist()]
        raise InputError(
            f"{source}: infinite values ({counts.sum()}), by column: "
            f"{list_names(columns, quote=False)}; replace them by finite numbers."
        )


def count_nan(X: np.ndarray, names: Sequence[str]) -> dict[str, int]:
    """Count the missing values of each column that has any."""
    counts = np.isnan(X).sum(axis=0)
    return {names[j]: int(counts[j]) for j in np.flatnonzero(counts).tolist()}


def fill_nan(X: np.ndarray, impute: str) -> None:
    """Replace missing values by the median or mean of their column, in place.

    Each column must have at least one value.
    """
    centre = np.nanmedian if impute == "median" else np.nanmean
    for j in np.flatnonzero(np.isnan(X).any(axis=0)):
        column = X[:, j]
        column[np.isnan(column)] = centre(column)
