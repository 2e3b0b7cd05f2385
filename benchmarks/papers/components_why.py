"""Experiments that explain the figures of components.py: the search of MRMI, the paper's steps, the defaults.

    python benchmarks/papers/components_why.py mrmi-path     # error along the search of MRMI
    python benchmarks/papers/components_why.py mrmi-steps    # the paper's own stochastic steps
    python benchmarks/papers/components_why.py choices       # defaults, on data reported nowhere else

Results are added to those of components.py in benchmarks/results/components.jsonl, part by part, so
that a run can be continued. Needs the data sets of the folder named by DISCRIMAP_DATA.
"""

import argparse
import math
import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import scale

from discrimap import DiscriminativeComponents, RenyiComponents
from discrimap.components.bandwidth_search import bandwidth_range
from discrimap.components.renyi_information import RenyiInformation
from discrimap.components.subspace_estimator import lda_start
from discrimap.components.subspaces import OnSubspaces, polar
from discrimap.datasets import load
from discrimap.metrics import knn_error
from discrimap.optimisers import minimise
from discrimap.optimisers.givens import minimise_by_rotations
from discrimap.samples.in_memory import ArraySamples

sys.path.append(str(Path(__file__).resolve().parents[2]))
from benchmarks.papers.components import DATASETS, N_COMPONENTS, fold_error, one_thread, ten_folds
from benchmarks.results import add_options, open_store

ITERATIONS = (0, 3, 10, 30, 100)
N_WIDTHS, N_STEPS = 5, 20_000


def error_of(W, X, y, train, test):
    return 100 * knn_error(X[train] @ W, y[train], X[test] @ W, y[test], n_neighbors=5)


def mrmi_path(store, name, n_folds):
    """Error and Renyi information along the search from LDA, at the width MRMI chose."""
    X, y, n_components, folds = ten_folds(name)
    labels = np.unique(y, return_inverse=True)[1]
    widths = store.tree(name, "methods")["MRMI"]["bandwidths"]
    known = store.tree("mrmi_path").get(name, {"errors": [], "information": []})
    for k in range(len(known["errors"]), n_folds):
        train, test = folds[k]
        centred = X - X[train].mean(axis=0)
        if k < len(widths):
            width = widths[k]
        else:
            width = RenyiComponents(n_components, random_state=0).fit(X[train], y[train]).bandwidth_
        objective = RenyiInformation(
            ArraySamples(centred[train], labels[train]), width, n_components
        )
        start = lda_start(ArraySamples(centred[train], labels[train]), n_components)
        reached = {0: start}
        minimise(
            OnSubspaces(objective),
            start,
            max_iter=max(ITERATIONS),
            tol=0.0,
            callback=lambda step: reached.update({step.n_iter: polar(step.params)[0]}),  # noqa: B023
        )
        path = [reached[min(n_iter, max(reached))] for n_iter in ITERATIONS]
        known["errors"].append([error_of(W, centred, y, train, test) for W in path])
        known["information"].append([-objective.value_and_grad(W)[0] for W in path])
        print(name, k, known["errors"][-1], known["information"][-1], flush=True)
        store.put(("mrmi_path", name), known | {"iterations": ITERATIONS})


def by_steps(X, labels, bandwidth, alpha, n_components):
    """Eqs. (8)-(9): the gradient with the density's constant, times a step size that is not scaled."""
    objective = RenyiInformation(ArraySamples(X, labels), bandwidth, n_components)
    constant = (2 * math.pi * bandwidth**2) ** (-n_components / 2)
    solution = minimise_by_rotations(
        objective,
        lda_start(ArraySamples(X, labels), n_components),
        n_steps=N_STEPS,
        first_step=alpha * constant,
        random_state=np.random.RandomState(0),
    )
    return solution.params


def validation_errors(name, alpha):
    """Error of a validation third at every width."""
    X, y = DATASETS[name]()
    X, labels = np.asarray(X, dtype=np.float64), np.unique(y, return_inverse=True)[1]
    n_components = N_COMPONENTS.get(name, 5)
    rows = np.arange(len(X))
    train, test = train_test_split(rows, test_size=1 / 3, stratify=labels, random_state=1)
    X = X - X[train].mean(axis=0)
    start = lda_start(ArraySamples(X[train], labels[train]), n_components)
    errors = {}
    for bandwidth in bandwidth_range(X[train] @ start, N_WIDTHS):
        W = by_steps(X[train], labels[train], bandwidth, alpha, n_components)
        errors[repr(float(bandwidth))] = error_of(W, X, labels, train, test)
    print(name, f"alpha {alpha:.0e}", errors, flush=True)
    return errors


def validated(store, place, name, alpha):
    """The errors at one step size, from the store where they are known."""
    if repr(alpha) not in store.tree(*place):
        store.put((*place, repr(alpha)), validation_errors(name, alpha))
    return store.tree(*place)[repr(alpha)]


def mrmi_steps(store, names, n_folds):
    """The paper's choice of step size and width (Sec. V-C), then its steps on the folds."""
    place = ("mrmi_steps", "alphas")

    def least(decade):
        return min(validated(store, place, "lvqpak", 10.0**decade).values())

    # A typical first step of a hundredth of a radian at the middle width; then downhill by decades.
    best = first_decade()
    while least(best - 1) < least(best):
        best -= 1
    while least(best + 1) < least(best):
        best += 1
    alphas = sorted(float(alpha) for alpha in store.tree("mrmi_steps", "alphas"))
    for name in names:
        place = ("mrmi_steps", "sets", name, "validation")
        errors = {
            (alpha, float(width)): error
            for alpha in alphas
            for width, error in validated(store, place, name, alpha).items()
        }
        alpha, bandwidth = min(errors, key=errors.get)
        X, y, n_components, folds = ten_folds(name)
        labels = np.unique(y, return_inverse=True)[1]
        found = store.tree("mrmi_steps", "sets", name).get("errors", [])
        for train, test in folds[len(found) : n_folds]:
            centred = X - X[train].mean(axis=0)
            W = by_steps(centred[train], labels[train], bandwidth, alpha, n_components)
            found.append(error_of(W, centred, labels, train, test))
            print(name, found[-1], flush=True)
            default = store.tree(name, "methods")["MRMI"]["errors"][: len(found)]
            row = {"alpha": alpha, "bandwidth": bandwidth, "errors": found, "default": default}
            store.update({("mrmi_steps", "sets", name, key): row[key] for key in row})


def first_decade():
    """Decade of the step size that turns LDA's subspace of LVQ_PAK by a hundredth of a radian."""
    X, y = DATASETS["lvqpak"]()
    X, labels = np.asarray(X, dtype=np.float64), np.unique(y, return_inverse=True)[1]
    X = X - X.mean(axis=0)
    W = lda_start(ArraySamples(X, labels), 5)
    bandwidth = bandwidth_range(X @ W, N_WIDTHS)[N_WIDTHS // 2]
    objective = RenyiInformation(ArraySamples(X, labels), bandwidth, 5)
    slopes = [np.linalg.norm(objective.sample_grad(W, i)) for i in range(0, len(X), 20)]
    constant = (2 * math.pi * bandwidth**2) ** (-5 / 2)
    return round(math.log10(0.01 / (np.mean(slopes) * constant)))


def other_data(name):
    """Sets that no table reports, of at most 1,800 samples and 50 principal components."""
    if name == "digits":
        return load_digits(return_X_y=True)
    data = load(name)
    X, y = np.asarray(data.X, dtype=np.float64), np.asarray(data.y)
    rows = np.random.default_rng(1).permutation(len(X))[:1800]
    X, y = X[rows], y[rows]
    if X.shape[1] > 50:
        return PCA(50, random_state=0).fit_transform(X), y
    return scale(X[:, X.std(axis=0) > 0]), y


def choices(store, names, dimensions, seeds):
    """Mean error of the defaults beside one start, and beside the paper's choice of a width."""
    for name in names:
        X, y = other_data(name)
        for d in dimensions:
            row = store.tree("choices").get(f"{name} {d}", {})
            for seed in seeds[len(row.get("neighbors", [])) :]:
                rows = np.arange(len(X))
                split = train_test_split(rows, test_size=0.3, stratify=y, random_state=seed)
                error = fold_error(DiscriminativeComponents(d, random_state=0), X, y, *split)
                row.setdefault("default", []).append(error)
                if d <= 3:  # above, one start is the default
                    error = fold_error(
                        DiscriminativeComponents(d, n_init=1, random_state=0), X, y, *split
                    )
                row.setdefault("one start", []).append(error)
                by_neighbors = DiscriminativeComponents(
                    d, bandwidth_criterion="neighbors", random_state=0
                )
                row.setdefault("neighbors", []).append(fold_error(by_neighbors, X, y, *split))
                print(name, d, seed, {kind: row[kind][-1] for kind in row}, flush=True)
                store.put(("choices", f"{name} {d}"), row)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=("mrmi-path", "mrmi-steps", "choices"))
    parser.add_argument("--datasets", default="", help="a part of the data sets only")
    parser.add_argument("--folds", type=int, default=10)
    add_options(parser)
    options = parser.parse_args()
    store = open_store("components", options)
    one_thread()
    names = [name for name in options.datasets.split(",") if name]
    if options.part == "mrmi-path":
        for name in names or ("mfeat", "isolet", "lvqpak", "landsat"):
            mrmi_path(store, name, options.folds)
    elif options.part == "mrmi-steps":
        mrmi_steps(store, names or ("mfeat", "isolet"), options.folds)
    else:
        names = names or ("vehicle", "digits", "segmentation", "usps", "phoneme")
        choices(store, names, (2, 5), seeds=range(101, 104))


if __name__ == "__main__":
    main()
