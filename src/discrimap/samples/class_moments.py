"""Compute means and scatter of the classes in blocks, without a centred copy of the data."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from discrimap._typing import Matrix
from discrimap.linalg.products import (
    PER_NUMBER,
    class_sums,
    in_order,
    inner,
    row_blocks,
    scatter_nanoseconds,
)


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


def class_means(
    X: Matrix, labels: np.ndarray, n_classes: int, sample_weight: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
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

    nanoseconds = 4 * PER_NUMBER * X.size
    total = sum(in_order(totals, row_blocks(X), nanoseconds, n_classes * X.shape[1]))
    return sizes, total / sizes[:, None]


def class_moments(X, labels, n_classes, sample_weight=None, coefficients=None, known=None):
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
        Factors, not negative, of the scatter of each class in ``curvature``; ones if None.
    known : tuple or None
        The result of :func:`class_means`; computed if None.

    Returns
    -------
    moments : ClassMoments
    """
    if known is None:
        known = class_means(X, labels, n_classes, sample_weight)
    sizes, means = known
    coefficients = np.ones(n_classes) if coefficients is None else coefficients
    centres = means.astype(X.dtype)
    largest = coefficients.max()
    is_constant = (coefficients == largest).all()
    # The largest is taken out, so that no product underflows.
    factors = np.sqrt(coefficients / largest if largest > 0 else coefficients).astype(X.dtype)

    def scatters(rows):
        # Centred before the product, in the type of X, so that a large offset loses no digits.
        block = X[rows].toarray() if sparse.issparse(X) else X[rows]
        block = block - centres.take(labels[rows], axis=0)
        if sample_weight is not None:
            block *= np.sqrt(sample_weight[rows, None]).astype(X.dtype)
        within = inner(block, block)
        if is_constant:
            return within, within
        block *= factors.take(labels[rows])[:, None]
        return within, inner(block, block)

    n_samples, n_features = X.shape
    within, curvature = np.zeros((2, n_features, n_features))
    for of_block, scaled in in_order(
        scatters,
        row_blocks(X),
        scatter_nanoseconds(n_samples, n_features) * (1 if is_constant else 2),
        2 * within.size,
    ):
        within += of_block
        curvature += scaled
    curvature *= largest
    return ClassMoments(sizes, means, sizes @ means / sizes.sum(), within, curvature)
