"""A choice among near-equal values that rounding does not decide."""

import numpy as np

# A search that stops at a tolerance leaves its value uncertain by about so much of its scale.
NEAR_TIE = 1e-4


def first_of_best(values, scale=0.0):
    """Position of the first value that is the lowest, or nearly.

    Local optima of almost the same value are common, and which is lowest to the last digit
    depends on the processor. The order of the candidates does not.

    Parameters
    ----------
    values : sequence of float
        One for each candidate, lower is better.
    scale : float, default=0.0
        What differences are compared with, besides the values themselves; for instance the value
        at the start, where values may come near zero.

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
