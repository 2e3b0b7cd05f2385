"""Choice among nearly equal values that does not depend on rounding."""

import numpy as np

# Uncertainty, relative to its scale, of the value of a search that stops at a tolerance.
NEAR_TIE = 1e-4


def first_of_best(values, scale=0.0):
    """Position of the first value that is the lowest or nearly the lowest.

    Local optima of almost the same value are common, and which of them is the lowest depends on the
    processor. The order of the candidates does not.

    Parameters
    ----------
    values : sequence of float
        One for each candidate, lower is better.
    scale : float, default=0.0
        Scale of differences besides the values themselves; for instance the value at the start, if
        values may be near zero.

    Returns
    -------
    position : int
        The first candidate within 1e-4 of the scale of the lowest one.

    Examples
    --------
    >>> from discrimap.optimisers.near_ties import first_of_best
    >>> first_of_best([0.7, 0.30000001, 0.3])
    1
    """
    values = np.asarray(values, dtype=np.float64)
    margin = NEAR_TIE * max(float(np.abs(values).max()), scale)
    return int(np.flatnonzero(values <= values.min() + margin)[0])
