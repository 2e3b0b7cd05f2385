"""The default ridge of discriminative projections, chosen on data that no other page reports.

    python benchmarks/projections_defaults.py [--quick] [--set digits] [--resume]

Needs the research data sets in the folder named by DISCRIMAP_DATA. Every split is stored in
benchmarks/results/projections_defaults.jsonl as soon as it is done, so that --resume goes on where a
run was stopped.

The rule. A cell is a data set with 1, 2, 5, 20 or all labels per class (accuracy of 1-NN among
the labelled points, C - 1 components), or with a continuous target (absolute Spearman correlation
of the first component); held-out samples, mean of the splits. The regret of a value in a cell is
the best score of the cell minus the score of the value. The default ridge has the smallest mean regret
over all cells. The factor of the automatic spread, which was chosen on other data, is checked in the
same way.
"""

import argparse
import sys
import time
import warnings
from itertools import product
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr
from sklearn.datasets import load_diabetes, load_digits
from sklearn.preprocessing import scale

from discrimap import DiscriminativeProjections
from discrimap.datasets import load
from discrimap.projections.estimator import AUTO_SPREAD, auto_spread

sys.path.append(str(Path(__file__).resolve().parents[1]))
from benchmarks.few_label_draws import draw, nearest_neighbor_score
from benchmarks.results import add_options, open_store

RIDGES = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
FACTORS = (0, 30, 100, 300, 1000, 3000)
FIRST_FACTOR = 300
LABELS_PER_CLASS = (1, 2, 5, 20, None)
N_SPLITS = 2
# Features in units of their own; images, spectra and text stay as they are.
STANDARDISED = ("segmentation", "vehicle", "lvqpak")
CLASSES = (
    "digits",
    "mnist5k",
    "coil100",
    "olivetti",
    "phoneme",
    "satellite",
    "mfeat_fou",
    "lvqpak",
    "segmentation",
    "vehicle",
    "tdt2, classes 5 to 8",
)
CONTINUOUS = ("digits 1 to 4", "mnist5k, digits 1 to 4", "diabetes")


def load_samples(name):
    if name == "diabetes":
        return load_diabetes(return_X_y=True)
    source = name.split(" ")[0].rstrip(",")
    if source == "digits":
        X, y = load_digits(return_X_y=True)
    else:
        data = load(source)
        X, y = data.X, data.y
    if source == "tdt2":
        # Not a document of the four largest classes, which are reported.
        chosen = (y >= 4) & (y < 8)
        return X[chosen], y[chosen] - 4
    if name in CONTINUOUS:
        chosen = (y >= 1) & (y <= 4)
        X, y = X[chosen], y[chosen]
    X = X.astype(np.float64)
    return (scale(X) if name in STANDARDISED else X), y


def score_classes(split, n_labels, metric, ridge, factor):
    """Accuracy with a ridge and a factor of the automatic spread."""
    labels = split.labels(n_labels)
    counts = np.unique(labels[labels >= 0], return_counts=True)[1]
    n_components = min(len(counts) - 1, split.pool.shape[1])
    spread = auto_spread(counts.sum(), len(counts), len(labels)) * factor / AUTO_SPREAD
    model = DiscriminativeProjections(n_components, ridge=ridge, spread=spread, metric=metric)
    model.fit(split.pool, labels)
    return nearest_neighbor_score(
        model.transform(split.pool), labels, model.transform(split.test), split.test_y
    )


def score_continuous(split, ridge):
    """Spearman correlation of the first component with the target."""
    model = DiscriminativeProjections(1, ridge=ridge, target="continuous")
    Z = model.fit(split.pool, split.pool_y).transform(split.test)
    return abs(spearmanr(Z[:, 0], split.test_y)[0])


def run_split(name, seed, settings, labels_per_class):
    """Scores of one split, by labels per class or "continuous": one for each ridge and factor."""
    X, y = load_samples(name)
    is_text = name.startswith("tdt2")
    split = draw(X, y, seed, is_text=is_text).turned
    if name in CONTINUOUS:
        return {"continuous": [score_continuous(split, ridge) for ridge, _ in settings]}
    metric = "cosine" if is_text else "euclidean"
    smallest = np.bincount(split.pool_y).min()
    return {
        str(n_labels or "all"): [
            score_classes(split, n_labels, metric, ridge, factor) for ridge, factor in settings
        ]
        for n_labels in labels_per_class
        if n_labels is None or n_labels < smallest
    }


def mean_scores(results, kind):
    """Mean over the splits, by set and labels, shape (n_values,)."""
    cells = {}
    for name in (*CLASSES, *CONTINUOUS):
        splits = list(results.get(kind, {}).get(name, {}).values())
        # Labels that every split has: a rare class may lack them in one.
        for key in splits[0] if splits else ():
            if all(key in split for split in splits):
                cells[name, key] = np.mean([split[key] for split in splits], axis=0)
    return cells


def mean_regrets(cells):
    return np.mean([scores.max() - scores for scores in cells.values()], axis=0)


def chosen_ridge(results):
    return RIDGES[int(mean_regrets(mean_scores(results, "ridge")).argmin())]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, quick="one split of the smaller sets")
    parser.add_argument("--set", choices=(*CLASSES, *CONTINUOUS), action="append")
    parser.add_argument("--only", choices=("ridge", "factor"), help="only this choice")
    parser.add_argument("--resume", action="store_true", help="leave stored results as they are")
    arguments = parser.parse_args()
    # One label per class looks like a continuous target to scikit-learn.
    warnings.filterwarnings("ignore", message="The number of unique classes")
    store = open_store("projections_defaults", arguments)
    names = arguments.set or (*CLASSES, *CONTINUOUS)
    if arguments.quick:
        names = [name for name in names if name in ("digits", "vehicle", "diabetes")]
    for kind in (arguments.only,) if arguments.only else ("ridge", "factor"):
        if kind == "ridge":
            settings, labels_per_class = (
                [(ridge, FIRST_FACTOR) for ridge in RIDGES],
                LABELS_PER_CLASS,
            )
        else:
            # With all labels the factor plays no part.
            labels_per_class = LABELS_PER_CLASS[:-1]
            settings = [(chosen_ridge(store.tree()), factor) for factor in FACTORS]
        for name, seed in product(names, range(1 if arguments.quick else N_SPLITS)):
            stored = store.tree(kind, name)
            if (str(seed) in stored and arguments.resume) or (
                kind == "factor" and name in CONTINUOUS
            ):
                continue
            began = time.perf_counter()
            scores = run_split(name, seed, settings, labels_per_class)
            store.put((kind, name, seed), scores)
            print(f"{kind}, {name}, {seed}: {time.perf_counter() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
