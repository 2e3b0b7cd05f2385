"""Estimate the number of wrong labels from votes of neighbours, excluding overlap of classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Chosen on simulations and data sets that are named in docs/benchmarks/label_errors.md, but not
# used for its results. Another class is certain if its share of the votes is at least LEAST_VOTES
# and the share of the given class is at most MOST_VOTES.
LEAST_VOTES = 0.7
MOST_VOTES = 0.15
# No errors are estimated if a class is certain for less than this share of the samples that it
# wins.
LEAST_SHARE = 0.25
# If more than this share of a class would be wrong, wrong labels cannot be distinguished from a
# class that lies inside another one (a swallowed class).
MOST_WRONG = 0.5


@dataclass(frozen=True, eq=False)
class WrongLabels:
    """The expected number of wrong labels of each given class."""

    expected: np.ndarray  # (n_classes,)
    is_swallowed: (
        np.ndarray
    )  # (n_classes,) classes that lie inside another class; no error is expected for these


def estimate_wrong_labels(votes: np.ndarray, given: np.ndarray) -> WrongLabels:
    """Estimate, for each given class, how many of its samples belong to another class.

    As in confident learning [1]_, samples with label c are counted for which another class j is
    certain, and the count is extrapolated to all samples of j. In confident learning, j is certain
    if its probability exceeds its mean over the samples with label j. If classes overlap, this mean
    is low, and half of a class inside another class would be counted as wrong. There are two
    differences:

    - Among the samples for which j wins the vote, j is certain for samples with at least 70 % of
      the votes for j, and with at most 15 % of the votes and at most the median share for c. Wrong
      labels are spread over all samples of j, but samples of c that overlap with j have other
      samples of c as neighbours. The error rate is the share r of the label c among the certain
      samples, unless c is more frequent among the other samples. Let s be the share of c among all
      samples that j wins. From all samples to the certain samples the share changes by the factor
      r/s. It is assumed to decrease by the same factor once more, so that the error rate is
      r min(1, r/s).
    - If more than half of a class would be wrong (with r alone), the class is called swallowed by
      another class, and none of its labels are counted. Votes cannot distinguish these two cases.

    Parameters
    ----------
    votes : ndarray of shape (n_samples, n_classes)
        Share of each class among the neighbours, from maps fitted without the sample.
    given : ndarray of shape (n_samples,)
        Class codes of the given labels.

    Returns
    -------
    wrong : WrongLabels
        Computed in O(n_samples n_classes) time and memory.

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
    """Estimate the number of wrong labels of each class among the samples that one class wins.

    Returns two estimates: from the share r among the certain samples, and reduced for overlap.
    """
    n_won, n_classes = votes.shape
    # Shares are means of fractions; the tolerance ignores rounding errors.
    limit = np.minimum(np.median(votes, axis=0), MOST_VOTES) + 1e-9
    is_certain = (votes <= limit) & (votes[:, [winner]] >= LEAST_VOTES - 1e-9)
    n_certain = is_certain.sum(axis=0)
    has_label = given[:, None] == np.arange(n_classes)
    n_label = has_label.sum(axis=0)
    at_most = n_won * (has_label & is_certain).sum(axis=0) / np.maximum(n_certain, 1)
    at_most[n_certain < LEAST_SHARE * n_won] = 0.0
    at_most[winner] = 0.0
    return at_most, at_most * np.minimum(1.0, at_most / np.maximum(n_label, 1))
