"""Predictions of a landmark model, at points and along all segments."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from discrimap.fisher.calibration import softmax


class LogitField:
    """Class posteriors from logits that are linear on a segment; points are their logits."""

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes

    def posterior(self, logits):
        """Class posteriors at the points, (n_classes, n)."""
        return np.ascontiguousarray(softmax(logits).T)

    def along(self, left, right, fraction):
        """Posteriors on every segment, this fraction of the way from left to right."""
        fraction = left.dtype.type(fraction)
        logits = (1 - fraction) * left.T[:, :, None] + fraction * right.T[:, None, :]
        logits -= logits.max(axis=0)
        np.exp(logits, out=logits)
        logits /= logits.sum(axis=0)
        return logits


class MeanField:
    """Whitened means of a continuous target, whose Fisher lengths are distances."""

    n_classes = 1


def straight_lengths(field, left, right, n_steps):
    """Fisher lengths between whitened means, (n_left, n_right)."""
    return cdist(left, right).astype(left.dtype)


@dataclass(frozen=True)
class LandmarkFields:
    """Predictions of a fitted LandmarkPosterior or LandmarkRegression without some folds."""

    model: Any
    field: Any

    def without(self, *folds: int) -> tuple[Any, Callable[[np.ndarray], np.ndarray], int]:
        """Field without these folds, function that represents points in it, and their width."""

        def represent(points):
            return self.model._predictions_without(points, *folds)

        return self.field, represent, self.model._ridge.weights.shape[3]

    def information(self, points: np.ndarray) -> np.ndarray:
        """Fisher information matrices at vectors, from all samples.

        Of classes ``sum_c p_c (g_c - g)(g_c - g)'`` with the slopes g_c of the logits and their
        mean g; of numbers the sum over the slopes of the whitened means. O(m p C) for each point.
        """
        predictions, slopes = self.model._predictions_and_slopes(points)  # (n, C, p)
        if isinstance(self.field, LogitField):
            posterior = softmax(predictions)[:, :, None]
            slopes = np.sqrt(posterior) * (slopes - (posterior * slopes).sum(1, keepdims=True))
        return np.einsum("ncp,ncq->npq", slopes, slopes)
