"""Draws of a pool with few labels and a test set, shared by the benchmarks of projections."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.neighbors import KNeighborsClassifier

from discrimap.linalg.reductions import row_space

LARGEST_POOL = LARGEST_TEST = 1000
# LDA and logistic regression need dense samples: text comes as so many singular directions.
TEXT_RANK = 300


@dataclass(frozen=True, eq=False)
class Draw:
    """A pool and a test set, about the mean of the pool, in units of its spread.

    The order of the pool is random: the first members of a class are the first to get labels.
    """

    pool: np.ndarray
    pool_y: np.ndarray
    test: np.ndarray
    test_y: np.ndarray

    def labels(self, n_labels):
        """Classes of the pool, -1 for all but n_labels of each class; None leaves all."""
        if n_labels is None:
            return self.pool_y
        labels = np.full(len(self.pool_y), -1)
        for c in np.unique(self.pool_y):
            members = np.flatnonzero(self.pool_y == c)[:n_labels]
            labels[members] = c
        return labels

    @cached_property
    def turned(self):
        """The draw in the row space of a wide pool: faster, for methods blind to rotations.

        LDA is not: scikit-learn scales single features first.
        """
        if self.pool.shape[1] <= len(self.pool):
            return self
        reduction = row_space(self.pool)
        basis = reduction.lift(np.eye(reduction.coordinates.shape[1]))
        return Draw(reduction.coordinates, self.pool_y, self.test @ basis, self.test_y)


def draw(X, y, seed, *, is_text=False):
    """Split at random: two thirds, at most 1000 samples, are the pool; at most 1000 others the test."""
    order = np.random.default_rng(seed).permutation(len(y))
    n_pool = min(2 * len(y) // 3, LARGEST_POOL)
    pool, test = order[:n_pool], order[n_pool : n_pool + LARGEST_TEST]
    pool_X, test_X = X[pool], X[test]
    if is_text:
        weigh = TfidfTransformer().fit(pool_X)
        pool_X, test_X = weigh.transform(pool_X), weigh.transform(test_X)
        # Through the small Gram matrix: exact, and ten times faster than a randomised SVD.
        reduction = row_space(pool_X)
        n_directions = reduction.coordinates.shape[1]
        basis = reduction.lift(np.eye(n_directions)[:, -TEXT_RANK:])
        pool_X, test_X = pool_X @ basis, test_X @ basis
    mean = pool_X.mean(axis=0)
    scale = np.sqrt(np.mean((pool_X - mean) ** 2))
    return Draw((pool_X - mean) / scale, y[pool], (test_X - mean) / scale, y[test])


def nearest_neighbor_score(points, labels, test_points, test_y):
    """Accuracy of the nearest labelled point."""
    known = labels >= 0
    return KNeighborsClassifier(1).fit(points[known], labels[known]).score(test_points, test_y)
