"""Choice between the maps of LDA, SDA and SDA with rows by votes among the training samples.

    python benchmarks/sda_vote.py [--quick] [--set digits] [--splits 10]

Needs the research data sets in the folder named by DISCRIMAP_DATA. Every fit is stored in
benchmarks/results/sda-vote.jsonl as soon as it is done, and is not run again; the result is on
docs/benchmarks/linear-maps.md.

Each training sample is classified by its five nearest neighbours in the map, without itself. The
choice is the map with the lowest error; among equal errors the first in the order SDA, rows, LDA. Data
sets, sizes and scaling are those of benchmarks/linear_maps.py, with at least five training samples
for each feature, where SDA has no penalty. The seeds are 400 and above.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from benchmarks import sda_objectives
from benchmarks.linear_maps import SETS, load_samples, run, split, warm_up
from benchmarks.results import add_options, open_store
from discrimap.metrics import leave_one_out_error

NAME = "sda-vote"
FIRST_SEED, N_SPLITS = 400, 10
METHODS = ("LDA", "SDA", "rows")
CHOICES = {"SDA or rows": ("SDA", "rows"), "SDA, rows or LDA": ("SDA", "rows", "LDA")}


def errors_of(tree):
    """Errors by data set, (n_splits, n_methods + n_choices): of each method, and of each choice."""
    found = {}
    for name in SETS:
        by_method = tree.get(name, {})
        if set(METHODS) <= set(by_method):
            seeds = set.intersection(*(set(by_method[method]) for method in METHODS))
            # In order: the last digit of a mean depends on the order of the splits.
            fits = [
                {method: by_method[method][seed] for method in METHODS} for seed in sorted(seeds)
            ]
            found[name] = [
                [fit[method]["error"] for method in METHODS]
                + [chosen(fit, candidates)["error"] for candidates in CHOICES.values()]
                for fit in fits
            ]
    return found


def chosen(fit, candidates):
    return fit[min(candidates, key=lambda method: fit[method]["left_out"])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, quick="two small data sets and two splits")
    parser.add_argument("--set", action="append", choices=SETS, help="only this data set")
    parser.add_argument("--splits", type=int, default=N_SPLITS, help="number of splits")
    options = parser.parse_args()
    store = open_store(NAME, options)
    known = store.records()
    warm_up()
    names = options.set or (sda_objectives.QUICK_SETS if options.quick else SETS)
    for seed in range(FIRST_SEED, FIRST_SEED + (2 if options.quick else options.splits)):
        for name in names:
            X, y = load_samples(name)
            parts = split(name, X, y, seed)
            if len(parts[0]) < sda_objectives.SAMPLES_PER_FEATURE * X.shape[1]:
                continue
            makers = sda_objectives.makers(len(np.unique(y)))
            for method in METHODS:
                key = (name, method, str(seed))
                if key not in known:
                    estimator = makers[method](seed)
                    errors = run(estimator, *parts)
                    left_out = leave_one_out_error(estimator.transform(parts[0]), parts[2])
                    store.put(key, {**errors, "left_out": left_out})
                    print(*key, store.records()[key], flush=True)


if __name__ == "__main__":
    main()
