"""Learning curves with 1 to 20 labels per class: which methods gain from unlabelled samples.

    python benchmarks/few_labels.py [--quick] [--set coil20] [--resume]

Needs the research data sets in the folder named by DISCRIMAP_DATA. Every draw is stored in
benchmarks/results/few_labels.jsonl as soon as it is done, so that --resume goes on where a run was
stopped.

A draw splits a data set into a pool and a test set. Some samples of the pool have labels, the others
are unlabelled, and the test set is used only for the score. The settings in GRID are chosen by one
rule for all methods, data sets and numbers of labels: the setting with the best mean accuracy on
separate draws (seeds from TUNING_SEED), which are not reported.
"""

import argparse
import sys
import time
import warnings
from functools import lru_cache
from itertools import product
from pathlib import Path

import numpy as np
from scipy import linalg
from sklearn.covariance import ledoit_wolf
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestCentroid
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier

from discrimap import (
    DiscriminativeProjections,
    LocalityPreservingProjections,
    ManifoldRegularization,
)
from discrimap.datasets import load

sys.path.append(str(Path(__file__).resolve().parents[1]))
from benchmarks.few_label_draws import Draw, draw, nearest_neighbor_score
from benchmarks.results import add_options, open_store

SETS = {
    "coil20": "COIL-20",
    "usps": "USPS",
    "isolet": "Isolet",
    "tdt2": "TDT2, four largest classes",
    "mushroom": "Mushroom",
}
LABELS_PER_CLASS = (1, 2, 5, 10, 20)
GRID = {"ridge": (1e-7, 1e-5, 1e-3, 1e-2, 1e-1), "n_neighbors": (3, 10)}
# Fewer where a fit takes long.
N_TUNING_DRAWS = {"coil20": 1, "usps": 2, "isolet": 1, "tdt2": 2, "mushroom": 3}
# Logistic regression is slow with many features: self-training gets the leading directions.
MANY_FEATURES, N_DIRECTIONS = 300, 100
TUNING_SEED = 1000  # the reported draws are 0, 1, 2, ...


def projected(model, split, labels):
    model.fit(split.pool, labels)
    return nearest_neighbor_score(
        model.transform(split.pool), labels, model.transform(split.test), split.test_y
    )


def projections(split, labels, metric, **options):
    n_components = len(np.unique(split.pool_y)) - 1
    return projected(
        DiscriminativeProjections(n_components, metric=metric, **options), split.turned, labels
    )


def projections_without_spread(split, labels, metric, **settings):
    return projections(split, labels, metric, spread=0, **settings)


def ridge_without_graph(split, labels, metric, *, ridge):
    """Discriminative projections with mu = 0 and spread 0, in the span of the labelled samples.

    No other sample enters the problem but for the scale of the ridge, so this is exact, and fast.
    """
    split, known = split.turned, labels >= 0
    samples = split.pool[known]
    basis = linalg.orth((samples - samples.mean(axis=0)).T)
    inside = Draw(samples @ basis, labels[known], split.test @ basis, split.test_y)
    scale = split.pool.var(axis=0).sum() / inside.pool.var(axis=0).sum()
    return projections(inside, labels[known], metric, ridge=scale * ridge, mu=0, spread=0)


@lru_cache(maxsize=2)
def locality_maps(split, metric, ridge, n_neighbors):
    """Pool and test set in the map, which is the same for any labels."""
    n_components = len(np.unique(split.pool_y)) - 1
    model = LocalityPreservingProjections(
        n_components, ridge=ridge, n_neighbors=n_neighbors, metric=metric
    ).fit(split.pool)
    return model.transform(split.pool), model.transform(split.test)


def locality_preserving(split, labels, metric, *, ridge, n_neighbors):
    pool, test = locality_maps(split.turned, metric, ridge, n_neighbors)
    return nearest_neighbor_score(pool, labels, test, split.test_y)


def manifold_regularization(split, labels, metric, **settings):
    split = split.turned
    model = ManifoldRegularization(metric=metric, **settings).fit(split.pool, labels)
    return model.score(split.test, split.test_y)


def original(split, labels, metric):
    return nearest_neighbor_score(split.pool, labels, split.test, split.test_y)


def plain_lda(split, labels, metric):
    return supervised(LinearDiscriminantAnalysis(), split, labels)


def lda_shrunk_by_class(split, labels, metric):
    """scikit-learn's own shrinkage, only with two labels, where it shows what goes wrong."""
    if np.bincount(labels[labels >= 0]).max() != 2:
        return None
    return supervised(LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"), split, labels)


def supervised(model, split, labels):
    known = labels >= 0
    if np.bincount(labels[known]).max() == 1:
        return None  # no scatter within classes
    return model.fit(split.pool[known], labels[known]).score(split.test, split.test_y)


def shrunk_lda(split, labels, metric):
    """LDA with one Ledoit-Wolf covariance of all samples about the means of their classes."""
    known = labels >= 0
    samples, classes = split.pool[known], labels[known]
    if np.bincount(classes).max() == 1:
        return None  # no scatter within classes
    means = NearestCentroid().fit(samples, classes).centroids_
    residuals = samples - means[np.unique(classes, return_inverse=True)[1]]
    covariance, _ = ledoit_wolf(residuals, assume_centered=True)
    factor = linalg.cholesky(covariance, lower=True)
    pool, test = (
        linalg.solve_triangular(factor, part.T, lower=True).T for part in (samples, split.test)
    )
    return NearestCentroid().fit(pool, classes).score(test, split.test_y)


def self_training(split, labels, metric):
    pool, test = split.pool, split.test
    if pool.shape[1] > MANY_FEATURES:
        reduce = PCA(N_DIRECTIONS, random_state=0).fit(pool)
        pool, test = reduce.transform(pool), reduce.transform(test)
    model = SelfTrainingClassifier(LogisticRegression(max_iter=30), threshold=0.75, max_iter=5)
    return model.fit(pool, labels).score(test, split.test_y)


def label_spreading(split, labels, metric, *, n_neighbors):
    model = LabelSpreading(kernel="knn", n_neighbors=n_neighbors, max_iter=100)
    return model.fit(split.pool, labels).score(split.test, split.test_y)


# Each method with what is tuned of it.
METHODS = {
    "DP": (projections, ("ridge", "n_neighbors")),
    "DP, all defaults": (projections, ()),
    "DP, spread 0": (projections_without_spread, ("ridge", "n_neighbors")),
    "ridge, mu 0": (ridge_without_graph, ("ridge",)),
    "LPP": (locality_preserving, ("ridge", "n_neighbors")),
    "manifold reg.": (manifold_regularization, ("ridge", "n_neighbors")),
    "original, 1-NN": (original, ()),
    "LDA": (plain_lda, ()),
    "LDA, shrunk": (shrunk_lda, ()),
    "LDA, shrunk by class": (lda_shrunk_by_class, ()),
    "self-training": (self_training, ()),
    "label spreading": (label_spreading, ("n_neighbors",)),
}
COLUMNS = [method for method in METHODS if method != "LDA, shrunk by class"]
TUNED = [method for method, (_, open_settings) in METHODS.items() if open_settings]


def count_draws(name, n_labels):
    """20 where the page has requirements, else fewer, to limit the time."""
    if name == "coil20":
        return 20 if n_labels <= 5 else 5
    return 10


def settings_of(method):
    """All settings of a method's grid."""
    names = METHODS[method][1]
    return [
        dict(zip(names, values, strict=True)) for values in product(*(GRID[name] for name in names))
    ]


def load_samples(name):
    data = load(name)
    if name != "tdt2":
        return data.X.astype(np.float64), data.y
    largest = data.y < 4
    return data.X[largest], data.y[largest]


def score(method, split, n_labels, metric, settings):
    return METHODS[method][0](split, split.labels(n_labels), metric, **settings)


def tune(split, labels_per_class, metric):
    """Accuracy of every setting of every tuned method, by method and number of labels."""
    scores = {method: {str(n): [] for n in labels_per_class} for method in TUNED}
    for method in TUNED:
        for settings in settings_of(method):
            for n_labels in labels_per_class:
                scores[method][str(n_labels)].append(
                    score(method, split, n_labels, metric, settings)
                )
    return scores


def chosen_settings(tuning, n_labels):
    """The best setting of each method, by mean accuracy over the tuning draws."""
    chosen = {method: {} for method in METHODS}
    for method in TUNED:
        means = np.mean([scores[method][str(n_labels)] for scores in tuning.values()], axis=0)
        chosen[method] = settings_of(method)[int(means.argmax())]
    return chosen


def run_set(name, store, labels_per_class, n_tuning_draws, largest_n_draws, first=0):
    X, y = load_samples(name)
    is_text = name == "tdt2"
    metric = "cosine" if is_text else "euclidean"

    for seed in map(str, TUNING_SEED + np.roll(np.arange(n_tuning_draws), -first)):
        if seed not in store.tree(name, "tuning"):
            began = time.perf_counter()
            scores = tune(draw(X, y, int(seed), is_text=is_text), labels_per_class, metric)
            store.put((name, "tuning", seed), scores)
            print(f"{name}, tuning {seed}: {time.perf_counter() - began:.0f} s", flush=True)
    tuning = store.tree(name, "tuning")
    chosen = {str(n): chosen_settings(tuning, n) for n in labels_per_class}
    store.put((name, "chosen"), chosen)
    for seed in np.roll(np.arange(largest_n_draws), -first).tolist():
        wanted = [n for n in labels_per_class if seed < count_draws(name, n)]
        if str(seed) not in store.tree(name, "draws") and wanted:
            began = time.perf_counter()
            split = draw(X, y, seed, is_text=is_text)
            scores = {
                str(n_labels): {
                    method: score(method, split, n_labels, metric, settings)
                    for method, settings in chosen[str(n_labels)].items()
                }
                for n_labels in wanted
            }
            store.put((name, "draws", seed), scores)
            print(f"{name}, draw {seed}: {time.perf_counter() - began:.0f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, quick="2 draws, 1 and 2 labels, one tuning")
    parser.add_argument("--set", choices=SETS, action="append", help="only this set")
    parser.add_argument("--resume", action="store_true", help="leave stored results as they are")
    parser.add_argument(
        "--first", type=int, default=0, help="begin with this draw: for runs side by side"
    )
    arguments = parser.parse_args()
    store = open_store("few_labels", arguments)
    # Logistic regression and spreading stop early on purpose; one label per class is the topic.
    warnings.simplefilter("ignore")
    for name in arguments.set or SETS:
        if not arguments.resume:
            store.forget(name)
        if arguments.quick:
            run_set(name, store, (1, 2), 1, 2)
        else:
            run_set(name, store, LABELS_PER_CLASS, N_TUNING_DRAWS[name], 20, arguments.first)


if __name__ == "__main__":
    main()
