"""Table II, the two-dimensional MFeat map and Fig. 3 of "Discriminative components of data".

    python benchmarks/papers/components.py                        # everything, about half an hour
    python benchmarks/papers/components.py --datasets mfeat       # one data set
    python benchmarks/papers/components.py --curve                # Fig. 3 only
    python benchmarks/papers/components.py --again                # remove the stored results first
    python benchmarks/papers/components.py --quick                # two folds of MFeat

The paper's protocol: as many samples as in Table I, ten stratified folds, error of the vote of
K = 5 neighbours in the projected training samples with fractional ties. Estimators have their
defaults; widths are chosen inside the training folds only. Results go to
benchmarks/results/components.jsonl fold by fold, so that a run can be continued. components_why.py
has further experiments that explain the figures.
Needs the data sets of the folder named by DISCRIMAP_DATA.
"""

import argparse
import os
import sys
import time
import warnings
from pathlib import Path

import numba
import numpy as np
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from discrimap import DiscriminativeComponents, RenyiComponents, SlicedAverageVariance
from discrimap.components.subspace_estimator import lda_start
from discrimap.datasets import load
from discrimap.errors import InputError
from discrimap.metrics import knn_error
from discrimap.samples.in_memory import ArraySamples

sys.path.append(str(Path(__file__).resolve().parents[2]))
from benchmarks.papers.at_hand import why_not
from benchmarks.results import add_options, open_store

N_COMPONENTS = {"landsat": 3, "mfeat-2d": 2}
METHODS = ("DC", "MRMI", "LDA", "PCA", "SAVE", "DC sgd")


def subset(X, y, n_samples):
    rows = np.random.default_rng(0).permutation(len(X))[:n_samples]
    return X[rows], y[rows]


def landsat():
    data = load("satellite")
    is_training = np.asarray(data.extras["is_test"]) == 0
    return data.X[is_training], data.y[is_training]


def lvqpak():
    data = load("lvqpak")
    _, positions, counts = np.unique(data.y, return_inverse=True, return_counts=True)
    is_frequent = counts[positions] >= 80
    return data.X[is_frequent], data.y[is_frequent]


def isolet():
    data = load("isolet")
    is_training = np.asarray(data.extras["is_test"]) == 0
    X, y = subset(data.X[is_training], data.y[is_training], 3742)
    return PCA(30, random_state=0).fit_transform(X), y


def mfeat():
    data = load("mfeat_fou")
    return subset(data.X, data.y, 1500)


DATASETS = {
    "landsat": landsat,
    "lvqpak": lvqpak,
    "isolet": isolet,
    "mfeat": mfeat,
    "mfeat-2d": mfeat,
}


def make(method, n_components, bandwidth):
    return {
        "DC": lambda: DiscriminativeComponents(n_components, random_state=0),
        # The stochastic solver takes the widths found for the full gradient.
        "DC sgd": lambda: DiscriminativeComponents(
            n_components, solver="sgd", bandwidth=bandwidth, random_state=0
        ),
        "MRMI": lambda: RenyiComponents(n_components, random_state=0),
        "LDA": lambda: LinearDiscriminantAnalysis(n_components=n_components),
        "PCA": lambda: PCA(n_components, random_state=0),
        "SAVE": lambda: SlicedAverageVariance(n_components),
    }[method]()


def fold_error(estimator, X, y, train, test):
    Z = estimator.fit(X[train], y[train]).transform(X[train])
    return 100 * knn_error(Z, y[train], estimator.transform(X[test]), y[test], n_neighbors=5)


def ten_folds(name):
    """Samples, labels, number of components and folds of a data set."""
    X, y = DATASETS[name]()
    X = np.asarray(X, dtype=np.float64)
    folds = list(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y))
    return X, y, N_COMPONENTS.get(name, 5), folds


def run(store, name, methods, n_folds=10):
    """Errors of every method on the folds that are not stored yet; each fold is stored at once."""
    try:
        X, y, n_components, folds = ten_folds(name)
    except InputError as error:
        print(f"{name}: {why_not(error)}", flush=True)
        return
    for method in methods:
        for k in range(n_folds):
            rows = store.tree(name, "methods")
            row = rows.get(method, {"errors": [], "bandwidths": [], "cpu_seconds": 0.0})
            if k < len(row["errors"]):
                continue
            bandwidth = rows["DC"]["bandwidths"][k] if method == "DC sgd" else None
            estimator = make(method, n_components, bandwidth)
            started = time.process_time()
            row["errors"].append(fold_error(estimator, X, y, *folds[k]))
            row["cpu_seconds"] += time.process_time() - started
            if method in ("DC", "MRMI"):
                row["bandwidths"].append(estimator.bandwidth_)
            print(f"{name:10} {method:7} fold {k}: {row['errors'][-1]:6.2f} %", flush=True)
            store.update(
                {
                    (name, "n_samples"): len(X),
                    (name, "n_components"): n_components,
                    (name, "methods", method): row,
                }
            )


def dimension_curve(store, dimensions):
    """Fig. 3: rate of correct classification of held-out Isolet samples against dimension."""
    try:
        X, y = isolet()
    except InputError as error:
        print(f"isolet: {why_not(error)}", flush=True)
        return
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=1 / 3, stratify=y, random_state=0
    )

    def accuracy(train, test):
        return 100 - 100 * knn_error(train, y_train, test, y_test, n_neighbors=5)

    store.put(("curve", "all_features"), accuracy(X_train, X_test))
    for d in dimensions:
        if str(d) in store.tree("curve", "rows"):
            continue
        row = {}
        whiten = (
            LinearDiscriminantAnalysis()
        )  # to the 25 discriminants, within classes of variance 1
        for name, estimator in (
            ("DC", DiscriminativeComponents(d, random_state=0)),
            ("LDA", LinearDiscriminantAnalysis(n_components=d)),
            ("DC of whitened", make_pipeline(whiten, DiscriminativeComponents(d, random_state=0))),
        ):
            estimator.fit(X_train, y_train)
            row[name] = accuracy(estimator.transform(X_train), estimator.transform(X_test))
            if name == "DC":
                row["left-out likelihood"] = estimator.log_likelihood_
                held_out = estimator.predict_proba(X_test)[np.arange(len(y_test)), y_test]
                row["held-out likelihood"] = float(np.mean(np.log(np.maximum(held_out, 1e-20))))
        W = lda_start(ArraySamples(X_train - X_train.mean(axis=0), y_train), d)
        row["LDA, orthonormal"] = accuracy(X_train @ W, X_test @ W)
        print(d, row, flush=True)
        store.put(("curve", "rows", d), row)


def one_thread():
    # Folds of a few thousand samples gain little from threads, which on a busy machine wait for
    # each other most of the time.
    os.environ["OMP_NUM_THREADS"] = "1"
    numba.set_num_threads(1)
    threadpool_limits(1)
    # A search that stops at its limit of iterations is good enough for an error rate.
    warnings.simplefilter("ignore", ConvergenceWarning)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", default=",".join(DATASETS))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--curve", action="store_true", help="Fig. 3 only")
    parser.add_argument("--again", action="store_true", help="forget stored rows of what is run")
    add_options(parser, quick="two folds of MFeat, a minute")
    options = parser.parse_args(argv)
    one_thread()
    store = open_store("components", options)
    if options.quick:
        store.forget()
        run(store, "mfeat", [m for m in METHODS if m != "DC sgd"], n_folds=2)
        return
    names, methods = options.datasets.split(","), options.methods.split(",")
    if options.again and options.curve:
        store.forget("curve", "rows")
    elif options.again:
        for name in names:
            for method in methods:
                store.forget(name, "methods", method)
    if not options.curve:
        for name in names:
            most = [m for m in methods if name != "mfeat-2d" or m not in ("SAVE", "DC sgd")]
            run(store, name, most)
    if options.curve or options.datasets == parser.get_default("datasets"):
        dimension_curve(store, (2, 3, 5, 7, 10, 13, 18, 25))


if __name__ == "__main__":
    main()
