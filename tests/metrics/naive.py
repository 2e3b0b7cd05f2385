"""Slow implementations of the metrics by their definitions, with plain loops."""

from collections import defaultdict
from fractions import Fraction
from itertools import combinations

import numpy as np


def sorted_others(points, query, own=None):
    """Pairs (squared distance, index), nearest first, rounded so that equal distances are equal."""
    pairs = []
    for index, point in enumerate(points):
        if index != own:
            squared = sum((float(a) - float(b)) ** 2 for a, b in zip(point, query, strict=True))
            pairs.append((round(squared, 9), index))
    return sorted(pairs)


def neighbor_shares(points, query, k, own=None):
    """Share of every point in the k places, ties at the last places shared equally."""
    pairs = sorted_others(points, query, own)
    kth = pairs[k - 1][0]
    nearer = [index for squared, index in pairs if squared < kth]
    tied = [index for squared, index in pairs if squared == kth]
    shares = {index: Fraction(1) for index in nearer}
    shares |= {index: Fraction(k - len(nearer), len(tied)) for index in tied}
    return shares


def vote_error(points, labels, query, label, k, ties, own=None):
    votes, distance = defaultdict(Fraction), {}
    shares = neighbor_shares(points, query, k, own)
    squared_of = {index: squared for squared, index in sorted_others(points, query, own)}
    for index, share in shares.items():
        votes[labels[index]] += share
        known = distance.get(labels[index], np.inf)
        distance[labels[index]] = min(known, squared_of[index])
    winners = [name for name in votes if votes[name] == max(votes.values())]
    if ties == "nearest":
        nearest = min(distance[name] for name in winners)
        winners = [name for name in winners if distance[name] == nearest]
    return 1 - Fraction(1, len(winners)) if label in winners else Fraction(1)


def knn_error(Z_train, y_train, Z_test, y_test, k, ties="fractional"):
    errors = [
        vote_error(Z_train, y_train, query, label, k, ties)
        for query, label in zip(Z_test, y_test, strict=True)
    ]
    return float(sum(errors) / len(errors))


def leave_one_out_error(Z, y, k, ties="fractional"):
    errors = [vote_error(Z, y, Z[i], y[i], k, ties, own=i) for i in range(len(Z))]
    return float(sum(errors) / len(errors))


def class_retention(Z, y, k):
    """Every way to fill the last places is tried: for few tied points only."""
    total = Fraction(0)
    for i in range(len(Z)):
        shares = neighbor_shares(Z, Z[i], k, own=i)
        sure = [j for j, share in shares.items() if share == 1]
        open_ = [j for j, share in shares.items() if share < 1]
        choices = list(combinations(open_, k - len(sure)))
        hits = [any(y[j] == y[i] for j in [*sure, *choice]) for choice in choices]
        total += Fraction(sum(hits), len(hits))
    return float(total / len(Z))


def neighbor_retention(X, Z, k):
    total = Fraction(0)
    for i in range(len(Z)):
        nearest = neighbor_shares(X, X[i], 1, own=i)
        in_map = neighbor_shares(Z, Z[i], k, own=i)
        total += sum(share * in_map.get(j, 0) for j, share in nearest.items())
    return float(total / len(Z))
