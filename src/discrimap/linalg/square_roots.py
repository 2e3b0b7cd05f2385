"""Square roots of scatter matrices: a few rows with the same products as many."""

import numpy as np
from scipy import linalg


def rows_like(joint, n_features):
    """Return rows of mean zero whose products are a scatter matrix, split after ``n_features`` columns."""
    root = square_root(joint)
    rows = np.vstack([root, -root]) / np.sqrt(2)
    return np.split(rows, [n_features], axis=1)


def square_root(scatter):
    """Return a square R with ``R'R = scatter``; eigenvalues that are zero up to rounding become zero."""
    # The root of the correlations is computed, because features may have different scales.
    scales = np.sqrt(np.maximum(np.diag(scatter), 0.0))
    scales[scales == 0] = 1.0
    values, vectors = linalg.eigh(scatter / np.outer(scales, scales))
    floor = len(values) * np.finfo(np.float64).eps * max(values[-1], 0.0)
    return np.sqrt(np.where(values > floor, values, 0.0))[:, None] * vectors.T * scales
