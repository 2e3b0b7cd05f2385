"""Check the arguments of metrics; error messages name the argument."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets

from discrimap.samples.targets import is_continuous

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from discrimap._typing import Matrix, MatrixLike


def check_points(points: MatrixLike, name: str, *, accept_sparse: bool = False) -> Matrix:
    """Return points as a finite float array of shape (n_samples, n_dimensions), or CSR."""
    if not sparse.issparse(points):
        shape = np.shape(points)
        if len(shape) != 2:
            raise ValueError(
                f"{name} must have shape (n_samples, n_dimensions), but its shape is {shape}; "
                "pass one column as array.reshape(-1, 1)."
            )
        if 0 in shape:
            raise ValueError(f"{name} is empty: its shape is {shape}.")
    return check_array(
        points,
        dtype=[np.float64, np.float32],
        accept_sparse="csr" if accept_sparse else False,
        input_name=name,
    )


def check_maps(Z_train: ArrayLike, Z_test: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Return training and test points of the same map, see :func:`check_points`."""
    Z_train = check_points(Z_train, "Z_train")
    Z_test = check_points(Z_test, "Z_test")
    if Z_train.shape[1] != Z_test.shape[1]:
        raise ValueError(
            f"Z_test has {Z_test.shape[1]} columns, but Z_train has {Z_train.shape[1]}; pass both "
            "from the same map."
        )
    return Z_train, Z_test


def check_numbers(values: ArrayLike, name: str, n_samples: int, points_name: str) -> np.ndarray:
    """Return a continuous target as a float64 array with one finite number per point."""
    values = np.asarray(values)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold numbers, but its dtype is {values.dtype}.")
    if values.shape != (n_samples,):
        raise ValueError(
            f"{name} has shape {values.shape}, but {points_name} has {n_samples} samples; pass one "
            "number per sample."
        )
    values = values.astype(np.float64)
    if not np.isfinite(values).all():
        raise ValueError(
            f"{name} holds NaN or infinite values ({np.sum(~np.isfinite(values))}); drop those "
            "samples first."
        )
    return values


def check_labels(labels: ArrayLike, name: str, n_samples: int, points_name: str) -> np.ndarray:
    """Return class labels as an array with one entry per point."""
    labels = np.asarray(labels)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(f"{name} must have one dimension, but its shape is {labels.shape}.")
    if len(labels) != n_samples:
        raise ValueError(
            f"{name} has {len(labels)} labels, but {points_name} has {n_samples} samples; pass one "
            "label per sample."
        )
    if _has_missing(labels):
        raise ValueError(f"{name} has missing labels (NaN or None); drop those samples first.")
    if labels.dtype == object:  # numbers in an object array, as from a nullable pandas column
        plain = np.asarray(labels.tolist())
        labels = plain if plain.dtype.kind in "biuf" else labels
    if is_continuous(labels):
        raise ValueError(
            f"{name} must hold class labels, but is continuous: it has numbers with a fractional part."
        )
    check_classification_targets(labels)
    return labels


def check_count(value: Any, name: str, limit: int, reason: str) -> int:
    """Return ``value`` as an int if it is a whole number from 1 to limit, or raise an error."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number, got {value!r}.")
    value = int(value)
    if not 1 <= value <= limit:
        raise ValueError(f"{name}={value} must be from 1 to {limit}: {reason}.")
    return value


def check_counts(values: ArrayLike, name: str, limit: int, reason: str) -> np.ndarray:
    """Return an array of whole numbers from 1 to limit; a single number counts as a list."""
    values = np.atleast_1d(np.asarray(values))
    if values.ndim != 1 or not len(values):
        raise ValueError(
            f"{name} must be a list of whole numbers, but its shape is {values.shape}."
        )
    return np.array([check_count(value, name, limit, reason) for value in values])


def check_neighbors(
    n_neighbors: int, Z: np.ndarray, name: str, *, is_left_out: bool = False
) -> int:
    """Check that points of Z have this many neighbours; ``is_left_out`` excludes the point itself."""
    reason = f"{name} has {len(Z)} samples" + (", one of which is left out" if is_left_out else "")
    return check_count(n_neighbors, "n_neighbors", len(Z) - is_left_out, reason)


def _has_missing(labels: np.ndarray) -> bool:
    if labels.dtype.kind == "f":
        return bool(np.isnan(labels).any())
    return labels.dtype == object and any(_is_missing(label) for label in labels)


def _is_missing(label: Any) -> bool:
    try:
        return label is None or bool(label != label)  # NaN differs from itself
    except TypeError:  # pandas.NA has no truth value
        return True
