"""Choice among nearly equal values that does not depend on rounding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

# Uncertainty of the value of a search that stops at a tolerance, relative to its scale.
NEAR_TIE = 1e-4


def first_of_best(values: ArrayLike, scale: float = 0.0) -> int:
    """Index of the first value that is the lowest or nearly the lowest.

    Local optima with almost the same value are common, and rounding, which depends on the
    processor, determines which of them is the lowest. The order of the candidates does not depend
    on the processor.

    Parameters
    ----------
    values : sequence of float
        One for each candidate, lower is better.
    scale : float, default=0.0
        Lower bound of the scale of the values, for instance the value at the start. Useful if
        values may be near zero.

    Returns
    -------
    position : int
        Index of the first candidate whose value exceeds the lowest value by at most 1e-4 times the
        scale.

    Examples
    --------
    >>> from discrimap.optimisers.near_ties import first_of_best
    >>> first_of_best([0.7, 0.30000001, 0.3])
    1
    """
    values = np.asarray(values, dtype=np.float64)
    margin = NEAR_TIE * max(float(np.abs(values).max()), scale)
    return int(np.flatnonzero(values <= values.min() + margin)[0])
