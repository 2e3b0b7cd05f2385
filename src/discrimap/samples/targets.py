"""Decide whether a target is classes or numbers, and sort its classes.

All subpackages use these functions, so that the rules are the same everywhere.
"""

from __future__ import annotations

import re

import numpy as np

# With ``count_values``, whole numbers are continuous if they have more than MANY_VALUES distinct
# values, with fewer than FEW_ROWS_PER_VALUE samples each on average.
MANY_VALUES = 30
FEW_ROWS_PER_VALUE = 10

# The format of str(int), so that the name of a class is kept; 18 digits always fit into 64 bits.
# Digits with leading zeros are codes, such as postcodes, and remain text.
_WHOLE_NUMBER = re.compile("0|-?[1-9][0-9]{0,17}")


def is_continuous(y, *, count_values: bool = False) -> bool:
    """Return whether a target is continuous.

    Numbers with a fractional part or a NaN, and several columns of numbers, are continuous. Text,
    booleans and whole numbers are classes.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The target.
    count_values : bool
        Whether whole numbers, such as ages or prices, are also continuous if they have more than 30
        distinct values, with fewer than 10 samples each on average. This is the rule for tables, for
        the command line and for :func:`~discrimap.comparison.compare`, where the meaning of a column
        of whole numbers is not known; a notice states the decision, and ``task`` overrides it.
        Estimators do not count values: the type of the target must not depend on the number of
        samples, and the parameter ``target`` sets it.

    Returns
    -------
    is_continuous : bool

    Examples
    --------
    >>> import numpy as np
    >>> from discrimap.samples.targets import is_continuous
    >>> is_continuous([0.5, 1.0]), is_continuous([1.0, 2.0]), is_continuous(["a", "b"])
    (True, False, False)
    >>> ages = np.arange(100) // 2
    >>> is_continuous(ages), is_continuous(ages, count_values=True)
    (False, True)
    """
    values = np.asarray(y)
    if values.dtype.kind not in "iuf":
        return False
    if values.ndim == 2 and values.shape[1] > 1:
        return True
    # NaN is not equal to itself, infinity is.
    if values.dtype.kind == "f" and bool(np.any(values != np.floor(values))):
        return True
    if not count_values:
        return False
    n_values = len(np.unique(values))
    return n_values > MANY_VALUES and len(values) < FEW_ROWS_PER_VALUE * n_values


def encode_classes(values) -> tuple[list[str], np.ndarray]:
    """Encode classes as 0, 1, ..., sorted by name, or by value if they are whole numbers.

    Parameters
    ----------
    values : array-like of shape (n_samples,)
        Class labels: numbers, booleans or text, without missing values.

    Returns
    -------
    names : list of str
        The distinct labels. If all are whole numbers, also as text, they are ordered by value:
        1, 2, 10 instead of 1, 10, 2.
    codes : ndarray of shape (n_samples,), int64
        Index of each label in ``names``.

    Examples
    --------
    >>> from discrimap.samples.targets import encode_classes
    >>> names, codes = encode_classes(["10", "2", "1", "2"])
    >>> names, codes.tolist()
    (['1', '2', '10'], [2, 1, 0, 1])
    """
    classes, codes = _find_classes(values)
    return [str(label) for label in classes.tolist()], codes


def as_sortable_labels(values) -> np.ndarray:
    """Return labels whose sorted order is that of :func:`encode_classes`.

    Estimators sort their classes like NumPy, so whole numbers in text must become numbers.

    Parameters
    ----------
    values : array-like of shape (n_samples,)
        Class labels.

    Returns
    -------
    labels : ndarray of shape (n_samples,)
        Integers if all labels are whole numbers in text, otherwise the labels unchanged.
    """
    classes, codes = _find_classes(values)
    return classes[codes]


def _find_classes(values) -> tuple[np.ndarray, np.ndarray]:
    classes, codes = np.unique(np.asarray(values), return_inverse=True)
    is_text = all(isinstance(label, str) for label in classes.tolist())
    if is_text and all(_WHOLE_NUMBER.fullmatch(label) for label in classes):
        numbers = classes.astype(np.int64)
        order = np.argsort(numbers)
        classes, codes = numbers[order], np.argsort(order)[codes]
    return classes, codes.astype(np.int64)
