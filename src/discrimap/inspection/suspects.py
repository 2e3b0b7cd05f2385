"""Samples whose label disagrees with the labels of their neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discrimap.inspection.folds import N_FOLDS
from discrimap.inspection.jury import Jury
from discrimap.inspection.named_problem import NamedProblem
from discrimap.inspection.wrong_labels import estimate_wrong_labels

# A continuous target is suspicious if it differs from the prediction by more than this many robust
# standard deviations.
FAR_OFF = 3.5
# The median absolute deviation of a normal distribution is 1 / 1.4826 of its standard deviation.
MAD_TO_SD = 1.4826


@dataclass(frozen=True)
class Suspect:
    """One sample with a suspicious label."""

    row: int  # index in the data, from 0; files and pages count rows from 1
    id: str | None  # from the column of the ids, if the table has one
    given: str
    suggested: str
    # Classification: shares of neighbours with the given and with the suggested label. Regression:
    # the given and the predicted number.
    own: float
    other: float
    score: float  # suspects are sorted by score, largest first


@dataclass(frozen=True)
class Suspects:
    """The suspicious labels, most suspicious first, and the methods that voted.

    The first ``n_estimated`` of ``items`` should be checked. The others are suspicious only because
    classes overlap.
    """

    jurors: tuple[tuple[str, int], ...]  # label of the method and number of components
    n_neighbors: int
    n_checked: int
    n_found: int
    n_estimated: int  # expected number of wrong labels, at most n_found
    id_name: str | None  # name of the column of the ids
    items: tuple[Suspect, ...]  # all suspicious labels


def find_suspects(jury: Jury, samples: NamedProblem) -> Suspects:
    """List the samples whose neighbours predict another class, or a very different number.

    A label is suspicious if another class has a larger share of the neighbours. The share of the
    given class is divided by the largest share that this class can have, so that labels are not
    suspicious only because their class is small. The number of wrong labels is estimated by
    :func:`~discrimap.inspection.wrong_labels.estimate_wrong_labels`. The score is the difference of
    the two shares. If most samples of a class lie inside another class, the score of its labels is
    reduced by 1, so that they come last.

    A continuous target is suspicious if it differs from the prediction by more than 3.5 robust
    standard deviations; all these samples are counted as wrong.

    Parameters
    ----------
    jury : Jury
        From :func:`~discrimap.inspection.jury.convene_jury`.
    samples : NamedProblem
        The data.
    """
    judge = _judge_numbers if samples.is_continuous else _judge_classes
    found, n_estimated = judge(jury, samples)
    return Suspects(
        jurors=jury.jurors,
        n_neighbors=jury.n_neighbors,
        n_checked=len(samples.labelled_rows),
        n_found=len(found),
        n_estimated=n_estimated,
        id_name=samples.id_name,
        items=tuple(sorted(found, key=lambda suspect: -suspect.score)),
    )


def _judge_classes(jury: Jury, samples: NamedProblem) -> tuple[list[Suspect], int]:
    rows = samples.labelled_rows
    y = samples.y[rows]
    place = np.arange(len(rows))
    n_train = np.bincount(y) * (1 - 1 / N_FOLDS)
    possible = np.minimum(jury.n_neighbors, np.maximum(n_train, 1.0)) / jury.n_neighbors
    own = np.minimum(1.0, jury.votes[place, y] / possible[y])
    others = jury.votes.copy()
    others[place, y] = -1.0
    rival = others.argmax(axis=1)
    other = others[place, rival]
    is_found = other > own
    wrong = estimate_wrong_labels(jury.votes, y)
    n_found = np.bincount(y[is_found], minlength=len(wrong.expected))
    n_estimated = round(float(np.minimum(wrong.expected, n_found).sum()))
    score = other - own - wrong.is_swallowed[y]
    names = samples.class_names
    found = [
        Suspect(
            row=int(rows[i]),
            id=_id_of(samples, rows[i]),
            given=names[y[i]],
            suggested=names[rival[i]],
            own=float(own[i]),
            other=float(other[i]),
            score=float(score[i]),
        )
        for i in np.flatnonzero(is_found)
    ]
    return found, n_estimated


def _judge_numbers(jury: Jury, samples: NamedProblem) -> tuple[list[Suspect], int]:
    rows = samples.labelled_rows
    y = samples.y[rows]
    off = y - jury.votes
    centre = np.median(off)
    spread = MAD_TO_SD * np.median(np.abs(off - centre))
    score = np.abs(off - centre) / max(spread, 1e-300)
    found = [
        Suspect(
            row=int(rows[i]),
            id=_id_of(samples, rows[i]),
            given=f"{y[i]:.5g}",
            suggested=f"{jury.votes[i]:.5g}",
            own=float(y[i]),
            other=float(jury.votes[i]),
            score=float(score[i]),
        )
        for i in np.flatnonzero(score > FAR_OFF)
    ]
    return found, len(found)


def _id_of(samples: NamedProblem, row: int) -> str | None:
    return None if samples.ids is None else str(samples.ids[row])
