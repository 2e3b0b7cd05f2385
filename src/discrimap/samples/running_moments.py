"""Counts and means of classes, and the scatter of all samples, from batches."""

from __future__ import annotations

import numpy as np
from scipy import sparse

BLOCK_ROWS = 4096


class RunningMoments:
    """Moments of labelled samples that arrive in batches, in float64.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The sorted labels seen so far.
    counts : ndarray of shape (n_classes,)
        Number of samples of each.
    class_means : ndarray of shape (n_classes, n_features)
        Their means.
    mean : ndarray of shape (n_features,)
        Mean of all samples.
    scatter : ndarray of shape (n_features, n_features)
        Sum of ``(x - mean)(x - mean)'`` over all samples.
    """

    def __init__(self, n_features):
        self.classes = None
        self.counts = np.zeros(0)
        self.class_means = np.zeros((0, n_features))
        self.mean = np.zeros(n_features)
        self.scatter = np.zeros((n_features, n_features))

    def add(self, X, y):
        """The moments with a batch added, as a new object; costs O(n p^2) and one p x p array."""
        new = RunningMoments(X.shape[1])
        new.classes = np.unique(y if self.classes is None else np.append(self.classes, y))
        new.counts = np.zeros(len(new.classes))
        new.class_means = np.zeros((len(new.classes), X.shape[1]))
        if self.classes is not None:
            known = np.searchsorted(new.classes, self.classes)
            new.counts[known] = self.counts
            new.class_means[known] = self.class_means
        new.mean, new.scatter = self.mean.copy(), self.scatter.copy()
        labels = np.searchsorted(new.classes, y)
        for start in range(0, X.shape[0], BLOCK_ROWS):
            rows = slice(start, start + BLOCK_ROWS)
            block = X[rows].toarray() if sparse.issparse(X) else X[rows]
            new._add_block(block.astype(np.float64), labels[rows])
        return new

    def _add_block(self, block, labels):
        # The pairwise update of Chan, Golub and LeVeque (1983): centred before products, so a
        # large offset costs no digits.
        n_before, n_block = self.counts.sum(), len(block)
        n_after = n_before + n_block
        block_mean = block.mean(axis=0)
        shift = block_mean - self.mean
        centred = block - block_mean
        self.scatter += centred.T @ centred
        self.scatter += np.outer(shift, shift) * (n_before * n_block / n_after)
        self.mean += shift * (n_block / n_after)
        for k in np.unique(labels):
            members = block[labels == k]
            self.counts[k] += len(members)
            shift = members.mean(axis=0) - self.class_means[k]
            self.class_means[k] += shift * (len(members) / self.counts[k])
