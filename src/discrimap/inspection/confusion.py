"""Confusion matrix of the classes, on held-out points."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from discrimap.comparison.result import MethodResult
from discrimap.inspection.named_problem import NamedProblem

NEVER = -1  # prediction of a sample that was held out in no split


@dataclass(frozen=True, eq=False)
class Confusion:
    """Number of samples of each class (row) that are predicted as each class (column).

    Each sample is counted once, in the first split in which it was held out.
    """

    class_names: tuple[str, ...]
    counts: np.ndarray  # (n_classes, n_classes)
    # (n_samples,) predicted class of each sample, or NEVER; on the page, but not in JSON files
    judged: np.ndarray = field(metadata={"in_files": False})

    @property
    def n_judged(self) -> int:
        return int(self.counts.sum())

    def worst_pairs(self, most: int = 10) -> list[tuple[int, int, int]]:
        """Return (given class, predicted class, count) of the most frequent confusions."""
        wrong = self.counts.copy()
        np.fill_diagonal(wrong, 0)
        order = np.argsort(-wrong, axis=None, kind="stable")[:most]
        pairs = [divmod(int(cell), len(wrong)) for cell in order]
        return [(i, j, int(wrong[i, j])) for i, j in pairs if wrong[i, j] > 0]


def count_confusions(result: MethodResult, samples: NamedProblem) -> Confusion | str:
    """Count the predictions of the comparison for held-out samples. No method is fitted again.

    Parameters
    ----------
    result : MethodResult
        The method, with its predictions in each split.
    samples : NamedProblem
        The data.

    Returns
    -------
    confusion : Confusion or str
        The counts, or the reason why they cannot be computed.
    """
    if samples.is_continuous:
        return "The target is a number: there are no classes to confuse."
    if not result.predictions:
        return "No predictions were kept."
    judged = np.full(len(samples.y), NEVER, dtype=np.int32)
    for prediction in reversed(result.predictions):  # reversed, so that the first split is kept
        judged[prediction.rows] = prediction.predicted
    rows = np.flatnonzero(judged != NEVER)
    counts = np.zeros((samples.n_classes, samples.n_classes), dtype=np.int64)
    np.add.at(counts, (samples.y[rows], judged[rows]), 1)
    return Confusion(samples.class_names, counts, judged)
