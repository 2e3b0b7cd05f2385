"""Confusions between classes, on points that the map was not fitted to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discrimap.inspection.named_problem import NamedProblem
from discrimap.metrics.knn import winning_shares


@dataclass(frozen=True, eq=False)
class Confusion:
    """How often samples of a class (row) are voted into a class (column); tied votes are shared."""

    class_names: tuple[str, ...]
    counts: np.ndarray  # (n_classes, n_classes)

    def worst_pairs(self, most: int = 10) -> list[tuple[int, int, float]]:
        """Return (given class, voted class, samples) of the most frequent confusions."""
        wrong = self.counts.copy()
        np.fill_diagonal(wrong, 0.0)
        order = np.argsort(-wrong, axis=None, kind="stable")[:most]
        pairs = [divmod(int(cell), len(wrong)) for cell in order]
        return [(i, j, float(wrong[i, j])) for i, j in pairs if wrong[i, j] > 0]


def count_confusions(votes: np.ndarray, samples: NamedProblem) -> Confusion:
    """Sum the cross-validated votes of :func:`~discrimap.inspection.folds.cross_votes` by class."""
    counts = np.zeros((votes.shape[1], votes.shape[1]))
    np.add.at(counts, samples.y[samples.labelled_rows], winning_shares(votes))
    return Confusion(samples.class_names, counts)
