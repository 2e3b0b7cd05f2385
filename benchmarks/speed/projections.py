"""Time of discriminative projections, compared with PCA and the neighbour search in the same run.

    python benchmarks/speed/projections.py [--quick] [--without-search]

Needs mnist.npz in the folder named by DISCRIMAP_DATA. Results are in
benchmarks/results/projections-speed.jsonl.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from unittest.mock import patch

import numpy as np
from sklearn.decomposition import PCA

from discrimap import DiscriminativeProjections
from discrimap.datasets import load
from discrimap.linalg.graphs import nearest_neighbors

sys.path.append(str(Path(__file__).resolve().parents[2]))
from benchmarks.results import add_options, open_store

N_NEIGHBORS = 10


def seconds(call, clock=time.perf_counter):
    began = clock()
    result = call()
    return clock() - began, result


def measure(n_samples):
    data = load("mnist")
    X, y = data.X[:n_samples].astype(np.float32), data.y[:n_samples]
    # Compile the neighbour search before the clock runs.
    nearest_neighbors(X[:2000], N_NEIGHBORS, search="approximate", random_state=0, n_jobs=-1)

    pca_time, _ = seconds(lambda: PCA(50, svd_solver="full").fit(X))
    # The search alone is timed inside the fit: it is the same call.
    inside = {}

    def timed_search(*args, **kwargs):
        inside["seconds"], inside["found"] = seconds(lambda: nearest_neighbors(*args, **kwargs))
        return inside["found"]

    model = DiscriminativeProjections(50, n_neighbors=N_NEIGHBORS, random_state=0, n_jobs=-1)
    with patch("discrimap.linalg.graphs.nearest_neighbors", timed_search):
        fit_time, _ = seconds(lambda: model.fit(X, y))
    search_time, (_, found) = inside["seconds"], inside["found"]

    chosen = np.random.default_rng(0).permutation(len(X))[:500]
    centred = X - X.mean(axis=0)
    recall = np.mean([_recall(centred, i, found[i]) for i in chosen])
    return {
        "n_samples": len(X),
        "n_features": X.shape[1],
        "pca_seconds": pca_time,
        "search_seconds": search_time,
        "fit_seconds": fit_time,
        "ratio": fit_time / (pca_time + search_time),
        "recall": recall,
    }


def measure_without_search(n_samples):
    """Processor time of all but the search, beside PCA: it bounds the ratio on a busy machine.

    With search s, PCA q and the rest r the ratio is (s + r)/(s + q), at most max(1, r/q)
    whatever s is. The graph has random neighbours: as many edges, and in the worst order.
    """
    data = load("mnist")
    X, y = data.X[:n_samples].astype(np.float32), data.y[:n_samples]
    rng = np.random.default_rng(0)

    def random_neighbors(X, n_neighbors, **_):
        steps = np.sort(rng.integers(1, len(X), (len(X), n_neighbors)), axis=1)
        steps += np.arange(n_neighbors)  # no neighbour twice
        indices = (np.arange(len(X))[:, None] + steps) % len(X)
        own = indices == np.arange(len(X))[:, None]
        indices[own] = (indices[own] + 1) % len(X)
        return rng.uniform(1, 2, indices.shape), indices

    model = DiscriminativeProjections(50, n_neighbors=N_NEIGHBORS, random_state=0)
    pca_time, _ = seconds(lambda: PCA(50, svd_solver="full").fit(X), time.process_time)
    with patch("discrimap.linalg.graphs.nearest_neighbors", random_neighbors):
        rest_time, _ = seconds(lambda: model.fit(X, y), time.process_time)
    return {
        "n_samples": len(X),
        "n_features": X.shape[1],
        "pca_processor_seconds": pca_time,
        "rest_processor_seconds": rest_time,
        "bound": max(1.0, rest_time / pca_time),
    }


def _recall(X, i, found):
    """Share of the true neighbours of sample i among those found."""
    squared = np.square(X - X[i]).sum(axis=1)
    squared[i] = np.inf
    return len(np.intersect1d(np.argpartition(squared, N_NEIGHBORS)[:N_NEIGHBORS], found)) / len(
        found
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, quick="25,000 samples")
    parser.add_argument("--without-search", action="store_true", help="only the bound")
    arguments = parser.parse_args()
    n_samples = 25_000 if arguments.quick else 70_000
    if arguments.without_search:
        kind, result = "processor", measure_without_search(n_samples)
    else:
        kind, result = "wall", measure(n_samples)
    open_store("projections-speed", arguments).put((kind,), result)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
