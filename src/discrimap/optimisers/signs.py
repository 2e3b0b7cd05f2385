"""A sign for directions that have none: eigenvectors come back the same on every machine."""

import numpy as np


def sign_of_columns(directions):
    """1 or -1 for each column, such that its entry of largest size becomes positive."""
    columns = np.arange(directions.shape[1])
    return np.where(directions[np.abs(directions).argmax(axis=0), columns] < 0, -1.0, 1.0)
