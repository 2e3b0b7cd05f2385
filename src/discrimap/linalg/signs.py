"""Fix the signs of directions, so that eigenvectors are the same on every machine."""

import numpy as np

# Entries whose absolute values differ from the largest by less than this fraction count as equal.
NEARLY_EQUAL = 1e-6


def sign_of_columns(directions: np.ndarray) -> np.ndarray:
    """Return 1 or -1 for each column, such that its entry of largest absolute value becomes positive.

    The first of nearly equal entries is used. A binary variable and its complement, for example,
    have opposite entries of the same size, and the larger one would depend on rounding.
    """
    sizes = np.abs(directions)
    deciding = (sizes >= (1 - NEARLY_EQUAL) * sizes.max(axis=0)).argmax(axis=0)
    return np.where(directions[deciding, np.arange(directions.shape[1])] < 0, -1.0, 1.0)


def orient(directions: np.ndarray) -> np.ndarray:
    """Return the columns with the signs of :func:`sign_of_columns`."""
    return directions * sign_of_columns(directions)
