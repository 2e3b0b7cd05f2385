"""When SDA needs a penalty: SDA and RSDA by the number of samples per feature.

    python benchmarks/sda_penalty.py [--quick]

Needs the research data sets in the folder named by DISCRIMAP_DATA. Every fit is stored in
benchmarks/results/sda-penalty.jsonl as soon as it is done, and is not run again; the table is on
docs/benchmarks/linear-maps.md. Data sets and scaling are those of benchmarks/linear_maps.py; the seeds
of the splits are 100 and above, those of the page below 100.
"""

import argparse
import sys
from pathlib import Path

from discrimap import StochasticDiscriminantAnalysis

sys.path.append(str(Path(__file__).resolve().parents[1]))
from benchmarks.linear_maps import load_samples, run, split, warm_up
from benchmarks.results import add_options, open_store

NAME = "sda-penalty"
SETS = (
    "usps",
    "phoneme",
    "mushroom",
    "mfeat_fou",
    "digits",
    "breast cancer",
    "satellite",
    "covertype93k",
    "segmentation",
    "wine",
)
SIZES = (150, 300, 600)
SEEDS = (100, 101, 102, 103)
ALPHAS = {"SDA": 0.0, "RSDA": "cv"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, quick="wine, one split")
    options = parser.parse_args()
    store = open_store(NAME, options)
    known = store.records()
    warm_up()
    for name in ("wine",) if options.quick else SETS:
        X, y = load_samples(name)
        # A split has at most 60 % of the samples, so that larger sizes would repeat it.
        sizes = [size for size in SIZES if size <= 0.6 * len(X)] or SIZES[:1]
        for size in sizes:
            for seed in SEEDS[:1] if options.quick else SEEDS:
                parts = split(name, X, y, seed, size)
                for method, alpha in ALPHAS.items():
                    key = (name, str(len(parts[0])), method, str(seed))
                    if key not in known:
                        estimator = StochasticDiscriminantAnalysis(
                            2, alpha=alpha, random_state=seed
                        )
                        found = {**run(estimator, *parts), "p": X.shape[1]}
                        store.put(key, found)
                        print(*key, found, flush=True)


if __name__ == "__main__":
    main()
