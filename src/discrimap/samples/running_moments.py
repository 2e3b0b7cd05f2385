"""Update counts and means of classes, and the scatter of all samples, batch by batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from discrimap.linalg.products import (
    class_sums,
    column_sums,
    in_order,
    inner,
    row_blocks,
    scatter_nanoseconds,
)
from discrimap.linalg.square_roots import rows_like

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class RunningMoments:
    """Moments of labelled samples that arrive in batches, in float64.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The sorted labels of all batches so far.
    counts : ndarray of shape (n_classes,)
        Number of samples of each class.
    class_means : ndarray of shape (n_classes, n_features)
        Mean of each class.
    mean : ndarray of shape (n_features,)
        Mean of all samples.
    scatter : ndarray of shape (n_features, n_features)
        Sum of ``(x - mean)(x - mean)'`` over all samples.
    """

    def __init__(self, n_features: int) -> None:
        self.classes: Any = None  # until the first batch
        self.counts = np.zeros(0)
        self.class_means = np.zeros((0, n_features))
        self.mean = np.zeros(n_features)
        self.scatter = np.zeros((n_features, n_features))

    def add(self, X: np.ndarray, y: ArrayLike) -> RunningMoments:
        """Return new moments that include a batch, in O(n p^2) and with one p x p array."""
        new = RunningMoments(X.shape[1])
        new.classes = np.unique(y if self.classes is None else np.append(self.classes, y))
        new.counts = np.zeros(len(new.classes))
        new.class_means = np.zeros((len(new.classes), X.shape[1]))
        if self.classes is not None:
            known = np.searchsorted(new.classes, self.classes)
            new.counts[known] = self.counts
            new.class_means[known] = self.class_means
        new.mean, new.scatter = self.mean.copy(), self.scatter.copy()
        new._add_blocks(X, np.searchsorted(new.classes, y))
        return new

    @classmethod
    def of(cls, X, labels, classes):
        """Return the moments of samples whose labels are indices of the sorted classes."""
        new = cls(X.shape[1])
        new.classes, new.counts = classes, np.zeros(len(classes))
        new.class_means = np.zeros((len(classes), X.shape[1]))
        new._add_blocks(X, labels)
        return new

    def rows_with_codes(self):
        """Return rows with the same products as all centred samples and one-hot labels.

        They are a square root of the joint scatter matrix, with both signs. Methods that depend
        only on ``X'X``, ``X'Y`` and ``Y'Y``, such as partial least squares and supervised PCA, have
        the same result for these rows as for all samples.

        Returns
        -------
        X : ndarray of shape (2 (n_features + n_classes), n_features)
        onehot : ndarray of shape (2 (n_features + n_classes), n_classes)
        """
        counts = self.counts
        offsets = self.class_means - self.mean
        # Otherwise rounding errors of means that are far from zero would add a direction.
        offsets -= counts @ offsets / counts.sum()
        cross = offsets.T * counts
        codes = np.diag(counts) - np.outer(counts, counts) / counts.sum()
        joint = np.block([[self.scatter, cross], [cross.T, codes]])
        return rows_like(joint, len(self.mean))

    def _add_blocks(self, X, labels):
        def moments(rows):
            block = X[rows].toarray() if sparse.issparse(X) else X[rows]
            return _block_moments(block.astype(np.float64, copy=False), labels[rows])

        for part in in_order(
            moments,
            row_blocks(X),
            2 * scatter_nanoseconds(*X.shape),
            self.scatter.size + self.class_means.size,
        ):
            self._add_block(*part)

    def _add_block(self, block_mean, scatter, classes, counts, class_means):
        # The pairwise update of Chan, Golub and LeVeque (1983).
        n_before, n_block = self.counts.sum(), counts.sum()
        n_after = n_before + n_block
        shift = block_mean - self.mean
        self.scatter += scatter
        self.scatter += np.outer(shift, shift) * (n_before * n_block / n_after)
        self.mean += shift * (n_block / n_after)
        self.counts[classes] += counts
        shifts = class_means - self.class_means[classes]
        self.class_means[classes] += shifts * (counts / self.counts[classes])[:, None]


def _block_moments(block, labels):
    """Return mean and scatter of a block, its classes, their counts and their means."""
    mean = column_sums(block) / len(block)
    centred = block - mean  # before the product, so that a large offset does not cost digits
    counts = np.bincount(labels)
    classes = np.flatnonzero(counts)
    means = mean + class_sums(centred, labels, len(counts))[classes] / counts[classes, None]
    return mean, inner(centred, centred), classes, counts[classes], means
