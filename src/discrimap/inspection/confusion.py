"""Confusions between classes, on points that the map was not fitted to."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from discrimap.comparison.result import MethodResult
from discrimap.inspection.named_problem import NamedProblem

NEVER = -1  # of a sample that no split held out


@dataclass(frozen=True, eq=False)
class Confusion:
    """How many samples of a class (row) are taken for a class (column).

    Each sample is judged once, in the first split that held it out, so that it stands in one cell.
    """

    class_names: tuple[str, ...]
    counts: np.ndarray  # (n_classes, n_classes)
    # (n_samples,) the class that each sample is taken for, or NEVER; on the page, not in files
    judged: np.ndarray = field(metadata={"in_files": False})

    @property
    def n_judged(self) -> int:
        return int(self.counts.sum())

    def worst_pairs(self, most: int = 10) -> list[tuple[int, int, int]]:
        """Return (given class, voted class, samples) of the most frequent confusions."""
        wrong = self.counts.copy()
        np.fill_diagonal(wrong, 0)
        order = np.argsort(-wrong, axis=None, kind="stable")[:most]
        pairs = [divmod(int(cell), len(wrong)) for cell in order]
        return [(i, j, int(wrong[i, j])) for i, j in pairs if wrong[i, j] > 0]


def count_confusions(result: MethodResult, samples: NamedProblem) -> Confusion | str:
    """Count what the comparison predicted for held-out samples; nothing is fitted again.

    Parameters
    ----------
    result : MethodResult
        The method, with its predictions of each split.
    samples : NamedProblem
        The data.

    Returns
    -------
    confusion : Confusion or str
        The counts, or the reason why there are none.
    """
    if samples.is_continuous:
        return "The target is a number: there are no classes to confuse."
    if not result.predictions:
        return "No predictions were kept."
    judged = np.full(len(samples.y), NEVER, dtype=np.int32)
    for prediction in reversed(result.predictions):  # the first split has the last word
        judged[prediction.rows] = prediction.predicted
    rows = np.flatnonzero(judged != NEVER)
    counts = np.zeros((samples.n_classes, samples.n_classes), dtype=np.int64)
    np.add.at(counts, (samples.y[rows], judged[rows]), 1)
    return Confusion(samples.class_names, counts, judged)
