import numpy as np
import pytest
from scipy import stats

from discrimap.comparison import Protocol, compare
from discrimap.comparison.ties import Scores, adjust_by_holm, p_value_of_worse


def scores(errors, n_points=200, rng=None):
    """Errors of the splits, with points that err as often."""
    points = []
    for error in errors:
        wrong = np.zeros(n_points)
        wrong[: round(error * n_points)] = 1
        points.append(rng.permutation(wrong) if rng is not None else wrong)
    return Scores(errors, points)


def test_the_test_is_the_corrected_resampled_one(rng):
    best, other = rng.uniform(0.1, 0.2, 10), rng.uniform(0.2, 0.3, 10)
    # Points that all err alike have no variance of their own.
    exact = [Scores(e, [np.zeros(9)] * 10) for e in (best, other)]
    difference = other - best
    t = difference.mean() / np.sqrt((1 / 10 + 0.5) * difference.var(ddof=1))
    assert p_value_of_worse(exact[1], exact[0], 0.5) == pytest.approx(stats.t.sf(t, 9))


def test_many_comparisons_are_adjusted_by_holm(rng):
    from statsmodels.stats.multitest import multipletests

    for n in (1, 2, 7):
        raw = rng.random(n) ** 3
        np.testing.assert_allclose(adjust_by_holm(raw), multipletests(raw, method="holm")[1])
    assert len(adjust_by_holm([])) == 0


def test_one_split_tells_apart_what_points_tell_apart(rng):
    near = [scores((0.10,), rng=rng), scores((0.12,), rng=rng)]
    far = [scores((0.10,), rng=rng), scores((0.50,), rng=rng)]
    assert p_value_of_worse(*reversed(near), 0.5) > 0.05
    assert p_value_of_worse(*reversed(far), 0.5) < 1e-4


def test_splits_that_happen_to_agree_do_not_hide_the_chance_of_the_points(rng):
    """Equal differences in all splits have no variance, but those of the points have."""
    made = [scores((0.10,) * 5, 100, rng), scores((0.12,) * 5, 100, rng)]
    assert p_value_of_worse(*reversed(made), 0.5) > 0.05


def test_equal_methods_are_ties():
    one = scores((0.1, 0.2, 0.15))
    assert p_value_of_worse(one, one, 0.5) == 1.0


def test_the_simplest_of_the_best_is_shown(rng):
    y = np.arange(150) % 3
    X = rng.standard_normal((150, 4))
    X[:, :2] += 8 * np.array([[1, 0], [0, 1], [-1, -1]])[y]
    found = compare(X, y, ["kda", "sda", "lda", "pca", "save"], protocol=Protocol(n_repeats=4))
    assert {"kda", "sda", "lda"} <= {result.name for result in found.as_good_as_best}
    assert found.shown == "lda"
    # Where the simple ones fail, another one is shown.
    angle = rng.uniform(0, 2 * np.pi, 150)
    X[:, :2] = (1 + 2 * y[:, None]) * np.column_stack([np.cos(angle), np.sin(angle)])
    X[:, 2:] *= 0.1
    rings = compare(X, y, ["lda", "kda"], protocol=Protocol(n_repeats=4, n_components=1))
    assert rings.shown == "kda"
    assert [result.is_as_good_as_best for result in rings.done] == [True, False]
