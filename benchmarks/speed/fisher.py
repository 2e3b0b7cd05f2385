"""Fisher distances: accuracy, time compared with the paper's formulas in NumPy, memory of neighbours.

    python benchmarks/speed/fisher.py [--quick] [--part accuracy|limit|peer|large|large_centres]

Results are in benchmarks/results/fisher-speed.jsonl. The last two parts need mnist.npz in the folder named by DISCRIMAP_DATA.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import scale

from discrimap import FisherMetric
from discrimap.datasets import load
from discrimap.fisher.arc_length import arc_lengths
from discrimap.fisher.left_endpoint import left_endpoint_lengths
from discrimap.fisher.parzen import ParzenField

sys.path.append(str(Path(__file__).resolve().parents[2]))
from benchmarks.results import add_options, open_store

N_STEPS = 8


def log_space_length(squared_i, squared_j, labels, bandwidth):
    """The definition of one distance by arcs, node by node and in log space."""
    length, previous = 0.0, None
    for fraction in np.arange(N_STEPS + 1) / N_STEPS:
        exponents = -((1 - fraction) * squared_i + fraction * squared_j) / (2 * bandwidth**2)
        largest = [exponents[labels == c].max() for c in np.unique(labels)]
        sums = [np.exp(exponents[labels == c] - top).sum() for c, top in enumerate(largest)]
        logs = np.array(largest) + np.log(sums)
        logs -= logs.max() + np.log(np.exp(logs - logs.max()).sum())
        root = np.exp(logs / 2)
        if previous is not None:
            length += 4 * np.arcsin(min(1.0, np.linalg.norm(root - previous) / 2))
        previous = root
    return length


def problem(n_samples, n_features=10, n_classes=5, seed=0):
    rng = np.random.default_rng(seed)
    y = np.sort(np.arange(n_samples) % n_classes)
    centres = 2 * rng.standard_normal((n_classes, n_features))
    return rng.standard_normal((n_samples, n_features)) + centres[y], y


def accuracy(quick):
    """Largest errors against the log-space loop, at three bandwidths."""
    X, y = problem(60 if quick else 150)
    rng = np.random.default_rng(1)
    squared = ((X[:, None] - X) ** 2).sum(axis=2)
    sign = np.triu(np.where(rng.random(squared.shape) < 0.5, -1.0, 1.0), 1)
    width = FisherMetric(perplexity=15).fit(X, y).bandwidth_
    found = {}
    some = np.arange(0, len(X), 5)
    for kind, matrix in (("", squared), (", half negative", squared * (sign + sign.T))):
        for dtype in (np.float64, np.float32):
            given = matrix.astype(dtype)
            errors, relative = [], []
            for factor in (0.1, 1, 2):
                field = ParzenField(y, None, 5, factor * width)
                points = field.represent(given[some])
                lengths = arc_lengths(field, points, points, N_STEPS)
                rows = given[some].astype(np.float64)
                expected = np.array(
                    [[log_space_length(a, b, y, factor * width) for b in rows] for a in rows]
                )
                errors.append(np.abs(lengths - expected).max())
                far = expected > 0.01
                relative.append((np.abs(lengths - expected)[far] / expected[far]).max())
            found[np.dtype(dtype).name + kind] = {
                "absolute": float(max(errors)),
                "relative": float(max(relative)),
            }
    return found


def limit(quick):
    """Arcs against Eq. (3) with T = 1000 at the perplexity bandwidth."""
    data = {"wine": load_wine(return_X_y=True), "iris": load_iris(return_X_y=True)}
    data = {name: (scale(X), y) for name, (X, y) in data.items()}
    vertebral = load("vertebral")
    data["vertebral"] = (vertebral.X.astype(float), vertebral.y)
    found = {}
    for name, (X, y) in data.items():
        order = np.argsort(y, kind="stable")
        X, y = X[order], y[order]
        squared = ((X[:, None] - X) ** 2).sum(axis=2)
        width = FisherMetric().fit(X, y).bandwidth_
        field = ParzenField(y, None, 3, width)
        points = field.represent(squared[:: 12 if quick else 6])
        off_diagonal = ~np.eye(len(points), dtype=bool)
        exact = left_endpoint_lengths(field, points, points, 1000)[off_diagonal]
        error = np.abs(arc_lengths(field, points, points, N_STEPS)[off_diagonal] / exact - 1)
        paper = np.abs(
            left_endpoint_lengths(field, points, points, N_STEPS)[off_diagonal] / exact - 1
        )
        found[name] = {
            "share": 100 * float((error < 1e-2).mean()),
            "quantile": float(np.quantile(error, 0.95)),
            "paper_quantile": float(np.quantile(paper, 0.95)),
        }
    return found


def paper_length(S, i, j, onehot, bandwidth, n_steps):
    """Eqs. (3)-(8) for one pair, vectorised over the samples l."""
    diagonal = np.diagonal(S)
    length = 0.0
    for step in range(n_steps):
        a = step / n_steps
        squared = (
            (1 - a) ** 2 * S[i, i]
            + a**2 * S[j, j]
            + diagonal
            + 2 * (1 - a) * a * S[i, j]
            - 2 * (1 - a) * S[i]
            - 2 * a * S[j]
        )
        u = np.exp(-squared / (2 * bandwidth**2))
        by_class = onehot * u  # (n_classes, n_samples)
        sums = by_class.sum(axis=1, keepdims=True)
        xi_class, xi = by_class / sums, u / u.sum()
        b_i = (xi_class - xi) @ S[i]
        b_j = (xi_class - xi) @ S[j]
        p = sums[:, 0] / u.sum()
        length += np.sqrt((p * (b_i - b_j) ** 2).sum())
    return length / (n_steps * bandwidth**2)


def peer(quick):
    """Time of all distances at n = 1,068 against the paper's sum with the same number of steps."""
    n_samples = 1068
    X, y = problem(n_samples)
    S = X @ X.T
    metric = FisherMetric(kernel="precomputed").fit(S, y)
    ours, ours_cpu = [], []
    rng = np.random.default_rng(0)
    n_pairs = 200 if quick else 2000
    pairs = [rng.choice(n_samples, 2, replace=False) for _ in range(n_pairs)]
    onehot = (y == np.arange(5)[:, None]).astype(float)
    for _ in range(1 if quick else 3):
        start, start_cpu = time.perf_counter(), time.process_time()
        distances = metric.distances()
        ours.append(time.perf_counter() - start)
        ours_cpu.append(time.process_time() - start_cpu)
    start, start_cpu = time.perf_counter(), time.process_time()
    by_paper = [paper_length(S, i, j, onehot, metric.bandwidth_, N_STEPS) for i, j in pairs]
    # One direction of each pair only, though the paper's sum depends on the direction.
    all_pairs = n_samples * (n_samples - 1) / 2 / n_pairs
    theirs = (time.perf_counter() - start) * all_pairs
    theirs_cpu = (time.process_time() - start_cpu) * all_pairs
    by_arcs = np.array([distances[i, j] for i, j in pairs])
    return {
        "ours": min(ours),
        "theirs": theirs,
        "ratio": theirs / min(ours),
        "ours_cpu": min(ours_cpu),
        "theirs_cpu": theirs_cpu,
        "ratio_cpu": theirs_cpu / min(ours_cpu),
        "timed_pairs": n_pairs,
        "median_difference": float(np.median(np.abs(by_arcs / by_paper - 1))),
    }


def large(quick, n_centres="0"):
    """Peak memory of neighbours at n = 10,000, in a process of its own."""
    n_samples = "2000" if quick else "10000"
    done = subprocess.run(
        [sys.executable, __file__, "--neighbours", n_samples, n_centres],
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)


def large_centres(quick):
    """The same with 1,000 k-means centres in place of all samples."""
    return large(quick, "1000")


def measure_neighbours(n_samples, n_centres):
    data = load("mnist")
    X, y = data.X[:n_samples].astype(np.float32) / 255, data.y[:n_samples]
    del data
    # Libraries that are loaded on first use are not part of the working set.
    FisherMetric(perplexity=10).fit(X[:200], y[:200]).kneighbors(n_neighbors=5)
    before = _resident_megabytes()
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # reset the peak
    start = time.perf_counter()
    metric = FisherMetric(n_centres=n_centres or None, random_state=0).fit(X, y)
    distances, _ = metric.kneighbors(n_neighbors=90)
    seconds = time.perf_counter() - start
    return {
        "n": n_samples,
        "centres": metric.n_centres_,
        "megabytes": _peak_megabytes() - before,
        "seconds": seconds,
        "finite": bool(np.isfinite(distances).all()),
    }


def _status(field):
    for entry in Path("/proc/self/status").read_text().splitlines():
        if entry.startswith(field):
            return int(entry.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _resident_megabytes():
    return _status("VmRSS:")


def _peak_megabytes():
    return _status("VmHWM:")


PARTS = {
    "accuracy": accuracy,
    "limit": limit,
    "peer": peer,
    "large": large,
    "large_centres": large_centres,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_options(parser, quick="smaller and fewer")
    parser.add_argument("--part", choices=list(PARTS), default=None)
    parser.add_argument("--neighbours", type=int, nargs=2, default=None, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.neighbours:
        print(json.dumps(measure_neighbours(*options.neighbours)))
        return
    store = open_store("fisher-speed", options)
    for name, run in PARTS.items():
        if options.part in (None, name):
            found = run(options.quick)
            print(name, json.dumps(found, indent=1))
            store.put((name,), found)


if __name__ == "__main__":
    main()
