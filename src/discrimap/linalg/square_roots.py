"""Few rows with the products of many: square roots of scatter matrices."""

import numpy as np
from scipy import linalg


def rows_like(joint, n_features):
    """Rows with mean zero whose products are a scatter matrix; split after some columns."""
    # Features of all scales: the root is taken of correlations.
    scales = np.sqrt(np.maximum(np.diag(joint), 0.0))
    scales[scales == 0] = 1.0
    root = square_root(joint / np.outer(scales, scales)) * scales
    rows = np.vstack([root, -root]) / np.sqrt(2)
    return np.split(rows, [n_features], axis=1)


def square_root(scatter):
    """R with ``R'R = scatter``, square; what rounding has left of zero eigenvalues is zero again."""
    values, vectors = linalg.eigh(scatter)
    floor = len(values) * np.finfo(np.float64).eps * max(values[-1], 0.0)
    return np.sqrt(np.where(values > floor, values, 0.0))[:, None] * vectors.T
