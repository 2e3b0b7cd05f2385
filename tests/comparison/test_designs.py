"""What is held out together, and which orders of the labels are equally likely."""

import numpy as np
import pytest

from discrimap.comparison import Protocol, compare
from discrimap.comparison.designs import SHARE_OF_GAP, Grouped, Independent, Ordered
from discrimap.errors import InputError

ROWS = np.arange(120)


@pytest.fixture
def patients(rng):
    """Twenty patients with six rows each, in random order, half of them ill."""
    groups = rng.permutation(np.repeat(np.arange(20), 6))
    return groups, (groups % 2)


@pytest.mark.parametrize("seed", range(5))
def test_groups_are_held_out_as_a_whole_in_shares_of_the_classes(patients, seed):
    groups, y = patients
    train, test = Grouped(groups).split(y, ROWS, 1 / 3, seed)
    assert np.intersect1d(groups[train], groups[test]).size == 0
    np.testing.assert_array_equal(np.sort(np.r_[train, test]), ROWS)
    for code in (0, 1):
        assert 2 <= len(np.unique(groups[test][y[test] == code])) <= 5


def test_groups_exchange_their_labels_as_a_whole(patients, rng):
    groups, y = patients
    orders = Grouped(groups).relabellings(y, ROWS, 50, rng)
    for order in orders:
        assert all(len(set(order[groups == g])) == 1 for g in range(20))
        assert order.sum() == y.sum()
    assert len(np.unique(orders, axis=0)) > 40


def test_labels_that_differ_within_groups_are_exchanged_there(patients, rng):
    groups, _ = patients
    y = rng.integers(2, size=120)
    for order in Grouped(groups).relabellings(y, ROWS, 20, rng):
        for g in range(20):
            assert order[groups == g].sum() == y[groups == g].sum()


def test_folds_keep_groups_whole(patients):
    groups, y = patients
    seen = []
    for train, test in Grouped(groups).folds(y, ROWS, 5, 0):
        assert np.intersect1d(groups[train], groups[test]).size == 0
        seen.extend(test)
    assert sorted(seen) == list(range(120))


@pytest.mark.parametrize("seed", range(5))
def test_a_stretch_is_held_out_between_changes_of_the_class_with_a_gap(rng, seed):
    order = rng.permutation(120)
    y = ((order // 10) % 2).astype(int)
    train, test = Ordered(order).split(y, ROWS, 1 / 3, seed)
    held_out = np.sort(order[test])
    np.testing.assert_array_equal(held_out, np.arange(held_out[0], held_out[-1] + 1))
    assert held_out[0] % 10 == 0
    assert held_out[-1] % 10 == 9
    gap = max(1, round(SHARE_OF_GAP * 120))
    assert np.abs(order[train][:, None] - held_out).min() == gap + 1
    assert len(train) + len(test) in (120 - gap, 120 - 2 * gap)
    assert set(y[test]) == set(y[train]) == {0, 1}


def test_labels_in_an_order_are_shifted(rng):
    order = rng.permutation(30)
    y = (order // 5) % 3
    orders = Ordered(order).relabellings(y, np.arange(30), 999, rng)
    assert orders.shape == (29, 30)
    in_order = np.argsort(order)
    for labels in orders:
        shifts = [np.array_equal(np.roll(y[in_order], s), labels[in_order]) for s in range(30)]
        assert any(shifts)


def test_folds_of_an_order_are_stretches_away_from_the_others(rng):
    order = rng.permutation(120)
    for train, test in Ordered(order).folds(np.zeros(120, int), ROWS, 5, 0):
        assert np.ptp(order[test]) == len(test) - 1
        assert np.abs(order[train][:, None] - order[test]).min() > 1


@pytest.mark.parametrize("design", ["independent", "groups", "order"])
def test_permuted_labels_are_as_many_as_before(patients, design):
    groups, y = patients
    made = {"independent": Independent(), "groups": Grouped(groups), "order": Ordered(ROWS)}[design]
    permuted = made.permuted(y, ROWS[:60], 3)
    np.testing.assert_array_equal(permuted[60:], y[60:])
    if design != "groups":
        assert permuted.sum() == y.sum()


def test_a_comparison_keeps_groups_apart(patients, rng):
    groups, y = patients
    X = rng.standard_normal((20, 5))[groups] + 0.1 * rng.standard_normal((120, 5))
    protocol = Protocol(n_repeats=3)
    alone = compare(X, y, ["lda", "pca"], protocol=protocol)
    apart = compare(X, y, ["lda", "pca"], groups=groups, protocol=protocol, n_jobs=2)
    # Rows of a patient recognise each other.
    assert alone.done[0].test_error + 0.1 < apart.done[0].test_error
    maps = apart.done[0].first_map
    assert np.intersect1d(groups[maps.train_rows], groups[maps.test_rows]).size == 0
    assert apart.held_out == "as whole groups"


def test_groups_and_orders_that_cannot_be_used_are_refused(rng):
    X, y = rng.standard_normal((40, 3)), np.arange(40) % 2
    cases = [
        ({"groups": np.zeros(40), "order": np.arange(40)}, "exclude each other"),
        ({"groups": np.arange(39)}, "one value for each of the 40 samples"),
        ({"groups": np.arange(40) // 20}, "at least 4 groups"),
        ({"groups": np.where(y, 9, np.arange(40) % 5)}, "classes in one group only: '1'"),
        ({"order": np.array(["a", "b"] * 20)}, "pass numbers or dates"),
        ({"order": np.r_[np.nan, np.arange(39)]}, "order is missing for 1 samples"),
    ]
    for options, words in cases:
        with pytest.raises(InputError, match=words):
            compare(X, y, ["pca"], **options)
    with pytest.raises(InputError, match="cannot be separated from changes along the order"):
        compare(X, np.arange(40) // 20, ["pca"], order=np.arange(40))
