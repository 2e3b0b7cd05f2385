"""The page of Fisher t-SNE beside supervised UMAP: docs/benchmarks/fisher-scale.md."""

import numpy as np

from benchmarks.pages.fisher_settings import section
from benchmarks.results import Store

METHODS = ("UMAP", "Fisher t-SNE")
OURS = "Fisher t-SNE"
MEGABYTES = 2**20 / 1e6  # results are in units of 2^20 bytes


def line(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |\n"


def mean(rows, *fields):
    """Mean over the seeds of the sum of some fields."""
    return float(np.mean([sum(row[field] for field in fields) for row in rows.values()]))


def page(folder):
    results = Store("fisher-scale", folder).tree()
    if not results:
        return ""
    text = "# Fisher t-SNE compared with supervised UMAP\n\n"
    text += (
        "This page compares `FisherTSNE(random_state=seed)` with `umap.UMAP(random_state=seed)`, both with their defaults and on "
        "the same splits: accuracy on held-out samples, agreement of training and held-out points, time and memory. "
        "`python benchmarks/speed/fisher_scale.py` makes the runs and stores them in `benchmarks/results/fisher-scale.jsonl`. "
        "`python benchmarks/run.py --pages` writes the page. MNIST is split as published; of the other data sets the same third is "
        "always held out. Times do not include compilation. Settings were chosen only on other data and on training parts (last "
        "section).\n\n"
    )
    measured = {**results.get("large", {}), **results.get("small", {})}
    if measured:
        text += "## Accuracy on held-out and training points\n\n" + SCORES + scores_text(measured)
    if "other" in results:
        text += OTHER + scores_text(results["other"])
    if measured:
        text += costs_text(measured)
    if "permuted" in results:
        text += permuted_text(results["permuted"])
    if "overlap" in results:
        text += overlap_text(results["overlap"])
    return text + section(folder)


SCORES = (
    "Each point is predicted by a vote of the nearest training points in the map. The columns are the accuracies of held-out "
    "points (1-NN, 5-NN) and of training points, each predicted by the others (5-NN). *Gap* is the training accuracy minus the "
    "held-out accuracy; a large gap means that the map of the training points is too optimistic. *Recall* is the share of the 15 "
    "nearest neighbours of a sample inside its class that are among its 15 nearest of that class in the map. Mean over the seeds.\n\n"
)
OTHER = (
    "\nData sets that were not used to choose settings: capital letters (26 classes, 16 features), clothing images, and simulated "
    "counts of 3,000 genes in 400 cells of 8 types. The simulation was made more difficult once, because the first version had "
    "almost no errors.\n\n"
)


def scores_text(measured):
    text = ""
    text += line(
        "data",
        "method",
        "seeds",
        "held out, 1-NN",
        "held out, 5-NN",
        "training, 5-NN",
        "gap",
        "recall",
    )
    text += line("---", "---", *["---:"] * 6)
    for name, methods in measured.items():
        for method in METHODS:
            rows = methods.get(method)
            if not rows:
                continue
            gap = mean(rows, "train_5") - mean(rows, "held_5")
            text += line(
                name,
                method,
                len(rows),
                *[f"{mean(rows, field):.3f}" for field in ("held_1", "held_5", "train_5")],
                f"{gap:+.3f}",
                f"{mean(rows, 'recall'):.2f}",
            )
    return text


def costs_text(measured):
    text = "\n## Time and memory\n\n"
    text += (
        "Seconds for fit and transform of all test samples, one thread, mean over the seeds. The two methods take turns in the "
        "same run. *Ratio*: ours divided by UMAP's, fit and transform together, by the time of the processor and by the clock. "
        "*Memory*: the largest resident size of the process in MB (10^6 bytes). The whole process includes its libraries, compiled "
        "loops, training and test samples. The last column is the part that was allocated after the call of fit.\n\n"
    )
    text += line(
        "data", "method", "processor", "ratio", "by the clock", "whole process", "above start"
    )
    text += line("---", "---", *["---:"] * 5)
    for name, methods in measured.items():
        if not all(methods.get(method) for method in METHODS):
            continue
        for method in METHODS:
            rows = methods[method]
            ratios = ["", ""]
            if method == OURS:
                shared = sorted(set(rows) & set(methods["UMAP"]))
                ours, theirs = ({k: one[k] for k in shared} for one in (rows, methods["UMAP"]))
                ratios = [
                    f"{mean(ours, *pair) / mean(theirs, *pair):.2f}"
                    for pair in (("fit_cpu", "transform_cpu"), ("fit", "transform"))
                ]
            largest, above = (
                MEGABYTES * max(row[field] for row in rows.values())
                for field in ("megabytes", "megabytes_above_start")
            )
            text += line(
                name,
                method,
                f"{mean(rows, 'fit_cpu'):.1f} + {mean(rows, 'transform_cpu'):.1f}",
                *ratios,
                f"{largest:.0f}",
                f"{above:.0f}",
            )
    return text


def permuted_text(measured):
    text = "\n## Permuted labels\n\n"
    text += (
        "The same with the labels of all samples permuted. *Chance* is the accuracy of a vote of five labels drawn at random. "
        "There is nothing to find, so a training accuracy above chance is an effect of the method.\n\n"
    )
    text += line("data", "method", "seeds", "training, 5-NN", "held out, 5-NN", "chance")
    text += line("---", "---", *["---:"] * 4)
    for name, methods in measured.items():
        for method in METHODS:
            rows = methods.get(method)
            if rows:
                figures = [mean(rows, field) for field in ("train_5", "held_5", "chance_5")]
                text += line(name, method, len(rows), *[f"{figure:.3f}" for figure in figures])
    return text


def overlap_text(measured):
    text = "\n## The exact metric and the metric of landmarks\n\n"
    text += (
        "Cross-fitted distances among 1,500 samples: the exact metric of Parzen windows with the width of the largest likelihood, "
        "and the metric of landmarks without and with a Euclidean part (`regularisation`). *Rank correlation* is that with the exact "
        "distances. *Same neighbours* is the share of the 15 nearest neighbours that are the same as for the exact distances. "
        "*Class of the nearest* is the share of samples whose nearest neighbour has the same class.\n\n"
    )
    text += line("data", "metric", "rank correlation", "same neighbours", "class of the nearest")
    text += line("---", "---", *["---:"] * 3)
    for name, row in measured.items():
        titles = {
            "exact": "exact",
            "landmarks 0.0": "landmarks",
            "landmarks auto": f"landmarks, regularisation {row['regularisation']:g}",
        }
        for key, title in titles.items():
            one = row[key]
            fields = ("spearman", "same_neighbours", "class_of_nearest")
            text += line(name, title, *[f"{one[field]:.2f}" for field in fields])
    return text
