"""The target of a table: class names, class codes or numbers, and rows without one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discrimap.datasets.wording import list_names
from discrimap.errors import InputError

UNLABELLED_CHOICES = ("error", "keep", "drop")


@dataclass(frozen=True)
class Target:
    """Labels as :class:`~discrimap.datasets.Dataset` holds them."""

    y: np.ndarray
    names: list[str] | None
    is_labelled: np.ndarray
    notices: tuple[str, ...] = ()


def check_unlabelled(unlabelled: str) -> None:
    """Refuse a choice that does not exist."""
    if unlabelled not in UNLABELLED_CHOICES:
        raise InputError(
            f"unlabelled={unlabelled!r} is not known; pass one of {list_names(UNLABELLED_CHOICES)}."
        )


def check_rows(source: object, n_rows: int) -> None:
    """Refuse a table that is too short to hold two classes."""
    if n_rows < 2:
        rows = "1 row" if n_rows == 1 else "no rows"
        raise InputError(f"{source} has {rows}; at least 2 are needed, of different classes.")


def encode_target(source: object, name: str, values: np.ndarray, unlabelled: str) -> Target:
    """Turn a column into labels.

    Text stays text, whole numbers stay whole numbers, true/false becomes 1/0 and other numbers stay
    as they are. With ``unlabelled="keep"`` classes are coded 0..C-1, in sorted order, so that -1 can
    mark the rows without one; numbers are then NaN there. With ``"drop"`` the result still has all
    rows: the caller keeps those that are labelled, in X as well.

    Parameters
    ----------
    source : object
        What to call the data in messages, such as the path.
    name : str
        Name of the target column.
    values : ndarray of shape (n_samples,)
        Numbers, bool, text, or objects with None where a value is missing.
    unlabelled : {"error", "keep", "drop"}
        What to do with rows whose target is missing.

    Returns
    -------
    target : Target
    """
    is_labelled = ~_is_missing(values)
    n_missing = int(np.count_nonzero(~is_labelled))
    if n_missing == len(values):
        raise InputError(f"{source}: the target {name!r} has no values; name another column.")
    if n_missing and unlabelled == "error":
        raise InputError(
            f"{source}: the target {name!r} is missing in {n_missing} of {len(values)} rows; fill "
            "it in, or say what to do with them (unlabelled='drop' or 'keep')."
        )
    present = np.array(values[is_labelled].tolist())
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
    notices = _check_target_classes(source, name, present)
    if n_missing:
        done = {"drop": "dropped", "keep": "kept, marked by -1 (classes) or NaN (numbers)"}
        notices.append(
            f"{n_missing} of {len(values)} rows without a {name!r} are {done[unlabelled]}."
        )

    if present.dtype.kind == "f":
        y, names = np.full(len(values), np.nan), None
        y[is_labelled] = present
    elif unlabelled == "keep" or present.dtype.kind == "b":
        classes, codes = np.unique(present, return_inverse=True)
        y = np.full(len(values), -1, dtype=np.int64)
        y[is_labelled] = codes
        names = [str(value) for value in classes.tolist()]
    else:
        # A marker of the same type; it leaves with its row, because there is nothing to keep.
        y = np.zeros(len(values), dtype=np.int64 if present.dtype.kind in "iu" else present.dtype)
        y[is_labelled] = present
        names = None
    return Target(y, names, is_labelled, tuple(notices))


def check_classes(y: np.ndarray, *, min_per_class: int = 1, source: object = "y") -> None:
    """Refuse labels that no method can tell apart: fewer than two classes, or too small ones.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Class names or codes, labelled samples only.
    min_per_class : int
        The fewest samples a class may have; a stratified split needs 2.
    source : object
        What to call y in messages.

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


def _is_missing(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind == "U":
        return values == ""
    if values.dtype.kind == "O":
        return np.array([value is None or value != value for value in values], dtype=bool)
    return np.zeros(len(values), dtype=bool)


def _check_target_classes(source: object, name: str, present: np.ndarray) -> list[str]:
    check_classes(present, source=f"{source}: the target {name!r}")
    if present.dtype.kind == "f":
        return []
    classes, counts = np.unique(present, return_counts=True)
    if present.dtype.kind == "U" and len(classes) == len(present):
        raise InputError(
            f"{source}: the target {name!r} is a different text in each of {len(present)} rows, so "
            "it names rows, not classes; name another column."
        )
    alone = classes[counts == 1].tolist()
    # Whole numbers with many values are rather a quantity than classes.
    if alone and len(alone) < len(present) / 2:
        return [
            f"classes of {name!r} with one sample only ({len(alone)} of {len(classes)}): "
            f"{list_names(alone)}; no split can have them on both sides."
        ]
    return []
