"""The rounds of a comparison: first few rows and one split, then more rows, then more splits."""

from __future__ import annotations

from discrimap.registry import Method

# Training rows of the first round, and the factor by which they grow between rounds.
FIRST_ROWS = 500
ROWS_PER_CLASS = 10
GROWTH = 4
# Number of splits in the round before the last one, in which all rows are used.
FEW_SPLITS = 3
# Smallest number of held-out rows that are scored in rounds with a subset of the training rows.
FEWEST_JUDGED = 1_000
# Largest number of landmarks of a kernel method.
MOST_LANDMARKS = 1_000


def plan_rounds(n_train: int, n_classes: int, n_repeats: int) -> list[tuple[int, int]]:
    """Return the numbers of training rows and of splits of the rounds of a comparison.

    The first round has some rows of each class. The last round is the complete comparison, with all
    ``n_train`` rows and ``n_repeats`` splits.

    Examples
    --------
    >>> from discrimap.comparison.rounds import plan_rounds
    >>> plan_rounds(13_333, 26, 10)
    [(500, 1), (2000, 1), (8000, 1), (13333, 1), (13333, 3), (13333, 10)]
    """
    rows = min(n_train, max(FIRST_ROWS, ROWS_PER_CLASS * n_classes))
    rounds = []
    while rows < n_train:
        rounds.append((rows, 1))
        rows *= GROWTH
    splits = sorted({min(n_repeats, n) for n in (1, FEW_SPLITS, n_repeats)})
    return rounds + [(n_train, n) for n in splits]


def n_judged(n_rows: int, n_test: int) -> int:
    """Return the number of held-out rows scored after a fit to a subset of the training rows."""
    return min(n_test, max(FEWEST_JUDGED, n_rows // 2))


def n_landmarks(method: Method, n_rows: int) -> int | None:
    """Return the number of landmarks of a kernel method, or None if all rows are used."""
    return MOST_LANDMARKS if method.landmarks and n_rows > MOST_LANDMARKS else None
