"""Labels that disagree with those of the neighbours of a sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discrimap.inspection.folds import N_FOLDS
from discrimap.inspection.jury import Jury
from discrimap.inspection.named_problem import NamedProblem

MOST_ITEMS = 500
# A number is suspicious if it is off by more than this many (robust) standard deviations.
FAR_OFF = 3.5
# The median absolute deviation of a normal distribution is 1 / 1.4826 of its standard deviation.
MAD_TO_SD = 1.4826


@dataclass(frozen=True)
class Suspect:
    """One sample whose label looks wrong."""

    row: int  # in the data, counted from 0
    given: str
    suggested: str
    # Classes: shares of neighbours with the given and with the suggested label. Numbers: the given
    # and the expected number.
    own: float
    other: float
    score: float  # what the list is sorted by, largest first


@dataclass(frozen=True)
class Suspects:
    """The labels that look wrong, most suspicious first, and the maps that voted."""

    jurors: tuple[tuple[str, int], ...]  # label of the method and number of components
    n_neighbors: int
    n_checked: int
    n_found: int  # more than the list holds if it was cut
    items: tuple[Suspect, ...]


def find_suspects(jury: Jury, samples: NamedProblem, most: int = MOST_ITEMS) -> Suspects:
    """List the samples whose neighbours favour another class, or a number far from the given one.

    A label is suspicious if another class has a larger share of the neighbours. The share of the
    given class is relative to the most neighbours that it can have, so that labels of small classes
    are not suspicious for that reason.

    Parameters
    ----------
    jury : Jury
        From :func:`~discrimap.inspection.jury.convene_jury`.
    samples : NamedProblem
        The data.
    most : int
        Length of the list.
    """
    judge = _judge_numbers if samples.is_continuous else _judge_classes
    found = sorted(judge(jury, samples), key=lambda suspect: -suspect.score)
    return Suspects(
        jurors=jury.jurors,
        n_neighbors=jury.n_neighbors,
        n_checked=len(samples.labelled_rows),
        n_found=len(found),
        items=tuple(found[:most]),
    )


def _judge_classes(jury: Jury, samples: NamedProblem) -> list[Suspect]:
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
    names = samples.class_names
    return [
        Suspect(
            row=int(rows[i]),
            given=names[y[i]],
            suggested=names[rival[i]],
            own=float(own[i]),
            other=float(other[i]),
            score=float(other[i] - own[i]),
        )
        for i in np.flatnonzero(other > own)
    ]


def _judge_numbers(jury: Jury, samples: NamedProblem) -> list[Suspect]:
    rows = samples.labelled_rows
    y = samples.y[rows]
    off = y - jury.votes
    centre = np.median(off)
    spread = MAD_TO_SD * np.median(np.abs(off - centre))
    score = np.abs(off - centre) / max(spread, 1e-300)
    return [
        Suspect(
            row=int(rows[i]),
            given=f"{y[i]:.5g}",
            suggested=f"{jury.votes[i]:.5g}",
            own=float(y[i]),
            other=float(jury.votes[i]),
            score=float(score[i]),
        )
        for i in np.flatnonzero(score > FAR_OFF)
    ]
