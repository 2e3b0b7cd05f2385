"""Discriminative projections against their paper: Figs. 3 to 7 and Table 1.

    python benchmarks/papers/projections.py [--quick] [--part usps] [--resume]

Needs the research data sets in the folder named by DISCRIMAP_DATA. Every piece (a split of a part)
is stored in docs/benchmarks/projections.json as soon as it is done, so that --resume goes on where a
run was stopped; docs/benchmarks/projections.md and the pictures beside it are written from that
file.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np
from at_hand import why_not
from scipy.linalg import subspace_angles
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LinearRegression

from discrimap import DiscriminativeProjections, LocalityPreservingProjections
from discrimap.datasets import load
from discrimap.errors import InputError
from discrimap.linalg.reductions import leading_space
from discrimap.metrics import class_retention, neighbor_retention

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "benchmarks"
KS = np.arange(1, 11)
# Table 1 of the paper: DP 1-D, DP 30-D, LDA 1-D, LPP 1-D, LPP 30-D, original, in percent.
TABLE_1 = {
    "OHSUMED": (60.24, 68.83, 49.78, 60.73, 64.98, 63.56),
    "Mushroom": (52.83, 76.34, 68.36, 48.95, 52.35, 54.67),
}
TABLE_1_METHODS = ("DP 1-D", "DP 30-D", "LDA 1-D", "LPP 1-D", "LPP 30-D", "original")


def run_usps(seed):
    """Fig. 3: class retention among the test half, maps fitted to the other half."""
    data = load("usps")
    X, y = data.X.astype(np.float64), data.y
    train, test = np.split(np.random.default_rng(seed).permutation(len(y)), [4649])
    dp = DiscriminativeProjections(50).fit(X[train], y[train])
    lpp = LocalityPreservingProjections(50).fit(X[train])
    pca = PCA(50, random_state=0).fit(X[train])
    lda = LinearDiscriminantAnalysis().fit(X[train], y[train])
    Z_dp, Z_lpp, Z_pca = (model.transform(X[test]) for model in (dp, lpp, pca))
    maps = {
        "DP 9-D": Z_dp[:, :9],
        "DP 50-D": Z_dp,
        # Scaled by B + C: v'(B + C)v = 1 + nu = 1 / lambda where v'(A + C)v = 1.
        "DP 50-D, paper's scale": Z_dp * np.sqrt(dp.eigenvalues_),
        "LDA 9-D": lda.transform(X[test]),
        "LPP 9-D": Z_lpp[:, :9],
        "LPP 50-D": Z_lpp,
        "PCA 9-D": Z_pca[:, :9],
        "PCA 50-D": Z_pca,
        "original": X[test],
    }
    return {name: class_retention(Z, y[test], KS).tolist() for name, Z in maps.items()}


def run_prototypes(_):
    """Fig. 5: the digits' labels in the map of all of USPS."""
    data = load("usps")
    return {
        mu: DiscriminativeProjections(2, mu=value).fit(data.X, data.y).prototypes_.tolist()
        for mu, value in (("auto", "auto"), ("1e-10", 1e-10))
    }


def run_continuous(seed):
    """Fig. 4: digits 1 to 4, labels taken as numbers; held-out half."""
    data = load("usps")
    chosen = (data.y >= 1) & (data.y <= 4)
    X, y = data.X[chosen].astype(np.float64), data.y[chosen]
    train, test = np.split(np.random.default_rng(seed).permutation(len(y)), [len(y) // 2])
    models = {
        "DP, continuous": DiscriminativeProjections(2, target="continuous"),
        "DP, classes": DiscriminativeProjections(2),
        "LDA": LinearDiscriminantAnalysis(),
    }
    correlations = {}
    for name, model in models.items():
        first = model.fit(X[train], y[train]).transform(X[test])[:, 0]
        correlations[name] = abs(spearmanr(first, y[test])[0])
    return correlations


def load_text():
    """The four largest classes of TDT2, tf-idf with rows of length 1, sparse."""
    data = load("tdt2")
    largest = data.y < 4
    return TfidfTransformer().fit_transform(data.X[largest]), data.y[largest]


def hide_two_thirds(y, seed):
    rng = np.random.default_rng(seed)
    labels = y.copy()
    for c in np.unique(y):
        members = rng.permutation(np.flatnonzero(y == c))
        labels[members[len(members) // 3 :]] = -1
    return labels


@cache
def text_reduction():
    """The leading 300 singular directions of TDT2, which every fit would find anew."""
    return leading_space(load_text()[0], 300, 0)


def text_fit(model, labels=None):
    """Fit to TDT2 and map it, with the reduction found once: the seed is the same."""

    def found_before(X, n_reduced, random_state):
        assert (n_reduced, random_state) == (300, 0)
        return text_reduction()

    X, _ = load_text()
    with patch("discrimap.linalg.reductions.leading_space", found_before):
        return model.fit(X, labels).transform(X)


@cache
def text_without_labels():
    """Maps of TDT2 that no label enters, and their topology: the same in every split."""
    X, _ = load_text()
    reduced = text_reduction().coordinates
    lpp = text_fit(LocalityPreservingProjections(100, metric="cosine", random_state=0))
    maps = {
        "LPP 3-D": lpp[:, :3],
        "LPP 100-D": lpp,
        "SVD 3-D": reduced[:, :3],
        "SVD 100-D": reduced[:, :100],
    }
    topology = {name: neighbor_retention(X, Z, KS).tolist() for name, Z in maps.items()}
    # The original space itself in the topology, its leading directions for the classes.
    return maps | {"original": reduced}, topology | {"original": np.ones(len(KS)).tolist()}


def run_tdt2(seed):
    """Figs. 6 and 7: a third of the labels; topology of all points, classes of the unlabelled."""
    X, y = load_text()
    labels = hide_two_thirds(y, seed)
    hidden = labels < 0
    maps, topology = text_without_labels()
    dp = DiscriminativeProjections(100, metric="cosine", random_state=0)
    Z_dp = text_fit(dp, labels)
    # scikit-learn's LDA takes no sparse samples: it gets the leading 300 directions.
    lda = LinearDiscriminantAnalysis().fit(maps["original"][~hidden], y[~hidden])
    supervised = {
        "DP 3-D": Z_dp[:, :3],
        "DP 100-D": Z_dp,
        "LDA 3-D": lda.transform(maps["original"]),
    }
    return {
        "topology": {n: neighbor_retention(X, Z, KS).tolist() for n, Z in supervised.items()}
        | topology,
        "class": {
            name: class_retention(Z[hidden], y[hidden], KS).tolist()
            for name, Z in (supervised | maps).items()
        },
    }


def run_memory(_):
    """Peak memory, in a process of its own."""
    load_text()  # says here, not there, that the data are missing
    command = [sys.executable, __file__, "--memory"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return {"peak_megabytes": float(done.stdout)}


def peak_memory():
    """Peak of a process that loads TDT2, fits 100 components by "svd" and maps it, in megabytes."""
    X, y = load_text()
    labels = hide_two_thirds(y, 0)
    model = DiscriminativeProjections(100, metric="cosine", solver="svd", random_state=0)
    model.fit(X, labels).transform(X)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run_solvers(_, n_documents=1000):
    """The exact solvers against each other on part of TDT2."""
    X, y = load_text()
    chosen = np.random.default_rng(0).permutation(len(y))[:n_documents]
    X, labels = X[chosen], hide_two_thirds(y, 0)[chosen]
    rows, fitted = [], {}
    for n_components in (3, 10):
        for solver in ("dense", "lobpcg", "svd"):
            model = DiscriminativeProjections(
                n_components, metric="cosine", solver=solver, random_state=0
            )
            fitted[solver] = model.fit(X, labels).components_.T
            angle = float(np.degrees(subspace_angles(fitted["dense"], fitted[solver])[0]))
            rows.append(
                {
                    "solver": solver,
                    "n_components": n_components,
                    "angle": angle,
                    "n_iter": model.n_iter_,
                }
            )
    return {"n_documents": n_documents, "rows": rows}


def load_ohsumed():
    data = load("ohsumed")
    # Three test folds of the five give the paper's 10,494 pairs.
    chosen = np.isin(data.extras["fold"], [1, 4, 5])
    return data.X[chosen].astype(np.float64), (data.y[chosen] > 0).astype(int)


def load_mushroom():
    data = load("mushroom")
    return data.X.astype(np.float64), data.y


@cache
def load_table_1():
    """The sets that are at hand; an error if there is none."""
    found = {}
    for name, load_one in (("OHSUMED", load_ohsumed), ("Mushroom", load_mushroom)):
        try:
            found[name] = load_one()
        except InputError as error:
            print(f"{name}: {why_not(error)}", flush=True)
            problem = error
    if not found:
        raise problem
    return found


@cache
def table_1_without_labels(name):
    X, _ = load_table_1()[name]
    lpp = LocalityPreservingProjections(30).fit_transform(X)
    return {
        "LPP 1-D": lpp[:, :1],
        "LPP 30-D": lpp,
        "PCA 30-D": PCA(30, random_state=0).fit_transform(X),
        "original": X,
    }


def run_table_1(seed):
    """500 labels, linear regression on the features, accuracy on all other samples."""
    results = {}
    for name, (X, y) in load_table_1().items():
        known = np.random.default_rng(seed).permutation(len(y))[:500]
        labels = np.full(len(y), -1)
        labels[known] = y[known]
        dp = DiscriminativeProjections(30).fit(X, labels).transform(X)
        lda = LinearDiscriminantAnalysis().fit(X[known], y[known]).transform(X)
        maps = {"DP 1-D": dp[:, :1], "DP 30-D": dp, "LDA 1-D": lda, **table_1_without_labels(name)}
        rest = labels < 0
        row = {
            "n_samples": len(y),
            "majority": max(np.mean(y[rest]), 1 - np.mean(y[rest])),
        }
        for method, Z in maps.items():
            model = LinearRegression().fit(Z[known], y[known])
            row[method] = np.mean((model.predict(Z[rest]) > 0.5) == y[rest])
        results[name] = row
    return results


# Each part with the number of its splits; those with 1 are not random.
PARTS = {
    "usps": (run_usps, 5),
    "prototypes": (run_prototypes, 1),
    "continuous": (run_continuous, 5),
    "tdt2": (run_tdt2, 5),
    "memory": (run_memory, 1),
    "solvers": (run_solvers, 1),
    "table1": (run_table_1, 5),
}
QUICK = ("usps", "tdt2", "table1")  # what the page of all papers shows


def splits_of(results, part):
    """What is stored of a part, in the order of the splits."""
    return [results[part][seed] for seed in sorted(results[part], key=int)]


def by_kind(rows):
    """From one mapping for each split to one list of splits for each kind."""
    return {kind: [row[kind] for row in rows] for kind in rows[0]}


def mean_curves(rows):
    return {name: np.mean([row[name] for row in rows], axis=0) for name in rows[0]}


def deviations(rows):
    return {name: np.std([row[name] for row in rows], axis=0) for name in rows[0]}


def ranking(mean, names):
    """Maps by their retention at K = 1, the best first."""
    return ", ".join(
        f"{name} {mean[name][0]:.4f}" for name in sorted(names, key=lambda name: -mean[name][0])
    )


def closest_pair(places):
    """The two digits whose labels lie closest, and their distance beside the extent of all."""
    distances = pdist(places)
    first, second = np.triu_indices(len(places), 1)
    closest = distances.argmin()
    share = distances[closest] / distances.max()
    return f"{first[closest]} and {second[closest]} ({100 * share:.1f} % of the largest distance)"


def curve_table(rows):
    lines = ["| map | " + " | ".join(f"K = {k}" for k in KS) + " |", "|---" * 11 + "|"]
    for name, values in mean_curves(rows).items():
        lines.append(f"| {name} | " + " | ".join(f"{value:.4f}" for value in values) + " |")
    return lines


def page(results):
    lines = [
        "# Discriminative projections: figures beside the paper's",
        "",
        "Written by `python benchmarks/papers/projections.py` from `projections.json`; speed is in "
        "[projections-speed.md](projections-speed.md), learning curves in "
        "[few_labels.md](few_labels.md). All estimators have their defaults unless a row says "
        'otherwise; text has `metric="cosine"`. The paper prints its Figs. 3 to 7 as pictures '
        "without numbers, so its statements stand beside ours.",
    ]
    if asked := asked_for(results):
        lines += ["", "## Asked for", "", "| what | asked | measured |", "|---|---|---|", *asked]
    if "usps" in results:
        rows = splits_of(results, "usps")
        mean = mean_curves(rows)
        gain = 100 * (mean["DP 50-D"][0] - mean["DP 50-D, paper's scale"][0])
        lines += [
            "",
            f"## USPS: class retention (Fig. 3), mean of {len(rows)} splits",
            "",
            "4,649 samples to fit, retention among the other 4,649. The paper: DP in 9-D and 50-D "
            "and LDA are similar, and much better than LPP. Here, at K = 1, in 9-D: "
            + ranking(mean, ("DP 9-D", "LDA 9-D", "PCA 9-D", "LPP 9-D"))
            + "; in 50-D: "
            + ranking(mean, ("DP 50-D", "PCA 50-D", "LPP 50-D"))
            + f"; original {mean['original'][0]:.4f}. The scale by A + C is worth "
            f"{gain:+.1f} points at K = 1 over the paper's scale by B + C in 50-D.",
            "",
            *curve_table(rows),
            "",
            "![class retention on USPS](projections-usps.png)",
        ]
    if "prototypes" in results:
        places = splits_of(results, "prototypes")[0]
        lines += [
            "",
            "The labels in the map (Fig. 5), with the default mu and with mu = 1e-10. In the "
            "paper 0 lies with 8, and 3, 6 and 9 are close, and with mu = 1e-10 all ten are well "
            "apart. Here the closest pair is "
            + ", ".join(f"{closest_pair(p)} with mu = {mu}" for mu, p in places.items())
            + ".",
            "",
            "![prototypes of the digits](projections-prototypes.png)",
        ]
    if "continuous" in results:
        rows = splits_of(results, "continuous")
        lines += [
            "",
            f"## Digits 1 to 4 as a continuous target (Fig. 4), mean of {len(rows)} splits",
            "",
            "Spearman correlation of the first component with the digit, held-out half.",
            "",
            "| " + " | ".join(rows[0]) + " |",
            "|---" * len(rows[0]) + "|",
            "| "
            + " | ".join(
                f"{np.mean([row[n] for row in rows]):.4f} ({min(row[n] for row in rows):.4f} to "
                f"{max(row[n] for row in rows):.4f})"
                for n in rows[0]
            )
            + " |",
        ]
    if "tdt2" in results:
        part = by_kind(splits_of(results, "tdt2"))
        class_mean = mean_curves(part["class"])
        lpp_lack = 100 * (class_mean["DP 3-D"][0] - class_mean["LPP 3-D"][0])
        lines += [
            "",
            f"## TDT2, four largest classes, a third labelled, mean of {len(part['class'])} splits",
            "",
            "5,705 documents, 36,771 words, tf-idf. The paper: 100-D keeps topology much better "
            "than 3-D, and DP and LPP do so alike; DP and LDA keep classes much better than LPP. "
            "Here, classes at K = 1: "
            + ranking(class_mean, ("DP 3-D", "LDA 3-D", "LPP 3-D", "SVD 3-D"))
            + "; "
            + ranking(class_mean, ("DP 100-D", "LPP 100-D", "SVD 100-D"))
            + f": in 3-D LPP lacks {lpp_lack:.2f} points to DP."
            + (
                " The process that loads the data, fits 100 components and maps peaks at "
                f"{splits_of(results, 'memory')[0]['peak_megabytes']:.0f} MB."
                if "memory" in results
                else ""
            ),
            "",
            "Topology retention of all documents (Fig. 6):",
            "",
            *curve_table(part["topology"]),
            "",
            "![topology retention on TDT2](projections-tdt2-topology.png)",
            "",
            "Class retention among the unlabelled documents (Fig. 7); *original* is the leading "
            "300 singular directions:",
            "",
            *curve_table(part["class"]),
            "",
            "![class retention on TDT2](projections-tdt2-class.png)",
        ]
    if "solvers" in results:
        part = splits_of(results, "solvers")[0]
        lines += [
            "",
            f"## Solvers, {part['n_documents']} documents of TDT2",
            "",
            "Largest angle to the space of the dense solver. The svd solver solves another, "
            "smaller problem (the leading 300 singular directions) and is not meant to agree.",
            "",
            "| solver | components | angle, degrees | iterations |",
            "|---|---|---|---|",
        ]
        for row in part["rows"]:
            lines.append(
                f"| {row['solver']} | {row['n_components']} | {row['angle']:.2g} | "
                f"{row['n_iter']} |"
            )
    if "table1" in results:
        lines += table_1_page(by_kind(splits_of(results, "table1")))
    return "\n".join(lines) + "\n"


def table_1_page(results):
    n_splits = len(next(iter(results.values())))
    methods = ("DP 1-D", "DP 30-D", "LDA 1-D", "LPP 1-D", "LPP 30-D", "PCA 30-D", "original")
    lines = [
        "",
        f"## Table 1: accuracy of linear regression with 500 labels, mean of {n_splits} draws",
        "",
        "| data | | " + " | ".join(methods) + " | majority |",
        "|---" * (len(methods) + 3) + "|",
    ]
    for name, rows in results.items():
        ours = [f"{100 * np.mean([row[m] for row in rows]):.1f}" for m in (*methods, "majority")]
        paper = dict(zip(TABLE_1_METHODS, TABLE_1[name], strict=True))
        theirs = [f"{paper[m]:.1f}" if m in paper else "-" for m in methods]
        lines += [
            f"| {name} ({rows[0]['n_samples']}) | ours | " + " | ".join(ours) + " |",
            "| | paper | " + " | ".join(theirs) + " | - |",
        ]
    if len(results) < len(TABLE_1):
        return lines
    majority = 100 * np.mean([row["majority"] for row in results["OHSUMED"]])
    return [
        *lines,
        "",
        "This table does not reproduce. All of the paper's OHSUMED figures lie below the "
        f"{majority:.1f} % that calling every pair irrelevant scores on the same pairs (folds 1, "
        "4 and 5 of LETOR 3.0 give the paper's 10,494 pairs). On Mushroom 500 labels and the "
        "original 112 features separate the classes almost perfectly by linear regression, where "
        "the paper has 54.7 %; and its figures contradict each other: 1-D LDA is the direction of "
        "linear regression on the original features, up to scale and threshold, yet they differ "
        "by 14 points on both sets, in opposite directions.",
    ]


def asked_for(results):
    lines = []
    if "usps" in results:
        mean = mean_curves(splits_of(results, "usps"))
        gain = 100 * (mean["DP 9-D"][0] - mean["LDA 9-D"][0])
        lines += [
            "| USPS, K = 1: DP 9-D over LDA 9-D | at least 0.3 points | "
            f"{gain:.2f} points ({mean['DP 9-D'][0]:.4f} and {mean['LDA 9-D'][0]:.4f}) |",
            f"| USPS, K = 1: DP 50-D | at least 0.95 | {mean['DP 50-D'][0]:.4f} |",
        ]
    if "tdt2" in results:
        part = by_kind(splits_of(results, "tdt2"))
        lines += [
            "| TDT2: class retention of unlabelled documents, K = 1, 3-D | at least 0.975 | "
            f"{mean_curves(part['class'])['DP 3-D'][0]:.4f} |",
            "| TDT2: topology retention, K = 10, 100-D | at least 0.65 | "
            f"{mean_curves(part['topology'])['DP 100-D'][9]:.4f} |",
        ]
    if "memory" in results:
        peak = splits_of(results, "memory")[0]["peak_megabytes"]
        lines.append(f"| TDT2: peak memory | below 1 GB | {peak:.0f} MB |")
    if "continuous" in results:
        values = [row["DP, continuous"] for row in splits_of(results, "continuous")]
        lines.append(f"| digits 1-4: Spearman | at least 0.92 | {np.mean(values):.4f} |")
    if "solvers" in results:
        rows = splits_of(results, "solvers")[0]["rows"]
        worst = max(row["angle"] for row in rows if row["solver"] == "lobpcg")
        lines.append(f"| dense and iterative solvers | below 0.1 degree | {worst:.1g} degrees |")
    return lines


def draw_pictures(results, folder):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from discrimap.plots import plot_prototypes, plot_retention

    def save(ax, name):
        ax.figure.savefig(folder / f"projections-{name}.png", dpi=110)
        plt.close(ax.figure)

    pictures = {}
    if "usps" in results:
        pictures["usps"] = ("class", splits_of(results, "usps"))
    if "tdt2" in results:
        for kind, rows in by_kind(splits_of(results, "tdt2")).items():
            pictures[f"tdt2-{kind}"] = (kind, rows)
    for name, (kind, rows) in pictures.items():
        curves = mean_curves(rows)
        if kind == "topology":
            curves.pop("original")  # 1 by definition; without it the others have room
        ax = plot_retention(
            curves,
            KS,
            spread=deviations(rows),
            families={curve: curve.split(" ")[0] for curve in curves},
            what=f"{kind} retention",
        )
        save(ax, name)
    if "prototypes" in results:
        _, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
        places = splits_of(results, "prototypes")[0]
        for ax, (mu, prototypes) in zip(axes, places.items(), strict=True):
            plot_prototypes(prototypes, range(10), ax=ax, title=f"mu = {mu}")
        save(axes[0], "prototypes")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one split of the main parts")
    parser.add_argument("--part", choices=PARTS, action="append", help="only this part")
    parser.add_argument("--resume", action="store_true", help="leave stored splits as they are")
    parser.add_argument("--page", action="store_true", help="only write the page again")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the results")
    parser.add_argument(
        "--memory", action="store_true", help="only print the peak memory on TDT2, in MB"
    )
    arguments = parser.parse_args()
    if arguments.memory:
        print(peak_memory())
        return
    arguments.out.mkdir(parents=True, exist_ok=True)
    record = arguments.out / "projections.json"
    parts = arguments.part or (QUICK if arguments.quick else PARTS)
    for part in () if arguments.page else parts:
        run, n_splits = PARTS[part]
        if not arguments.resume:
            store(record, part, {})
        for seed in range(1 if arguments.quick else n_splits):
            stored = read(record).get(part, {})
            if str(seed) in stored:
                continue
            began = time.perf_counter()
            try:
                result = run(seed)
            except InputError as error:
                print(f"{part}: {why_not(error)}", flush=True)
                break
            store(record, part, read(record).get(part, {}) | {str(seed): result})
            print(f"{part}, split {seed}: {time.perf_counter() - began:.0f} s", flush=True)
    results = {part: stored for part, stored in read(record).items() if stored}
    (arguments.out / "projections.md").write_text(page(results))
    draw_pictures(results, arguments.out)


def read(record):
    return json.loads(record.read_text()) if record.is_file() else {}


def store(record, part, stored):
    """Replace one part in the file; others may have been stored by a run beside this one."""
    results = read(record) | {part: stored}
    # Under another name first: nobody reads half a file.
    written = record.with_suffix(f".{part}")
    written.write_text(json.dumps(results, indent=1, default=float) + "\n")
    written.replace(record)


if __name__ == "__main__":
    main()
