"""Stochastic discriminant analysis compared with its paper: Tables 3-5, Figs. 7, 10, 12 and 14-16.

    python benchmarks/papers/sda.py [--quick] [--part tables|curves|optimisers|optimum|
                                     unstandardised|penalties|tolerance|stratified|settings]
                                    [--data usps,iris] [--methods SDA,RSDA] [--repeats 10]

The paper's protocol: variables standardised with the training part (constant ones stay zero), two
thirds for training, 1-nearest-neighbour accuracy on the rest; for COIL the 72 views of each object
in 24 folds of three. Needs the research data sets in the folder named by DISCRIMAP_DATA. Results
are added to benchmarks/results/sda.jsonl run by run, so that a second call continues where the first
ended, and several calls may run at the same time. --again removes the runs of the chosen data and
methods first. The quick mode takes less than a minute.

Settings of the estimator (tolerance, starts, rule of the search, range of epsilon) were chosen on
training objectives, on splits from number 50 to 129 and on the last three COIL folds, which the
tables leave out.
"""

import argparse
import functools
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import FunctionTransformer
from threadpoolctl import threadpool_limits

from discrimap import PLSDA, StochasticDiscriminantAnalysis
from discrimap.datasets import load
from discrimap.errors import InputError
from discrimap.metrics import knn_error
from discrimap.optimisers import METHODS as SOLVERS
from discrimap.optimisers.monitor import WINDOW, Monitor

sys.path.append(str(Path(__file__).resolve().parents[2]))
from benchmarks.results import add_options, open_store

# Repeats of the paper.
REPEATS = {
    "iris": 20,
    "wine": 20,
    "wbc": 20,
    "phoneme": 10,
    "mnist5k": 10,
    "usps": 10,
    "olivetti": 10,
    "coil20": 24,
    "coil100": 24,
}
FOLDS_OF_TABLES = 21  # of COIL's 24
# Persons have ten pictures each, so that a split by chance leaves some of them three to learn from.
STRATIFIED = "olivetti, equal shares"
METHODS = {
    "None": lambda d, seed: FunctionTransformer(),
    "SDA": lambda d, seed: StochasticDiscriminantAnalysis(d, epsilon="paper", random_state=seed),
    "RSDA": lambda d, seed: StochasticDiscriminantAnalysis(
        d, alpha="cv", epsilon="paper", random_state=seed
    ),
    # The paper's epsilon is 1 / n_classes, which leaves a hundred classes little room.
    "RSDA-epsilon": lambda d, seed: StochasticDiscriminantAnalysis(
        d, alpha="cv", epsilon="cv", random_state=seed
    ),
    "LDA": lambda d, seed: LinearDiscriminantAnalysis(n_components=d),
    "PLS-DA": lambda d, seed: PLSDA(d),
    "PCA": lambda d, seed: PCA(d, random_state=seed),
}
# Figs. 7, 10 and 12: dimensions along the axis.
CURVES = {"olivetti": (2, 3, 5, 10, 20), "usps": (2, 3, 5, 9), "coil20": (2, 3, 4, 5)}
QUICK = ("iris", "wine", "wbc")
# Where the paper's figures for methods without parameters are far from ours.
UNSTANDARDISED = ("phoneme", "mnist5k", "usps")
# Fixed penalties on splits that the tables do not hold: data, dimension -> splits.
PENALTIES = {("olivetti", 10): range(100, 130), ("coil100", 2): (21, 22, 23)}
PENALTY_GRID = (1.0, 0.3, 0.1, 0.03)
PENALTY_EPSILONS = (1.0, 0.1)  # times 1 / n_classes
# What else may be set, for Olivetti in ten dimensions at a penalty of the table of penalties.
SETTINGS_SPLITS = range(100, 110)
SETTINGS = {
    "as in the table of penalties": {},
    "20 random starts": {"init": "random", "n_init": 20},
    "from LDA's axes": {"init": "lda"},
    "no whitening": {"preconditioner": "none"},
    "solver cg": {"solver": "cg"},
    "solver rcg": {"solver": "rcg"},
    "tol 1e-6": {"tol": 1e-6, "max_iter": 5000},
    "epsilon 0.1": {"epsilon": 0.1},
    "epsilon 0.5": {"epsilon": 0.5},
    "epsilon 0.9": {"epsilon": 0.9},
}
# Training data on which the tolerance was chosen, from a split that the tables do not hold.
TOLERANCE_DATA = ("iris", "wine", "wbc", "digits", "phoneme", "usps", "mnist5k")
TOLERANCE_SPLIT = 50
TOLERANCES = (1e-2, 1e-3, 1e-4, 1e-5)


def repeats_of(name):
    """Runs of a table: the paper's, but none on folds on which settings were chosen."""
    return FOLDS_OF_TABLES if name.startswith("coil") else REPEATS[name]


@functools.lru_cache(maxsize=1)
def samples(name):
    data = load("olivetti" if name == STRATIFIED else name)
    X = np.asarray(data.X, dtype=np.float64)
    if name == "coil100":  # the paper turns the colours to grey
        X = X.reshape(len(X), -1, 3) @ [0.299, 0.587, 0.114]
    return X, np.asarray(data.y)


def available(names):
    """Those of the data sets that can be loaded; the others are named and left out."""
    for name in names:
        try:
            if name != "digits":
                samples(name)
        except InputError as error:
            print(f"{name} is not available: {error}", file=sys.stderr)
        else:
            yield name


def split(name, X, y, repeat, standardised=True):
    """Training and test part of one repeat."""
    if name.startswith("coil"):
        views = np.empty(len(y), dtype=int)
        for label in np.unique(y):
            views[y == label] = np.arange((y == label).sum()) % 24
        train, test = np.flatnonzero(views != repeat), np.flatnonzero(views == repeat)
    else:
        train, test = train_test_split(
            np.arange(len(y)),
            test_size=1 / 3,
            random_state=repeat,
            stratify=y if name == STRATIFIED else None,
        )
    if not standardised:
        return X[train], y[train], X[test], y[test]
    mean, deviation = X[train].mean(axis=0), X[train].std(axis=0)
    deviation[deviation == 0] = 1.0
    return (X[train] - mean) / deviation, y[train], (X[test] - mean) / deviation, y[test]


def one_run(name, method, n_components, repeat, standardised=True):
    X, y, X_test, y_test = split(name, *samples(name), repeat, standardised)
    limit = X.shape[1] if method != "LDA" else min(X.shape[1], len(np.unique(y)) - 1)
    return score(METHODS[method](min(n_components, limit), repeat), X, y, X_test, y_test)


def score(estimator, X, y, X_test, y_test):
    began = time.perf_counter()
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings(
            "ignore", message="The number of unique classes", category=UserWarning
        )
        estimator.fit(X, y)
    seconds = time.perf_counter() - began
    error = knn_error(estimator.transform(X), y, estimator.transform(X_test), y_test, 1)
    figures = {"accuracy": 1 - error, "seconds": seconds}
    if getattr(estimator, "alpha", None) == "cv":
        figures["alpha"] = estimator.alpha_
    return figures


def add_runs(store, name, methods, dimensions, n_repeats, again=False):
    """Store the runs that are missing; with ``again``, all of them anew."""
    if again:
        for method in methods:
            for dimension in dimensions:
                store.forget("runs", name, method, dimension)
    known = store.tree("runs", name)
    for dimension in dimensions:
        for repeat in range(n_repeats):
            for method in methods:
                is_known = str(repeat) in known.get(method, {}).get(str(dimension), {})
                if is_known or (method == "None" and dimension != 2):
                    continue
                run = one_run(name, method, dimension, repeat)
                store.put(("runs", name, method, dimension, repeat), run)


def unstandardised(store, name, n_repeats):
    """What has nothing to tune, on the variables as they are."""
    for method in ("None", "PCA", "PLS-DA"):
        found = [
            one_run(name, method, 2, repeat, standardised=False)["accuracy"]
            for repeat in range(n_repeats)
        ]
        store.put(("unstandardised", name, method), found)


def penalties(store, name, dimension):
    """Accuracy for fixed penalties, to see how much a search could reach at best."""
    X, y = samples(name)
    for share in PENALTY_EPSILONS:
        part = f"{name}, {dimension}-D, epsilon {share:g} / {len(np.unique(y))}"
        for repeat in PENALTIES[name, dimension]:
            parts = split(name, X, y, repeat)
            for alpha in PENALTY_GRID:
                if str(repeat) in store.tree("penalties", part, alpha):
                    continue
                estimator = StochasticDiscriminantAnalysis(
                    dimension,
                    alpha=alpha,
                    epsilon=share / len(np.unique(y)),
                    n_init=1,
                    random_state=repeat,
                )
                found = score(estimator, *parts)["accuracy"]
                store.put(("penalties", part, alpha, repeat), found)


def settings(store, name="olivetti", dimension=10, alpha=0.1):
    """Accuracy for other starts, solvers and epsilons, where the penalty alone does not do."""
    for repeat in SETTINGS_SPLITS:
        parts = split(name, *samples(name), repeat)
        for words, parameters in SETTINGS.items():
            if str(repeat) in store.tree("settings", words):
                continue
            estimator = StochasticDiscriminantAnalysis(
                dimension,
                **{
                    "alpha": alpha,
                    "epsilon": "paper",
                    "n_init": 1,
                    "random_state": repeat,
                    **parameters,
                },
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                found = score(estimator, *parts)["accuracy"]
            store.put(("settings", words, repeat), found)


def tolerance(name):
    """How far above its end a descent is when each tolerance would stop it, on training data."""
    X, y = load_digits(return_X_y=True) if name == "digits" else samples(name)
    X, y, _, _ = split(name, X, y, TOLERANCE_SPLIT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        sda = StochasticDiscriminantAnalysis(
            epsilon="paper", n_init=1, tol=1e-9, max_iter=5000
        ).fit(X, y)
    excess = {}
    for tol in TOLERANCES:
        monitor = Monitor(None, max_iter=5000, tol=tol, grad_tol=0, callback=None)
        for value in sda.loss_curve_:
            monitor.loss_curve.append(value)
            if len(monitor.loss_curve) > WINDOW and monitor.recent_decrease() <= tol:
                break
        excess[str(tol)] = [value / sda.objective_ - 1, len(monitor.loss_curve) - 1]
    return excess


def optimiser_curves(name, seconds_each, repeat=0):
    """Figs. 14-16: the objective against time, from the same start, without whitening."""
    X, y, _, _ = split(name, *samples(name), repeat)
    curves = {}
    for solver in SOLVERS:
        began, curve = time.perf_counter(), []

        def record(step, began=began, curve=curve):
            curve.append((time.perf_counter() - began, step.value))
            return curve[-1][0] > seconds_each

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            sda = StochasticDiscriminantAnalysis(
                epsilon="paper",
                solver=solver,
                preconditioner="none",
                n_init=1,
                random_state=0,
                callback=record,
                max_iter=5000,
            ).fit(X, y)
        curves[solver] = {
            "seconds": [round(t, 4) for t, _ in curve],
            "values": [round(v, 6) for _, v in curve],
            "objective": sda.objective_,
            "n_iter": int(sda.n_iter_),
        }
    return curves


def optimum(name, n_starts=10, repeat=0):
    """The default's objective beside the best of the seven solvers and of random starts."""
    X, y, _, _ = split(name, *samples(name), repeat)

    def objective(**parameters):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            sda = StochasticDiscriminantAnalysis(
                **{"random_state": 0, "epsilon": "paper", **parameters}
            )
            return sda.fit(X, y).objective_

    return {
        "default": objective(),
        "solvers": {solver: objective(solver=solver, n_init=1) for solver in SOLVERS},
        "random": [
            objective(init="random", n_init=1, random_state=seed) for seed in range(n_starts)
        ],
    }


def store_curves(store, name, seconds_each):
    for solver, curve in optimiser_curves(name, seconds_each).items():
        store.put(("optimisers", name, solver), curve)


def run_tables(store, options):
    for name in available(options.data or REPEATS):
        n_repeats = options.repeats or repeats_of(name)
        add_runs(store, name, options.methods, (2,), n_repeats, options.again)


def run_curves(store, options):
    for name in available(options.data or CURVES):
        dimensions = options.dimensions or CURVES[name]
        n_repeats = options.repeats or repeats_of(name)
        add_runs(store, name, options.methods, dimensions, n_repeats, options.again)


def run_optimisers(store, options):
    for name in available(options.data or ("usps", "olivetti", "coil20")):
        store_curves(store, name, options.seconds)


def run_optimum(store, options):
    for name in available(options.data or ("usps", "olivetti", "iris")):
        store.put(("optimum", name), optimum(name))


def run_unstandardised(store, options):
    for name in available(options.data or UNSTANDARDISED):
        unstandardised(store, name, options.repeats or 3)


def run_penalties(store, options):
    for name, dimension in PENALTIES:
        if not options.data or name in options.data:
            penalties(store, name, dimension)


def run_tolerance(store, options):
    for name in available(options.data or TOLERANCE_DATA):
        store.put(("tolerance", name), tolerance(name))


def run_stratified(store, options):
    for name in available([STRATIFIED]):
        n_repeats = options.repeats or 10
        add_runs(store, name, ("None",), (2,), n_repeats, options.again)
        add_runs(store, name, ("RSDA",), (10,), n_repeats, options.again)


def run_settings(store, options):
    for _ in available(["olivetti"]):
        settings(store)


def run_quick(store, options):
    """Small sets, three repeats, and one set of the parts that compare optimisers."""
    store.forget()
    for name in available(QUICK):
        add_runs(store, name, options.methods, (2,), 3)
    store_curves(store, "wine", 1.0)
    store.put(("optimum", "wine"), optimum("wine", 3))
    store.put(("tolerance", "wine"), tolerance("wine"))


PARTS = {
    "tables": run_tables,
    "curves": run_curves,
    "optimisers": run_optimisers,
    "optimum": run_optimum,
    "unstandardised": run_unstandardised,
    "penalties": run_penalties,
    "tolerance": run_tolerance,
    "stratified": run_stratified,
    "settings": run_settings,
}


def words(text):
    return text.split(",")


def numbers(text):
    return [int(number) for number in text.split(",")]


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_options(parser, quick="small data sets, under a minute")
    parser.add_argument("--part", default="tables", choices=PARTS)
    parser.add_argument("--data", type=words, default=None)
    parser.add_argument("--methods", type=words, default=list(METHODS))
    parser.add_argument("--dimensions", type=numbers, default=None, help="of the curves")
    parser.add_argument("--repeats", type=int, default=None)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each optimiser")
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args(argv)
    run = run_quick if options.quick else PARTS[options.part]
    run(open_store("sda", options), options)


if __name__ == "__main__":
    main()
