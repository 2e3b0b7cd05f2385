import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier

from discrimap.metrics import (
    class_retention,
    knn_error,
    leave_one_out_error,
    neighbor_retention,
    tied_neighbors,
)

sys.path.insert(0, str(Path(__file__).parent))
import naive

KS = np.arange(1, 5)


def errors_of(Z, y):
    """Every metric of one map, as one array, so that properties are tested on all of them."""
    half = len(Z) // 2
    return np.concatenate(
        [
            [
                knn_error(Z[:half], y[:half], Z[half:], y[half:], k, ties)
                for k in KS
                for ties in ("fractional", "nearest")
            ],
            [leave_one_out_error(Z, y, k, ties) for k in KS for ties in ("fractional", "nearest")],
            class_retention(Z, y, KS),
        ]
    )


def naive_errors_of(Z, y):
    half = len(Z) // 2
    return np.concatenate(
        [
            [
                naive.knn_error(Z[:half], y[:half], Z[half:], y[half:], k, ties)
                for k in KS
                for ties in ("fractional", "nearest")
            ],
            [
                naive.leave_one_out_error(Z, y, k, ties)
                for k in KS
                for ties in ("fractional", "nearest")
            ],
            [naive.class_retention(Z, y, k) for k in KS],
        ]
    )


# Points on a small lattice: most distances are tied, and many points coincide.
@st.composite
def tied_maps(draw, n_samples=12):
    n_components = draw(st.integers(1, 3))
    coordinates = st.integers(-2, 2).map(float)
    Z = draw(hnp.arrays(np.float64, (n_samples, n_components), elements=coordinates))
    y = draw(hnp.arrays(np.int64, n_samples, elements=st.integers(0, 2)))
    return Z, y


def test_fractional_ties_of_a_hand_worked_example():
    # Training points on a line:   a at 0, a at 1, b at 2, b at 3, c at 10.
    Z_train, y_train = np.array([[0.0], [1.0], [2.0], [3.0], [10.0]]), list("aabbc")
    # 1.4 (a): neighbours 1 a, 2 b, 0 a, 3 b, 10 c -> a and b two votes each: error 1/2.
    # 2.6 (c): neighbours are the same five; c is none of the two winners: error 1.
    # 0.0 (b): as above, b is one of two winners: error 1/2.
    Z_test, y_test = [[1.4], [2.6], [0.0]], list("acb")
    assert knn_error(Z_train, y_train, Z_test, y_test) == 2 / 3
    # With 3 neighbours: 1.4 -> a b a: a, right; 2.6 -> b b a: b, wrong; 0.0 -> a a b: wrong.
    assert knn_error(Z_train, y_train, Z_test, y_test, n_neighbors=3) == 2 / 3
    # The nearest point decides: 1.4 -> a, right; 2.6 -> b, wrong; 0.0 -> a, wrong.
    assert knn_error(Z_train, y_train, Z_test, y_test, ties="nearest") == 2 / 3
    assert knn_error(Z_train, y_train, [[1.4]], ["a"], ties="nearest") == 0.0
    assert knn_error(Z_train, y_train, [[1.4]], ["a"], ties="fractional") == 0.5


def test_five_tied_classes_cost_four_fifths_as_in_the_paper():
    Z_train, y_train = np.arange(5.0)[:, None], list("abcde")
    assert_allclose(knn_error(Z_train, y_train, [[0.3]], ["d"]), 4 / 5)
    assert knn_error(Z_train, y_train, [[0.3]], ["z"]) == 1.0


def test_training_points_at_equal_distance_share_the_last_place():
    # From 0: b at 0.5 is sure; a at 1, a at -1 and c at -1 share two places, 2/3 each.
    Z_train, y_train = [[0.5], [1.0], [-1.0], [-1.0]], list("baac")
    # Votes a 4/3, b 1, c 2/3.
    assert knn_error(Z_train, y_train, [[0.0]], ["a"], n_neighbors=3) == 0.0
    # With two places: b 1, a 2/3, c 1/3.
    assert knn_error(Z_train, y_train, [[0.0]], ["b"], n_neighbors=2) == 0.0
    assert knn_error(Z_train[1:], y_train[1:], [[0.0]], ["c"], n_neighbors=1) == 1.0


@given(tied_maps())
@settings(max_examples=25, deadline=None)
def test_metrics_equal_the_naive_loops_on_tied_points(tied_map):
    Z, y = tied_map
    assert_allclose(errors_of(Z, y), naive_errors_of(Z, y), atol=1e-12)


@pytest.mark.parametrize("n_components", [1, 2, 30])  # tree and product searches
def test_metrics_equal_the_naive_loops_on_random_points(rng, n_components):
    Z, y = rng.standard_normal((50, n_components)), rng.integers(0, 4, 50)
    assert_allclose(errors_of(Z, y), naive_errors_of(Z, y), atol=1e-12)


@pytest.mark.parametrize("n_components", [1, 2, 20])
def test_metrics_equal_the_naive_loops_in_small_blocks(rng, monkeypatch, n_components):
    monkeypatch.setattr(tied_neighbors, "BLOCK_ENTRIES", 50)
    monkeypatch.setattr(tied_neighbors, "SPARE_CANDIDATES", (1, 3))
    Z = rng.integers(0, 3, (20, n_components)).astype(float)
    Z[:8] = Z[0]
    y = rng.integers(0, 4, 20)
    assert_allclose(errors_of(Z, y), naive_errors_of(Z, y), atol=1e-12)
    other = rng.integers(0, 3, (20, 3)).astype(float)
    expected = [naive.neighbor_retention(other, Z, k) for k in KS]
    assert_allclose(neighbor_retention(other, Z, KS), expected, atol=1e-12)


def test_distinct_distances_give_the_error_of_scikit_learn(rng):
    Z, y = rng.standard_normal((400, 3)), rng.integers(0, 2, 400)
    model = KNeighborsClassifier(7).fit(Z[:300], y[:300])  # 7 votes of 2 classes cannot tie
    expected = 1 - model.score(Z[300:], y[300:])
    assert_allclose(knn_error(Z[:300], y[:300], Z[300:], y[300:], 7), expected)


@given(tied_maps(), st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_order_labels_rotation_and_shift_do_not_matter(tied_map, seed):
    Z, y = tied_map
    rng = np.random.default_rng(seed)
    expected = errors_of(Z, y)
    half = len(Z) // 2
    order = np.concatenate([rng.permutation(half), half + rng.permutation(len(Z) - half)])
    assert_allclose(errors_of(Z[order], y[order]), expected, atol=1e-12)
    names = np.array(["z", "a", "m"])
    assert_allclose(errors_of(Z, names[y]), expected, atol=1e-12)
    rotation, _ = np.linalg.qr(rng.standard_normal((Z.shape[1], Z.shape[1])))
    moved = 3.7 * (Z @ rotation) + 100 * rng.standard_normal(Z.shape[1])
    assert_allclose(errors_of(moved, y), expected, atol=1e-12)


@given(tied_maps(), st.data())
@settings(max_examples=25, deadline=None)
def test_neighbor_retention_equals_the_naive_loop(tied_map, data):
    X, _ = tied_map
    coordinates = st.integers(-2, 2).map(float)
    Z = data.draw(hnp.arrays(np.float64, (len(X), 2), elements=coordinates))
    expected = [naive.neighbor_retention(X, Z, k) for k in KS]
    assert_allclose(neighbor_retention(X, Z, KS), expected, atol=1e-12)
    assert_allclose(neighbor_retention(sparse.csr_matrix(X), Z, KS), expected, atol=1e-12)


def test_neighbor_retention_of_sparse_data_with_many_columns(rng):
    X = sparse.random(80, 500, density=0.05, random_state=0, format="csr")
    X = sparse.vstack([X, X[:10]]).tocsr()  # ten pairs of duplicates
    Z = X @ rng.standard_normal((500, 4))
    expected = [naive.neighbor_retention(X.toarray(), Z, k) for k in (1, 5)]
    assert_allclose(neighbor_retention(X, Z, [1, 5]), expected, atol=1e-12)
    assert_allclose(neighbor_retention(X.toarray(), Z, [1, 5]), expected, atol=1e-12)


def test_a_faithful_map_keeps_all_neighbours_and_a_random_one_few(rng):
    X = rng.standard_normal((500, 4))
    rotation, _ = np.linalg.qr(rng.standard_normal((4, 4)))
    assert_array_equal(neighbor_retention(X, X @ rotation, [1, 3]), [1.0, 1.0])
    assert neighbor_retention(X, rng.standard_normal((500, 2)), 10)[0] < 0.1  # 10 of 499 expected


def test_class_retention_of_separate_lonely_and_collapsed_classes():
    Z = np.array([[0.0], [0.1], [5.0], [5.1], [9.0]])
    assert_array_equal(class_retention(Z, list("aabbc"), [1, 4]), [0.8, 0.8])
    # All on one point: one of 3 others is of the own class; k places of 3 hit it with k/3.
    collapsed, y = np.zeros((4, 2)), [0, 0, 1, 1]
    assert_allclose(class_retention(collapsed, y, [1, 2, 3]), [1 / 3, 2 / 3, 1.0])


def test_duplicates_do_not_let_a_point_vote_for_itself():
    # Three points in one place, each of its own class: every neighbour is wrong.
    assert leave_one_out_error(np.zeros((3, 2)), [0, 1, 2], n_neighbors=1) == 1.0
    # Ten identical points, two classes: a point sees 4 of its own and 5 of the other class.
    assert leave_one_out_error(np.ones((10, 2)), [0, 1] * 5, n_neighbors=3) == 1.0


@pytest.mark.parametrize("n_dimensions", [2, 20])  # tree and product searches
def test_ties_may_end_at_every_stage_of_the_search(rng, n_dimensions):
    # Places with 3, 20 and 80 coinciding points: few, some and most candidates are needed.
    sizes, places = [3, 20, 80, 3], rng.standard_normal((4, n_dimensions))
    Z, y = np.repeat(places, sizes, axis=0), rng.integers(0, 3, sum(sizes))
    order = rng.permutation(len(Z))
    Z, y = Z[order], y[order]
    for k in (1, 2, 5):
        assert_allclose(leave_one_out_error(Z, y, k), naive.leave_one_out_error(Z, y, k))
    other = rng.integers(0, 4, (len(Z), 2)).astype(float)
    expected = [naive.neighbor_retention(other, Z, k) for k in (1, 5)]
    assert_allclose(neighbor_retention(other, Z, [1, 5]), expected)


def test_a_collapsed_map_is_scored_in_blocks(monkeypatch):
    monkeypatch.setattr(tied_neighbors, "BLOCK_ENTRIES", 2**17)
    n_samples = 3000
    Z, y = np.zeros((n_samples, 2)), np.arange(n_samples) % 3
    tracemalloc.start()
    assert leave_one_out_error(Z, y) == 1.0  # each sees one point less of its own class
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * n_samples**2 / 3


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_number_types_and_containers_give_the_same_error(rng, dtype):
    Z, y = rng.integers(0, 9, (40, 2)).astype(dtype), rng.integers(0, 3, 40)
    expected = leave_one_out_error(Z.astype(float), y)
    frame = pd.DataFrame(Z, columns=["one", "two"])
    assert leave_one_out_error(Z, y) == expected
    assert leave_one_out_error(Z.tolist(), y.tolist()) == expected
    assert leave_one_out_error(frame, pd.Series(y, dtype="Int64")) == expected
    assert leave_one_out_error(frame, pd.Series(y).astype("category")) == expected
    assert leave_one_out_error(frame, pd.Series(y).astype(str)) == expected


def test_inputs_are_not_modified(rng):
    Z, y = rng.standard_normal((30, 2)), rng.integers(0, 2, 30)
    Z.flags.writeable = y.flags.writeable = False
    errors_of(Z, y)
    neighbor_retention(Z, Z, [1])


POINTS, LABELS = [[0.0, 0.0], [1.0, 0.0], [2.0, 1.0]], [0, 1, 0]


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: leave_one_out_error(POINTS, [0, 1]), ValueError, "y has 2 labels, but Z has 3"),
        (
            lambda: knn_error(POINTS, LABELS, POINTS, [0]),
            ValueError,
            "y_test has 1 labels, but Z_test has 3",
        ),
        (
            lambda: knn_error(POINTS, LABELS, [[1.0]], [0]),
            ValueError,
            "Z_test has 1 columns, but Z_train has 2",
        ),
        (
            lambda: knn_error(POINTS, LABELS, POINTS, ["0", "1", "0"], 1),
            ValueError,
            "cannot be compared",
        ),
        (
            lambda: knn_error(POINTS, LABELS, POINTS, LABELS),
            ValueError,
            "n_neighbors=5 must be from 1 to 3: Z_train has 3 samples",
        ),
        (lambda: leave_one_out_error(POINTS, LABELS, 3), ValueError, "n_neighbors=3 .* 1 to 2"),
        (lambda: leave_one_out_error(POINTS, LABELS, 0), ValueError, "n_neighbors=0"),
        (lambda: leave_one_out_error(POINTS, LABELS, 1.5), TypeError, "n_neighbors .* 1.5"),
        (lambda: leave_one_out_error(POINTS, LABELS, True), TypeError, "n_neighbors .* True"),
        (lambda: leave_one_out_error(POINTS, LABELS, 1, "first"), ValueError, "ties='first'"),
        (lambda: leave_one_out_error([1.0, 2.0], [0, 1], 1), ValueError, r"Z must have shape"),
        (lambda: leave_one_out_error(np.zeros((0, 2)), [], 1), ValueError, "Z is empty"),
        (lambda: leave_one_out_error([[np.nan], [1.0]], [0, 1], 1), ValueError, "Z contains NaN"),
        (lambda: leave_one_out_error([[np.inf], [1.0]], [0, 1], 1), ValueError, "Z contains inf"),
        (lambda: leave_one_out_error(POINTS, [0, 1, np.nan], 1), ValueError, "y has missing"),
        (lambda: leave_one_out_error(POINTS, ["a", None, "b"], 1), ValueError, "y has missing"),
        (lambda: leave_one_out_error(POINTS, [["a", "b"]] * 3, 1), ValueError, "one dimension"),
        (lambda: leave_one_out_error(POINTS, [0.1, 0.2, 0.3], 1), ValueError, "continuous"),
        (lambda: class_retention(POINTS, LABELS, [1, 3]), ValueError, "ks=3 must be from 1 to 2"),
        (lambda: class_retention(POINTS, LABELS, []), ValueError, "ks must be a list"),
        (lambda: class_retention(POINTS, LABELS, [0.5]), TypeError, "ks"),
        (
            lambda: neighbor_retention(POINTS, POINTS[:2], [1]),
            ValueError,
            "Z has 2 samples, but X has 3",
        ),
    ],
)
def test_bad_input_is_refused_with_names_and_numbers(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
