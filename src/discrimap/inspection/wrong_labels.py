"""How many labels are wrong, estimated from votes of neighbours; overlap of classes is not error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Chosen on simulations and data sets that docs/benchmarks/label_errors.md does not report; that page
# names them. Another class is certain with so many votes for it, and so few for the given one ...
LEAST_VOTES = 0.7
MOST_VOTES = 0.15
# ... and nothing is estimated where this holds for a smaller share of the samples that it wins.
LEAST_SHARE = 0.25
# A class of which more is wrong than this cannot be told from one that another class swallows.
MOST_WRONG = 0.5


@dataclass(frozen=True, eq=False)
class WrongLabels:
    """The expected number of wrong labels of each given class."""

    expected: np.ndarray  # (n_classes,)
    is_swallowed: (
        np.ndarray
    )  # (n_classes,) classes whose samples lie among another class; none expected


def estimate_wrong_labels(votes: np.ndarray, given: np.ndarray) -> WrongLabels:
    """Estimate how many of the samples that were given each class belong to another one.

    As in confident learning [1]_, samples are counted that were given a class c but lie where another
    class j is certain, and the count is extended to all samples of j. Confident learning calls j
    certain if its probability exceeds the mean of the samples that were given j. Where classes overlap
    that mean is low, and half of a class inside another one would be wrong. Two differences:

    - Among the samples where j wins the vote, those count that have at least 70 % of the votes for j,
      at most 15 % for c, and no more for c than half of them. Wrong labels are spread over all of j;
      samples of c that overlap with j have others of c around them. The share r of the label c among
      these certain samples is the rate of errors, unless c is more frequent among the others: with s
      the share among all samples that j wins, it falls by r/s from all to the certain ones, and is
      taken to fall by as much again, to r min(1, r/s).
    - A class of which more than half would be wrong (by r alone) is swallowed by another one, and none
      of its labels are counted: votes alone cannot tell the two apart.

    Parameters
    ----------
    votes : ndarray of shape (n_samples, n_classes)
        Share of each class among the neighbours, from maps fitted without the sample.
    given : ndarray of shape (n_samples,)
        Class codes.

    Returns
    -------
    wrong : WrongLabels
        Costs O(n_samples n_classes) and memory of the same order.

    References
    ----------
    .. [1] C. G. Northcutt, L. Jiang and I. L. Chuang, "Confident learning: estimating uncertainty in
       dataset labels", Journal of Artificial Intelligence Research 70 (2021), 1373-1411, Sec. 3.

    Examples
    --------
    >>> import numpy as np
    >>> from discrimap.inspection.wrong_labels import estimate_wrong_labels
    >>> given = np.repeat([0, 1], 50)
    >>> votes = np.eye(2)[given]
    >>> votes[:3] = [0.0, 1.0]  # three samples of class 0 among class 1
    >>> estimate_wrong_labels(votes, given).expected
    array([3., 0.])
    """
    n_classes = votes.shape[1]
    n_given = np.bincount(given, minlength=n_classes)
    winner = votes.argmax(axis=1)
    upper, expected = np.zeros(n_classes), np.zeros(n_classes)
    for j in range(n_classes):
        won = winner == j
        if not won.any():
            continue
        at_most, n_wrong = _count_errors(votes[won], given[won], j)
        upper += at_most
        expected += n_wrong
    is_swallowed = upper > MOST_WRONG * n_given
    return WrongLabels(np.where(is_swallowed, 0.0, expected), is_swallowed)


def _count_errors(
    votes: np.ndarray, given: np.ndarray, winner: int
) -> tuple[np.ndarray, np.ndarray]:
    """Estimate the errors with each label among the samples that one class wins.

    Returns them as the share among the certain samples would have it, and reduced for overlap.
    """
    n_won, n_classes = votes.shape
    # Shares are means of fractions; those that differ by rounding are equal.
    limit = np.minimum(np.median(votes, axis=0), MOST_VOTES) + 1e-9
    is_certain = (votes <= limit) & (votes[:, [winner]] >= LEAST_VOTES - 1e-9)
    n_certain = is_certain.sum(axis=0)
    has_label = given[:, None] == np.arange(n_classes)
    n_label = has_label.sum(axis=0)
    at_most = n_won * (has_label & is_certain).sum(axis=0) / np.maximum(n_certain, 1)
    at_most[n_certain < LEAST_SHARE * n_won] = 0.0
    at_most[winner] = 0.0
    return at_most, at_most * np.minimum(1.0, at_most / np.maximum(n_label, 1))
