"""A sign for directions that have none: eigenvectors come back the same on every machine."""

import numpy as np

# Entries whose size is within this fraction of the largest count as equally large.
NEARLY_EQUAL = 1e-6


def sign_of_columns(directions):
    """1 or -1 for each column, such that its entry of largest size becomes positive.

    Of nearly equal entries the first decides. A binary variable and its complement, for example,
    get opposite entries of the same size, of which rounding would choose one.
    """
    sizes = np.abs(directions)
    deciding = (sizes >= (1 - NEARLY_EQUAL) * sizes.max(axis=0)).argmax(axis=0)
    return np.where(directions[deciding, np.arange(directions.shape[1])] < 0, -1.0, 1.0)


def orient(directions):
    """Columns with the arbitrary sign fixed by :func:`sign_of_columns`."""
    return directions * sign_of_columns(directions)
