"""Category space compared with its paper: optima, certificates and Tables 1-3.

    python benchmarks/papers/category.py [--quick] [--part optimum|table1|kernel|landmarks]
                                         [--data vehicle ...] [--columns "K-PCA" ...]
                                         [--runs 20] [--jobs 2]

Needs the research data sets in the folder named by DISCRIMAP_DATA; one that is missing is "not
available". Each run of a table is stored in benchmarks/results/category.jsonl when it ends, so that a
second call continues where the first stopped.
"""

import argparse
import sys
import time
import traceback
import warnings
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.decomposition import PCA, KernelPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit, train_test_split
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from discrimap import (
    CategorySpace,
    KernelCategorySpace,
    KernelDiscriminantAnalysis,
    LeastSquaresLDA,
)
from discrimap.category.certificate import certify_axes
from discrimap.category.objective import SquareAxes
from discrimap.datasets import load
from discrimap.errors import InputError
from discrimap.optimisers.orthonormal import maximise_orthonormal, nearest_orthonormal

sys.path.append(str(Path(__file__).resolve().parents[2]))
from benchmarks.papers.at_hand import why_not
from benchmarks.papers.linear_svm import LinearSVM
from benchmarks.results import add_options, open_store, versions

NAMES = [
    "vehicle",
    "wine",
    "iris",
    "seeds",
    "newthyroid",
    "satellite",
    "segmentation",
    "vertebral",
]
ORIGINS = ("global", "class", "zero")
OBJECTIVES = ("square", "absolute")
REFERENCES = ("LS-LDA", "PCA", "MC-FLD")
TABLE_1_COLUMNS = [(m, o) for m in ("CQS", "CAS") for o in ORIGINS] + [(m, "") for m in REFERENCES]
KERNEL_COLUMNS = [(m, o) for m in OBJECTIVES for o in ("zero", "class")]
KERNEL_COLUMNS += [("K-PCA", ""), ("K-MC-FLD", "")]
SIGMAS = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
# Runs of each column, as suggested by the digits that the paper prints.
RUNS = {"table1": 20, "kernel": 6}


def dataset(name):
    data = load(name)
    return np.asarray(data.X, dtype=np.float64), np.asarray(data.y)


# Part 1: is the optimum found, and is it proved?


def optimum_row(name, standardised, origin, n_starts):
    X, y = dataset(name)
    if standardised:
        X = StandardScaler().fit_transform(X)
    row = {"data": name, "standardised": standardised, "origin": origin}
    for objective in OBJECTIVES:
        began = time.perf_counter()
        ours = CategorySpace(objective, origin=origin, random_state=0).fit(X, y)
        seconds = time.perf_counter() - began
        randoms = [
            CategorySpace(
                objective, origin=origin, init="random", n_init=1, random_state=1000 + seed
            ).fit(X, y)
            for seed in range(n_starts)
        ]
        curves = [ours.loss_curve_, *(random.loss_curve_ for random in randoms)]
        values = np.array([random.objective_ for random in randoms])
        row[objective] = {
            "seconds": seconds,
            "n_iter": ours.n_iter_,
            "largest_fall": max(0.0, max(-np.diff(c).min(initial=0.0) / c[-1] for c in curves)),
            "excess_of_random": values.max() / ours.objective_ - 1,
            "random_that_reach_it": int(np.sum(values >= ours.objective_ * (1 - 1e-6))),
        }
        if objective == "square":
            certificate = ours.certify()
            row["certificate"] = {
                "certified": bool(certificate.certified),
                "gap": certificate.gap,
                "violation": certificate.check(),
                "paper_condition": bool(certificate.paper_condition),
            }
            below = [r for r in randoms if r.objective_ < ours.objective_ * (1 - 1e-6)]
            row["worse_points"] = worse_points(certificate, below)
    return row


def worse_points(certificate, below):
    """Offer stationary points below the optimum to the certificate: none may pass.

    They are the local maxima that random starts ended in, and the minimum of the objective, which
    is the maximum for the scatters turned upside down.
    """
    scatters = certificate.scatters
    largest = max(np.linalg.eigvalsh(scatter)[-1] for scatter in scatters)
    flipped = SquareAxes.from_scatters(largest * np.eye(len(scatters[0])) - scatters)
    start = nearest_orthonormal(np.random.default_rng(0).standard_normal(certificate.axes.shape))
    lowest = maximise_orthonormal(flipped, start, max_iter=20_000).params
    proofs = [certify_axes(scatters, lowest), *(point.certify() for point in below)]
    assert all(proof.objective < certificate.objective * (1 - 1e-6) for proof in proofs)
    return {"tried": len(proofs), "certified": sum(bool(proof.certified) for proof in proofs)}


def run_optimum(quick, names):
    origins = ORIGINS[:1] if quick else ORIGINS[:2]
    jobs = [
        delayed(optimum_row)(name, standardised, origin, 10 if quick else 60)
        for origin in origins
        for name in names
        for standardised in (False, True)
    ]
    return Parallel(n_jobs=2)(jobs)


# Part 2: Table 1


def table1_run(name, method, origin, run):
    """Accuracy in percent on 30 % of the samples, and the seconds of the fit."""
    X, y = dataset(name)
    train, test, y_train, y_test = train_test_split(
        X, y, train_size=0.7, stratify=y, random_state=run
    )
    n_classes = len(np.unique(y))
    model = {
        "CQS": lambda: CategorySpace("square", origin=origin),
        "CAS": lambda: CategorySpace("absolute", origin=origin, random_state=run),
        "LS-LDA": lambda: LeastSquaresLDA(n_classes - 1),
        "PCA": lambda: PCA(n_classes),
        "MC-FLD": LinearDiscriminantAnalysis,
    }[method]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        began = time.perf_counter()
        Z = model.fit(train, y_train).transform(train)
        seconds = time.perf_counter() - began
    accuracy = 100 * LinearSVM().fit(Z, y_train).score(model.transform(test), y_test)
    return {"accuracy": accuracy, "seconds": round(seconds, 3)}


# Part 3: Tables 2 and 3


def few_per_class(X, y, rng, limit=150):
    kept = [rng.permutation(np.flatnonzero(y == label))[:limit] for label in np.unique(y)]
    return np.sort(np.concatenate(kept))


def kernel_scores(objective, origin, sigma, split, n_init):
    """Accuracy of the angle classifier and of the linear SVM on the projected samples."""
    train, test, y_train, y_test = split
    n_classes, angle = len(np.unique(y_train)), np.nan
    if objective == "K-PCA":
        model = KernelPCA(n_classes, kernel="rbf", gamma=0.5 / sigma**2).fit(train)
    elif objective == "K-MC-FLD":
        model = KernelDiscriminantAnalysis(n_classes - 1, sigma=sigma).fit(train, y_train)
    else:
        model = KernelCategorySpace(
            objective, sigma=sigma, origin=origin, n_init=n_init, random_state=0, tol=1e-6
        ).fit(train, y_train)
        angle = model.score(test, y_test)
    svm = LinearSVM().fit(model.transform(train), y_train)
    return 100 * angle, 100 * svm.score(model.transform(test), y_test)


def kernel_run(name, objective, origin, run):
    """One 70/30 split; the width comes from cross-validation inside the training part."""
    began = time.perf_counter()
    X, y = dataset(name)
    kept = few_per_class(X, y, np.random.default_rng(run))
    X, y = X[kept], y[kept]
    split = train_test_split(X, y, train_size=0.7, stratify=y, random_state=run)
    scaler = MinMaxScaler().fit(split[0])
    train, test = scaler.transform(split[0]), scaler.transform(split[1])
    y_train, y_test = split[2:]
    folds = StratifiedKFold(3, shuffle=True, random_state=run)
    if len(train) > 500:
        folds = StratifiedShuffleSplit(1, test_size=0.3, random_state=run)
    inner = np.array(
        [
            np.mean(
                [
                    kernel_scores(
                        objective,
                        origin,
                        sigma,
                        (train[a], train[b], y_train[a], y_train[b]),
                        n_init=1,
                    )
                    for a, b in folds.split(train, y_train)
                ],
                axis=0,
            )
            for sigma in SIGMAS
        ]
    )
    result = {}
    for which, key in enumerate(("angle", "svm")):
        if np.isnan(inner[:, which]).any():  # only category space has the angle classifier
            continue
        sigma = SIGMAS[int(np.argmax(inner[:, which]))]
        outer = kernel_scores(
            objective, origin, sigma, (train, test, y_train, y_test), n_init="auto"
        )
        result |= {key: outer[which], f"{key}_sigma": sigma}
    return result | {"seconds": round(time.perf_counter() - began, 1)}


# Part 4: landmarks against the exact kernel


def run_landmarks(quick, names):
    """Official split of Satellite: exact kernel against 500 landmarks."""
    del names  # one data set only
    data = load("satellite")
    is_test = np.asarray(data.extras["is_test"]).astype(bool)
    X, y = np.asarray(data.X, dtype=np.float64), np.asarray(data.y)
    scaler = MinMaxScaler().fit(X[~is_test])
    train, test = scaler.transform(X[~is_test]), scaler.transform(X[is_test])
    y_train, y_test = y[~is_test], y[is_test]
    # Every second sample, as the exact kernel costs the third power of their number.
    step = 4 if quick else 2
    train, y_train = train[::step], y_train[::step]
    rows = []
    for sigma in (0.5,):
        for n_landmarks in (None, 500):
            seeds = range(1 if n_landmarks is None else 3)
            scores, seconds = [], []
            for seed in seeds:
                began = time.perf_counter()
                model = KernelCategorySpace(
                    sigma=sigma, n_landmarks=n_landmarks, random_state=seed
                ).fit(train, y_train)
                seconds.append(time.perf_counter() - began)
                svm = LinearSVM().fit(model.transform(train), y_train)
                scores.append(
                    (
                        100 * model.score(test, y_test),
                        100 * svm.score(model.transform(test), y_test),
                    )
                )
            angle, svm_score = np.mean(scores, axis=0)
            rows.append(
                {
                    "sigma": sigma,
                    "n_landmarks": n_landmarks,
                    "n_train": len(train),
                    "angle": angle,
                    "svm": svm_score,
                    "seconds": float(np.mean(seconds)),
                }
            )
            print(rows[-1], flush=True)
    return rows


# Part 5: what the tables' limit of samples does to the methods compared with


def run_samples(quick, names):
    """Satellite at one width: 150 samples of each class and all of them, more components."""
    del names  # one data set only
    X, y = dataset("satellite")
    sigma, rows = 0.4, []
    n_classes = len(np.unique(y))
    for limit in (150,) if quick else (150, None):
        for method, n_components in (
            ("K-PCA", n_classes),
            ("K-PCA", 20),
            ("K-PCA", 100),
            ("K-MC-FLD", n_classes - 1),
        ):
            scores = []
            for run in range(2):
                kept = few_per_class(X, y, np.random.default_rng(run), limit)
                split = train_test_split(
                    X[kept], y[kept], train_size=0.7, stratify=y[kept], random_state=run
                )
                scaler = MinMaxScaler().fit(split[0])
                train, test = map(scaler.transform, split[:2])
                if method == "K-PCA":
                    model = KernelPCA(
                        n_components,
                        kernel="rbf",
                        gamma=0.5 / sigma**2,
                        eigen_solver="randomized",
                        random_state=run,
                    )
                else:
                    model = KernelDiscriminantAnalysis(n_components, sigma=sigma)
                Z = model.fit(train, split[2]).transform(train)
                svm = LinearSVM().fit(Z, split[2])
                scores.append(100 * svm.score(model.transform(test), split[3]))
            rows.append(
                {
                    "data": "satellite",
                    "limit": limit,
                    "method": method,
                    "n_components": n_components,
                    "n_train": len(train),
                    "svm": scores,
                }
            )
            print(rows[-1], flush=True)
    return rows


TABLES = {  # part: columns, one run, number of runs of the quick mode
    "table1": (TABLE_1_COLUMNS, table1_run, 3),
    "kernel": (KERNEL_COLUMNS, kernel_run, 2),
}
PARTS = {  # part: what makes its rows, fields that name a row
    "optimum": (run_optimum, ("data", "standardised", "origin")),
    "landmarks": (run_landmarks, ("sigma", "n_landmarks")),
    "samples": (run_samples, ("limit", "method", "n_components")),
}


def fill_table(part, store, names, n_runs, n_jobs, only=None):
    """Add the runs that are missing; a column that fails loses nothing of the others."""
    columns, score, *_ = TABLES[part]
    for name in names:
        try:
            dataset(name)
        except InputError as error:
            store.put((part, name, "problem"), why_not(error))
            continue
        store.forget(part, name, "problem")
        for method, origin in columns:
            column = f"{method} {origin}".strip()
            if only and column not in only:
                continue
            runs = store.tree(part, name, column)
            missing = [run for run in range(n_runs or RUNS[part]) if str(run) not in runs]
            outcomes = Parallel(n_jobs=n_jobs, return_as="generator")(
                delayed(score)(name, method, origin, run) for run in missing
            )
            try:
                for run, outcome in zip(missing, outcomes, strict=True):
                    store.put((part, name, column, run), outcome)
            except Exception:
                traceback.print_exc()
        print(f"{part} {name}: done", flush=True)


def row_records(part, rows):
    """Records of the rows of a part; their keys are the fields that name a row."""
    return {(part, *(row[field] for field in PARTS[part][1])): row for row in rows}


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, quick="fewer data sets and runs")
    parser.add_argument("--part", choices=[*TABLES, *PARTS], action="append", help="only this part")
    parser.add_argument("--data", choices=NAMES, action="append", help="only this data set")
    parser.add_argument("--columns", action="append", help="only this column of the tables")
    parser.add_argument("--runs", type=int, help="runs of each column of the tables")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    arguments = parser.parse_args(argv)
    store = open_store("category", arguments)
    store.put(("versions",), versions())
    names = arguments.data or (NAMES[1:4] if arguments.quick else NAMES)
    for part in arguments.part or (["table1", "kernel"] if arguments.quick else [*TABLES, *PARTS]):
        began = time.perf_counter()
        if part in TABLES:
            n_runs = arguments.runs or (TABLES[part][2] if arguments.quick else None)
            fill_table(part, store, names, n_runs, arguments.jobs, arguments.columns)
        elif arguments.part or not store.tree(part):
            rows = PARTS[part][0](arguments.quick, names)
            # With some data sets only, the rows of the others are kept.
            store.update(row_records(part, rows), forget=None if arguments.data else (part,))
        print(f"{part}: {time.perf_counter() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
