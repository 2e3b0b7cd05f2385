"""The pieces that stochastic discriminant analysis is assembled from."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import linalg, sparse
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from discrimap.linalg.row_space import RowSpace
from discrimap.optimisers import Solution
from discrimap.samples import class_moments as moments_module
from discrimap.samples.class_moments import class_means, class_moments
from discrimap.samples.in_memory import ArraySamples
from discrimap.sda.alpha_search import search, validation_splits
from discrimap.sda.exploration import best_distinct
from discrimap.sda.objective import pair_targets
from discrimap.sda.problem import (
    PenaltyPath,
    Settings,
    StochasticDiscriminantProblem,
)
from discrimap.sda.starts import (
    directions_of_variance,
    lda_directions,
    with_spread,
)


@pytest.fixture
def labelled(rng):
    labels = np.r_[0, 1, 2, rng.integers(0, 3, 47)]
    return rng.standard_normal((50, 4)) + 3 * rng.standard_normal((3, 4))[labels] + 10, labels


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("block", [7, 4096])
def test_moments_are_those_of_a_loop_over_the_samples(labelled, container, block, rng, monkeypatch):
    blocks = [slice(first, first + block) for first in range(0, 50, block)]
    monkeypatch.setattr(moments_module, "row_blocks", lambda X: blocks)
    X, labels = labelled
    weights, coefficients = rng.uniform(0.5, 2, 50), np.array([1.0, 5.0, 1.0])
    moments = class_moments(container(X), labels, 3, weights, coefficients)
    within, curvature = np.zeros((4, 4)), np.zeros((4, 4))
    for label in range(3):
        members, shares = X[labels == label], weights[labels == label]
        mean = shares @ members / shares.sum()
        assert_allclose(moments.means[label], mean)
        assert moments.sizes[label] == pytest.approx(shares.sum())
        for sample, share in zip(members, shares, strict=True):
            scatter = share * np.outer(sample - mean, sample - mean)
            within += scatter
            curvature += coefficients[label] * scatter
    assert_allclose(moments.within, within)
    assert_allclose(moments.curvature, curvature)
    mean = weights @ X / weights.sum()
    assert_allclose(moments.mean, mean)
    total = (X - mean).T @ ((X - mean) * weights[:, None])
    assert_allclose(moments.within + moments.between, total)


def test_moments_of_float32_keep_their_digits_under_an_offset(labelled):
    X, labels = labelled
    plain = class_moments(X.astype(np.float32), labels, 3)
    far = class_moments((X + 1000).astype(np.float32), labels, 3)
    assert plain.within.dtype == np.float64
    assert_allclose(far.within, plain.within, rtol=1e-2, atol=1e-2 * plain.within.max())


def test_class_means_ignore_the_order_of_samples(labelled, rng):
    X, labels = labelled
    order = rng.permutation(50)
    assert_allclose(
        class_means(X[order], labels[order], 3, None)[1], class_means(X, labels, 3, None)[1]
    )


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_the_row_space_keeps_projections_and_norms(container, rng):
    X = rng.standard_normal((8, 30)) + 5
    X[7] = X[0]  # a repeated sample lowers the rank
    mean = X.mean(axis=0)
    space = RowSpace(container(X), mean)
    assert space.coordinates.shape == (8, 6)
    w = rng.standard_normal((6, 2))
    W = space.to_features(w)
    assert_allclose((X - mean) @ W, space.coordinates @ w, atol=1e-9)
    assert linalg.norm(W) == pytest.approx(linalg.norm(w))
    assert_allclose(space.from_features(W), w, atol=1e-9)
    # What lies outside the span is dropped, and changes no projection.
    anything = rng.standard_normal((30, 2))
    inside = space.to_features(space.from_features(anything))
    assert_allclose((X - mean) @ inside, (X - mean) @ anything, atol=1e-9)


@pytest.mark.parametrize("with_scatter", [True, False])
def test_principal_directions_are_those_of_pca(with_scatter, rng):
    X = rng.standard_normal((40, 6)) * [5, 4, 3, 1, 1, 1] + 2
    mean = X.mean(axis=0)
    scatter = (X - mean).T @ (X - mean) if with_scatter else None
    found = directions_of_variance(ArraySamples(X, np.zeros(40, dtype=int)), mean, 2, scatter)
    expected = PCA(2).fit(X).components_.T
    assert_allclose(np.abs(found.T @ expected), np.eye(2), atol=1e-6)


def test_principal_directions_beyond_the_features_are_zero(rng):
    scatter = np.diag([2.0, 1.0])
    samples = ArraySamples(rng.standard_normal((5, 2)), np.zeros(5, dtype=int))
    directions = directions_of_variance(samples, np.zeros(2), 4, scatter)
    assert_allclose(np.abs(directions), [[1, 0, 0, 0], [0, 1, 0, 0]], atol=1e-12)


def test_discriminant_directions_are_those_of_lda(labelled):
    X, labels = labelled
    moments = class_moments(X, labels, 3)
    found = lda_directions(moments.within, moments.between, 2)
    expected = LinearDiscriminantAnalysis(n_components=2).fit(X, labels).scalings_[:, :2]
    assert linalg.subspace_angles(found, expected).max() < 1e-4


def test_the_spread_is_the_root_of_the_total_variance(rng):
    X, W = rng.standard_normal((30, 4)) + 3, rng.standard_normal((4, 2))
    weights = rng.integers(1, 4, 30)
    labels = np.zeros(30, dtype=int)
    Z = X @ with_spread(ArraySamples(X, labels, weights=weights), W, spread=5.0)
    assert np.repeat(Z, weights, axis=0).var(axis=0).sum() == pytest.approx(25.0)
    assert_allclose(with_spread(ArraySamples(np.zeros((3, 4)), labels[:3]), W), W)


SETTINGS = Settings(
    n_components=2,
    targets=pair_targets(3, 0.3),
    init="pca",
    solver="lbfgs",
    preconditioner="auto",
    engine="exact",
    engine_tol=1e-6,
    max_iter=100,
    tol=1e-4,
)


def test_a_map_pulled_to_a_point_or_a_line_is_no_start(labelled):
    X, labels = labelled
    problem = StochasticDiscriminantProblem(ArraySamples(X, labels), SETTINGS)
    plane = np.eye(4)[:, :2]
    assert not problem.is_collapsed(plane)
    assert problem.is_collapsed(1e-3 * plane)
    # From a line, the gradient never leads into the second dimension.
    line = plane * [1.0, 0.0]
    assert problem.is_collapsed(line)
    assert linalg.svdvals(problem.solve(0.0, start=line).params)[1] < 1e-9


def test_the_path_goes_on_from_the_next_larger_penalty_unless_that_is_a_point(labelled):
    X, labels = labelled
    problem = StochasticDiscriminantProblem(ArraySamples(X, labels), SETTINGS)
    first = np.eye(4)[:, :2]
    path = PenaltyPath(problem, first, None)
    assert path.start_of(0.1) is first
    path.solve(1e6)
    assert path.start_of(0.1) is first  # that penalty has pulled the map to a point
    path.solve(1e-4)  # small enough to leave a plane, however close the classes are to a line
    assert path.start_of(1e-5) is path.solved[1e-4]
    assert path.start_of(1e-3) is first


def test_of_almost_equal_solutions_the_first_start_is_kept():
    def solution(value, name):
        return Solution(name, value, 1, 1, True, "", np.array([value]))

    solutions = [
        solution(value, name) for value, name in [(2.0, "a"), (1.0001, "b"), (1.0, "c"), (2.1, "d")]
    ]
    for _ in range(2):
        kept = [best.params for best in best_distinct(solutions)]
        assert kept == ["b", "a", "d"]
        # Rounding may make either of two almost equal values the lower.
        solutions[1], solutions[2] = solution(1.0, "b"), solution(1.0001, "c")


def test_the_search_descends_the_grid_and_refines_near_the_best():
    tried = []

    def error_of(epsilon, alpha):
        tried.append(alpha)
        return abs(np.log10(alpha) - 0.6)

    found = search(error_of, [0.1])
    alphas, errors = found.alphas, found.errors
    assert_allclose(tried[:6], [1e2, 1, 1e-2, 1e-4, 1e-6, 1e-8])
    assert len(tried) == len(alphas) == 10
    assert (np.diff(alphas) > 0).all()
    assert_allclose(errors, np.abs(np.log10(alphas) - 0.6), atol=1e-12)
    # Refined by one decade, then by half a decade: 10^0.5 is the nearest of these to 10^0.6.
    assert found.alpha == pytest.approx(10**0.5)
    assert found.epsilon == 0.1


def test_the_search_refines_the_penalty_of_the_best_epsilon():
    def error_of(epsilon, alpha):
        return abs(np.log10(alpha) + 1.4) + abs(np.log10(epsilon) + 2)

    found = search(error_of, [0.1, 0.01, 0.001])
    assert found.epsilon == 0.01
    assert found.alpha == pytest.approx(10**-1.5)
    assert_allclose(found.epsilon_errors, [1.6, 0.1, 1.6])
    assert_allclose(found.errors, [error_of(0.01, alpha) for alpha in found.alphas])


def test_a_single_penalty_is_not_refined_and_of_equal_epsilons_the_first_is_taken():
    found = search(lambda epsilon, alpha: 0.5, [0.2, 0.02], alphas=(0.0,))
    assert (found.epsilon, found.alpha) == (0.2, 0.0)
    assert_allclose(found.alphas, [0.0])


def test_of_equally_good_penalties_the_middle_is_chosen():
    found = search(lambda epsilon, alpha: 0.0 if 1e-7 < alpha < 10 else 1.0, [0.1])
    assert 1e-5 < found.alpha < 1e-1


def test_splits_hold_out_a_fifth_of_each_class_and_keep_one(rng):
    def with_classes(labels):
        return ArraySamples(np.zeros((len(labels), 1)), labels)

    samples = with_classes(np.repeat([0, 1, 2], [100, 10, 1]))
    splits = validation_splits(samples, rng)
    assert len(splits) == 5  # 22 held out at a time: repeated up to five times
    assert len(validation_splits(with_classes(np.repeat([0, 1], 500)), rng)) == 1
    many = with_classes(np.repeat(np.arange(20), 70))
    assert len(validation_splits(many, rng)) == 4  # 14 of each class
    for validation in splits:
        assert_allclose(samples.draw(validation).class_counts(), [20, 2, 0])
        assert_allclose(samples.without(validation).class_counts(), [80, 8, 1])
        assert len(set(validation)) == 22
    assert len(validation_splits(with_classes(np.repeat([0, 1], 600)), rng)) == 1
    assert validation_splits(with_classes(np.array([0, 0, 1, 1])), rng) == []
