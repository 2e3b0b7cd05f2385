"""Discriminative projections compared with their paper: Figs. 3 to 7 and Table 1.

    python benchmarks/papers/projections.py [--quick] [--part usps] [--resume]

Needs the research data sets in the folder named by DISCRIMAP_DATA. Every piece (a split of a part)
is stored in benchmarks/results/projections.jsonl as soon as it is done, so that --resume goes on
where a run was stopped.
"""

import argparse
import resource
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np
from scipy.linalg import subspace_angles
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

sys.path.append(str(Path(__file__).resolve().parents[2]))
from benchmarks.papers.at_hand import why_not
from benchmarks.results import add_options, open_store

KS = np.arange(1, 11)


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


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, quick="one split of the main parts")
    parser.add_argument("--part", choices=PARTS, action="append", help="only this part")
    parser.add_argument("--resume", action="store_true", help="leave stored splits as they are")
    parser.add_argument(
        "--memory", action="store_true", help="only print the peak memory on TDT2, in MB"
    )
    arguments = parser.parse_args(argv)
    if arguments.memory:
        print(peak_memory())
        return
    store = open_store("projections", arguments)
    for part in arguments.part or (QUICK if arguments.quick else PARTS):
        run, n_splits = PARTS[part]
        if not arguments.resume:
            store.forget(part)
        for seed in range(1 if arguments.quick else n_splits):
            if str(seed) in store.tree(part):
                continue
            began = time.perf_counter()
            try:
                result = run(seed)
            except InputError as error:
                print(f"{part}: {why_not(error)}", flush=True)
                break
            store.put((part, seed), result)
            print(f"{part}, split {seed}: {time.perf_counter() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
