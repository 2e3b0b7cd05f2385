import numpy as np
import pytest
from sklearn.metrics import r2_score
from sklearn.neighbors import KNeighborsRegressor

from discrimap.metrics import knn_regression_error, leave_one_out_regression_error


def test_it_is_what_is_left_of_r2_in_scikit_learn(rng):
    Z, Z_new = rng.standard_normal((80, 2)), rng.standard_normal((40, 2))
    y, y_new = np.sin(2 * Z[:, 0]) + 3, np.sin(2 * Z_new[:, 0]) + 3
    predicted = KNeighborsRegressor(4).fit(Z, y).predict(Z_new)
    # scikit-learn compares with the mean of the test points, we with that of the training points.
    ratio = ((y_new - y_new.mean()) ** 2).sum() / ((y_new - y.mean()) ** 2).sum()
    expected = (1 - r2_score(y_new, predicted)) * ratio
    assert knn_regression_error(Z, y, Z_new, y_new, n_neighbors=4) == pytest.approx(expected)


def test_leaving_one_out_is_a_loop_over_the_points(rng):
    Z, y = rng.standard_normal((25, 3)), rng.standard_normal(25)
    errors = means = 0.0
    for i in range(25):
        others = np.delete(np.arange(25), i)
        predicted = KNeighborsRegressor(3).fit(Z[others], y[others]).predict(Z[[i]])[0]
        errors += (y[i] - predicted) ** 2
        means += (y[i] - y[others].mean()) ** 2
    assert leave_one_out_regression_error(Z, y, n_neighbors=3) == pytest.approx(errors / means)


def test_equally_far_points_share_the_last_places():
    Z, y = [[-1.0], [1.0], [1.0], [9.0]], [0.0, 3.0, 6.0, 100.0]
    # Three points are at distance 1 from the origin and share two places: their mean is 3.
    assert knn_regression_error(Z, y, [[0.0]], [3.0], n_neighbors=2) == pytest.approx(
        0.0, abs=1e-20
    )
    shuffled = [2, 0, 3, 1]
    again = knn_regression_error(
        np.array(Z)[shuffled], np.array(y)[shuffled], [[0.0]], [5.0], n_neighbors=2
    )
    assert again == knn_regression_error(Z, y, [[0.0]], [5.0], n_neighbors=2)


def test_a_map_without_information_is_worse_than_the_mean(rng):
    Z, y = rng.standard_normal((4000, 2)), rng.standard_normal(4000)
    error = knn_regression_error(Z[:2000], y[:2000], Z[2000:], y[2000:], n_neighbors=5)
    assert error == pytest.approx(1.2, abs=0.1)


def test_a_target_that_is_always_its_mean():
    Z = np.arange(4.0)[:, None]
    assert knn_regression_error(Z, np.ones(4), Z, np.ones(4)[:4], n_neighbors=2) == 0.0
    assert knn_regression_error(Z, [0, 2, 0, 2], Z[:1], [1], n_neighbors=1) == float("inf")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y_train": ["a"] * 4}, "y_train must hold numbers"),
        ({"y_test": [1.0, np.nan]}, "y_test holds NaN or infinite values \\(1\\)"),
        ({"y_train": [1.0, 2.0]}, "y_train has shape \\(2,\\), but Z_train has 4 samples"),
        ({"Z_test": [[0.0, 1.0]] * 2}, "Z_test has 2 columns, but Z_train has 1"),
        ({"n_neighbors": 5}, "n_neighbors=5 must be from 1 to 4"),
    ],
)
def test_bad_input_is_refused(change, message):
    arguments = {
        "Z_train": [[0.0], [1.0], [2.0], [3.0]],
        "y_train": [0.0, 1.0, 2.0, 3.0],
        "Z_test": [[0.0], [1.0]],
        "y_test": [0.0, 1.0],
        "n_neighbors": 2,
    }
    with pytest.raises(ValueError, match=message):
        knn_regression_error(**(arguments | change))
