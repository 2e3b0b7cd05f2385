"""Initial positions of the points of a map."""

import numpy as np
from scipy import linalg

from discrimap.linalg.signs import orient

_SPREAD = 1e-4
_DECIMALS = 4  # of positions of unit spread


def first_positions(
    coordinates: np.ndarray | None, shape: tuple[int, int], random_state: np.random.RandomState
) -> np.ndarray:
    """Principal components of coordinates with a little noise, or noise alone.

    Parameters
    ----------
    coordinates : ndarray of shape (n, n_coordinates) or None
        Near each other for points that belong together; None for noise.
    shape : tuple
        Number of points, and dimensions of the map.
    random_state : RandomState
        Draws the noise.

    Returns
    -------
    positions : ndarray of this shape
    """
    noise = random_state.standard_normal(shape)
    if coordinates is None:
        return _SPREAD * noise
    centred = coordinates - coordinates.mean(axis=0)
    # From the small matrix of products: singular vectors would need three more arrays of n rows.
    _, directions = linalg.eigh(centred.T @ centred)
    principal = np.zeros_like(noise)
    n_known = min(shape[1], directions.shape[1])
    principal[:, :n_known] = orient(centred @ directions[:, ::-1][:, :n_known])
    spread = principal[:, 0].std()
    start = principal / spread if spread > 0 else principal
    # Rounded, so that the descent has the same start on every processor (see embed). The noise is
    # the same on all, and separates points with the same posterior.
    return _SPREAD * (np.round(start, _DECIMALS) + 0.01 * noise)
