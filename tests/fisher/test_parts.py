"""Bandwidths, spectra, centres, folds and paths, each against a plain reading."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_random_state

from discrimap.fisher.bandwidth import likelihood_bandwidth, perplexity_bandwidth
from discrimap.fisher.centres import clustered_centres, k_means_summary, k_medoids_summary
from discrimap.fisher.folds import stratified_folds
from discrimap.fisher.graph_path import shortest_lengths, shortest_lengths_to
from discrimap.fisher.spectrum import SpectrumCorrection, negative_share


def squared_distances(X):
    return ((X[:, None] - X) ** 2).sum(axis=2)


def test_perplexity_width_of_equidistant_points_is_any_and_of_a_ladder_calibrated(rng):
    X = rng.standard_normal((50, 3))
    squared = squared_distances(X)
    i = 7
    width = perplexity_bandwidth(lambda rows: squared[rows], 50, 8, np.array([i]))
    nearest = np.sort(np.delete(squared[i], i))[:24]
    p = np.exp(-nearest / (2 * width**2))
    p /= p.sum()
    assert_allclose(np.exp(-(p * np.log(p)).sum()), 8, rtol=1e-6)


def test_perplexity_bandwidth_is_the_mean_over_points_and_scales_with_the_data(rng):
    squared = squared_distances(rng.standard_normal((50, 3)))

    def width(rows, factor=1.0):
        return perplexity_bandwidth(lambda r: factor * squared[r], 50, 8, np.asarray(rows))

    assert_allclose(width(range(50)), np.mean([width([i]) for i in range(50)]))
    assert_allclose(width(range(50), 9.0), 3 * width(range(50)))
    # A constant added to all squared distances, as in an indefinite space, changes nothing.
    shifted = squared - 100
    assert_allclose(
        perplexity_bandwidth(lambda r: shifted[r], 50, 8, np.arange(50)), width(range(50))
    )


def test_duplicates_are_left_out_of_the_mean_width_and_refused_if_alone(rng):
    X = np.r_[np.zeros((10, 2)), rng.standard_normal((30, 2))]
    squared = squared_distances(X)
    every = perplexity_bandwidth(lambda r: squared[r], 40, 5, np.arange(40))
    assert_allclose(every, perplexity_bandwidth(lambda r: squared[r], 40, 5, np.arange(10, 40)))
    zeros = np.zeros((20, 20))
    with pytest.raises(ValueError, match="bandwidth is zero"):
        perplexity_bandwidth(lambda r: zeros[r], 20, 5, np.arange(20))


def test_likelihood_bandwidth_beats_its_neighbours(rng):
    labels = np.repeat([0, 1, 2], 20)
    X = rng.standard_normal((60, 2)) + 1.5 * labels[:, None]
    squared = squared_distances(X)

    def log_likelihood(width):
        others = np.where(np.eye(60, dtype=bool), -np.inf, -squared / (2 * width**2))
        own = np.where(labels[:, None] == labels, others, -np.inf)
        return (logsumexp(own, axis=1) - logsumexp(others, axis=1)).sum()

    width = likelihood_bandwidth(lambda r: squared[r], labels, 3, 1.0, np.arange(60))
    grid = np.exp(np.linspace(np.log(0.06), np.log(9), 100))
    assert log_likelihood(width) >= max(map(log_likelihood, grid)) - 1e-4


def test_likelihood_bandwidth_needs_a_class_of_two():
    squared = squared_distances(np.arange(3.0)[:, None])
    with pytest.raises(ValueError, match="at least 2 samples"):
        likelihood_bandwidth(lambda r: squared[r], np.arange(3), 3, 1.0, np.arange(3))


@pytest.fixture
def indefinite(rng):
    vectors = np.linalg.qr(rng.standard_normal((12, 12)))[0]
    values = np.r_[-3.0, -1.0, np.linspace(0.5, 6, 10)]
    return vectors, values, (vectors * values) @ vectors.T


@pytest.mark.parametrize(
    ("kind", "corrected"),
    [
        ("none", lambda v: v),
        ("clip", lambda v: np.maximum(v, 0)),
        ("flip", np.abs),
        ("shift", lambda v: v + 3.0),
    ],
)
def test_corrections_change_the_spectrum_as_named(indefinite, kind, corrected):
    vectors, values, S = indefinite
    before = S.copy()
    correction = SpectrumCorrection(kind)
    assert_allclose(correction.fit(S), (vectors * corrected(values)) @ vectors.T, atol=1e-12)
    assert_allclose(S, before, atol=0)
    if kind != "shift":  # which tells a point from its copy
        assert_allclose(correction.apply(S), correction.fit(S), atol=1e-12)


def test_share_of_negative_eigenvalues(indefinite):
    _, values, S = indefinite
    assert_allclose(negative_share(S), 4 / np.abs(values).sum())
    assert negative_share(np.eye(5)) == 0


def test_centres_keep_every_class_and_stand_for_all_samples(rng):
    labels = np.repeat([0, 1, 2], [60, 25, 2])
    X = rng.standard_normal((87, 3)) + labels[:, None]
    folds = np.zeros(87, dtype=int)
    for summary in (k_means_summary(X), k_medoids_summary(squared_distances(X))):
        centres = clustered_centres(summary, labels, folds, 12, check_random_state(0))
        assert_allclose(np.bincount(centres.labels, weights=centres.weights), [60, 25, 2])
        assert (np.diff(centres.labels) >= 0).all()
        assert 10 <= len(centres.labels) <= 14


def test_k_medoids_find_the_middle_of_separate_groups(rng):
    middle = np.array([[0.0, 0], [50, 0], [0, 50]])
    X = np.concatenate([m + np.r_[np.zeros((1, 2)), rng.uniform(-1, 1, (20, 2))] for m in middle])
    X[[0, 21, 42]] = middle
    summarise = k_medoids_summary(squared_distances(X))
    found, sizes = summarise(np.arange(63), 3, check_random_state(0))
    assert sorted(sizes) == [21, 21, 21]
    cost = euclidean_distances(X, X[found], squared=True).min(axis=1).sum()
    best = sum(squared_distances(group).sum(axis=1).min() for group in np.split(X, 3))
    assert_allclose(cost, best)


def test_k_medoids_of_duplicates_stand_for_them():
    summarise = k_medoids_summary(np.zeros((6, 6)))
    found, sizes = summarise(np.arange(6), 3, check_random_state(0))
    assert sizes.sum() == 6
    assert len(found) == len(sizes)


def test_k_means_of_duplicates_do_not_warn():
    summarise = k_means_summary(np.repeat([[0.0], [1.0]], 4, axis=0))
    found, sizes = summarise(np.arange(8), 3, check_random_state(0))
    assert sorted(found.ravel()) == [0, 1]
    assert list(sizes) == [4, 4]


def test_folds_hold_every_class_in_equal_shares(rng):
    labels = rng.permutation(np.repeat([0, 1, 2], [50, 23, 3]))
    folds = stratified_folds(labels, 5, check_random_state(1))
    counts = np.array([np.bincount(folds[labels == c], minlength=5) for c in range(3)])
    assert (counts.max(axis=1) - counts.min(axis=1) <= 1).all()
    sizes = np.bincount(folds)
    assert sizes.max() - sizes.min() <= 1


def test_graph_paths_take_the_short_way_round():
    # Three points: straight from 0 to 2 costs 5, by way of 1 it costs 3.
    straight = np.array([[0.0, 1, 5], [1, 0, 2], [5, 2, 0]])
    neighbors = np.array([[1], [0], [1]])
    shortest = shortest_lengths(straight, neighbors)
    assert_allclose(shortest, [[0, 1, 3], [1, 0, 2], [3, 2, 0]])
    new = shortest_lengths_to(np.array([[1.0, 4, 9]]), shortest, np.array([[0]]))
    assert_allclose(new, [[1, 2, 4]])


def test_graph_paths_of_length_zero_are_paths():
    straight = np.array([[0.0, 0, 5], [0, 0, 0], [5, 0, 0]])
    assert_allclose(shortest_lengths(straight, np.array([[1], [2], [1]])), 0, atol=1e-300)
