"""Fits of discriminative components compared with those of an earlier revision, SDA and UMAP.

    python benchmarks/speed/components_fits.py --before 679d64b [--sets mfeat_fou:1000] [--seeds 3]
    python benchmarks/speed/components_fits.py --beside [--umap-python PATH]

``--before`` checks the revision out to a temporary folder and fits both versions with the same
training samples and seeds, in turns. ``--beside`` fits MNIST by SDA, by discriminative components
and by supervised UMAP, in the Python environment that has umap-learn. Every version and method has a
process of its own with one thread, which first fits 300 samples in several ways, so that compilation
is not counted.
Times are processor seconds, errors those of the nearest neighbour on held-out samples.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS")
SETS = (
    "mfeat_fou:1000", "satellite:1000", "mnist5k:1000", "satellite:4290", "usps:6000", "mnist:6000",
    "mnist:60000",
)  # fmt: skip
PIXELS = ("mnist", "mnist5k", "usps")  # are not standardised: some never vary
N_HELD_OUT = 5000
METHODS = ("sda", "components", "umap")


def split(name, n_train, seed):
    """Training and held-out samples of a data set, at random; MNIST:60000 as published."""
    from sklearn.preprocessing import StandardScaler

    with np.load(Path(os.environ["DISCRIMAP_DATA"]) / f"{name}.npz") as data:
        X, y = data["X"].astype(np.float64), data["y"]
        is_test = data["is_test"] if "is_test" in data else np.zeros(len(y))
    order = np.random.default_rng(seed).permutation(len(y))
    if name == "mnist" and n_train == 60_000:
        order = np.argsort(is_test, kind="stable")
    train, test = order[:n_train], order[n_train:][:N_HELD_OUT]
    if name in PIXELS:
        X /= np.abs(X).max()
    else:
        X = StandardScaler().fit(X[train]).transform(X)
    return X[train], y[train], X[test], y[test]


def make(method, seed):
    if method == "umap":
        from umap import UMAP

        return UMAP(n_components=2, random_state=seed, n_jobs=1)
    from discrimap import DiscriminativeComponents, StochasticDiscriminantAnalysis

    kinds = {"sda": StochasticDiscriminantAnalysis, "components": DiscriminativeComponents}
    return kinds[method](n_components=2, random_state=seed)


def warm_up(method, X, y):
    """Compile everything: a default fit, then the loops for lone and for far samples."""
    make(method, 0).fit(X, y)
    if method == "components":
        far = X.copy()
        far[0] += 100 * (1 + np.abs(X).max())
        for options in ({"bandwidth": 1e-3}, {"engine": "fourier", "bandwidth": 0.5}):
            make(method, 0).set_params(**options, max_iter=3, n_init=1).fit(far, y)


def answer_orders():
    """The process of a version or a method: a line of JSON in, a line of JSON out."""
    from sklearn.neighbors import KNeighborsClassifier

    warnings.simplefilter("ignore")
    is_warm = False
    for line in sys.stdin:
        order = json.loads(line)
        X, y, X_test, y_test = split(order["name"], order["n"], order["seed"])
        if not is_warm:
            warm_up(order["method"], X[:300], y[:300])
            is_warm = True
        estimator = make(order["method"], order["seed"])
        begin = time.process_time()
        estimator.fit(X, y)
        seconds = time.process_time() - begin
        vote = KNeighborsClassifier(1).fit(estimator.transform(X), y)
        wrong = vote.predict(estimator.transform(X_test)) != y_test
        answer = {
            "cpu": seconds,
            "error": float(wrong.mean()),
            "standard_error": float(wrong.std() / np.sqrt(len(wrong))),
        }
        if hasattr(estimator, "objective_"):
            answer["objective"] = float(estimator.objective_)
        print(json.dumps(answer), flush=True)


def start(source=ROOT / "src", python=sys.executable):
    environment = os.environ | dict.fromkeys(VARIABLES, "1") | {"PYTHONPATH": str(source)}
    # Machine code of one version must not be taken for that of the other.
    environment["NUMBA_CACHE_DIR"] = str(Path(source).parent / "build" / "numba")
    return subprocess.Popen(
        [python, __file__, "--answer"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def ask(process, **order):
    process.stdin.write(json.dumps(order) + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


@contextlib.contextmanager
def checked_out(revision):
    """The sources of a revision, in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(
            ["git", "-C", ROOT, "archive", revision, "src"], check=True, capture_output=True
        ).stdout
        subprocess.run(["tar", "-x", "-C", folder], check=True, input=archive)
        yield Path(folder) / "src"


def beside_before(revision, sets, n_seeds, store):
    with checked_out(revision) as source:
        processes = {"before": start(source), "now": start()}
        for name, n_train in sets:
            for seed in range(n_seeds):
                row = {
                    version: ask(process, method="components", name=name, n=n_train, seed=seed)
                    for version, process in processes.items()
                }
                print(name, n_train, seed, json.dumps(row), flush=True)
                store.put(("before", name, n_train, seed), {"revision": revision, **row})
        for process in processes.values():
            process.kill()


def beside_others(n_train, umap_python, store):
    for method in METHODS:
        process = start(python=umap_python if method == "umap" else sys.executable)
        row = ask(process, method=method, name="mnist", n=n_train, seed=0)
        process.kill()
        print(method, n_train, json.dumps(row), flush=True)
        store.put(("beside", n_train, method), row)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", metavar="REVISION")
    parser.add_argument("--beside", action="store_true")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--size", type=int, default=60_000, help="training samples of --beside")
    parser.add_argument("--umap-python", default=sys.executable)
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.answer:
        return answer_orders()
    sys.path.append(str(ROOT))
    from benchmarks.results import Store

    store = Store("components_speed")
    if arguments.before:
        sets = [(name, int(n)) for name, n in (s.split(":") for s in arguments.sets.split(","))]
        beside_before(arguments.before, sets, arguments.seeds, store)
    if arguments.beside:
        beside_others(arguments.size, arguments.umap_python, store)


if __name__ == "__main__":
    main()
