"""The rule for epsilon of SDA, chosen on splits that no page reports.

    python benchmarks/sda_epsilon.py [--quick] [--part plane|others] [--set digits] [--splits 10]

Needs the research data sets in the folder named by DISCRIMAP_DATA. Every fit is stored in
benchmarks/results/sda-epsilon.jsonl as soon as it is done, and is not run again; the choice is on
docs/benchmarks/linear-maps.md.

The rule. Data sets, sizes and scaling are those of benchmarks/linear_maps.py; the seeds of the
splits are 100 and above, those of the page below 100. The powers of the number of classes in POWERS
are compared, with ``alpha="auto"``, by the held-out 1-NN error in two dimensions. Of the powers whose
mean error over the data sets is within one standard error of the smallest, the one nearest to the
paper's is used. The part "others" repeats the comparison in one, three and
C - 1 dimensions.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from discrimap import StochasticDiscriminantAnalysis

sys.path.append(str(Path(__file__).resolve().parents[1]))
from benchmarks.linear_maps import SETS, errors_by_split, load_samples, run, split, warm_up
from benchmarks.results import add_options, open_store

NAME = "sda-epsilon"
POWERS = (1.0, 1.5, 2.0, 3.0)  # of the number of classes; the paper's is the first
FIRST_SEED, N_SPLITS = 100, 10
N_SPLITS_OF_OTHERS = 3
# Data sets with four classes and more, and few features, for other numbers of dimensions.
SETS_OF_OTHERS = ("vehicle", "segmentation", "satellite", "lvqpak", "mfeat_fou", "digits")
QUICK_SETS = ("iris", "vehicle")


def makers(n_classes, n_components):
    """LDA and SDA with each power: functions of the seed."""
    n_of_lda = min(n_components, n_classes - 1)
    methods = {"LDA": lambda seed: LinearDiscriminantAnalysis(n_components=n_of_lda)}
    for power in POWERS:
        methods[f"{power:g}"] = lambda seed, power=power: StochasticDiscriminantAnalysis(
            n_components, epsilon=float(n_classes) ** -power, alpha="auto", random_state=seed
        )
    return methods


def jobs(options):
    """Seeds, data sets and numbers of dimensions; None stands for the number of classes minus one."""
    names = options.set or (QUICK_SETS if options.quick else SETS)
    n_splits = 2 if options.quick else options.splits
    if options.part in (None, "plane"):
        for seed in range(FIRST_SEED, FIRST_SEED + n_splits):
            yield from ((seed, name, 2) for name in names)
    if options.part in (None, "others"):
        for seed in range(FIRST_SEED, FIRST_SEED + min(n_splits, N_SPLITS_OF_OTHERS)):
            for n_components in (1, 3, None):
                for name in names:
                    if name in SETS_OF_OTHERS:
                        yield seed, name, n_components


def errors_of(tree, n_components):
    """Errors of LDA and each power, by data set; lists of shape (n_splits, 1 + n_powers)."""
    fits = {name: tree.get(name, {}).get(n_components, {}) for name in SETS}
    return errors_by_split(fits, ["LDA", *(f"{power:g}" for power in POWERS)])


def chosen(found):
    """Position of the power to use, and the mean differences from it with their standard errors."""
    means = np.array([np.mean(rows, axis=0) for rows in found.values()])[:, 1:]
    differences, spread = _differences(means, means.mean(axis=0).argmin())
    used = int(np.flatnonzero(differences <= spread)[0])
    return used, *_differences(means, used)


def _differences(means, position):
    """Mean differences from one column, over the rows, and their standard errors."""
    differences = means - means[:, [position]]
    return differences.mean(axis=0), differences.std(axis=0, ddof=1) / np.sqrt(len(means))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, quick="two small data sets and two splits")
    parser.add_argument("--part", choices=["plane", "others"])
    parser.add_argument("--set", action="append", choices=SETS, help="only this data set")
    parser.add_argument("--splits", type=int, default=N_SPLITS, help="number of splits")
    options = parser.parse_args()
    store = open_store(NAME, options)
    known = store.records()
    warm_up()
    for seed, name, n_components in jobs(options):
        X, y = load_samples(name)
        parts, n_classes = split(name, X, y, seed), len(np.unique(y))
        for method, make in makers(n_classes, n_components or n_classes - 1).items():
            key = (name, str(n_components or "C - 1"), method, str(seed))
            if key not in known:
                store.put(key, run(make(seed), *parts))
                print(*key, store.records()[key], flush=True)


if __name__ == "__main__":
    main()
