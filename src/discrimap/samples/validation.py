"""Validate labelled samples in memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import sklearn.utils.validation
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_consistent_length

from discrimap.samples.in_memory import ArraySamples, value_range
from discrimap.samples.on_dask.dask_input import is_dask
from discrimap.samples.on_dask.limits import refuse_collection, refuse_collection_of_new_samples
from discrimap.samples.targets import is_continuous

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike

    from discrimap._typing import Matrix, MatrixLike
    from discrimap.samples.interface import Samples

FLOAT_TYPES = (np.float64, np.float32)

# Smallest spread and largest value of samples for which sums of squares, and in float64 sums of fourth
# powers, neither overflow nor underflow.
SCALES = {np.dtype(np.float64): (1e-70, 1e70), np.dtype(np.float32): (1e-15, 1e15)}


def validate_labelled(
    estimator: Any,
    X: MatrixLike,
    y: ArrayLike,
    *,
    accept_sparse: bool = False,
    unlabelled: bool = False,
    only_in_memory: Iterable[str] = (),
) -> Samples:
    """Check X with class labels y, and encode the labels.

    Parameters
    ----------
    estimator : BaseEstimator
        Its ``n_features_in_`` and, if X has names, ``feature_names_in_`` are set.
    X : array-like or dask collection of shape (n_samples, n_features)
        The samples.
    y : array-like or dask collection of shape (n_samples,)
        Class labels, of any type that scikit-learn accepts for classification.
    accept_sparse : bool
        Whether X may be a sparse matrix (returned as CSR).
    unlabelled : bool
        Whether ``y == -1`` marks an unlabelled sample instead of a class; with text labels, the
        number -1 in an array of objects.
    only_in_memory : iterable of str
        Messages of the error that is raised for Dask collections, one for each setting of the
        estimator that needs all samples in memory.

    Returns
    -------
    samples : Samples
        With float64 or float32 features. ``labels`` are indices in ``classes``, the sorted distinct
        labels; -1 for unlabelled samples.
    """
    if is_dask(X) or is_dask(y):
        from discrimap.samples.on_dask.validation import validate_collections

        return validate_collections(
            estimator, X, y, unlabelled=unlabelled, only_in_memory=only_in_memory
        )
    X, y = validate_data(
        estimator,
        X,
        y,
        dtype=FLOAT_TYPES,
        accept_sparse="csr" if accept_sparse else False,
        ensure_min_samples=2,
        # For arrays the extremes, which are needed anyway, show NaN and infinity: scikit-learn's check
        # would be another pass over the samples, in one thread.
        ensure_all_finite=not isinstance(X, np.ndarray),
    )
    extremes = value_range(X)
    if not np.isfinite(extremes).all():
        assert_all_finite(X, estimator_name=type(estimator).__name__, input_name="X")
    check_scale(extremes, X.dtype)
    is_labelled = _is_labelled(y) if unlabelled else None
    if is_labelled is not None and not is_labelled.any():
        raise ValueError(
            "y marks every sample as unlabelled (-1); at least 2 labelled classes are needed."
        )
    classes, labels = _encode(y, is_labelled)
    if len(classes) < 2:
        raise ValueError(
            f"y holds one class only ({classes[0]!r}); at least 2 classes are needed to tell "
            "them apart."
        )
    return ArraySamples(X, labels, classes, extremes=extremes)


def validate_data(estimator: Any, X: MatrixLike, *args: Any, **kwargs: Any) -> Any:
    """Call scikit-learn's ``validate_data``; raise an error for Dask collections, which it would load."""
    if is_dask(X):
        refuse_collection_of_new_samples(estimator)
    # scikit-learn sums all values to find those that are not finite; sums of large float32 overflow.
    with np.errstate(over="ignore", invalid="ignore"):
        return sklearn.utils.validation.validate_data(estimator, X, *args, **kwargs)


def refuse_dask(X: object, message: str) -> None:
    """Raise an error with the given message if X is a Dask collection."""
    if is_dask(X):
        raise TypeError(message)


def refuse_collections(estimator: Any, *data: object) -> None:
    """Raise an error for Dask collections that an estimator does not support.

    scikit-learn's checks would load all samples into memory without a warning.
    """
    if not getattr(estimator, "_accepts_dask", False) and any(map(is_dask, data)):
        refuse_collection(estimator)


def _encode(y, is_labelled=None):
    """Return the sorted distinct labels, and the label index of each sample; -1 if unlabelled."""
    if is_labelled is not None and not is_labelled.all():
        known = y[is_labelled]
        # The check warns if most labels differ, so that unlabelled samples get a known label here.
        check_classification_targets(np.where(is_labelled, y, known[0]))
        labels = np.full(len(y), -1, dtype=np.intp)
        classes, labels[is_labelled] = np.unique(known, return_inverse=True)
        return classes, labels
    if y.dtype.kind in "iu":
        lowest, highest = int(y.min()), int(y.max())
        # Counting is faster than sorting. The check below is only for about one sample per class.
        if 2 * (highest - lowest + 1) <= len(y) and highest <= np.iinfo(np.intp).max:
            offsets = y.astype(np.intp)
            offsets -= lowest
            is_present = np.bincount(offsets) > 0
            classes = (np.flatnonzero(is_present) + lowest).astype(y.dtype)
            return classes, offsets if is_present.all() else (np.cumsum(is_present) - 1)[offsets]
    check_classification_targets(y)
    return np.unique(y, return_inverse=True)


def _is_labelled(y):
    """Return where y is not -1; raise an error if -1 could also be a class name."""
    if y.dtype.kind not in "OUS":
        return y != -1
    is_labelled = np.array([isinstance(label, str) or label != -1 for label in y])
    names = y[is_labelled]
    kinds = {"text" if isinstance(label, str) else type(label).__name__ for label in names}
    if "text" in kinds and len(kinds) > 1:
        raise ValueError(
            f"y mixes {', '.join(sorted(kinds))}; pass labels of one kind, and the number -1 for "
            "unlabelled samples."
        )
    # NumPy converts a list of names and numbers to text, including -1.
    distinct = set(names.tolist())
    if "-1" in distinct and not all(_is_whole_number(name) for name in distinct):
        raise ValueError(
            'y holds the text "-1" among class names; for unlabelled samples pass the number -1 in '
            "an array of dtype object; if it is a class, rename it."
        )
    return is_labelled


def _is_whole_number(text):
    return str(text).removeprefix("-").isdigit()


def resolve_target(target: str, y: ArrayLike | None) -> str:
    """Resolve ``target="auto"`` to "classes" or "continuous", by :func:`~.targets.is_continuous`."""
    if target != "auto":
        return target
    return "continuous" if y is not None and is_continuous(y) else "classes"


def validate_continuous(
    estimator: Any, X: MatrixLike, y: ArrayLike, *, accept_sparse: bool = False
) -> tuple[Matrix, np.ndarray]:
    """Check X with continuous targets y, where NaN marks an unlabelled sample.

    Parameters
    ----------
    estimator : BaseEstimator
        Its ``n_features_in_`` and, if X has names, ``feature_names_in_`` are set.
    X : array-like of shape (n_samples, n_features)
        The samples.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Numbers; a sample with a NaN in any output is unlabelled.
    accept_sparse : bool
        Whether X may be a sparse matrix (returned as CSR).

    Returns
    -------
    X : ndarray or CSR matrix, float64 or float32
    targets : ndarray of shape (n_samples, n_outputs), float64
        NaN in every output of an unlabelled sample.
    """
    name = type(estimator).__name__
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")
    X = validate_data(
        estimator,
        X,
        dtype=FLOAT_TYPES,
        accept_sparse="csr" if accept_sparse else False,
        ensure_min_samples=2,
    )
    check_scale(value_range(X), X.dtype)
    values = np.asarray(y)
    # Text of digits raises an error too, because it is meant as names.
    if values.dtype.kind in "US" or (
        values.dtype.kind == "O" and any(isinstance(value, str) for value in values.flat)
    ):
        raise ValueError(
            'y must hold numbers for target="continuous" (NaN = unlabelled), but holds '
            f'{values.ravel().tolist()[0]!r}; for class labels pass target="classes".'
        )
    targets = np.array(values, dtype=np.float64)
    if targets.ndim == 1:
        targets = targets[:, None]
    if targets.ndim != 2:
        raise ValueError(f"y must have 1 or 2 dimensions, but has {targets.ndim}.")
    check_consistent_length(X, targets)
    if np.isinf(targets).any():
        raise ValueError("Input y contains infinity; continuous targets must be finite or NaN.")
    is_unlabelled = np.isnan(targets).any(axis=1)
    targets[is_unlabelled] = np.nan
    n_labelled = len(targets) - is_unlabelled.sum()
    if n_labelled < 2:
        raise ValueError(
            f"Input y contains NaN (unlabelled) in all but {n_labelled} of {len(targets)} "
            "samples; at least 2 labelled samples are needed."
        )
    if not np.ptp(targets[~is_unlabelled], axis=0).any():
        raise ValueError(
            f"y has the same value in all {n_labelled} labelled samples; at least 2 distinct "
            "values are needed."
        )
    known = targets[~is_unlabelled]
    check_scale(value_range(known), known.dtype, "y")
    return X, targets


def check_scale(extremes: tuple[np.ndarray, np.ndarray], dtype: DTypeLike, name: str = "X") -> None:
    """Raise an error if squares of values would overflow, or squares of the spread underflow.

    Parameters
    ----------
    extremes : tuple of two ndarrays of shape (n_features,)
        Smallest and largest value of each feature, as from :func:`value_range`.
    dtype : dtype
        The dtype of the samples, which determines the limits.
    name : str
        Name of the argument, for the message.
    """
    lowest, highest = extremes
    least_spread, largest = SCALES[np.dtype(dtype)]
    what_to_do = "rescale it, for example with sklearn.preprocessing.StandardScaler"
    if np.dtype(dtype) == np.float32:
        what_to_do += ", or pass float64"
    size = max(np.abs(lowest).max(), np.abs(highest).max())
    if size > largest:
        raise ValueError(
            f"{name} holds values of size {size:.3g}, but squares of values above {largest:g} may overflow "
            f"in {dtype}; {what_to_do}."
        )
    spread = (highest - lowest).max()
    if 0 < spread < least_spread:
        raise ValueError(
            f"{name} varies by at most {spread:.3g}, but squares of differences below {least_spread:g} may "
            f"underflow in {dtype}; {what_to_do}."
        )


def check_start(init: Any, n_components: int, n_features: int) -> np.ndarray:
    """Return an initial map that the user has given, (n_components, n_features), in float64."""
    rows: np.ndarray = check_array(init, dtype=np.float64, input_name="init")
    shape = (n_components, n_features)
    if rows.shape != shape:
        raise ValueError(
            f"init has shape {rows.shape}, but n_components={n_components} and {n_features} features "
            f"need {shape}."
        )
    return rows


def check_n_components(n_components: int, limit: int, limit_name: str = "n_features") -> None:
    """Raise an error if ``n_components`` exceeds the limit."""
    if n_components > limit:
        raise ValueError(
            f"n_components={n_components} exceeds {limit_name}={limit}; pass at most {limit}."
        )
