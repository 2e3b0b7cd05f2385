import numpy as np
import pytest

from discrimap.inspection.budget import Budget
from discrimap.inspection.dimensions import LADDER, DimensionCurve, trace_dimensions


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
        ([(0.3,), (0.2,), (0.2,)], 0.5, 2),
        ([(0.3,), (0.2001,), (0.2,)], 0.5, 5),
    ],
)
def test_enough_is_within_one_standard_error_of_the_best(errors, ratio, enough):
    assert DimensionCurve("m", "M", (1, 2, 5), tuple(errors), ratio).enough == enough


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
    curve = DimensionCurve("m", "M", (1, 2, 5), errors, 0.5, not_tried)
    assert curve.is_still_falling == is_falling


def test_what_does_not_fit_into_the_time_is_left_out(corners, compared, monkeypatch):
    comparison = compared(corners, ["pca"])
    seconds = {1: 1.0, 2: 1.0, 3: 900.0, 4: 1.0, 5: 900.0}
    monkeypatch.setattr("discrimap.inspection.refits.Refit.seconds", lambda self, d, n: seconds[d])

    def within(limit):
        return trace_dimensions(comparison.done[0], corners, comparison.protocol, Budget(limit))

    found = within(600)
    assert (found.n_components, found.not_tried) == ((1, 2), (3, 4, 5))
    assert within(1).endswith("takes too long to be fitted for several numbers of components.")


def test_methods_with_one_choice_have_a_reason(corners, compared, make_samples):
    two = make_samples(corners.X, corners.y % 2, "ab")
    for name, words in (("lda", "can have one component only here"), ("category", "itself (2)")):
        comparison = compared(two, [name])
        found = trace_dimensions(comparison.done[0], two, comparison.protocol, Budget(600))
        assert words in found
