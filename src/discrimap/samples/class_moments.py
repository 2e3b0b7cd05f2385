"""Compute means and scatter of the classes in blocks, without a centred copy of the data."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from discrimap.linalg.products import (
    PER_NUMBER,
    class_sums,
    in_order,
    inner,
    scatter_nanoseconds,
)

BLOCK_ROWS = 4096


@dataclass(frozen=True)
class ClassMoments:
    """First and second moments of labelled data; sums over samples are weighted."""

    sizes: np.ndarray  # (n_classes,) total weight of each class
    means: np.ndarray  # (n_classes, n_features)
    mean: np.ndarray  # (n_features,)
    within: np.ndarray  # (n_features, n_features), sum over classes of their scatter
    curvature: np.ndarray  # the same, each class multiplied by its coefficient

    @property
    def between(self):
        """The scatter of the class means about the mean."""
        offsets = self.means - self.mean
        return (offsets * self.sizes[:, None]).T @ offsets


def class_means(X, labels, n_classes, sample_weight):
    """Compute the weight and mean of each class in float64, in one pass over X."""
    n_samples = len(labels)
    sizes = np.bincount(labels, sample_weight, n_classes).astype(np.float64)
    if sparse.issparse(X):
        weights = np.ones(n_samples) if sample_weight is None else sample_weight
        membership = sparse.csr_matrix(
            (weights, labels, np.arange(n_samples + 1)), shape=(n_samples, n_classes)
        )
        return sizes, (membership.T @ X).toarray() / sizes[:, None]

    def totals(rows):
        block = X[rows].astype(np.float64, copy=False)
        if sample_weight is not None:
            block = block * sample_weight[rows, None]
        return class_sums(block, labels[rows], n_classes)

    blocks = [slice(first, first + BLOCK_ROWS) for first in range(0, n_samples, BLOCK_ROWS)]
    nanoseconds = 4 * PER_NUMBER * X.size
    total = sum(in_order(totals, blocks, nanoseconds, n_classes * X.shape[1]))
    return sizes, total / sizes[:, None]


def class_moments(X, labels, n_classes, sample_weight=None, coefficients=None):
    """Compute moments of labelled data in float64, in O(n p^2) and with memory O(p^2 + C p).

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The samples.
    labels : ndarray of shape (n_samples,)
        Class indices; each of 0..C-1 must occur.
    n_classes : int
        Number of classes C.
    sample_weight : ndarray of shape (n_samples,) or None
        Weights of the samples; ones if None.
    coefficients : ndarray of shape (n_classes,) or None
        Factors of the scatter of each class in ``curvature``; ones if None.

    Returns
    -------
    moments : ClassMoments
    """
    sizes, means = class_means(X, labels, n_classes, sample_weight)
    coefficients = np.ones(n_classes) if coefficients is None else coefficients
    n_features = X.shape[1]
    centres = means.astype(X.dtype)
    within = np.zeros((n_features, n_features))
    curvature = np.zeros((n_features, n_features))
    # Classes with equal coefficients are in one product.
    for coefficient in np.unique(coefficients):
        members = np.flatnonzero(coefficients[labels] == coefficient)
        scatter = np.zeros((n_features, n_features))
        for part in in_order(
            lambda rows: _block_scatter(X, rows, centres.take(labels[rows], axis=0), sample_weight),
            _blocks(members),
            scatter_nanoseconds(len(members), n_features),
            scatter.size,
        ):
            scatter += part
        within += scatter
        curvature += coefficient * scatter
    return ClassMoments(sizes, means, sizes @ means / sizes.sum(), within, curvature)


def _block_scatter(X, rows, centres, sample_weight):
    # Centred before the product, in the dtype of X, so that a large offset does not cost digits.
    block = X[rows].toarray() if sparse.issparse(X) else X.take(rows, axis=0)
    block -= centres
    if sample_weight is not None:
        block *= np.sqrt(sample_weight[rows, None]).astype(X.dtype)
    return inner(block, block)


def _blocks(rows):
    return [rows[first : first + BLOCK_ROWS] for first in range(0, len(rows), BLOCK_ROWS)]
