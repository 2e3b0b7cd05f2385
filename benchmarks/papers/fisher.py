"""Fisher t-SNE compared with its paper (Table 1) and with t-SNE on held-out points, and controls.

    python benchmarks/papers/fisher.py [--quick] [--data NAME ...]
        [--part original|table1|held_out|permuted|choices]

Needs the research data sets in the folder named by DISCRIMAP_DATA. Every part writes its results to
benchmarks/results/fisher.jsonl.
"""

import argparse
import logging
import sys
import time
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np

from discrimap import FisherMetric
from discrimap.metrics import knn_error, leave_one_out_error

sys.path.append(str(Path(__file__).resolve().parents[2]))
from benchmarks.papers.fisher_maps import (
    chance,
    fisher_tsne,
    joint_map_error,
    percent,
    placed_error,
    plain_tsne,
    problems,
    split,
    usable,
)
from benchmarks.results import add_options, open_store

WIDE = 2.0  # the second bandwidth, in perplexity widths


def original_error(squared, y):
    """Leave-one-out 1-NN error on a matrix of squared distances, ties shared."""
    squared = np.where(np.eye(len(y), dtype=bool), np.inf, squared)
    nearest = squared <= squared.min(axis=1, keepdims=True)
    wrong = y[:, None] != y
    return float(((nearest & wrong).sum(axis=1) / nearest.sum(axis=1)).mean())


def original_errors(n_runs, names):
    """Leave-one-out 1-NN errors without a map; of tied neighbours the first one, and shared."""
    table = {}
    for name, problem in problems(names).items():
        table[name] = {}
        for correction in ("clip", "none"):
            squared, _ = problem.plain_distances(correction)
            others = np.where(np.eye(len(squared), dtype=bool), np.inf, squared)
            first = np.mean(problem.y[others.argmin(axis=1)] != problem.y)
            shared = original_error(squared, problem.y)
            table[name][correction] = {"first": 100 * float(first), "shared": 100 * shared}
    return table


def table_1(n_runs, names):
    """Errors of the maps of all points, as the paper reports them, and its baseline."""
    table = {}
    for name, problem in problems(names).items():
        if name == "Vertebral":
            continue
        everyone, y = np.arange(len(problem.y)), problem.y
        probe = FisherMetric(kernel=problem.kernel, perplexity=usable(len(y))).fit(problem.X, y)
        row = {"negative": 100 * probe.negative_share_}
        for correction in ("clip", "none"):
            _, distances = problem.plain_distances(correction)
            maps = [np.array(plain_tsne(distances, seed, "random")) for seed in range(n_runs)]
            entry = {
                "t-SNE": percent([leave_one_out_error(Z, y, n_neighbors=1) for Z in maps]),
            }
            for factor in (1.0, WIDE):
                apparent, baseline = [], []
                for seed in range(n_runs):
                    tsne = fisher_tsne(problem, everyone, y, seed, factor, correction=correction)
                    apparent.append(leave_one_out_error(tsne.embedding_, y, n_neighbors=1))
                for seed in range(max(1, n_runs // 3)):
                    shuffled = np.random.default_rng(seed).permutation(y)
                    tsne = fisher_tsne(
                        problem, everyone, shuffled, seed, factor, correction=correction
                    )
                    baseline.append(leave_one_out_error(tsne.embedding_, shuffled, n_neighbors=1))
                entry[f"Fisher {factor:g}"] = percent(apparent)
                entry[f"baseline {factor:g}"] = percent(baseline)
            row[correction] = entry
            print(name, correction, entry, flush=True)
        table[name] = row
    return table


def held_out(n_splits, names):
    """1-NN errors of held-out points: plain t-SNE, Fisher t-SNE, Parzen, and permuted labels."""
    table = {}
    for name, problem in problems(names).items():
        y = problem.y
        squared, distances = problem.plain_distances()
        columns = defaultdict(list)
        for seed in range(n_splits):
            train, test = split(y, seed)
            new = problem.part(test, train)
            nearest = squared[np.ix_(test, train)].argmin(axis=1)
            columns["original 1-NN"].append(np.mean(y[train][nearest] != y[test]))
            plain = plain_tsne(distances[np.ix_(train, train)], seed)
            placed = np.array(plain.transform(distances[np.ix_(test, train)]))
            columns["t-SNE"].append(
                knn_error(np.array(plain), y[train], placed, y[test], n_neighbors=1)
            )
            for label, factor, bandwidth in (
                ("likelihood", 1.0, "likelihood"),
                ("1", 1.0, "perplexity"),
                (f"{WIDE:g}", WIDE, "perplexity"),
            ):
                tsne = fisher_tsne(problem, train, y[train], seed, factor, bandwidth=bandwidth)
                apparent = leave_one_out_error(tsne.embedding_, y[train], n_neighbors=1)
                columns[f"apparent {label}"].append(apparent)
                columns[f"Fisher {label}"].append(placed_error(tsne, new, y[train], y[test]))
                parzen = tsne.metric_.classes_[tsne.metric_.posterior_at(new).argmax(axis=1)]
                columns[f"Parzen {label}"].append(np.mean(parzen != y[test]))
                if label != f"{WIDE:g}":
                    together = joint_map_error(tsne.metric_, new, y[train], y[test], seed)
                    columns[f"together {label}"].append(together)
            shuffled = np.random.default_rng(seed).permutation(y)
            tsne = fisher_tsne(problem, train, shuffled[train], seed, bandwidth="likelihood")
            columns["permuted"].append(placed_error(tsne, new, shuffled[train], shuffled[test]))
        table[name] = {column: percent(values) for column, values in columns.items()}
        table[name]["chance"] = chance(y)
        print(name, table[name], flush=True)
    return table


def permuted(n_permutations, names):
    """Leave-one-out 1-NN error of maps of permuted labels, with and without cross-fitting."""
    table = {}
    for name, problem in problems(names).items():
        everyone, y = np.arange(len(problem.y)), problem.y
        columns = {"plain": [], "cross-fitted": [], "cross-fitted distances": []}
        for seed in range(n_permutations):
            shuffled = np.random.default_rng(seed).permutation(y)
            tsne = fisher_tsne(problem, everyone, shuffled, seed)
            columns["plain"].append(leave_one_out_error(tsne.embedding_, shuffled, n_neighbors=1))
            tsne = fisher_tsne(problem, everyone, shuffled, seed, cross_fit=True)
            columns["cross-fitted"].append(
                leave_one_out_error(tsne.embedding_, shuffled, n_neighbors=1)
            )
            columns["cross-fitted distances"].append(
                original_error(tsne.metric_.distances(), shuffled)
            )
        true = fisher_tsne(problem, everyone, y, 0, cross_fit=True)
        table[name] = {
            **{column: percent(values) for column, values in columns.items()},
            "true labels": 100 * leave_one_out_error(true.embedding_, y, n_neighbors=1),
            "chance": chance(y),
        }
        print(name, table[name], flush=True)
    return table


def choices(n_repeats, names):
    """How two defaults were chosen, on permutations and splits that no other part uses.

    The number of folds: how far maps of permuted labels, cross-fitted, lie from chance. The
    bandwidth of FisherTSNE: held-out errors by ``transform`` and of all points together.
    """
    table = {}
    for name, problem in problems(names).items():
        if name not in ("Aural Sonar", "Java", "Protein, D"):
            continue
        everyone, y, row = np.arange(len(problem.y)), problem.y, {}
        for n_folds in (3, 5, 10):
            errors = []
            for seed in range(1000, 1000 + 2 * n_repeats):
                shuffled = np.random.default_rng(seed).permutation(y)
                tsne = fisher_tsne(
                    problem, everyone, shuffled, seed, cross_fit=True, n_folds=n_folds
                )
                errors.append(leave_one_out_error(tsne.embedding_, shuffled, n_neighbors=1))
            mean, deviation = percent(errors)
            row[f"folds {n_folds}"] = [mean - chance(y), deviation / np.sqrt(len(errors))]
        for bandwidth in ("perplexity", "likelihood"):
            placed, together = [], []
            for seed in range(100, 100 + n_repeats):
                train, test = split(y, seed)
                new = problem.part(test, train)
                tsne = fisher_tsne(problem, train, y[train], seed, bandwidth=bandwidth)
                placed.append(placed_error(tsne, new, y[train], y[test]))
                together.append(joint_map_error(tsne.metric_, new, y[train], y[test], seed))
            row[f"placed {bandwidth}"] = percent(placed)
            row[f"together {bandwidth}"] = percent(together)
        table[name] = row
        print(name, row, flush=True)
    return table


PARTS = {  # part: function, repeats
    "original": (original_errors, 1),
    "table1": (table_1, 10),
    "held_out": (held_out, 8),
    "permuted": (permuted, 16),
    "choices": (choices, 8),
}


def keep(store, part, n, table):
    """Add a part to the results; data sets with another number of repeats are forgotten."""
    records = {(part, "n"): n} | {(part, "table", name): row for name, row in table.items()}
    has_changed = store.tree(part).get("n") != n
    store.update(records, forget=(part,) if has_changed else None)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_options(parser, quick="Table 1 with one run")
    parser.add_argument("--part", choices=PARTS, default=None)
    parser.add_argument("--data", nargs="+", default=None, help="some of the data sets only")
    options = parser.parse_args(argv)
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)  # openTSNE's remarks on perplexity
    wanted = ("original", "table1") if options.quick else PARTS
    store = open_store("fisher", options)
    for name in (options.part,) if options.part else wanted:
        run, repeats = PARTS[name]
        n = 1 if options.quick else repeats
        start = time.perf_counter()
        table = run(n, options.data)
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)
        keep(store, name, n, table)


if __name__ == "__main__":
    main()
