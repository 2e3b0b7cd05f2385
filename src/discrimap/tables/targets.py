"""Encode the target of a table: class names, class codes or numbers, and missing values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discrimap.errors import InputError
from discrimap.samples.targets import encode_classes, is_continuous
from discrimap.tables.wording import list_names

UNLABELLED_CHOICES = ("error", "keep", "drop")
TASKS = ("auto", "classification", "regression")


@dataclass(frozen=True)
class Target:
    """Labels in the form that :class:`~discrimap.datasets.Dataset` holds."""

    y: np.ndarray
    names: list[str] | None
    is_labelled: np.ndarray
    notices: tuple[str, ...] = ()


def check_unlabelled(unlabelled: str) -> None:
    """Raise an error for an unknown value of ``unlabelled``."""
    if unlabelled not in UNLABELLED_CHOICES:
        raise InputError(
            f"unlabelled={unlabelled!r} is not known; pass one of {list_names(UNLABELLED_CHOICES)}."
        )


def check_task(task: str | None) -> None:
    """Raise an error for an unknown ``task``."""
    if task is not None and task not in TASKS:
        raise InputError(f"task={task!r} is not known; pass one of {list_names(TASKS)} or None.")


def check_rows(source: object, n_rows: int) -> None:
    """Raise an error if a table has fewer than two rows."""
    if n_rows < 2:
        rows = "1 row" if n_rows == 1 else "no rows"
        raise InputError(f"{source} has {rows}; at least 2 are needed, of different classes.")


def encode_target(
    source: object, name: str, values: np.ndarray, unlabelled: str, task: str | None = None
) -> Target:
    """Convert the target column into labels.

    Text and numbers are kept, true/false becomes 1/0. With ``unlabelled="keep"`` classes are encoded
    as 0..C-1 by :func:`~discrimap.samples.targets.encode_classes`, and rows without a class get -1; a
    continuous target is NaN there. With ``"drop"`` the result still has all rows: the caller removes
    the unlabelled ones, from X as well.

    Parameters
    ----------
    source : object
        Name of the data in messages, such as its path.
    name : str
        Name of the target column.
    values : ndarray of shape (n_samples,)
        Numbers, bool, text, or objects with None for missing values.
    unlabelled : {"error", "keep", "drop"}
        What to do with rows whose target is missing.
    task : {"auto", "classification", "regression"} or None
        The kind of target; ``y`` then holds floating-point numbers if and only if the target is
        continuous. "auto" decides by :func:`~discrimap.samples.targets.is_continuous`, which counts
        the distinct values; a notice reports if numbers are taken as continuous. None keeps the
        numbers unchanged.

    Returns
    -------
    target : Target

    Raises
    ------
    InputError
        If the target has fewer than two classes, no or infinite values, or missing values with
        ``unlabelled="error"``.
    """
    is_labelled = ~_is_missing(values)
    n_missing = int(np.count_nonzero(~is_labelled))
    if n_missing == len(values):
        raise InputError(f"{source}: the target {name!r} has no values; name another column.")
    if n_missing and unlabelled == "error":
        raise InputError(
            f"{source}: the target {name!r} is missing in {n_missing} of {len(values)} rows; fill "
            "it in, or drop or keep these rows (unlabelled='drop' or 'keep')."
        )
    present = _as_one_type(values[is_labelled])
    if present.dtype.kind == "f" and np.isinf(present).any():
        raise InputError(
            f"{source}: the target {name!r} holds infinite values "
            f"({np.isinf(present).sum()}); replace them by finite numbers."
        )
    if present.dtype.kind not in "biufU":
        raise InputError(
            f"{source}: the target {name!r} holds neither text nor numbers ({values.dtype}); name "
            "another column."
        )
    present, judged = _as_task(source, name, present, task)
    notices = [*judged, *_check_target_classes(source, name, present)]
    if n_missing:
        mark = "NaN" if present.dtype.kind == "f" else "-1"
        kept = f"kept as unlabelled ({mark}), for the methods that can use them"
        done = {"drop": "dropped", "keep": kept}
        notices.append(
            f"{n_missing} of {len(values)} rows without a {name!r} are {done[unlabelled]}."
        )

    names: list[str] | None = None
    if present.dtype.kind == "f":
        y = np.full(len(values), np.nan)
        y[is_labelled] = present
    elif unlabelled == "keep" or present.dtype.kind == "b":
        y = np.full(len(values), -1, dtype=np.int64)
        names, y[is_labelled] = encode_classes(present)
    else:
        # The value in rows without a target is not used: the caller drops these rows.
        fits = present.dtype.kind == "i" or (present.dtype.kind == "u" and present.max() < 2**63)
        y = np.zeros(len(values), dtype=np.int64 if fits else present.dtype)
        y[is_labelled] = present
    return Target(y, names, is_labelled, tuple(notices))


def _as_task(
    source: object, name: str, present: np.ndarray, task: str | None
) -> tuple[np.ndarray, list[str]]:
    """Convert numbers to floats for a continuous target, and to integers or text for classes."""
    is_number = present.dtype.kind in "iuf"
    notices: list[str] = []
    if task == "regression" and not is_number:
        raise InputError(
            f"{source}: the target {name!r} holds {_kind(present)}, the first {present[:1].tolist()[0]!r}, but "
            "regression needs numbers; name another column, or leave out --task regression."
        )
    if task is None or not is_number:
        return present, notices
    if task == "auto":
        task = "regression" if is_continuous(present, count_values=True) else "classification"
        if task == "regression":
            notices.append(
                f"{name!r} holds {len(np.unique(present))} distinct numbers in {len(present)} rows: "
                "taken as continuous (--task classification takes them as classes)."
            )
    if task == "regression":
        if len(np.unique(present)) < 2:
            raise InputError(
                f"{source}: the target {name!r} is {present[0]:g} in all {len(present)} rows; "
                "regression needs at least 2 distinct values."
            )
        return present.astype(np.float64), notices
    if present.dtype.kind == "f":
        # Larger numbers do not fit into 64 bits; the cast would make them all the same integer.
        is_whole = bool(np.all((present == np.floor(present)) & (np.abs(present) < 2**63)))
        present = present.astype(np.int64) if is_whole else present.astype(str)
    return present, notices


def _kind(values: np.ndarray) -> str:
    return "true/false" if values.dtype.kind == "b" else "text"


def check_classes(y: np.ndarray, *, min_per_class: int = 1, source: object = "y") -> None:
    """Raise an error if there are fewer than two classes, or a class has too few samples.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Class names or codes of the labelled samples.
    min_per_class : int, default=1
        Minimum number of samples of each class; a stratified split needs 2.
    source : object, default="y"
        Name of y in messages.

    Raises
    ------
    InputError
        If there are fewer than two classes, or a class has fewer than ``min_per_class`` samples.

    Examples
    --------
    >>> import numpy as np
    >>> from discrimap.datasets import check_classes
    >>> check_classes(np.array(["a", "a", "b"]), min_per_class=2)
    Traceback (most recent call last):
        ...
    discrimap.errors.InputError: y: 1 of 2 classes has fewer than 2 samples: 'b' (1); add samples
    or leave this class out.
    """
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) < 2:
        only = f" ({classes.tolist()[0]!r} in all {len(y)} rows)" if len(classes) else ""
        raise InputError(
            f"{source} holds {'one class only' if len(classes) else 'no class'}{only}; at least 2 "
            "classes are needed to tell them apart."
        )
    is_small = counts < min_per_class
    if is_small.any():
        small = [
            f"{label!r} ({count})"
            for label, count in zip(
                classes[is_small].tolist(), counts[is_small].tolist(), strict=True
            )
        ]
        verb, which = ("has", "this class") if len(small) == 1 else ("have", "these classes")
        raise InputError(
            f"{source}: {len(small)} of {len(classes)} classes {verb} fewer than {min_per_class} "
            f"samples: {list_names(small, quote=False)}; add samples or leave {which} out."
        )


def _as_one_type(values: np.ndarray) -> np.ndarray:
    """Convert an array of objects to their common dtype."""
    if values.dtype != object:
        return values
    array = np.array(values.tolist())
    if array.dtype.kind == "f" and all(type(value) is int for value in values):
        # NumPy converts integers beyond 63 bits to floats, some of which are then equal.
        fits = min(values) >= 0 and max(values) < 2**64
        return np.array(values.tolist(), dtype=np.uint64) if fits else values.astype(str)
    return array


def _is_missing(values: np.ndarray) -> np.ndarray:
    is_missing: np.ndarray = np.zeros(len(values), dtype=bool)
    if values.dtype.kind == "f":
        is_missing = np.isnan(values)
    elif values.dtype.kind == "U":
        is_missing = values == ""
    elif values.dtype.kind == "O":
        is_missing = np.array([value is None or value != value for value in values], dtype=bool)
    return is_missing


def _check_target_classes(source: object, name: str, present: np.ndarray) -> list[str]:
    check_classes(present, source=f"{source}: the target {name!r}")
    if present.dtype.kind == "f":
        return []
    classes, counts = np.unique(present, return_counts=True)
    if present.dtype.kind == "U" and len(classes) == len(present):
        raise InputError(
            f"{source}: the target {name!r} is a different text in each of {len(present)} rows, so "
            "it identifies rows, not classes; name another column."
        )
    alone = classes[counts == 1].tolist()
    # If most classes have one sample, the list would be too long to help.
    if alone and len(alone) < len(present) / 2:
        return [
            f"classes of {name!r} with one sample only ({len(alone)} of {len(classes)}): "
            f"{list_names(alone)}; they cannot be in both the training and the held-out samples."
        ]
    return []
