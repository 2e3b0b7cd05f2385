"""Linear maps in two dimensions on all available data sets: held-out error and processor time.

    python benchmarks/linear_maps.py [--quick] [--set digits] [--method SDA] [--splits 40]

Needs the research data sets in the folder named by DISCRIMAP_DATA. Every fit is stored in
benchmarks/results/linear-maps.jsonl as soon as it is done, and is not run again; ``--again`` repeats
all runs. All methods have their defaults; "RSDA" is SDA with ``alpha="cv"``.

Of each data set at most 600 training samples and 1,000 test samples are drawn, stratified, with the
number of the split as the seed. Settings of SDA were chosen on other splits (seeds from 100 on, see
benchmarks/sda_epsilon.py).
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from discrimap import (
    PLSDA,
    DiscriminativeComponents,
    NeighborhoodComponents,
    StochasticDiscriminantAnalysis,
    SupervisedPCA,
)
from discrimap.datasets import load
from discrimap.metrics import knn_error
from discrimap.threads import one_thread

sys.path.append(str(Path(__file__).resolve().parents[1]))
from benchmarks.results import add_options, open_store

NAME = "linear-maps"
N_SPLITS = 40
MOST_TRAINING, MOST_TEST = 600, 1000
IN_SCIKIT_LEARN = {
    "breast cancer": load_breast_cancer,
    "digits": load_digits,
    "iris": load_iris,
    "wine": load_wine,
}
# Images and spectra stay as they are; other features are in units of their own.
AS_THEY_ARE = {"digits", "usps", "mnist5k", "olivetti", "coil20", "coil100", "phoneme"}
SETS = (
    "iris",
    "wine",
    "seeds",
    "newthyroid",
    "vertebral",
    "wbc",
    "breast cancer",
    "vehicle",
    "segmentation",
    "satellite",
    "covertype93k",
    "higgs11k",
    "ohsumed",
    "mushroom",
    "lvqpak",
    "mfeat_fou",
    "digits",
    "usps",
    "mnist5k",
    "phoneme",
    "isolet",
    "coil20",
    "olivetti",
    "coil100",
)
QUICK_SETS = ("iris", "wine", "vehicle")


def makers(n_classes):
    """The methods: functions of the seed."""
    return {
        "LDA": lambda seed: LinearDiscriminantAnalysis(n_components=min(2, n_classes - 1)),
        "SDA": lambda seed: StochasticDiscriminantAnalysis(2, random_state=seed),
        "RSDA": lambda seed: StochasticDiscriminantAnalysis(2, alpha="cv", random_state=seed),
        "components": lambda seed: DiscriminativeComponents(2, random_state=seed),
        "NCA": lambda seed: NeighborhoodComponents(2, random_state=seed),
        "supervised PCA": lambda seed: SupervisedPCA(2),
        "PLS-DA": lambda seed: PLSDA(2),
    }


METHODS = tuple(makers(2))


def load_samples(name):
    if name in IN_SCIKIT_LEARN:
        return IN_SCIKIT_LEARN[name](return_X_y=True)
    data = load(name)
    return np.asarray(data.X, dtype=np.float64), data.y


def split(name, X, y, seed, most_training=MOST_TRAINING):
    """Samples to fit and to test, their classes, as many as are used."""
    n_training = min(most_training, int(0.6 * len(X)))
    X_fit, X_test, y_fit, y_test = train_test_split(
        X,
        y,
        train_size=n_training,
        test_size=min(MOST_TEST, len(X) - n_training),
        stratify=y,
        random_state=seed,
    )
    if name not in AS_THEY_ARE:
        scaler = StandardScaler().fit(X_fit)
        X_fit, X_test = scaler.transform(X_fit), scaler.transform(X_test)
    return X_fit, X_test, y_fit, y_test


def run(estimator, X_fit, X_test, y_fit, y_test):
    """Errors of one and of five neighbours on the test samples, and seconds of the fit."""
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore")
        start = time.process_time()
        estimator.fit(X_fit, y_fit)
        seconds = time.process_time() - start
        Z_fit, Z_test = estimator.transform(X_fit), estimator.transform(X_test)
    errors = [knn_error(Z_fit, y_fit, Z_test, y_test, n_neighbors=k) for k in (1, 5)]
    return {"error": errors[0], "error_of_five": errors[1], "cpu": seconds}


def errors_by_split(fits, methods):
    """Errors by data set, lists of shape (n_splits, n_methods), of the sets with all methods.

    ``fits[name][method][seed]`` is the result of :func:`run`.
    """
    found = {}
    for name in SETS:
        by_method = fits.get(name, {})
        if set(methods) <= set(by_method):
            splits = set.intersection(*(set(by_method[method]) for method in methods))
            found[name] = [
                [by_method[method][seed]["error"] for method in methods] for seed in sorted(splits)
            ]
    return found


def warm_up(n_classes=3):
    """Compile everything first, so that no fit is charged for it."""
    X, y = load_iris(return_X_y=True)
    for make in makers(n_classes).values():
        run(make(0), X[::2], X[1::2], y[::2], y[1::2])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, quick="three small data sets and two splits")
    parser.add_argument("--set", action="append", choices=SETS, help="only this data set")
    parser.add_argument("--method", action="append", choices=METHODS, help="only this method")
    parser.add_argument("--splits", type=int, default=N_SPLITS, help="number of splits")
    parser.add_argument("--again", action="store_true", help="run what is stored again")
    parser.add_argument("--seconds", type=float, default=np.inf, help="begin nothing after this")
    options = parser.parse_args()
    store = open_store(NAME, options)
    known = {} if options.again else store.records()
    names = options.set or (QUICK_SETS if options.quick else SETS)
    began = time.perf_counter()
    warm_up()
    for seed in range(2 if options.quick else options.splits):
        for name in names:
            X, y = load_samples(name)
            parts = split(name, X, y, seed)
            shape = {
                "samples": len(X),
                "n": len(parts[0]),
                "n_test": len(parts[1]),
                "p": X.shape[1],
                "classes": len(np.unique(y)),
            }
            store.put(("shapes", name), shape)
            for method, make in makers(shape["classes"]).items():
                key = ("fits", name, method, str(seed))
                is_wanted = method in (options.method or METHODS) and key not in known
                if is_wanted and time.perf_counter() - began < options.seconds:
                    store.put(key, run(make(seed), *parts))
                    print(*key[1:], store.records()[key], flush=True)


if __name__ == "__main__":
    main()
