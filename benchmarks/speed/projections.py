"""Time of discriminative projections beside PCA and the neighbour search alone, in one run.

    python benchmarks/speed/projections.py [--quick]

Needs mnist.npz in the folder named by DISCRIMAP_DATA. Writes docs/benchmarks/projections-speed.md
and .json.
"""

import argparse
import json
import time
from pathlib import Path
from unittest.mock import patch

import numpy as np
from sklearn.decomposition import PCA

from discrimap import DiscriminativeProjections
from discrimap.datasets import load
from discrimap.graphs import nearest_neighbors

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "benchmarks"
N_NEIGHBORS = 10


def seconds(call):
    began = time.perf_counter()
    result = call()
    return time.perf_counter() - began, result


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
    with patch("discrimap.graphs.nearest_neighbors", timed_search):
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


def _recall(X, i, found):
    """Share of the true neighbours of sample i among those found."""
    squared = np.square(X - X[i]).sum(axis=1)
    squared[i] = np.inf
    return len(np.intersect1d(np.argpartition(squared, N_NEIGHBORS)[:N_NEIGHBORS], found)) / len(
        found
    )


def page(result):
    return f"""# Discriminative projections: speed

Written by `python benchmarks/speed/projections.py` from `projections-speed.json`. MNIST,
{result["n_samples"]:,} samples, {result["n_features"]} features, all in one run; the neighbour search is
compiled beforehand. It finds {100 * result["recall"]:.1f} % of the true {N_NEIGHBORS} neighbours (500 samples checked).

| what | seconds |
|---|---|
| scikit-learn's PCA, svd_solver="full" | {result["pca_seconds"]:.1f} |
| neighbour search alone (timed inside the fit below) | {result["search_seconds"]:.1f} |
| DiscriminativeProjections(50): search, graph and solution | {result["fit_seconds"]:.1f} |

Asked for: at most three times PCA and search together. Measured: {result["ratio"]:.2f} times.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="25,000 samples")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the results")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    result = measure(25_000 if arguments.quick else 70_000)
    (arguments.out / "projections-speed.json").write_text(json.dumps(result, indent=1) + "\n")
    (arguments.out / "projections-speed.md").write_text(page(result))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
