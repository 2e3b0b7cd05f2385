"""The settings of Fisher t-SNE, chosen on data that no page reports and on training parts.

    python benchmarks/fisher_settings.py [--quick] [--part map|size|large] [--set digits] [--seeds 2]

Needs the research data sets in the folder named by DISCRIMAP_DATA. Every split is stored in
benchmarks/results/fisher-settings.jsonl as soon as it is done, and not done again; the choices are
on docs/benchmarks/fisher-scale.md.

The rule. Samples are drawn for training and for testing from sets that are not reported, and from
training parts of sets that are (benchmarks/speed/fisher_scale.py), never from their held-out parts. One
setting is varied at a time. The score of a value on a set is the mean of the 1-NN and 5-NN
accuracies of the test samples, and its regret is the best score on that set minus its score. Of the
values whose mean regret is within 0.2 points of the smallest, and whose recall of neighbours inside the
classes is within 0.01 of the largest of these, the first in the list is chosen. Lists begin with the
fastest value, or with the largest lambda, which keeps most of the structure inside the classes. The metric
of landmarks, whose map of training points does not depend on their own labels, is used from the number of
samples on above which its mean score is at most half a point below that of the exact metric.
"""

import argparse
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from discrimap import FisherMetric, FisherTSNE, LandmarkPosterior
from discrimap.fisher import embedding, regularisation, tsne

sys.path.append(str(Path(__file__).resolve().parents[1]))
from benchmarks.results import add_options, open_store
from benchmarks.speed.fisher_scale import arrays_of, scores_of, split, within_class_recall
from benchmarks.speed.fisher_simulated import simulated_cells, simulated_letters

LETTERS, CELLS = "simulated letters", "simulated cells"
UNREPORTED = ("digits", "mfeat_fou", "lvqpak", "phoneme", "vehicle", LETTERS, CELLS)
TRAINING_PARTS = ("MNIST, 60,000", "USPS", "Satellite")
STANDARDISED = ("lvqpak", "vehicle")
N_TRAIN, N_TEST = 1000, 1000
N_LARGE = 30_000
SEEDS = (100, 101, 102)
# Values of each setting, in the order of the rule; beside a point a new one can be seen, on it not.
PLACINGS = ("among the neighbours", "on the nearest", "mean of ten", "openTSNE")
LAMBDAS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
VALUES = {
    "placing": PLACINGS,
    "exaggeration": (4.0, 1.5, 2.0, 1.0),  # with many samples 1.5 keeps more neighbours than 2
    "perplexity": (5, 10, 20, 30),
    "max_iter": (180, 240, 360, 500),
    "largest lambda": LAMBDAS[:2:-1],
}
# What is kept while another setting is varied.
START = {
    "placing": "among the neighbours",
    "exaggeration": 1.5,
    "perplexity": 10,
    "max_iter": 360,
    "largest lambda": 3.0,
}
USED = {  # by the library
    "placing": "among the neighbours",
    "exaggeration": tsne.LANDMARKS.exaggeration,
    "perplexity": tsne.LANDMARKS.perplexity,
    "max_iter": tsne.LANDMARKS.max_iter,
    "largest lambda": regularisation.REGULARISATIONS[-1],
}
# Iterations and exaggeration of maps of many samples, the cheapest first.
LARGE = ((360, 2.0), (360, 1.5), (600, 2.0))
SIZES = (100, 200, 400, 800, 1600)
METRICS = ("exact", "exact, cross-fitted", "landmarks")
MOST_CROSS_FITTED = 400
WITHIN, RECALL_WITHIN, SIZE_WITHIN = 0.002, 0.01, 0.005


def samples_of(name, seed, n_train):
    """Training and test samples, both of a set that is not reported or of a training part."""
    if name in TRAINING_PARTS:
        X, y, _, _ = split(name, 0)
    elif name == "digits":
        X, y = load_digits(return_X_y=True)
    elif name == LETTERS:
        X, y = simulated_letters(seed=seed)
    elif name == CELLS:  # others than those of the page
        n_train = min(n_train, 500)
        X, y = simulated_cells(1500, n_types=5 + seed % 5, factor=2.7, seed=seed)
    else:
        X, y = arrays_of(name)
    n_train = min(n_train, 2 * len(y) // 3)
    train, test = train_test_split(
        np.arange(len(y)),
        train_size=n_train,
        test_size=min(N_TEST, len(y) - n_train),
        stratify=y if np.bincount(y).min() > 1 else None,
        random_state=seed,
    )
    X_train, X_test = X[train].astype(np.float32), X[test].astype(np.float32)
    if name in STANDARDISED:
        mean, spread = X_train.mean(axis=0), np.maximum(X_train.std(axis=0), 1e-9)
        X_train, X_test = (X_train - mean) / spread, (X_test - mean) / spread
    return X_train, y[train], X_test, y[test]


def placed(fitted, new, placing):
    """New points in a map, in one of several ways."""
    if placing == "among the neighbours":
        return fitted.transform(new)
    positions = fitted.embedding_.astype(np.float64)
    if placing == "openTSNE":
        count, perplexity = embedding.NEW_NEIGHBORS, embedding.NEW_PERPLEXITY
        near = fitted.metric_.kneighbors(new, n_neighbors=count)
        return embedding.place(positions, *near, perplexity, n_jobs=1)
    _, indices = fitted.metric_.kneighbors(new, n_neighbors=10)
    return positions[indices[:, 0]] if placing == "on the nearest" else positions[indices].mean(1)


def fitted_with(X, y, seed, **changed):
    """A map with the settings of the start but some."""
    settings = {**START, **changed}
    lambdas = tuple(one for one in LAMBDAS if one <= settings["largest lambda"])
    attraction = replace(tsne.LANDMARKS, exaggeration=settings["exaggeration"])
    with (
        patch.object(tsne, "LANDMARKS", attraction),
        patch.object(regularisation, "REGULARISATIONS", lambdas),
    ):
        return FisherTSNE(
            perplexity=settings["perplexity"], max_iter=settings["max_iter"], random_state=seed
        ).fit(X, y)


def map_scores(name, seed, quick):
    """Scores of all values of all settings on one split."""
    X, y, new, expected = samples_of(name, seed, 400 if quick else N_TRAIN)
    usual = fitted_with(X, y, seed)
    found = {}
    for setting, values in VALUES.items():
        for value in values:
            is_usual = setting == "placing" or value == START[setting]
            fitted = usual if is_usual else fitted_with(X, y, seed, **{setting: value})
            places = placed(fitted, new, value if setting == "placing" else START["placing"])
            scores = scores_of(fitted.embedding_, y, places, expected)
            scores["recall"] = within_class_recall(X, fitted.embedding_, y, seed)
            found["map", setting, name, value, seed] = scores
    return found


def large_scores(seed, max_iter, exaggeration):
    """Scores of one map of many samples of the training part of MNIST."""
    X, y, new, expected = samples_of("MNIST, 60,000", seed, N_LARGE)
    fitted = fitted_with(X, y, seed, max_iter=max_iter, exaggeration=exaggeration)
    scores = scores_of(fitted.embedding_, y, fitted.transform(new), expected)
    scores["recall"] = within_class_recall(X, fitted.embedding_, y, seed)
    return {("large", N_LARGE, max_iter, exaggeration, seed): scores}


def size_scores(name, seed, n_samples, method):
    """Scores of one metric for a map of few samples."""
    X, y, new, expected = samples_of(name, seed, n_samples)
    perplexity = min(30, (len(X) - 1) / 3)
    if method == "landmarks":
        metric = FisherMetric(posterior=LandmarkPosterior(), cross_fit=True, regularisation="auto")
    else:
        metric = FisherMetric(
            "likelihood", cross_fit=method != "exact", perplexity=perplexity, random_state=seed
        )
    given = "auto" if method == "landmarks" else perplexity
    fitted = FisherTSNE(metric=metric, perplexity=given, random_state=seed).fit(X, y)
    scores = scores_of(fitted.embedding_, y, fitted.transform(new), expected)
    return {("size", n_samples, name, method, seed): scores}


def score(row):
    return (row["held_1"] + row["held_5"]) / 2


def mean_over_seeds(rows, figure):
    return float(np.mean([figure(row) for row in rows.values()]))


def regrets_and_recalls(results, setting):
    """Mean regret and recall of each value of a setting, over the sets."""
    regrets, recalls = {}, {}
    for values in results["map"][setting].values():
        scores = {value: mean_over_seeds(rows, score) for value, rows in values.items()}
        for value, rows in values.items():
            regrets.setdefault(value, []).append(max(scores.values()) - scores[value])
            recalls.setdefault(value, []).append(mean_over_seeds(rows, lambda row: row["recall"]))
    return tuple({v: float(np.mean(one[v])) for v in one} for one in (regrets, recalls))


def chosen(results, setting):
    """The value that the rule chooses."""
    regrets, recalls = regrets_and_recalls(results, setting)
    tried = [str(v) for v in VALUES[setting] if str(v) in regrets]
    good = [v for v in tried if regrets[v] <= min(regrets.values()) + WITHIN]
    largest = max(recalls[value] for value in good)
    return next(value for value in good if recalls[value] >= largest - RECALL_WITHIN)


def size_means(results):
    """Mean score of each metric for each number of samples, over the sets."""
    return {
        int(n): {
            method: float(np.mean([mean_over_seeds(one[method], score) for one in sets.values()]))
            for method in METRICS
            if all(method in one for one in sets.values())
        }
        for n, sets in results["size"].items()
    }


def chosen_size(results):
    """The least number of samples from which on landmarks are not worse."""
    found = None
    for n, means in sorted(size_means(results).items(), reverse=True):
        if means["landmarks"] < means["exact"] - SIZE_WITHIN:
            break
        found = n
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_options(parser, quick="400 samples of two sets")
    parser.add_argument("--part", choices=["map", "size", "large"])
    parser.add_argument("--set", help="one set only")
    parser.add_argument("--seeds", type=int, default=len(SEEDS))
    options = parser.parse_args()
    store = open_store("fisher-settings", options)
    names = ("digits", "USPS") if options.quick else (*UNREPORTED, *TRAINING_PARTS)
    warnings.filterwarnings("ignore", "perplexity=", UserWarning)
    is_large = options.part in (None, "large") and not options.quick
    for settings in LARGE if is_large else ():
        run(store, ("large", N_LARGE, *settings, SEEDS[0]), large_scores, SEEDS[0], *settings)
    for seed in SEEDS[: 1 if options.quick else options.seeds]:
        for name in [one for one in names if options.set in (None, one)]:
            if options.part in (None, "map"):
                first = ("map", "placing", name, PLACINGS[0], seed)
                run(store, first, map_scores, name, seed, options.quick)
            if options.part in (None, "size"):
                run_sizes(store, name, seed, SIZES[: 2 if options.quick else None])


def run_sizes(store, name, seed, sizes):
    for n in sizes:
        for method in METRICS:
            is_cheap = method != METRICS[1] or n <= MOST_CROSS_FITTED
            # A set must have as many samples to draw from.
            if is_cheap and 1.5 * n <= n_samples_of(name):
                key = ("size", n, name, method, seed)
                run(store, key, size_scores, name, seed, n, method)


def n_samples_of(name):
    return len(samples_of(name, 0, 10**9)[1]) * 3 // 2


def run(store, first_key, measure, *arguments):
    """Measure and store, unless that has been done."""
    if tuple(str(part) for part in first_key) in store.records():
        return
    found = measure(*arguments)
    store.update(found)
    print(*first_key, flush=True)


if __name__ == "__main__":
    main()
