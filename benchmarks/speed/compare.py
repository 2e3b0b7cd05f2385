"""Time until ``discrimap compare`` shows a table of all methods, and the errors after each round.

Runs the command as a user does, on four data sets, on the machine as it is and with another process
on every core (``--busy``). Stored are the seconds until the first page is written, those until the
end, and the error of each method after each round, in benchmarks/results/compare-speed.jsonl.

    python benchmarks/speed/compare.py [--quick] [--data letters images made wine] [--busy]
    git worktree add --detach /tmp/before COMMIT                    # another version
    python benchmarks/speed/compare.py --source /tmp/before/src --name before

``before`` on the page is 2bd50dd for letters and images, the last version that planned from cost estimates,
with the splits and controls of today; for wine it is the version before that one, with five splits, each
repeated with permuted labels.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_wine, make_classification

sys.path.append(str(Path(__file__).resolve().parents[2]))
from benchmarks.results import add_options, open_store
from discrimap.datasets import load

BUDGETS = {"letters": 60, "images": 60, "made": 0, "wine": 300}  # 0: until everything is done
KEPT = ("label", "status", "reason", "n_fitted", "test_errors", "cpu_seconds", "rounds")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, quick="wine, ten seconds")
    parser.add_argument("--data", nargs="+", choices=BUDGETS, default=list(BUDGETS))
    parser.add_argument("--busy", action="store_true", help="with another process on every core")
    parser.add_argument("--budget", type=float, help="seconds, instead of those of the data set")
    parser.add_argument("--source", type=Path, help="folder of another version of the package")
    parser.add_argument("--name", default="now", help="name of the version in the results")
    arguments = parser.parse_args()
    store = open_store("compare-speed", arguments)
    condition = "busy" if arguments.busy else "quiet"
    for name in ["wine"] if arguments.quick else arguments.data:
        budget = 10 if arguments.quick else arguments.budget or BUDGETS[name]
        with busy_cores() if arguments.busy else contextlib.nullcontext():
            measured = measure(name, budget, arguments.source)
        store.put((arguments.name, name, condition), measured)
        print(name, condition, measured["first_page"], measured["seconds"], flush=True)


def made_data(name: str):
    """Return samples and labels; ``letters`` and ``made`` are drawn, so that anyone has them."""
    if name == "wine":
        return load_wine(return_X_y=True)
    if name == "images":
        mnist = load("mnist")
        rows = np.random.default_rng(0).choice(len(mnist.y), 10_000, replace=False)
        return mnist.X[rows].astype(float), mnist.y[rows]
    if name == "made":
        return make_classification(
            10_000, 100, n_informative=20, n_classes=10, n_clusters_per_class=2, random_state=0
        )
    rng = np.random.default_rng(0)
    y = rng.integers(26, size=20_000)
    centres = 1.5 * rng.standard_normal((26, 3, 16))
    X = centres[y, rng.integers(3, size=len(y))] + rng.standard_normal((len(y), 16))
    return np.round(2 * X), y


def measure(name: str, budget: float, source: Path | None) -> dict:
    X, y = made_data(name)
    environment = dict(os.environ)
    if source is not None:
        environment["PYTHONPATH"] = str(source)
    with tempfile.TemporaryDirectory() as folder_name:
        folder = Path(folder_name)
        np.savez(folder / "data.npz", X=X, y=y)
        page, result = folder / "report.html", folder / "result.json"
        command = [sys.executable, "-m", "discrimap.cli", "compare", str(folder / "data.npz")]
        command += ["--budget", f"{budget:g}", "--json", str(result), "--out", str(page), "--quiet"]
        start = time.perf_counter()
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        first_page = None
        while process.poll() is None:
            if first_page is None and page.exists():
                first_page = time.perf_counter() - start
            time.sleep(0.05)
        seconds = time.perf_counter() - start
        if process.returncode:
            raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
        found = json.loads(result.read_text())
    return {
        "n_samples": X.shape[0],
        "n_features": X.shape[1],
        "n_classes": len(np.unique(y)),
        "budget": budget,
        "n_cores": len(os.sched_getaffinity(0)),
        "first_page": first_page or seconds,
        "seconds": seconds,
        "methods": {
            row["name"]: {key: row[key] for key in KEPT if key in row} for row in found["results"]
        },
    }


@contextlib.contextmanager
def busy_cores():
    """Keep every core busy with another process while the block runs."""
    context = multiprocessing.get_context("spawn")
    burners = [context.Process(target=_burn, daemon=True) for _ in os.sched_getaffinity(0)]
    for burner in burners:
        burner.start()
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()


def _burn():
    while True:
        sum(range(100_000))


if __name__ == "__main__":
    main()
