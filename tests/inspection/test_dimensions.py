from dataclasses import replace

import numpy as np
import pytest

from discrimap.inspection.budget import Budget
from discrimap.inspection.dimensions import LADDER, DimensionCurve, trace_dimensions
from discrimap.inspection.refits import Refit
from discrimap.registry import METHODS, SIMILARITY_METHODS


def test_the_planted_number_of_dimensions_is_enough(rng, make_samples, compared):
    """Eight classes at the corners of a box, whose sides PCA finds one after the other."""
    y = np.arange(240) % 8
    X = rng.standard_normal((240, 6))
    X[:, :3] += np.column_stack([y & 1, y // 2 & 1, y // 4]) * [36, 27, 18]
    samples = make_samples(X, y, "abcdefgh")
    comparison = compared(samples, ["pca"])
    found = trace_dimensions(comparison.done[0], samples, comparison.protocol, Budget(600))
    assert found.n_components == tuple(d for d in LADDER if d <= 6)
    assert found.enough == 3
    # In one dimension four classes lie on each other, in two dimensions two.
    assert 0.6 < found.means[0] < 0.9
    assert 0.25 < found.means[1] < 0.65
    assert found.means[2] == 0.0
    # The splits and seeds are those of the comparison.
    assert found.errors[1] == comparison.done[0].test_errors


@pytest.mark.parametrize(
    ("errors", "ratio", "enough"),
    [
        # Standard error of the best: 0.01 (two values 0.02 apart).
        ([(0.5, 0.5), (0.105, 0.105), (0.09, 0.11)], 0.0, 2),
        ([(0.5, 0.5), (0.112, 0.112), (0.09, 0.11)], 0.0, 5),
        # With half as many held-out as training samples, splits depend on each other: 0.014.
        ([(0.5, 0.5), (0.112, 0.112), (0.09, 0.11)], 0.5, 2),
        ([(0.5, 0.5), (0.115, 0.115), (0.09, 0.11)], 0.5, 5),
    ],
)
def test_enough_is_within_one_standard_error_of_the_best(errors, ratio, enough):
    curve = DimensionCurve("m", "M", (1, 2, 5), tuple(errors), ratio, n_held_out=10**9)
    assert curve.enough == enough


@pytest.mark.parametrize(("second", "enough"), [(0.248, 2), (0.251, 5)])
def test_few_held_out_points_have_a_standard_error_of_their_own(second, enough):
    """sqrt(0.2 * 0.8 / 96 * (1 + 0.5)) = 0.05; two equal splits tell of no variance at all."""
    for n_splits, n_held_out in ((1, 96), (2, 64)):
        errors = tuple((error,) * n_splits for error in (0.5, second, 0.2))
        curve = DimensionCurve("m", "M", (1, 2, 5), errors, 0.5, n_held_out)
        assert curve.enough == enough


@pytest.mark.parametrize(
    ("means", "not_tried", "is_falling"),
    [
        ((0.3, 0.2, 0.1), (7, 9), True),
        ((0.3, 0.2, 0.1), (), False),
        ((0.3, 0.1, 0.2), (7, 9), False),
    ],
)
def test_a_curve_that_was_cut_while_it_fell_says_so(means, not_tried, is_falling):
    errors = tuple((mean,) for mean in means)
    curve = DimensionCurve("m", "M", (1, 2, 5), errors, 0.5, 60, not_tried)
    assert curve.is_still_falling == is_falling


def test_one_fit_of_a_nested_method_gives_all_errors_of_a_split(corners, compared, monkeypatch):
    comparison = compared(corners, ["pca"], n_repeats=3)
    fitted = []
    trial = Refit.trial

    def counted(self, n_components, split):
        fitted.append((n_components, split))
        return trial(self, n_components, split)

    monkeypatch.setattr(Refit, "trial", counted)
    found = trace_dimensions(comparison.done[0], corners, comparison.protocol, Budget(600))
    assert fitted == [(5, 0), (5, 1), (5, 2)]
    # Each prefix of the map is the map with fewer components.
    for d, errors in zip(found.n_components, found.errors, strict=True):
        alone = compared(corners, ["pca"], n_repeats=3, n_components=d)
        assert errors == alone.done[0].test_errors


@pytest.fixture
def clock(monkeypatch):
    """A clock that fits of NCA turn: by one second and more for each component."""
    now = [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    trial = Refit.trial

    def timed(self, n_components, split):
        now[0] += 1.0 + n_components
        return trial(self, n_components, split)

    monkeypatch.setattr(Refit, "trial", timed)
    return now


@pytest.mark.parametrize(
    ("seconds", "numbers", "n_splits"),
    [
        # With 2 of the comparison, 1, 3 and 5 components take 2, 4 and 6 seconds of each split, 4 takes 5.
        # A fit begins if there is time for the mean so far, and the first is expected to take 1.
        (1.5, (1, 2), 1),
        (12.5, (1, 2, 3, 5), 1),
        (36.5, (1, 2, 3, 5), 3),
        (51.5, (1, 2, 3, 4, 5), 3),
        (1000.0, (1, 2, 3, 4, 5), 5),
    ],
)
def test_time_gives_numbers_of_components_then_splits(
    seconds, numbers, n_splits, corners, compared, clock
):
    comparison = compared(corners, ["nca"], n_repeats=5)
    result = replace(comparison.done[0], seconds=1.0)
    found = trace_dimensions(result, corners, comparison.protocol, Budget(seconds))
    assert found.n_components == numbers
    assert found.not_tried == tuple(d for d in (1, 2, 3, 4, 5) if d not in numbers)
    assert [len(errors) for errors in found.errors] == [n_splits] * len(numbers)
    assert found.errors[1] == result.test_errors[:n_splits]


def test_without_time_for_one_fit_the_reason_names_a_budget(corners, compared, clock):
    comparison = compared(corners, ["nca"])
    result = replace(comparison.done[0], seconds=9.0)
    found = trace_dimensions(result, corners, comparison.protocol, Budget(3))
    assert (found.needed, found.given) == (9.0, 3)
    words = found.in_words(60.0)
    # Three times as long, and a fifth more: 216 seconds, of which the report is a fifth of the budget.
    assert words.startswith("NCA takes too long to be fitted for several numbers of components: ")
    assert "one fit takes about 9 s" in words
    assert "--budget 1,500, or report(seconds=300)" in words
    without = replace(found, given=0.0).in_words(60.0)
    assert without == "NCA takes too long to be fitted for several numbers of components."


def test_numbers_of_components_that_a_fit_refuses_are_left_out(corners, compared, monkeypatch):
    """The rank of a kernel is known only to the fit."""
    comparison = compared(corners, ["kspca"])
    trial = Refit.trial

    def limited(self, n_components, split):
        if n_components > 3:
            raise ValueError("the kernel has rank 3")
        return trial(self, n_components, split)

    monkeypatch.setattr(Refit, "trial", limited)
    found = trace_dimensions(comparison.done[0], corners, comparison.protocol, Budget(600))
    assert (found.n_components, found.not_tried) == ((1, 2, 3), ())


def test_methods_with_one_choice_have_a_reason(corners, compared, make_samples):
    two = make_samples(corners.X, corners.y % 2, "ab")
    for name, words in (("lda", "can have one component only here"), ("category", "itself (2)")):
        comparison = compared(two, [name])
        found = trace_dimensions(comparison.done[0], two, comparison.protocol, Budget(600))
        assert words in found


@pytest.mark.parametrize(
    "method",
    [one for one in (*METHODS, *SIMILARITY_METHODS) if one.nested],
    ids=lambda one: one.name,
)
def test_the_first_components_of_nested_methods_do_not_depend_on_their_number(method, rng):
    y = np.arange(120) % 5
    X = rng.standard_normal((120, 7)) + 3 * rng.standard_normal((5, 7))[y]
    target = y if method.classes else X[:, 0] + 0.1 * rng.standard_normal(120)
    samples = X if method.vectors else X @ X.T
    kernel = None if method.vectors else "precomputed"

    def mapped(n_components):
        estimator = method.make(n_components, 0, continuous=not method.classes, kernel=kernel)
        return np.asarray(estimator.fit(samples, target).transform(samples))

    most = mapped(4)
    for d in (1, 2, 3):
        fewer = mapped(d)
        signs = np.sign(np.sum(fewer * most[:, :d], axis=0))
        np.testing.assert_allclose(fewer * signs, most[:, :d], atol=1e-6 * np.abs(most).max())
