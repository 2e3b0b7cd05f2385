"""Dependence between samples, which determines the splits and the permutations of the labels.

The held-out error is a valid estimate for new samples only if held-out samples are as independent
of the training samples as new samples will be. A permutation test is valid only if its permutations
are equally likely under the null hypothesis. Both depend on whether samples are independent, in
groups such as patients, or in an order such as time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from discrimap.errors import InputError

# A gap of this share of the samples is left out on either side of a held-out block.
SHARE_OF_GAP = 0.02
# Number of positions at which a held-out block may begin.
N_PLACES = 60


class Design(ABC):
    """Dependence between samples."""

    in_words: str  # description of a split for the report

    @abstractmethod
    def split(self, y, rows, test_size, seed) -> tuple[np.ndarray, np.ndarray]:
        """Split rows, all of which have a label, into training and held-out rows."""

    @abstractmethod
    def relabellings(self, known, rows, n_orders, rng) -> np.ndarray:
        """Return the known labels of the rows in permutations that the null hypothesis allows.

        The shape is (n_orders or fewer, n_rows). The given order is not included.
        """

    @abstractmethod
    def folds(self, y, rows, n_folds, seed) -> list[tuple[np.ndarray, np.ndarray]]:
        """Divide the positions 0, 1, ... of the rows into folds of training and test positions."""

    def permuted(self, y, rows, seed) -> np.ndarray:
        """Return all labels, with the labels of these rows in one permutation."""
        permuted = y.copy()
        permuted[rows] = self.relabellings(y[rows], rows, 1, np.random.default_rng(seed))[0]
        return permuted


class Independent(Design):
    """Independent samples. The same share of each class is held out."""

    in_words = "at random"

    def split(self, y, rows, test_size, seed):
        from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

        kind = ShuffleSplit if _is_numbers(y) else StratifiedShuffleSplit
        splitter = kind(n_splits=1, test_size=test_size, random_state=seed)
        train, test = next(splitter.split(np.zeros(len(rows)), y[rows]))
        return rows[train], rows[test]

    def relabellings(self, known, rows, n_orders, rng):
        return rng.permuted(np.tile(known, (n_orders, 1)), axis=1)

    def folds(self, y, rows, n_folds, seed):
        from sklearn.model_selection import KFold, StratifiedKFold

        kind = KFold if _is_numbers(y) else StratifiedKFold
        return list(kind(n_folds, shuffle=True, random_state=seed).split(y[rows], y[rows]))


class Grouped(Design):
    """Samples in groups, such as the rows of one patient. Whole groups are held out.

    If all samples of each group have the same label, labels are permuted between groups. If labels
    differ within groups, they are permuted within each group, so that differences between groups do
    not count as an effect.
    """

    in_words = "as whole groups"

    def __init__(self, groups: np.ndarray):
        self.groups = groups

    def split(self, y, rows, test_size, seed):
        _, group_of, label_of, _ = self._groups_of(y[rows], rows)
        rng = np.random.default_rng(seed)
        if _is_numbers(y):
            label_of = np.zeros(len(label_of), dtype=int)
        held_out = np.zeros(len(label_of), dtype=bool)
        for label in np.unique(label_of):
            of_label = rng.permutation(np.flatnonzero(label_of == label))
            # Rounded at random, so that classes with few groups are held out as often as others.
            n_out = int(test_size * len(of_label) + rng.random())
            held_out[of_label[: np.clip(n_out, min(1, len(of_label) - 1), len(of_label) - 1)]] = (
                True
            )
        is_test = held_out[group_of]
        return rows[~is_test], rows[is_test]

    def relabellings(self, known, rows, n_orders, rng):
        places, group_of, label_of, is_pure = self._groups_of(known, rows)
        if is_pure:
            return rng.permuted(np.tile(label_of, (n_orders, 1)), axis=1)[:, group_of]
        orders = np.tile(known, (n_orders, 1))
        for members in places:
            orders[:, members] = rng.permuted(orders[:, members], axis=1)
        return orders

    def folds(self, y, rows, n_folds, seed):
        from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

        n_folds = min(n_folds, len(np.unique(self.groups[rows])))
        if _is_numbers(y):
            splitter = GroupKFold(n_folds)
        else:
            splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
        return list(splitter.split(np.zeros(len(rows)), y[rows], self.groups[rows]))

    def check(self, y, rows, class_names) -> None:
        """Raise an error if groups cannot be split into two parts that both have all classes."""
        n_groups = len(np.unique(self.groups[rows]))
        if n_groups < 4:
            raise InputError(
                f"groups has {n_groups} different values among the labelled samples; at least 4 "
                "groups are needed to hold some of them out."
            )
        if _is_numbers(y):
            return
        _, _, label_of, is_pure = self._groups_of(y[rows], rows)
        if not is_pure:
            return
        counts = np.bincount(label_of, minlength=len(class_names))
        alone = [f"{class_names[c]!r}" for c in np.flatnonzero(counts < 2)]
        if alone:
            raise InputError(
                f"classes in one group only: {', '.join(alone[:8])}. A class needs two groups or "
                "more, one to learn from and one to hold out; leave these classes out, or leave "
                "out groups if the samples do not depend on each other."
            )

    def _groups_of(self, known, rows):
        """Return the positions of each group, the group of each row, and the labels of the groups.

        The last value is whether every group has a single label.
        """
        _, group_of = np.unique(self.groups[rows], return_inverse=True)
        order = np.argsort(group_of, kind="stable")
        places = np.split(order, np.flatnonzero(np.diff(group_of[order])) + 1)
        is_pure = all((known[members] == known[members[0]]).all() for members in places)
        if _is_numbers(known):
            label_of = np.array([known[members].mean() for members in places])
        else:
            label_of = np.array([np.bincount(known[members]).argmax() for members in places])
        return places, group_of, label_of, is_pure


class Ordered(Design):
    """Samples in an order, such as time, in which consecutive samples are similar.

    One contiguous block is held out, and a gap on either side of the block is not used. Labels are
    permuted by circular shifts, which keep the autocorrelation of the labels, so that slow changes
    of both samples and labels do not count as an effect.
    """

    in_words = "as one contiguous block, with a gap on either side"

    def __init__(self, order: np.ndarray):
        self.order = order

    def split(self, y, rows, test_size, seed):
        places = self._places_of_stretches(y, rows, test_size)
        start = places[np.random.default_rng(seed).integers(len(places))]
        return self._cut(y, rows, start, test_size)

    def relabellings(self, known, rows, n_orders, rng):
        in_order = np.argsort(self.order[rows], kind="stable")
        shifts = np.arange(1, len(rows))
        if len(shifts) > n_orders:
            shifts = rng.choice(shifts, n_orders, replace=False)
        elif n_orders == 1:
            shifts = rng.choice(shifts, 1)
        orders = np.empty((len(shifts), len(rows)), dtype=known.dtype)
        orders[:, in_order] = known[in_order][(np.arange(len(rows)) - shifts[:, None]) % len(rows)]
        return orders

    def folds(self, y, rows, n_folds, seed):
        in_order = np.argsort(self.order[rows], kind="stable")
        gap = self._gap(len(rows))
        folds = []
        for stretch in np.array_split(np.arange(len(rows)), n_folds):
            is_far = np.ones(len(rows), dtype=bool)
            is_far[max(0, stretch[0] - gap) : stretch[-1] + gap + 1] = False
            folds.append((in_order[is_far], in_order[stretch]))
        return folds

    def check(self, y, rows, class_names, test_size) -> None:
        """Raise an error if no block can be held out whose classes also occur outside of it."""
        if len(self._places_of_stretches(y, rows, test_size)):
            return
        known = y[rows[np.argsort(self.order[rows], kind="stable")]]
        n_runs = np.bincount(known[np.r_[True, np.diff(known) != 0]], minlength=len(class_names))
        rare = [f"{class_names[c]!r}" for c in np.flatnonzero(n_runs < 2)]
        which = f"; each of {', '.join(rare[:8])} occurs in a single block of rows" if rare else ""
        raise InputError(
            "in this order, no contiguous block of rows can be held out whose classes also occur "
            f"elsewhere{which}. Differences between such classes cannot be separated from changes along "
            "the order; leave these classes out, or leave out the order."
        )

    def _gap(self, n_rows: int) -> int:
        return max(1, round(SHARE_OF_GAP * n_rows))

    def _cut(self, y, rows, start, test_size):
        """Return the rows outside of a block and its gaps, and the rows of the block.

        The ends of the block are moved to positions where the class changes. Within a run of one
        class, rows before and after the end would be similar and have the same label.
        """
        in_order = rows[np.argsort(self.order[rows], kind="stable")]
        end = min(len(rows), start + int(np.ceil(test_size * len(rows))))
        if not _is_numbers(y):
            changes = np.r_[0, np.flatnonzero(np.diff(y[in_order])) + 1, len(rows)]
            start, end = (int(changes[np.abs(changes - place).argmin()]) for place in (start, end))
        gap = self._gap(len(rows))
        train = np.r_[in_order[: max(0, start - gap)], in_order[end + gap :]]
        return np.sort(train), np.sort(in_order[start:end])

    def _places_of_stretches(self, y, rows, test_size) -> list[int]:
        """Return the positions where a block can begin such that all classes occur outside it."""
        n_last = len(rows) - int(np.ceil(test_size * len(rows)))
        starts = np.unique(np.linspace(0, n_last, N_PLACES).round().astype(int)).tolist()
        if _is_numbers(y):
            return starts
        n_classes = len(np.unique(y[rows]))
        possible = []
        for start in starts:
            train, test = self._cut(y, rows, start, test_size)
            counts = np.bincount(y[train], minlength=n_classes)
            if counts.min() >= 2 and len(np.unique(y[test])) >= 2:
                possible.append(start)
        return possible


def _is_numbers(y) -> bool:
    return y.dtype.kind == "f"
