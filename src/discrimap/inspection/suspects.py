"""Labels that the neighbours of a sample do not believe."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discrimap.inspection.samples import Samples


@dataclass(frozen=True)
class Suspect:
    """One sample whose label looks wrong."""

    row: int  # in the data, counted from 0
    given: str
    suggested: str
    own_share: float  # of the neighbours that have the given label
    suggested_share: float  # of the neighbours that have the suggested label


@dataclass(frozen=True)
class Suspects:
    """The labels that look wrong, most suspicious first, and where they were looked for."""

    label: str  # of the method whose map was used
    n_components: int
    n_checked: int
    n_found: int  # more than the list holds where it was cut
    items: tuple[Suspect, ...]


MOST_ITEMS = 500


def find_suspects(
    votes: np.ndarray, samples: Samples, *, label: str, n_components: int, most: int = MOST_ITEMS
) -> Suspects:
    """List the samples whose neighbours favour another class.

    Parameters
    ----------
    votes : ndarray of shape (n_labelled, n_classes)
        Shares from :func:`~discrimap.inspection.folds.cross_votes`: no sample helped to place itself.
    samples : Samples
        The data.
    label, n_components
        What the votes come from, for the page.
    most : int
        Length of the list.
    """
    rows = samples.labelled_rows
    y = samples.y[rows]
    place = np.arange(len(rows))
    own = votes[place, y]
    others = votes.copy()
    others[place, y] = -1.0
    rival = others.argmax(axis=1)
    lead = others[place, rival] - own
    found = np.flatnonzero(lead > 0)
    found = found[np.argsort(-lead[found], kind="stable")]
    names = samples.class_names
    return Suspects(
        label=label,
        n_components=n_components,
        n_checked=len(rows),
        n_found=len(found),
        items=tuple(
            Suspect(
                row=int(rows[i]),
                given=names[y[i]],
                suggested=names[rival[i]],
                own_share=float(own[i]),
                suggested_share=float(others[i, rival[i]]),
            )
            for i in found[:most]
        ),
    )
