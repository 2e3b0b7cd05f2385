"""Continuous targets, samples without a label, missing values, fewer rows than there are."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes, load_iris
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.model_selection import ShuffleSplit
from sklearn.preprocessing import StandardScaler

from discrimap.comparison import Protocol, compare
from discrimap.comparison.one_fit import run_fit
from discrimap.comparison.problem import check_problem
from discrimap.comparison.rounds import MOST_LANDMARKS
from discrimap.comparison.trials import Fit, seeds_of_split
from discrimap.errors import InputError
from discrimap.metrics import knn_regression_error
from discrimap.registry import METHODS, get_method

FAST = Protocol(n_repeats=1)


@pytest.fixture
def diabetes():
    return load_diabetes(return_X_y=True)


@pytest.fixture
def iris():
    return load_iris(return_X_y=True)


def test_the_regression_protocol_done_by_hand(diabetes):
    X, y = diabetes
    result = compare(X, y, ["pca"], task="regression", protocol=FAST).results[0]
    split_seed, _, _ = seeds_of_split(0, 0)
    train, test = next(ShuffleSplit(1, test_size=1 / 3, random_state=split_seed).split(X))
    scaler = StandardScaler().fit(X[train])
    pca = PCA(2).fit(scaler.transform(X[train]))
    Z_train, Z_test = (pca.transform(scaler.transform(X[rows])) for rows in (train, test))
    assert result.test_errors == (knn_regression_error(Z_train, y[train], Z_test, y[test]),)


def test_all_methods_for_numbers_run_and_most_beat_the_mean(diabetes):
    X, y = diabetes
    comparison = compare(X, y + 0.5, protocol=FAST)
    assert comparison.task == "regression"
    assert {result.name for result in comparison.done} == {
        method.name for method in METHODS if method.continuous
    }
    assert comparison.chance_error == 1.0
    assert comparison.target_range == (25.5, 346.5)
    assert comparison.done[0].test_error < 0.7
    assert all(result.permuted_errors[0] > 0.9 for result in comparison.done)


def test_a_method_for_the_other_kind_of_target_is_skipped_with_the_reason(diabetes, iris):
    numbers = compare(*diabetes, ["lda"], task="regression", protocol=FAST).results[0]
    assert numbers.reason == "LDA needs class labels, but the target is continuous"
    classes = compare(*iris, ["sir"], protocol=FAST).results[0]
    assert classes.reason == "SIR needs a continuous target, but the target is classes"


@pytest.mark.parametrize("dtype", [int, float, str])
def test_classes_named_by_whole_numbers_are_ordered_by_value(iris, dtype):
    X, y = iris
    problem = check_problem(X, np.array([10, 2, 1])[y].astype(dtype), None, "auto", FAST)
    expected = ["1", "2", "10"] if dtype is not float else ["1.0", "2.0", "10.0"]
    assert list(problem.class_names) == expected
    assert_array_equal(problem.y, np.array([2, 1, 0])[y])


def test_many_whole_numbers_are_continuous_unless_said(diabetes):
    X, y = diabetes
    assert check_problem(X, y.astype(int), None, "auto", FAST).is_continuous
    pairs = np.repeat(np.arange(221.0), 2)
    classes = check_problem(X, pairs, None, "classification", Protocol(test_size=0.5))
    assert classes.class_names[:3] == ("0.0", "1.0", "2.0")


def test_samples_without_a_label_are_never_scored_and_reach_those_who_use_them(iris):
    X, y = iris
    is_labelled = np.arange(150) % 5 > 0
    names = ["lda", "dp", "pca"]
    comparison = compare(X, y, names, is_labelled=is_labelled, protocol=FAST)
    assert comparison.n_unlabelled == 30
    assert comparison.class_counts == {"0": 40, "1": 40, "2": 40}
    by_name = {result.name: result for result in comparison.results}
    assert [by_name[name].n_fitted for name in names] == [80, 110, 110]
    for result in comparison.done:
        assert is_labelled[result.first_map.test_rows].all()
        assert is_labelled[result.first_map.train_rows].all()
    # What those who cannot use them see is the labelled samples alone.
    alone = compare(X[is_labelled], y[is_labelled], ["lda"], protocol=FAST).results[0]
    assert by_name["lda"].test_errors == alone.test_errors
    # Whatever stands where there is no label has no say.
    scrambled = np.where(is_labelled, y, 7 - y)
    again = compare(X, scrambled, names, is_labelled=is_labelled, protocol=FAST)
    for one, other in zip(again.done, comparison.done, strict=True):
        assert one.test_errors == other.test_errors


def test_nan_marks_numbers_that_are_not_known(diabetes):
    X, y = diabetes
    y = y.astype(float)
    y[:100] = np.nan
    comparison = compare(X, y, ["pls", "manifold-regularization"], protocol=FAST, task="regression")
    assert comparison.n_unlabelled == 100
    by_name = {result.name: result for result in comparison.done}
    assert by_name["pls"].n_fitted == 228
    assert by_name["manifold-regularization"].n_fitted == 328


def test_missing_features_are_filled_from_the_training_rows_alone(iris):
    X, y = iris
    X = X.copy()
    X[::4, 2] = np.nan
    X[1, 2] = 1e6  # in no training row of the split: it must not move the fill
    with pytest.raises(InputError, match="NaN"):
        compare(X, y, ["pca"], protocol=FAST)
    result = compare(X, y, ["pca"], protocol=Protocol(n_repeats=1, impute="mean")).results[0]
    split = result.first_map
    imputer = SimpleImputer(strategy="mean").fit(X[split.train_rows])
    scaler = StandardScaler().fit(imputer.transform(X[split.train_rows]))
    pca = PCA(2).fit(scaler.transform(imputer.transform(X[split.train_rows])))
    expected = pca.transform(scaler.transform(imputer.transform(X[split.test_rows])))
    assert_allclose(np.abs(split.test), np.abs(expected), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", ["lda", "fisher-tsne"])
def test_a_fit_to_fewer_rows_is_the_map_of_these_and_judges_the_same_points(iris, name):
    problem = check_problem(*iris, None, "classification", FAST)
    full, few = (run_fit(Fit(get_method(name), n, 0), problem, FAST) for n in (100, 60))
    assert few.first_map.train.shape == (60, 2)
    assert np.bincount(iris[1][few.first_map.train_rows]).tolist() == [20, 20, 20]
    assert set(few.first_map.train_rows) < set(full.first_map.train_rows)
    assert set(few.prediction.rows) <= set(full.prediction.rows)
    assert few.error < 0.2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"task": "clustering"}, "task='clustering' is not known"),
        ({"is_labelled": [True] * 3}, "is_labelled must be 150 true/false values"),
        ({"is_labelled": np.zeros(150, dtype=bool)}, "no sample has a label"),
        ({"y": np.full(150, "a"), "task": "regression"}, "regression needs numbers"),
        ({"y": np.ones(150), "task": "regression"}, "the target is 1 in all 150 samples"),
        ({"budget": 0}, "budget=0 must be above 0"),
        ({"time_limit": float("nan")}, "time_limit=nan must be above 0"),
        ({"rounds": 0}, "rounds=0 must be above 0"),
    ],
)
def test_bad_input_is_refused_with_its_reason(iris, changes, message):
    arguments = {"X": iris[0], "y": iris[1], "methods": ["pca"], "protocol": FAST} | changes
    with pytest.raises(InputError, match=message):
        compare(**arguments)


def test_few_rows_judge_few_points_and_kernels_have_landmarks(rng):
    X, y = rng.standard_normal((6_000, 3)), np.arange(6_000) % 2
    problem = check_problem(X, y, None, "classification", FAST)
    few = run_fit(Fit(get_method("pca"), 500, 0), problem, FAST)
    assert len(few.prediction.rows) == 1_000
    for n_rows, n_landmarks in ((600, None), (1_200, MOST_LANDMARKS)):
        found = run_fit(Fit(get_method("kspca"), n_rows, 0), problem, FAST)
        assert found.n_landmarks == n_landmarks


@pytest.mark.parametrize("n_features", [3, 40])
def test_sda_is_regularised_where_features_are_many_and_says_so(n_features, rng):
    y = np.arange(60) % 3
    X = rng.standard_normal((60, n_features)) + 2 * np.eye(3, n_features)[y]
    problem = check_problem(X, y, None, "classification", FAST)
    found = run_fit(Fit(get_method("sda"), 40, 0), problem, FAST)
    assert any("RSDA" in notice for notice in found.notices) == (n_features == 40)
