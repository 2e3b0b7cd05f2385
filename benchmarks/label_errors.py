"""Planted label errors: how many are found, and how many correct labels are listed.

    python benchmarks/label_errors.py [--part planted command] [--quick] [--draws 0 1 2 3 4] [--again]

``planted``: data sets of at most 1,000 rows, with and without overlapping classes, with unchanged labels
and with two kinds of errors. Every method of the registry is compared once for each data set (one split, in
one minute), and the jury of each draw is chosen among those that ended. The list of discrimap is compared
with its earlier rule (every label with fewer votes than another), and with published confident learning,
with the votes of the same jury and with a logistic regression. The data sets must not be those that the
estimate was chosen on (TUNING).

``command``: three percent of the labels of digits are changed at random, and ``discrimap compare`` runs
with its defaults. Its list is read from the top until four fifths of the changed labels are found.

Every draw is stored when it ends, so that a run can be stopped and continued. ``--quick`` runs one draw,
with five methods.
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

from discrimap.comparison import Protocol, compare
from discrimap.datasets import load
from discrimap.inspection import NamedProblem
from discrimap.inspection.budget import Budget
from discrimap.inspection.jury import convene_jury
from discrimap.inspection.suspects import find_suspects

sys.path.append(str(Path(__file__).resolve().parents[1]))
from benchmarks.confident_learning import list_wrong, logistic_probabilities
from benchmarks.results import add_options, open_store

FEW_METHODS = "pca,lda,plsda,dp,spca"
# command
SHARE, RECALL = 0.03, 0.8
# planted
MOST_ROWS = 1000
FLIPPED, FLIPPED_OF_CLASS = 0.05, 0.1
SEPARATE = ("digits", "usps", "mushroom")
OVERLAPPING = ("vehicle", "mfeat_fou", "phoneme", "imbalanced")
KINDS = ("clean", "at random", "by class")
# What the constants of discrimap.inspection.wrong_labels were chosen on.
TUNING = "segmentation, newthyroid, seeds, wbc, wine, mnist5k, vertebral, satellite, lvqpak, higgs11k, covertype93k, ohsumed"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser, quick="one draw, five methods")
    parser.add_argument("--part", nargs="+", default=["planted", "command"])
    parser.add_argument("--draws", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--again", action="store_true", help="also the draws that are stored")
    arguments = parser.parse_args()
    draws = arguments.draws[:1] if arguments.quick else arguments.draws
    store = open_store("label_errors", arguments)
    if "planted" in arguments.part:
        for name in (*SEPARATE, *OVERLAPPING):
            plant(store, name, draws, arguments)
    if "command" in arguments.part:
        options = ["--methods", FEW_METHODS, "--repeats", "1"] if arguments.quick else []
        for seed in draws:
            if arguments.again or str(seed) not in store.tree("command"):
                store.put(("command", seed), run_command(seed, options))


def plant(store, name, draws, arguments):
    """Measure the draws of one data set that are not stored."""
    stored = store.tree("planted", name)
    todo = [
        (draw, kind)
        for draw in draws
        for kind in KINDS
        if arguments.again or str(draw) not in stored.get(kind, {})
    ]
    if not todo:
        return
    X, truth = samples_of(name, 0)
    methods = FEW_METHODS.split(",") if arguments.quick else None
    protocol = Protocol(n_repeats=1)
    comparison = compare(X, truth, methods, protocol=protocol, budget=60.0)
    for draw, kind in todo:
        X, truth = samples_of(name, draw)
        given = with_errors(truth, kind, draw)
        row = measure(X, truth, given, comparison, Protocol(n_repeats=1, seed=draw))
        row["n_methods"] = len(comparison.done)
        store.put(("planted", name, kind, draw), row)
        print(name, kind, draw, row, flush=True)


def samples_of(name, draw):
    """At most MOST_ROWS samples of a data set, others in each draw."""
    rng = np.random.default_rng([draw, 1])
    if name == "imbalanced":
        return imbalanced(rng)
    if name == "digits":
        X, y = load_digits(return_X_y=True)
    else:
        dataset = load(name)
        X, y = dataset.X.astype(float), dataset.y
    rows = rng.permutation(len(y))[:MOST_ROWS]
    return X[rows], y[rows].astype(int)


def imbalanced(rng):
    """Classes of 93, 5 and 2 %: the second inside the first, the third half outside."""
    y = np.repeat([0, 1, 2], [930, 50, 20])
    X = rng.standard_normal((1000, 8))
    X[y == 1] *= 0.8
    X[y == 2, 0] += 3.0
    return X, y


def with_errors(truth, kind, draw):
    """The labels with errors: 5 % of all, or 10 % of every second class."""
    rng = np.random.default_rng([draw, 2])
    n_classes = truth.max() + 1
    given = truth.copy()
    if kind == "at random":
        rows = rng.choice(len(truth), round(FLIPPED * len(truth)), replace=False)
        given[rows] = (truth[rows] + rng.integers(1, n_classes, len(rows))) % n_classes
    elif kind == "by class":
        for label in range(1, n_classes, 2):
            members = np.flatnonzero(truth == label)
            rows = rng.choice(members, round(FLIPPED_OF_CLASS * len(members)), replace=False)
            given[rows] = label - 1
    return given


def measure(X, truth, given, comparison, protocol):
    """What each rule lists, and how much of it is wrong."""
    n_classes = truth.max() + 1
    names = tuple(map(str, range(n_classes)))
    samples = NamedProblem(X, given, "classification", names, tuple(map(str, range(X.shape[1]))))
    jury = convene_jury(comparison, samples, protocol, Budget(600))
    suspects = find_suspects(jury, samples)
    found = [item.row for item in suspects.items]
    probabilities = logistic_probabilities(X, given, protocol.seed)
    lists = {
        "before": found,
        "after": found[: suspects.n_estimated],
        "confident learning, same votes": list_wrong(jury.votes, given),
        "confident learning, logistic": list_wrong(probabilities, given),
    }
    is_wrong = given != truth
    return {
        "n_samples": len(given),
        "n_wrong": int(is_wrong.sum()),
        "jurors": [label for label, _ in jury.jurors],
        "lists": {
            rule: {"n_listed": len(rows), "n_hits": int(is_wrong[rows].sum()) if len(rows) else 0}
            for rule, rows in lists.items()
        },
    }


def run_command(seed: int, options: list[str]) -> dict:
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
    # Files count rows from 1.
    is_hit = np.isin([item["row"] - 1 for item in suspects["items"]], flipped)
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
