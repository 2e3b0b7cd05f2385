import json
import os
import time
from types import MappingProxyType

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler

from discrimap import registry
from discrimap.comparison import Protocol, compare, trials
from discrimap.errors import InputError
from discrimap.metrics import knn_error
from discrimap.registry import Method

FAST = Protocol(n_repeats=2)


class FailingMap(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        raise RuntimeError("the matrix is upside down\nsecond line")


class CrashingMap(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        os._exit(3)


class NonFiniteMap(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        self.is_fitted_ = True
        return self

    def transform(self, X):
        return np.full((len(X), 2), np.nan)


class WaitingMap(PCA):
    """Works for a tenth of a second and waits as long, as on a busy machine."""

    def fit_transform(self, X, y=None):
        time.sleep(0.1)
        end = time.process_time() + 0.1
        while time.process_time() < end:
            pass
        return super().fit_transform(X)


@pytest.fixture
def add_method(monkeypatch):
    """Put a method of the test's own into the registry."""

    def add(name, class_name, **changes):
        values = {
            "label": name.upper(),
            "family": "linear",
            "path": f"{__name__}:{class_name}",
            "citation": "",
            "memory": lambda shape: 1.0,
        } | changes
        by_name = {**registry._BY_NAME, name: Method(name=name, **values)}
        monkeypatch.setattr(registry, "_BY_NAME", by_name)

    return add


@pytest.fixture
def wine():
    return load_wine(return_X_y=True)


def test_the_error_is_that_of_the_protocol_done_by_hand(wine):
    X, y = wine
    result = compare(X, y, ["pca"], protocol=Protocol(n_repeats=1, seed=4)).results[0]

    split_seed = int(np.random.SeedSequence([4, 0]).generate_state(3)[0])
    splitter = StratifiedShuffleSplit(1, test_size=1 / 3, random_state=split_seed)
    train, test = next(splitter.split(X, y))
    scaler = StandardScaler().fit(X[train])
    pca = PCA(2).fit(scaler.transform(X[train]))
    Z_train, Z_test = (pca.transform(scaler.transform(X[rows])) for rows in (train, test))
    expected = knn_error(Z_train, y[train], Z_test, y[test], n_neighbors=5)

    assert result.test_errors == (expected,)
    np.testing.assert_array_equal(result.first_map.test_rows, test)
    np.testing.assert_allclose(np.abs(result.first_map.test), np.abs(Z_test))


def test_the_labels_beat_permuted_labels_on_wine_and_not_on_noise(wine, rng):
    X, y = wine
    on_wine = compare(X, y, ["lda"], protocol=FAST).results[0]
    assert max(on_wine.test_errors) < 0.1
    assert min(on_wine.permuted_errors) > 0.4

    noise = rng.standard_normal((300, 10))
    on_noise = compare(noise, rng.integers(3, size=300), ["lda"], protocol=FAST).results[0]
    assert abs(on_noise.test_error - 2 / 3) < 0.15


def test_the_result_depends_on_the_seed_and_on_nothing_else(wine):
    X, y = wine
    alone = compare(X, y, ["plsda"], protocol=FAST).results[0]
    among = compare(X, y, ["pca", "plsda", "lda"], protocol=FAST, n_jobs=2)
    again = next(result for result in among.results if result.name == "plsda")
    other = compare(X, y, ["plsda"], protocol=Protocol(n_repeats=2, seed=1)).results[0]
    assert again.test_errors == alone.test_errors
    assert again.permuted_errors == alone.permuted_errors
    assert other.test_errors != alone.test_errors


def test_label_names_do_not_matter(wine):
    X, y = wine
    plain = compare(X, y, ["lda"], protocol=FAST)
    named = compare(X, np.array(["white", "red", "pink"], dtype=object)[y], ["lda"], protocol=FAST)
    assert named.class_counts == {"pink": 48, "red": 71, "white": 59}
    # Classes sort differently by name, so the splits differ: only the level can be compared.
    assert abs(named.results[0].test_error - plain.results[0].test_error) < 0.1


def test_results_are_sorted_best_first_and_counted_in_plain_types(wine):
    comparison = compare(*wine, protocol=FAST)
    errors = [result.test_error for result in comparison.done]
    assert errors == sorted(errors)
    assert comparison.chance_error == pytest.approx(1 - 71 / 178)
    restored = json.loads(json.dumps(comparison.to_dict()))
    assert restored["class_counts"] == {"0": 59, "1": 71, "2": 48}
    assert restored["results"][0]["test_errors"] == list(comparison.results[0].test_errors)


def test_a_method_that_fails_is_a_row_with_its_reason(wine, add_method):
    add_method("bad", "FailingMap")
    add_method("nan", "NonFiniteMap")
    comparison = compare(*wine, ["bad", "nan", "pca"], protocol=FAST)
    pca, bad, nan = comparison.results
    assert (pca.status, bad.status, nan.status) == ("done", "failed", "failed")
    assert bad.reason == "RuntimeError: the matrix is upside down"
    assert "not finite" in nan.reason


def test_time_is_that_of_one_fit_and_work_that_of_all(wine, add_method):
    add_method("waiting", "WaitingMap")
    (result,) = compare(*wine, ["waiting"], protocol=FAST).results
    assert result.seconds >= 0.2
    assert result.cpu_seconds >= 4 * 0.1  # two splits, each also with permuted labels


def test_too_few_components_of_a_method_are_noticed(wine):
    result = compare(*wine, ["lda"], protocol=Protocol(n_components=5, n_repeats=1)).results[0]
    assert result.n_components == 2
    assert result.notices == ("has only 2 of the 5 components here",)


def test_of_a_method_with_more_components_the_best_are_scored_and_shown(wine):
    X, y = wine
    result = compare(X, y, ["category"], protocol=Protocol(n_repeats=1)).results[0]
    assert (result.n_components, result.n_components_in_full) == (2, 3)
    assert result.notices == ("the best 2 of its 3 components are shown and scored",)
    maps = result.first_map
    assert maps.train.shape[1] == maps.test.shape[1] == 2
    shown = knn_error(maps.train, y[maps.train_rows], maps.test, y[maps.test_rows])
    assert result.test_errors == pytest.approx((shown,))
    assert result.errors_in_full != result.test_errors
    in_3d = compare(X, y, ["category"], protocol=Protocol(n_components=3, n_repeats=1)).results[0]
    assert in_3d.test_errors == result.errors_in_full
    assert in_3d.errors_in_full == ()


def test_the_control_of_a_map_that_ignores_labels_is_that_of_the_same_map(wine):
    y = wine[1]
    pca = compare(*wine, ["pca"], protocol=Protocol(n_repeats=2)).results[0]
    permute_seed = trials.seeds_of_split(0, 0)[1]
    shuffled = np.random.default_rng(permute_seed).permuted(y)
    maps = pca.first_map
    assert pca.permuted_errors[0] == pytest.approx(
        knn_error(maps.train, shuffled[maps.train_rows], maps.test, shuffled[maps.test_rows])
    )


def test_a_balanced_error_is_the_mean_over_the_classes(wine):
    X, y = wine
    kept = np.flatnonzero((y != 2) | (np.arange(len(y)) % 6 == 0))
    X, y = X[kept], y[kept]
    balanced = compare(X, y, ["pca"], protocol=Protocol(n_repeats=1, score="balanced"))
    maps = balanced.results[0].first_map
    parts = [
        knn_error(maps.train, y[maps.train_rows], maps.test[chosen], y[maps.test_rows][chosen])
        for chosen in (y[maps.test_rows] == code for code in range(3))
    ]
    assert balanced.results[0].test_errors == pytest.approx((np.mean(parts),))
    assert balanced.chance_error == pytest.approx(2 / 3)


def test_what_cannot_fit_into_memory_is_not_started(wine, add_method):
    add_method("large", "CrashingMap", memory=lambda shape: 1e18)
    large = compare(*wine, ["large"], protocol=FAST).results[0]
    assert large.status == "skipped"
    assert "would need about 931,322,575 GiB of memory for 118 rows" in large.reason


def test_sparse_data_goes_to_the_methods_that_take_it(wine):
    X, y = wine
    comparison = compare(sparse.csr_array(X), y, ["pca", "lda"], protocol=FAST)
    by_name = {result.name: result for result in comparison.results}
    assert by_name["pca"].status == "done"
    assert by_name["lda"].status == "skipped"
    assert "sparse" in by_name["lda"].reason


def test_the_users_arrays_are_left_alone(wine):
    X, y = wine
    before = X.copy()
    X.flags.writeable = False
    compare(X, y, ["pca", "lda", "plsda"], protocol=Protocol(n_repeats=1))
    np.testing.assert_array_equal(X, before)


def small(**changes):
    X, y = load_iris(return_X_y=True)
    return {"X": X, "y": y} | changes


@pytest.mark.parametrize(
    ("arguments", "protocol", "message"),
    [
        (small(y=np.zeros(150)), Protocol(), "one class only"),
        (small(y=np.r_[np.zeros(149), 7]), Protocol(), "fewer than 2 samples: 7.0"),
        (small(y=np.zeros(151)), Protocol(), "151 labels for the 150 samples"),
        (small(X=np.ones(150)), Protocol(), "Expected 2D array"),
        (small(X=np.full((150, 3), np.nan)), Protocol(), "NaN"),
        (small(X=np.full((150, 3), np.inf)), Protocol(), "infinity"),
        (small(), Protocol(n_components=0), "n_components=0 must be at least 1"),
        (small(), Protocol(n_components=9), "n_components=9 exceeds the 4 features"),
        (small(), Protocol(n_repeats=0), "n_repeats=0"),
        (small(), Protocol(test_size=1.0), "test_size=1.0"),
        (small(), Protocol(n_neighbors=100), "n_neighbors=100 must be from 1 to 99"),
        (small(y=(np.arange(150) % 75).astype(str)), Protocol(test_size=0.1), "too few to split"),
        (small(), Protocol(seed=-1), "seed=-1 must be 0 or more"),
        (small(), Protocol(score="best"), "score='best' is not known"),
    ],
)
def test_bad_input_is_refused_with_its_reason(arguments, protocol, message):
    with pytest.raises(InputError, match=message):
        compare(arguments["X"], arguments["y"], ["pca"], protocol=protocol)


def test_parameters_of_an_entry_reach_the_estimator():
    method = Method(
        name="white",
        label="",
        family="linear",
        path="sklearn.decomposition:PCA",
        citation="",
        memory=lambda shape: 1.0,
        parameters=MappingProxyType({"whiten": True}),
    )
    estimator = method.make(3, random_state=5)
    assert (estimator.n_components, estimator.random_state, estimator.whiten) == (3, 5, True)
