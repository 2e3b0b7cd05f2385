"""``discrimap compare`` on 10,000 x 100 with 10 classes, in its default budget.

Runs the command as a user does and writes what it reached, beside what the registry had estimated,
to benchmarks/results/compare-speed.jsonl. ``--quick`` uses 1,000 x 20 and a minute.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import make_classification

from discrimap.costs import Shape
from discrimap.registry import get_method

sys.path.append(str(Path(__file__).resolve().parents[2]))
from benchmarks.results import add_options, numbered, open_store

FULL = {"n_samples": 10_000, "n_features": 100, "n_classes": 10, "budget": 300.0}
QUICK = {"n_samples": 1_000, "n_features": 20, "n_classes": 5, "budget": 60.0}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser, quick="1,000 x 20, a minute")
    arguments = parser.parse_args()
    measured = measure(QUICK if arguments.quick else FULL)
    methods = numbered("methods", measured.pop("methods"))
    open_store("compare-speed", arguments).update({("run",): measured} | methods, forget=())


def measure(size: dict) -> dict:
    """Run the command on made-up classes; 20 of the features say something about them."""
    X, y = make_classification(
        size["n_samples"],
        size["n_features"],
        n_informative=min(20, size["n_features"]),
        n_classes=size["n_classes"],
        n_clusters_per_class=2,
        random_state=0,
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.savez(folder / "made.npz", X=X, y=y)
        command = [sys.executable, "-m", "discrimap.cli", "compare", str(folder / "made.npz")]
        command += ["--budget", f"{size['budget']:g}", "--json", str(folder / "result.json")]
        command += ["--out", str(folder / "report.html")]
        start = time.perf_counter()
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        seconds = time.perf_counter() - start
        result = json.loads((folder / "result.json").read_text())
        report_bytes = (folder / "report.html").stat().st_size
    return {
        **size,
        "n_cores": os.cpu_count(),
        "seconds": seconds,
        "report_bytes": report_bytes,
        "output": done.stdout.splitlines(),
        "methods": [with_estimate(row, size) for row in result["results"]],
    }


def with_estimate(row: dict, size: dict) -> dict:
    kept = ("name", "label", "status", "reason", "seconds", "cpu_seconds", "n_fitted")
    kept += ("n_landmarks", "notices")
    shape = Shape(
        row["n_fitted"], size["n_features"], size["n_classes"], 2, n_landmarks=row["n_landmarks"]
    )
    n_new = math.ceil(size["n_samples"] / 3)  # the stopwatch includes the map of held-out points
    estimate = get_method(row["name"]).seconds(shape, n_new) if row["status"] == "done" else None
    error = float(np.mean(row["test_errors"])) if row["test_errors"] else None
    return {key: row[key] for key in kept} | {"error": error, "estimated_seconds": estimate}


if __name__ == "__main__":
    main()
