"""Samples beside the codes of their classes; for blocks, few samples that stand for all."""

from functools import singledispatch

import numpy as np
from scipy import linalg

from discrimap.linalg.centring import centre


@singledispatch
def regression_samples(X, labels, n_classes):
    """Centred samples and one-hot labels in float64, with the means of both.

    Returns
    -------
    X : ndarray of shape (n_rows, n_features)
    onehot : ndarray of shape (n_rows, n_classes)
    mean : ndarray of shape (n_features,)
    shares : ndarray of shape (n_classes,)
        Parts of the classes in the samples.
    """
    onehot = np.eye(n_classes)[labels]
    centred, mean = centre(X)
    return centred, onehot, mean, onehot.mean(axis=0)


def few_samples_like(moments):
    """Rows with mean zero and the same products as all centred samples and one-hot labels.

    A method that sees its data only through ``X'X``, ``X'Y`` and ``Y'Y``, as partial least squares
    and supervised PCA do, finds the same in these ``2 (n_features + n_classes)`` rows as in all:
    they are a square root of the joint scatter matrix, once with each sign.

    Parameters
    ----------
    moments : BlockMoments
        Counts and means of the classes, and scatter within them.

    Returns
    -------
    X : ndarray of shape (n_rows, n_features)
    onehot : ndarray of shape (n_rows, n_classes)
    """
    counts, n_features = moments.counts, moments.means.shape[1]
    cross = (moments.means - moments.mean).T * counts
    codes = np.diag(counts) - np.outer(counts, counts) / counts.sum()
    return rows_like(np.block([[moments.total, cross], [cross.T, codes]]), n_features)


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
