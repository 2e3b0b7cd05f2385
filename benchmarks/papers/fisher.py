"""Fisher t-SNE against its paper (Table 1), held-out errors beside plain t-SNE, and controls.

    python benchmarks/papers/fisher.py [--quick] [--data NAME ...]
        [--part original|table1|held_out|permuted|figure|tables]

Needs the research data sets in the folder named by DISCRIMAP_DATA. Every part writes its results to
docs/benchmarks/fisher.json; docs/benchmarks/fisher.md is written from that file and from
docs/benchmarks/fisher-speed.json, which benchmarks/speed/fisher.py writes.
"""

import argparse
import json
import logging
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from fisher_tables import markdown
from sklearn.model_selection import train_test_split

from discrimap import FisherMetric, FisherTSNE
from discrimap.datasets import load
from discrimap.fisher.embedding import embed
from discrimap.fisher.geometry import make_geometry
from discrimap.metrics import knn_error, leave_one_out_error

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "benchmarks"
RESULTS, SPEED = FOLDER / "fisher.json", FOLDER / "fisher-speed.json"
PERPLEXITY = 30
WIDE = 2.0  # the second bandwidth, in perplexity widths


@dataclass(frozen=True)
class Problem:
    """A data set as it enters the metric."""

    kernel: str
    X: np.ndarray
    y: np.ndarray

    def part(self, rows, columns):
        columns = slice(None) if self.kernel == "euclidean" else columns
        return self.X[rows][:, columns]

    def plain_distances(self, correction="none"):
        """Distances among all points in the original space; imaginary ones count as zero."""
        geometry = make_geometry(self.kernel, correction)
        points = geometry.fit(self.X)
        squared = geometry.squared(points, geometry.at(points, np.arange(len(points))))
        return squared, np.sqrt(np.maximum(squared, 0))


def problems(names=None):
    sonar, voting, protein = load("aural_sonar"), load("voting"), load("protein")
    java, vertebral = load("java_sorting"), load("vertebral")
    every = {
        "Aural Sonar": Problem("precomputed", sonar.extras["S"].astype(float), sonar.y),
        "Voting": Problem("precomputed", voting.extras["S"].astype(float), voting.y),
        "Protein, S_chen": Problem("precomputed", protein.extras["S_chen"], protein.y),
        "Protein, D": Problem("precomputed_distance", protein.extras["D"], protein.y),
        "Java": Problem("precomputed_distance", java.extras["D_ted"].astype(float), java.y),
        "Vertebral": Problem("euclidean", vertebral.X.astype(float), vertebral.y),
    }
    return {name: every[name] for name in names or every}


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


def usable(n_samples):
    return min(PERPLEXITY, (n_samples - 1) / 3)


def plain_tsne(distances, seed, init="spectral"):
    """OpenTSNE as it comes, on given distances."""
    import openTSNE

    return openTSNE.TSNE(
        perplexity=usable(len(distances)),
        metric="precomputed",
        initialization=init,
        random_state=seed,
    ).fit(distances)


def fisher_tsne(problem, rows, y, seed, factor=1.0, *, bandwidth="perplexity", **metric):
    """Fit FisherTSNE on some rows; a factor multiplies the perplexity bandwidth."""
    X = problem.part(rows, rows)
    parameters = {"kernel": problem.kernel, "perplexity": usable(len(rows)), "random_state": seed}
    if factor != 1.0:
        fitted = FisherMetric(**parameters, **metric).fit(X, y)
        bandwidth = factor * fitted.perplexity_bandwidth_ * (1 - 1e-9)
    return FisherTSNE(
        metric=FisherMetric(bandwidth, **parameters, **metric),
        perplexity=usable(len(rows)),
        random_state=seed,
    ).fit(X, y)


def percent(values):
    return [100 * float(np.mean(values)), 100 * float(np.std(values))]


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


def joint_map_error(metric, problem, train, test, y, seed):
    """Held-out error when unlabelled test points are embedded together with the others."""
    both = np.concatenate([train, test])
    distances = metric.distances_among(problem.part(both, train))
    np.fill_diagonal(distances, np.inf)
    perplexity = usable(len(both))
    indices = np.argsort(distances, axis=1, kind="stable")[:, : int(3 * perplexity)]
    start = 1e-4 * np.random.default_rng(seed).standard_normal((len(both), 2))
    positions, _, _ = embed(
        start,
        np.take_along_axis(distances, indices, axis=1),
        indices,
        perplexity,
        n_early=250,
        n_iter=500,
        on_step=lambda *state: False,
        n_jobs=1,
    )
    n_train = len(train)
    return knn_error(positions[:n_train], y[train], positions[n_train:], y[test], n_neighbors=1)


def held_out(n_splits, names):
    """1-NN errors of held-out points: plain t-SNE, Fisher t-SNE, Parzen, and permuted labels."""
    table = {}
    for name, problem in problems(names).items():
        y = problem.y
        squared, distances = problem.plain_distances()
        columns = {}

        def add(column, value, columns=columns):
            columns.setdefault(column, []).append(float(value))

        for seed in range(n_splits):
            train, test = train_test_split(
                np.arange(len(y)), test_size=0.3, stratify=y, random_state=seed
            )
            nearest = squared[np.ix_(test, train)].argmin(axis=1)
            add("original 1-NN", np.mean(y[train][nearest] != y[test]))
            plain = plain_tsne(distances[np.ix_(train, train)], seed)
            placed = np.array(plain.transform(distances[np.ix_(test, train)]))
            add(
                "t-SNE",
                knn_error(np.array(plain), y[train], placed, y[test], n_neighbors=1),
            )
            new = problem.part(test, train)
            for label, factor, bandwidth in (
                ("1", 1.0, "perplexity"),
                (f"{WIDE:g}", WIDE, "perplexity"),
                ("likelihood", 1.0, "likelihood"),
            ):
                tsne = fisher_tsne(problem, train, y[train], seed, factor, bandwidth=bandwidth)
                add(
                    f"apparent {label}",
                    leave_one_out_error(tsne.embedding_, y[train], n_neighbors=1),
                )
                add(
                    f"Fisher {label}",
                    knn_error(
                        tsne.embedding_, y[train], tsne.transform(new), y[test], n_neighbors=1
                    ),
                )
                parzen = tsne.metric_.classes_[tsne.metric_.posterior(new).argmax(axis=1)]
                add(f"Parzen {label}", np.mean(parzen != y[test]))
                if label == "1":
                    add(
                        "together",
                        joint_map_error(tsne.metric_, problem, train, test, y, seed),
                    )
            shuffled = np.random.default_rng(seed).permutation(y)
            tsne = fisher_tsne(problem, train, shuffled[train], seed)
            add(
                "permuted",
                knn_error(
                    tsne.embedding_,
                    shuffled[train],
                    tsne.transform(new),
                    shuffled[test],
                    n_neighbors=1,
                ),
            )
        table[name] = {column: percent(values) for column, values in columns.items()}
        table[name]["chance"] = 100 * (1 - float((np.bincount(y) ** 2).sum()) / len(y) ** 2)
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
        counts = np.bincount(y)
        table[name] = {
            **{column: percent(values) for column, values in columns.items()},
            "true labels": 100 * leave_one_out_error(true.embedding_, y, n_neighbors=1),
            # Another sample, drawn at random, is of another class.
            "chance": 100 * (1 - float((counts * (counts - 1)).sum()) / (len(y) * (len(y) - 1))),
        }
        print(name, table[name], flush=True)
    return table


def figure(path):
    """Fig. 1 of the paper, with held-out points marked and their errors in the titles."""
    from matplotlib.figure import Figure

    from discrimap.plots import plot_side_by_side

    names = ["Aural Sonar", "Protein, D", "Voting", "Java"]
    drawing = Figure(figsize=(12, 4.2 * len(names)), layout="constrained")
    axes = drawing.subplots(len(names), 2)
    for row, name in zip(axes, names, strict=True):
        problem = problems()[name]
        y = problem.y
        train, test = train_test_split(np.arange(len(y)), test_size=0.3, stratify=y, random_state=0)
        both = np.concatenate([train, test])
        _, distances = problem.plain_distances()
        plain = plain_tsne(distances[np.ix_(train, train)], 0)
        placed = np.array(plain.transform(distances[np.ix_(test, train)]))
        tsne = fisher_tsne(problem, train, y[train], 0)
        maps = {
            f"{name}: t-SNE": np.concatenate([np.array(plain), placed]),
            f"{name}: Fisher t-SNE": np.concatenate(
                [tsne.embedding_, tsne.transform(problem.part(test, train))]
            ),
        }
        is_test = np.arange(len(y)) >= len(train)
        plot_side_by_side(maps, y[both], is_test=is_test, axes=row)
    path.parent.mkdir(parents=True, exist_ok=True)
    drawing.savefig(path, dpi=70)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="two repeats of everything")
    parser.add_argument(
        "--part",
        choices=["original", "table1", "held_out", "permuted", "figure", "tables"],
        default=None,
    )
    parser.add_argument("--data", nargs="+", default=None, help="some of the data sets only")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)  # openTSNE's remarks on perplexity
    parts = {
        "original": (original_errors, 1),
        "table1": (table_1, 5),
        "held_out": (held_out, 8),
        "permuted": (permuted, 8),
    }
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, (run, repeats) in parts.items():
        if options.part in (None, name):
            n = 2 if options.quick else repeats
            start = time.perf_counter()
            table = run(n, options.data)
            print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)
            # Parts may run at the same time: read again what others have written.
            results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
            known = results.get(name, {})
            others = known.get("table", {}) if known.get("n") == n else {}
            results[name] = {"n": n, "table": {**others, **table}}
            RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    if options.part in (None, "figure"):
        figure(FOLDER / "fisher-figure1.png")
    speed = json.loads(SPEED.read_text()) if SPEED.exists() else {}
    has_figure = (FOLDER / "fisher-figure1.png").exists()
    (FOLDER / "fisher.md").write_text(markdown(results, speed, has_figure))


if __name__ == "__main__":
    main()
