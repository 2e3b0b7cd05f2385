from dataclasses import replace

import numpy as np
import pytest

from discrimap.comparison.trials import seeds_of_split
from discrimap.inspection.refits import Refit


def test_a_refit_repeats_the_map_of_the_comparison(corners, compared):
    comparison = compared(corners, ["lda"], scale=True)
    result = comparison.done[0]
    split, seed = result.first_map, seeds_of_split(0, 0)[2]
    refit = Refit(result, corners, comparison.protocol)
    Z_train, known, Z_test = refit.maps(2, split.train_rows, split.test_rows, seed)
    np.testing.assert_array_equal(Z_train, split.train)
    np.testing.assert_array_equal(Z_test, split.test)
    np.testing.assert_array_equal(known, corners.y[split.train_rows])


def test_a_method_that_was_made_smaller_gets_no_more_rows(corners, compared):
    comparison = compared(corners, ["lda"])
    result = replace(comparison.done[0], n_fitted=40)
    refit = Refit(result, corners, comparison.protocol)
    Z_train, known, Z_test = refit.maps(2, np.arange(150), np.arange(150, 200), 0)
    assert (Z_train.shape, Z_test.shape) == ((40, 2), (50, 2))
    assert np.bincount(known).tolist() == [10, 10, 10, 10]


def test_time_is_scaled_from_the_fit_that_was_measured(corners, compared):
    comparison = compared(corners, ["lda"])
    result = replace(comparison.done[0], seconds=2.0)
    refit = Refit(result, corners, comparison.protocol)
    # 200 samples, of which a third, rounded up to 67, was held out.
    assert refit.seconds(result.n_components, 133) == pytest.approx(2.0)
    assert refit.seconds(result.n_components, 200) > 2.0


def test_components_are_limited_by_method_and_data(corners, compared):
    comparison = compared(corners, ["pca", "lda", "category"])
    by_name = {result.name: result for result in comparison.done}
    for name, most in (("pca", 6), ("lda", 3), ("category", 4)):
        refit = Refit(by_name[name], corners, comparison.protocol)
        assert refit.most_components(100) == most


def test_of_a_method_with_more_components_those_of_the_comparison_are_shown(corners, compared):
    comparison = compared(corners, ["category"])
    result = comparison.done[0]
    split, seed = result.first_map, seeds_of_split(0, 0)[2]
    refit = Refit(result, corners, comparison.protocol)
    Z_train, _, Z_test = refit.maps(2, split.train_rows, split.test_rows, seed)
    np.testing.assert_allclose(Z_train, split.train)
    np.testing.assert_allclose(Z_test, split.test)
    assert refit.maps(4, split.train_rows, split.test_rows, seed)[0].shape[1] == 4
