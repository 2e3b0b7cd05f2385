"""How often a verdict makes false claims or misses an effect, on simulated data sets.

Each data set is compared with the defaults and seven fast methods. The p-value of each split is
stored, so that rules that combine them can be compared. Parts:

- null: classes without any structure, of equal and of unequal sizes; a claim is false.
- effect: class means that differ a little, each with two seeds: power, and whether the seeds agree.
- groups: 40 patients with 6 rows each and random labels of the patients, with and without ``groups``.
- order: slowly changing features and labels in blocks, independent of each other, with and without
  ``order``.
- ties: methods that are equally good by construction, and one that is not.

    python benchmarks/claims.py [--quick] [--part null] [--sets 500]
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from benchmarks.results import add_options, open_store
from discrimap.comparison import Protocol, compare
from discrimap.errors import InputError

METHODS = ("pca", "lda", "plsda", "spca", "save", "lpp", "dp")
SETS = {"null": 600, "effect": 300, "groups": 500, "order": 200, "ties": 100}
EFFECTS = (0.6, 0.75, 0.9)  # distance of the class means from their centre, in standard deviations


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, quick="two data sets of each part")
    parser.add_argument("--part", choices=SETS, action="append")
    parser.add_argument("--sets", type=int, help="data sets of each part")
    arguments = parser.parse_args()
    store = open_store("claims", arguments)
    for part in arguments.part or SETS:
        n_sets = 2 if arguments.quick else arguments.sets or SETS[part]
        known = store.tree(part)
        for number in range(n_sets):
            if str(number) not in known:
                store.put((part, number), SIMULATIONS[part](number))


def null(number):
    rng = np.random.default_rng([1, number])
    sizes = [(50, 50, 50), (90, 40, 20)][number % 2]
    y = np.repeat(np.arange(3), sizes)
    X = rng.standard_normal((150, 10)) @ rng.standard_normal((10, 10))
    scores = ("error", "balanced") if number % 2 else ("error",)
    return {score: p_values(X, y, protocol=Protocol(score=score)) for score in scores}


def effect(number):
    """Power depends on the difference of the means: sets of three sizes, in turn."""
    rng = np.random.default_rng([2, number])
    size = EFFECTS[number % len(EFFECTS)]
    y = np.repeat(np.arange(3), 50)
    X = rng.standard_normal((150, 10))
    X[:, :2] += size * np.array([[1, 0], [-0.5, 0.87], [-0.5, -0.87]])[y]
    return {str(seed): p_values(X, y, protocol=Protocol(seed=seed)) for seed in (0, 1)}


def groups(number):
    rng = np.random.default_rng([3, number])
    patient = np.repeat(np.arange(40), 6)
    y = rng.permutation(np.arange(40) % 2)[patient]
    X = rng.standard_normal((40, 8))[patient] + 0.7 * rng.standard_normal((240, 8))
    return {"ignored": p_values(X, y), "respected": p_values(X, y, groups=patient)}


def order(number):
    """Autoregressive features; labels change in blocks of random length."""
    rng = np.random.default_rng([4, number])
    n_samples = 400
    X = np.zeros((n_samples, 6))
    memory = (0.9, 0.97)[number % 2]
    for row in range(1, n_samples):
        X[row] = memory * X[row - 1] + rng.standard_normal(6)
    lengths = rng.integers(15, 40, 40)
    y = np.repeat(rng.permutation(np.arange(40)) % 2, lengths)[:n_samples]
    return {
        "ignored": p_values(X, y),
        "respected": p_values(X, y, order=np.arange(n_samples)),
    }


def ties(number):
    """Three classes that differ in two of four features, so that several methods are equally good."""
    rng = np.random.default_rng([5, number])
    y = np.repeat(np.arange(3), 60)
    X = rng.standard_normal((180, 4))
    X[:, :2] += 2.5 * np.array([[1, 0], [-0.5, 0.87], [-0.5, -0.87]])[y]
    found = run(X, y)
    return {
        "winner": found.results[0].name,
        "as_good": [result.name for result in found.as_good_as_best],
        "errors": {result.name: result.test_error for result in found.done},
        "shown": found.shown,
    }


def p_values(X, y, **options):
    """P-values of the splits; none where no split is possible and the comparison is refused."""
    try:
        return list(run(X, y, **options).evidence.p_values)
    except InputError:
        return []


def run(X, y, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compare(X, y, METHODS, **options)


SIMULATIONS = {"null": null, "effect": effect, "groups": groups, "order": order, "ties": ties}

if __name__ == "__main__":
    main()
