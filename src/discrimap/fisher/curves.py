"""Curves of predictions from one sample to another: of class probabilities, or of a number.

In the feature space of the landmarks' Gaussians, predictions are linear on a segment. So the whole
curve between two samples follows from the predictions at its ends.
"""

from dataclasses import dataclass

import numpy as np

from discrimap.fisher.calibration import softmax
from discrimap.threads import run_ranges

# Nanoseconds for one class at one node of one pair.
_PER_CLASS_AND_NODE = 4.0
_ROWS_PER_BLOCK = 2048


@dataclass(frozen=True)
class ClassCurve:
    """Curves ``2 sqrt(softmax(logits))`` on a sphere, whose logits are linear.

    Parameters
    ----------
    n_steps : int
        Arcs by which a curve is measured.
    """

    n_steps: int

    def places(self, logits):
        """Points ``2 sqrt(p)``, whose distances are no larger than lengths of curves."""
        return 2 * np.sqrt(softmax(logits))

    def lengths(self, left, right, left_folds, right_folds, indices):
        """Lengths from each left point i to the right points ``indices[i]``; O(n_steps C) each.

        Parameters
        ----------
        left, right : ndarray of shape (n_points, n_folds, n_classes)
            Logits. A pair uses those of the left point for the fold of the right one, and the other
            way round.
        left_folds, right_folds : ndarray of shape (n_points,)
            Fold of each point.
        indices : ndarray of shape (n_left, k)
            Right points.

        Returns
        -------
        lengths : ndarray of shape (n_left, k), float64
        """
        from discrimap.fisher._segment_loops import class_lengths

        found = np.empty(indices.shape)

        def rows(begin, end):
            class_lengths(
                begin, end, left, right, left_folds, right_folds, indices, self.n_steps, found
            )

        work = found.size * (self.n_steps + 1) * left.shape[2]
        run_ranges(rows, len(indices), _PER_CLASS_AND_NODE * work)
        return found


@dataclass(frozen=True)
class NumberLine:
    """Straight lines: the Fisher length of a Gaussian whose mean moves is a whitened distance."""

    def places(self, means):
        """The whitened means themselves."""
        return means

    def lengths(self, left, right, left_folds, right_folds, indices):
        """Distances of whitened means; see :meth:`ClassCurve.lengths`."""
        found = np.empty(indices.shape)
        for start in range(0, len(indices), _ROWS_PER_BLOCK):
            rows = slice(start, start + _ROWS_PER_BLOCK)
            near = indices[rows]
            at_left = left[np.arange(len(left))[rows, None], right_folds[near]]
            at_right = right[near, left_folds[rows, None]]
            found[rows] = np.linalg.norm(at_left - at_right, axis=2)
        return found
