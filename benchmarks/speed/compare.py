"""``discrimap compare`` on 10,000 x 100 with 10 classes, in its default budget.

Runs the command as a user does and writes what it reached, beside what the registry had estimated,
to docs/benchmarks/compare-speed.md (and .json). ``--quick`` uses 1,000 x 20 and a minute.
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

from discrimap.cli.compare import SHARE_OF_REPORT
from discrimap.comparison.compare import SHARE_OF_ONE_METHOD
from discrimap.costs import Shape
from discrimap.registry import get_method

DOCS = Path(__file__).parents[2] / "docs" / "benchmarks"
FULL = {"n_samples": 10_000, "n_features": 100, "n_classes": 10, "budget": 300.0}
N_FITS = 10  # five splits, each with the labels and with permuted ones
QUICK = {"n_samples": 1_000, "n_features": 20, "n_classes": 5, "budget": 60.0}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=Path, default=DOCS)
    arguments = parser.parse_args()
    measured = measure(QUICK if arguments.quick else FULL)
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / "compare-speed.json"
    path.write_text(json.dumps(measured, indent=1) + "\n")
    path.with_suffix(".md").write_text(page(measured))
    print(page(measured))


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


def page(measured: dict) -> str:
    methods = measured["methods"]
    for_report = min(60.0, SHARE_OF_REPORT * measured["budget"])
    n_done = sum(row["status"] == "done" for row in methods)
    lines = [
        "# `discrimap compare` within its budget",
        "",
        "From `benchmarks/speed/compare.py`; data made by scikit-learn's `make_classification`.",
        "",
        f"{measured['n_samples']:,} x {measured['n_features']}, {measured['n_classes']} classes, "
        f"{measured['n_cores']} cores, 5 splits, each also with permuted labels, report included: "
        f"**{n_done} of {len(methods)} methods done in {measured['seconds']:.0f} s** (budget "
        f"{measured['budget']:.0f} s). The report has {measured['report_bytes'] / 1e6:.1f} MB.",
        "",
        "Planned and CPU seconds are of all ten fits of a method; a method is ended after "
        f"{SHARE_OF_ONE_METHOD * (measured['budget'] - for_report):.0f} s.",
        "",
        "| method | held-out error | seconds per fit | planned | CPU | smaller than asked, or why not |",
        "|---|---|---|---|---|---|",
    ]
    for row in methods:
        if row["status"] == "done":
            smaller = [text for text in row["notices"] if "to stay within the budget" in text]
            figures = (
                f"{100 * row['error']:.1f} % | {row['seconds']:.2f} | "
                f"{N_FITS * row['estimated_seconds']:.1f} | {row['cpu_seconds']:.1f} | "
                f"{'; '.join(smaller)}"
            )
        else:
            figures = f"| | | | {row['status']}: {row['reason']}"
        lines.append(f"| {row['label']} | {figures} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
