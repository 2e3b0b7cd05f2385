"""Planted label errors, found by ``discrimap compare`` as a user runs it: every default.

Three per cent of the labels of digits are flipped to another digit at random; the list of suspicious
labels in the result is read from the top until four fifths of them are found. Each seed is stored as
it ends, so that a run can be stopped and continued. ``--quick`` runs one seed, with five methods and one split.

    python benchmarks/label_errors.py [--quick] [--seeds 0 1 2 3 4] [--again]
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

sys.path.append(str(Path(__file__).resolve().parents[1]))
from benchmarks.results import add_options, open_store

SHARE, RECALL = 0.03, 0.8


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser, quick="one seed, five methods, one split")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--again", action="store_true", help="also the seeds that are stored")
    arguments = parser.parse_args()
    seeds = arguments.seeds[:1] if arguments.quick else arguments.seeds
    options = ["--methods", "pca,lda,plsda,dp,spca", "--repeats", "1"] if arguments.quick else []
    store = open_store("label_errors", arguments)
    for seed in seeds:
        if arguments.again or str(seed) not in store.tree():
            store.put((seed,), measure(seed, options))


def measure(seed: int, options: list[str]) -> dict:
    """Run the command on digits with wrong labels, and look where they are in its list."""
    X, truth = load_digits(return_X_y=True)
    rng = np.random.default_rng(seed)
    flipped = rng.choice(len(truth), round(SHARE * len(truth)), replace=False)
    y = truth.copy()
    y[flipped] = (truth[flipped] + rng.integers(1, 10, len(flipped))) % 10
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = folder / "digits.csv"
        with table.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([*(f"pixel {i}" for i in range(X.shape[1])), "digit"])
            writer.writerows([*row, f"digit {label}"] for row, label in zip(X, y, strict=True))
        command = [sys.executable, "-m", "discrimap.cli", "compare", str(table)]
        command += ["--target", "digit", "--out", str(folder / "report.html")]
        command += ["--json", str(folder / "result.json"), *options]
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, text=True)
        seconds = time.perf_counter() - start
        result = json.loads((folder / "result.json").read_text())
    suspects = result["inspection"]["suspects"]
    is_hit = np.isin([item["row"] for item in suspects["items"]], flipped)
    needed = int(np.ceil(RECALL * len(flipped)))
    n_read = int(np.searchsorted(np.cumsum(is_hit), needed)) + 1
    return {
        "n_flipped": len(flipped),
        "n_listed": suspects["n_found"],
        "n_found": int(is_hit.sum()),
        "precision": needed / n_read if is_hit.sum() >= needed else 0.0,
        "jurors": [label for label, _ in suspects["jurors"]],
        "n_methods": len(result["results"]),
        "not_done": {
            row["label"]: row["reason"] for row in result["results"] if row["status"] != "done"
        },
        "options": options,
        "seconds": seconds,
    }


if __name__ == "__main__":
    main()
