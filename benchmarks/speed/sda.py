"""Speed of stochastic discriminant analysis, compared with a naive implementation, NCA and UMAP.

    python benchmarks/speed/sda.py [--quick] [--part usps|mnist|evaluation] [--limit SECONDS]

Every method runs in a process of its own, one after the other on the same machine, on the same
standardised data. The times do not include imports and compilation. "Peak" is the increase of the
resident memory over a process without the data, divided by the size of X; X itself is included.
Results are added to benchmarks/results/sda-speed.jsonl. The quick mode takes less than a minute.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[2]))
from benchmarks.results import add_options, open_store

METHODS = ("SDA", "SDA, one start", "naive SDA", "UMAP, supervised", "NCA (scikit-learn)")


def standardised(name):
    """Training and test part; USPS and digits two thirds, MNIST its own split; float32 if MNIST."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    from discrimap.datasets import load

    if name == "digits":
        X, y = load_digits(return_X_y=True)
    else:
        data = load(name)
        X, y = np.asarray(data.X), np.asarray(data.y)
    if name == "mnist":
        train, test = np.arange(60_000), np.arange(60_000, 70_000)
    else:
        train, test = train_test_split(np.arange(len(y)), test_size=1 / 3, random_state=0)
    dtype = np.float32 if name == "mnist" else np.float64
    mean, deviation = X[train].mean(axis=0), X[train].std(axis=0)
    deviation[deviation == 0] = 1.0
    return [
        (np.ascontiguousarray((X[rows] - mean) / deviation, dtype=dtype), y[rows])
        for rows in (train, test)
    ]


def pca_start(X, n_components=2):
    """The paper's start, scaled like that of the estimator."""
    from scipy import linalg

    from discrimap.samples.in_memory import ArraySamples
    from discrimap.sda.starts import with_spread

    scatter = X.T @ X
    last = len(scatter) - 1
    directions = linalg.eigh(scatter, subset_by_index=[last - n_components + 1, last])[1]
    return with_spread(ArraySamples(X, np.zeros(len(X), dtype=np.intp)), directions)


def make_fit(method, limit, target):
    """A function of X and y that fits and returns (transform, extra figures)."""

    def sda(**parameters):
        from discrimap import StochasticDiscriminantAnalysis

        def fit(X, y):
            estimator = StochasticDiscriminantAnalysis(
                **{"random_state": 0, "epsilon": "paper", **parameters}
            ).fit(X, y)
            return estimator.transform, {"objective": estimator.objective_}

        return fit

    def naive(X, y):
        from benchmarks.speed.naive_sda import naive_sda

        W, value, seconds, n_evaluations = naive_sda(
            X, y, pca_start(X), target=1.001 * target, time_limit=limit
        )
        figures = {"objective": value, "seconds": seconds, "n_evaluations": n_evaluations}
        return (lambda X: X @ W), figures

    def nca(X, y):
        from sklearn.neighbors import NeighborhoodComponentsAnalysis

        began = time.perf_counter()

        class OverTimeError(Exception):
            pass

        def stop(transformation, n_iter):
            stop.last = transformation.reshape(2, -1).copy(), n_iter
            if time.perf_counter() - began > limit:
                raise OverTimeError

        stop.last = None
        estimator = NeighborhoodComponentsAnalysis(2, init="pca", random_state=0, callback=stop)
        try:
            estimator.fit(X, y)
        except OverTimeError:
            components, n_iter = stop.last
            return (lambda X: X @ components.T), {"stopped_after_iterations": n_iter}
        return estimator.transform, {}

    def umap(X, y):
        from umap import UMAP

        estimator = UMAP(n_components=2, n_jobs=os.cpu_count()).fit(X, y)
        return estimator.transform, {}

    return {
        "SDA": sda(),
        "SDA, one start": sda(n_init=1),
        "naive SDA": naive,
        "NCA (scikit-learn)": nca,
        "UMAP, supervised": umap,
    }[method]


def child(method, name, limit, target):
    """Fit one method and print its figures as JSON."""
    from sklearn.datasets import load_digits

    from discrimap.metrics import knn_error

    fit = make_fit(method, limit, target)
    if method != "naive SDA":
        toy, labels = load_digits(return_X_y=True)
        dtype = np.float32 if name == "mnist" else np.float64
        make_fit(method, 5.0, -np.inf)(np.asarray(toy[:1200], dtype=dtype), labels[:1200])
    before = memory("VmRSS")
    (X, y), (X_test, y_test) = standardised(name)
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    began, cpu_began = time.perf_counter(), time.process_time()
    transform, figures = fit(X, y)
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu_began
    peak = memory("VmHWM")
    error = knn_error(transform(X), y, transform(X_test), y_test, 1)
    print(
        json.dumps(
            {
                "seconds": seconds,
                "cpu_seconds": cpu_seconds,
                "accuracy": 1 - error,
                "peak_over_X": (peak - before - X_test.nbytes / 1024) * 1024 / X.nbytes,
                **figures,
            }
        )
    )


def memory(field):
    """A field of /proc/self/status, in kilobytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1])
    raise RuntimeError(f"/proc/self/status has no {field}")


def run(method, name, limit, target=-np.inf):
    command = [sys.executable, "-W", "ignore", __file__, "--child", method, "--data", name]
    command += [f"--limit={limit}", f"--target={float(target)!r}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"failed": (done.stderr.strip().splitlines() or ["no message"])[-1]}
    return json.loads(done.stdout.strip().splitlines()[-1])


def one_evaluation(sizes, n_repeats=3):
    """Seconds of one value and gradient in the plane, 10 classes."""
    from discrimap.samples.in_memory import ArraySamples
    from discrimap.sda.objective import StochasticDiscriminantObjective, pair_targets

    rng = np.random.default_rng(0)
    seconds = {}
    for n_samples in sizes:
        labels = rng.integers(0, 10, n_samples)
        angle = 2 * np.pi * labels / 10
        Z = 2 * np.column_stack([np.cos(angle), np.sin(angle)])
        Z += 0.5 * rng.standard_normal((n_samples, 2))
        objective = StochasticDiscriminantObjective(
            ArraySamples(Z, labels), pair_targets(10, 0.1), n_components=2, engine="fourier"
        )
        objective.value_and_grad(np.eye(2))
        times = []
        for _ in range(n_repeats):
            began = time.perf_counter()
            objective.value_and_grad(np.eye(2))
            times.append(time.perf_counter() - began)
        seconds[str(n_samples)] = min(times)
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_options(parser, quick="digits only, under a minute")
    parser.add_argument("--part", choices=["usps", "mnist", "evaluation"], default=None)
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for naive SDA and NCA")
    parser.add_argument("--child", default=None, help=argparse.SUPPRESS)
    parser.add_argument("--data", default=None, help=argparse.SUPPRESS)
    parser.add_argument("--target", type=float, default=-np.inf, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments.child, arguments.data, arguments.limit, arguments.target)
        return

    store = open_store("sda-speed", arguments)
    if arguments.quick:
        store.forget()
        compare(store, "digits", 10.0)
        keep_evaluations(store, [10_000, 100_000])
        return
    parts = [arguments.part] if arguments.part else ["usps", "mnist", "evaluation"]
    if "usps" in parts:
        compare(store, "usps", arguments.limit)
    if "mnist" in parts:
        for method in ("SDA", "SDA, one start", "UMAP, supervised"):
            store.put(("tables", "mnist", method), run(method, "mnist", arguments.limit))
        store.put(
            ("tables", "mnist", "NCA (scikit-learn)"),
            {"failed": "not run: its distances alone are 60,000 x 60,000 (29 GB)"},
        )
    if "evaluation" in parts:
        keep_evaluations(store, [100_000, 1_000_000])


def compare(store, name, limit):
    """All methods on one data set, stored one by one."""
    for method in METHODS:
        # From the same start: the naive reading stops when it is within 0.1 % of our objective.
        one = store.tree("tables", name, "SDA, one start")
        found = run(method, name, limit, one.get("objective", -np.inf))
        store.put(("tables", name, method), found)


def keep_evaluations(store, sizes):
    seconds = one_evaluation(sizes)
    store.update({("evaluation", n): seconds[n] for n in seconds}, forget=("evaluation",))


if __name__ == "__main__":
    main()
