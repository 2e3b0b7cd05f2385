"""Lengths of segments against loops of their definitions, and against results known by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import logsumexp
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from discrimap.fisher.arc_length import arc_lengths
from discrimap.fisher.bandwidth import perplexity_bandwidth
from discrimap.fisher.information import parzen_information
from discrimap.fisher.left_endpoint import left_endpoint_lengths
from discrimap.fisher.parzen import ParzenField


def naive_log_posterior(exponents, labels, n_classes):
    by_class = np.full(n_classes, -np.inf)
    for c in np.unique(labels):
        own = -exponents[labels == c]
        by_class[c] = own.max() + np.log(np.exp(own - own.max()).sum())
    best = by_class.max()
    return by_class - best - np.log(np.exp(by_class - best).sum())


def naive_arc_length(squared_i, squared_j, labels, n_classes, bandwidth, n_steps):
    """The definition, one pair and one node at a time, in log space."""
    length, previous = 0.0, None
    for fraction in np.arange(n_steps + 1) / n_steps:
        mixed = (1 - fraction) * squared_i + fraction * squared_j
        root = np.exp(naive_log_posterior(mixed / (2 * bandwidth**2), labels, n_classes) / 2)
        if previous is not None:
            length += 4 * np.arcsin(min(1.0, np.linalg.norm(root - previous) / 2))
        previous = root
    return length


def naive_arc_lengths(squared, labels, n_classes, bandwidth, n_steps):
    return np.array(
        [
            [naive_arc_length(a, b, labels, n_classes, bandwidth, n_steps) for b in squared]
            for a in squared
        ]
    )


def naive_left_endpoint_length(S, i, j, labels, n_classes, bandwidth, n_steps):
    """Eqs. (3) and (7)-(8) of the paper from similarities, with exp(-d^2 / (2 sigma^2))."""
    length = 0.0
    for step in range(n_steps):
        a = step / n_steps
        squared = (
            (1 - a) ** 2 * S[i, i]
            + a**2 * S[j, j]
            + np.diag(S)
            + 2 * a * (1 - a) * S[i, j]
            - 2 * (1 - a) * S[i]
            - 2 * a * S[j]
        )
        exponents = squared / (2 * bandwidth**2)
        everyone = np.exp(-exponents - logsumexp(-exponents))
        form = 0.0
        for c in range(n_classes):
            own = np.where(labels == c, everyone, 0)
            p = own.sum()
            if p > 0:
                xi_minus_xj_times_b = (own / p - everyone) @ (S[i] - S[j])
                form += p * xi_minus_xj_times_b**2
        length += np.sqrt(form) / (n_steps * bandwidth**2)
    return length


@pytest.fixture
def problem(rng):
    n_samples, n_classes = 40, 3
    labels = np.sort(np.r_[np.arange(n_classes), rng.integers(0, n_classes, n_samples - n_classes)])
    X = rng.standard_normal((n_samples, 4)) * 2
    X[:, 0] += labels
    squared = ((X[:, None] - X) ** 2).sum(axis=2)
    return X, labels, n_classes, squared


def negate_half(squared, rng):
    sign = np.triu(np.where(rng.random(squared.shape) < 0.5, -1.0, 1.0), 1)
    return squared * (sign + sign.T)


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-10), (np.float32, 1e-4)])
@pytest.mark.parametrize("negative", [False, True], ids=["metric", "half-negative"])
@pytest.mark.parametrize("spread", [1, 100, 3000])
def test_arcs_equal_a_log_space_loop_of_the_definition(
    problem, rng, dtype, tolerance, negative, spread
):
    _, labels, n_classes, squared = problem
    squared = (negate_half(squared, rng) if negative else squared).astype(dtype) * dtype(spread)
    field = ParzenField(labels, None, n_classes, 1.3)
    squared = squared[::3]
    points = field.represent(squared)
    found = arc_lengths(field, points, points, 8)
    expected = naive_arc_lengths(squared.astype(float), labels, n_classes, 1.3, 8)
    assert found.dtype == dtype
    assert np.isfinite(found).all()
    # Short lengths are differences of numbers near one: absolute accuracy, some units of it, then.
    assert_allclose(found, expected, rtol=tolerance, atol=64 * np.finfo(dtype).eps)


def test_a_far_pair_is_lost_by_the_plain_product_and_found_again(problem):
    _, labels, n_classes, squared = problem
    field = ParzenField(labels, None, n_classes, 1.0)
    points = field.represent(squared * 3000)
    plain = np.exp(-points / 2) @ np.exp(-points / 2).T
    assert (plain == 0).mean() > 0.2
    posterior = field.along(points, points, 0.5)
    assert_allclose(posterior.sum(axis=0), 1, rtol=1e-12)
    i, j = np.argwhere(plain == 0)[0]
    expected = np.exp(naive_log_posterior((points[i] + points[j]) / 2, labels, n_classes))
    assert_allclose(posterior[:, i, j], expected, rtol=1e-9, atol=1e-57)


def test_pairs_that_resist_tilting_are_summed_in_log_space(problem, monkeypatch):
    _, labels, n_classes, squared = problem
    field = ParzenField(labels, None, n_classes, 1.0)
    points = field.represent(squared * 3000)
    by_tilting = field.along(points, points, 0.5)
    monkeypatch.setattr(ParzenField, "_tilt", lambda *args: None)
    assert_allclose(field.along(points, points, 0.5), by_tilting, rtol=1e-9, atol=1e-57)


@pytest.fixture
def far_groups(rng):
    """Both classes in two groups so far apart that products between the groups underflow."""
    labels = np.repeat([0, 1], 15)
    X = rng.standard_normal((30, 2))
    X[:, 0] += np.where(np.arange(30) % 2, 40, -40)
    return X, labels, ((X[:, None] - X) ** 2).sum(axis=2)


def test_far_groups_are_found_by_tilting_and_not_pair_by_pair(far_groups, monkeypatch):
    _, labels, squared = far_groups
    field = ParzenField(labels, None, 2, 1.0)
    points = field.represent(squared)
    in_log_space = []
    original = ParzenField._sum_in_log_space

    def count(self, posterior, lost, *args, **kwargs):
        in_log_space.append(np.count_nonzero(lost))
        original(self, posterior, lost, *args, **kwargs)

    monkeypatch.setattr(ParzenField, "_sum_in_log_space", count)
    lost = np.exp(-points / 2) @ np.exp(-points / 2).T == 0
    assert lost.sum() == 2 * 15 * 15  # every pair across the groups
    lengths = arc_lengths(field, points, points, 8)
    assert sum(in_log_space) == 0
    assert_allclose(lengths, naive_arc_lengths(squared, labels, 2, 1.0, 8), rtol=1e-9, atol=1e-13)


def test_left_endpoint_sum_between_far_groups(far_groups):
    X, labels, squared = far_groups
    field = ParzenField(labels, None, 2, 1.0)
    points = field.represent(squared)
    found = left_endpoint_lengths(field, points[:3], points, 6)
    S = X @ X.T
    expected = [
        [naive_left_endpoint_length(S, i, j, labels, 2, 1.0, 6) for j in range(30)]
        for i in range(3)
    ]
    assert np.max(expected) > 1
    assert_allclose(found, expected, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("spread", [1, 30, 100])
def test_left_endpoint_sum_equals_a_loop_of_the_papers_equations(problem, spread):
    X, labels, n_classes, squared = problem
    X, squared = X * np.sqrt(spread), squared * spread
    S = X @ X.T
    field = ParzenField(labels, None, n_classes, 1.3)
    points = field.represent(squared)
    found = left_endpoint_lengths(field, points, points, 5)
    some = [0, 7, 20, 39]
    expected = [
        [naive_left_endpoint_length(S, i, j, labels, n_classes, 1.3, 5) for j in some] for i in some
    ]
    assert_allclose(found[np.ix_(some, some)], expected, rtol=1e-8, atol=1e-8)
    if spread == 1:
        assert np.abs(found - found.T).max() > 1e-3  # the paper's sum is not symmetric
    if spread == 100:
        assert (np.exp(-0.6 * points) @ np.exp(-0.4 * points).T == 0).any()  # some were lost


def test_eight_arcs_agree_with_the_papers_sum_of_a_thousand_terms():
    X, y = load_wine(return_X_y=True)
    squared = ((scale(X)[:, None] - scale(X)) ** 2).sum(axis=2)
    bandwidth = perplexity_bandwidth(lambda rows: squared[rows], len(X), 30, np.arange(len(X)))
    field = ParzenField(y, None, 3, bandwidth)
    points = field.represent(squared[::6])
    off_diagonal = ~np.eye(len(points), dtype=bool)
    limit = left_endpoint_lengths(field, points, points, 1000)[off_diagonal]
    by_arcs = arc_lengths(field, points, points, 8)[off_diagonal]
    by_paper = left_endpoint_lengths(field, points, points, 8)[off_diagonal]
    assert np.quantile(np.abs(by_arcs / limit - 1), 0.95) < 1e-2
    assert np.median(np.abs(by_arcs / limit - 1)) < np.median(np.abs(by_paper / limit - 1)) / 20


def test_two_classes_on_a_line_have_the_length_worked_out_by_hand():
    # Centres at 0 and 1: log p_1/p_0 = (x - 1/2) / s^2. With p_1 = sin^2(theta) the curve
    # 2 (cos theta, sin theta) runs along a circle, so the length is 2 |theta - theta'|.
    bandwidth = 0.7
    x = np.array([-0.4, 0.3, 0.5, 1.9])
    squared = np.column_stack([x**2, (x - 1) ** 2])
    field = ParzenField(np.array([0, 1]), None, 2, bandwidth)
    theta = np.arcsin(np.sqrt(1 / (1 + np.exp(-(x - 0.5) / bandwidth**2))))
    expected = 2 * np.abs(theta[:, None] - theta)
    points = field.represent(squared)
    for n_steps in (1, 3, 8):
        assert_allclose(arc_lengths(field, points, points, n_steps), expected, atol=1e-7)


def test_a_weight_is_a_repetition(problem):
    _, labels, n_classes, squared = problem
    counts = np.arange(len(labels)) % 3 + 1
    repeated = np.repeat(np.arange(len(labels)), counts)
    weighted = ParzenField(labels, counts.astype(float), n_classes, 1.0)
    plain = ParzenField(labels[repeated], None, n_classes, 1.0)
    for spread in (1, 3000):
        a = weighted.represent(squared * spread)
        b = plain.represent((squared * spread)[:, repeated])
        assert_allclose(
            arc_lengths(weighted, a, a, 4), arc_lengths(plain, b, b, 4), rtol=1e-9, atol=1e-12
        )
        assert_allclose(
            left_endpoint_lengths(weighted, a, a, 4),
            left_endpoint_lengths(plain, b, b, 4),
            rtol=1e-9,
            atol=1e-12,
        )


@settings(deadline=None, max_examples=30)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.integers(2, 5),
    log_bandwidth=st.floats(-3, 3),
    n_steps=st.integers(1, 6),
)
def test_lengths_are_finite_symmetric_and_blind_to_constants_of_rows(
    seed, n_classes, log_bandwidth, n_steps
):
    rng = np.random.default_rng(seed)
    labels = np.sort(rng.integers(0, n_classes, 15))
    squared = rng.standard_normal((6, 15)) * 10  # negative ones too
    field = ParzenField(labels, None, n_classes, np.exp(log_bandwidth))
    points = field.represent(squared)
    lengths = arc_lengths(field, points, points, n_steps)
    assert np.isfinite(lengths).all()
    assert (lengths >= 0).all()
    assert (lengths <= n_steps * np.pi + 1e-12).all()  # an arc is at most a quarter circle
    assert_allclose(lengths, lengths.T, atol=1e-6)
    shifted = field.represent(squared + rng.standard_normal((6, 1)))
    assert_allclose(arc_lengths(field, shifted, shifted, n_steps), lengths, atol=1e-6)


def test_the_information_matrix_is_the_metric_of_short_steps(problem, rng):
    X, labels, n_classes, _ = problem
    field = ParzenField(labels, None, n_classes, 1.5)

    def represent(points):
        return field.represent(((points[:, None] - X) ** 2).sum(axis=2))

    x = X[5:9] + 0.1
    information = parzen_information(field, represent(x), X)
    assert_allclose(information, np.swapaxes(information, 1, 2))
    for point, J in zip(x, information, strict=True):
        direction = rng.standard_normal(X.shape[1])
        step = 1e-4
        ends = represent(np.array([point - step * direction, point + step * direction]))
        length = arc_lengths(field, ends[:1], ends[1:], 1)[0, 0]
        assert_allclose(length / (2 * step), np.sqrt(direction @ J @ direction), rtol=1e-5)
        assert np.linalg.matrix_rank(J, tol=1e-10) <= n_classes - 1
