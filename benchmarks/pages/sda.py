"""The page of the experiments of stochastic discriminant analysis: docs/benchmarks/sda.md."""

import numpy as np

from benchmarks.pages.sda_tables import PAPER, accuracies_of
from benchmarks.papers.sda import (
    CURVES,
    METHODS,
    PARTS,
    PENALTY_GRID,
    REPEATS,
    SETTINGS,
    SOLVERS,
    STRATIFIED,
    TOLERANCE_DATA,
    TOLERANCES,
    UNSTANDARDISED,
)
from benchmarks.results import Store

# Accuracies that every version of this library should reach: data, method, dimensions.
BARS = {
    ("usps", "SDA", 2): 0.66,
    ("mnist5k", "SDA", 2): 0.55,
    ("phoneme", "SDA", 2): 0.87,
    ("olivetti", "RSDA", 2): 0.56,
    ("coil20", "RSDA", 2): 0.94,
    ("coil100", "RSDA", 2): 0.58,
    ("iris", "SDA", 2): 0.95,
    ("wine", "SDA", 2): 0.98,
    ("wbc", "SDA", 2): 0.955,
    ("olivetti", "RSDA", 10): 0.98,
}


def page(folder):
    results = Store("sda", folder).tree()
    if not results:
        return ""
    sections = (
        introduction,
        tables_3_to_5,
        bars,
        curves,
        without_standardising,
        best_penalties,
        other_settings,
        tolerances,
        optimisers,
        optimum,
    )
    return "\n".join(line for section in sections for line in section(results))


def introduction(results):
    return [
        "# Stochastic discriminant analysis: the paper's experiments",
        "",
        f"Made by `python benchmarks/papers/sda.py --part P` with P one of {', '.join(PARTS)}, "
        "narrowed by `--data`, `--methods`, `--dimensions` and `--repeats`. 1-NN accuracy on "
        "held-out samples, mean and standard deviation over n "
        "repeats: fewer than the paper's where time did not allow more, and ten times as many "
        "where runs are short, because the standard error of twenty decides nothing; the paper's "
        "figure in brackets, alone where nothing was measured. RSDA-epsilon searches epsilon as "
        "well, which the paper fixes at 1 / n_classes. COIL-20 and COIL-100 are 32 x 32 "
        "grey images here and 128 x 128 in the paper; their repeats are the first n of 24 folds, "
        "the last three of which served to choose settings.",
        "",
    ]


def tables_3_to_5(results):
    lines = [
        "## Tables 3, 4 and 5: two dimensions",
        "",
        "| data | repeats of the paper | " + " | ".join(METHODS) + " |",
        "|---|---|" + "---|" * len(METHODS),
    ]
    for name, n_paper in REPEATS.items():
        cells = []
        for method in METHODS:
            paper = PAPER[name].get(method, (None,))[0]
            cells.append(cell(accuracies_of(results, name, method, 2), paper))
        lines.append(f"| {name} | {n_paper} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def bars(results):
    """Accuracies beside the least that this library should reach, with standard errors."""
    lines = [
        "## Bars",
        "",
        "| data | dimensions | method | bar | mean ± standard error | n | reached |",
        "|---|---|---|---|---|---|---|",
    ]
    for (name, method, dimension), bar in BARS.items():
        variants = ("RSDA", "RSDA-epsilon") if method == "RSDA" else (method,)
        for variant in variants:
            found = accuracies_of(results, name, variant, dimension)
            if not found:
                continue
            mean, error = np.mean(found), np.std(found) / np.sqrt(len(found))
            lines.append(
                f"| {name} | {dimension} | {variant} | {bar} | {mean:.4f} ± {error:.4f} | "
                f"{len(found)} | {'yes' if mean >= bar else 'no'} |"
            )
    return [*lines, ""]


def curves(results):
    lines = ["## Figs. 7, 10 and 12: accuracy against dimension", ""]
    for name, dimensions in CURVES.items():
        lines += [f"| {name} | " + " | ".join(f"{d}-D" for d in dimensions) + " |"]
        lines += ["|---|" + "---|" * len(dimensions)]
        for method in METHODS:
            if method == "None":
                continue
            cells = [cell(accuracies_of(results, name, method, d), None) for d in dimensions]
            if any(cells):
                lines.append(f"| {method} | " + " | ".join(cells) + " |")
        lines.append("")
    return [
        *lines,
        "The paper states 0.980 for RSDA on Olivetti in ten dimensions and 0.901 or 0.908 for the "
        "nearest neighbour of all variables. " + olivetti_by_split(results),
        "",
    ]


def olivetti_by_split(results):
    """How much the way of splitting matters where classes are small."""
    parts = []
    for name, words in (
        ("olivetti", "by chance alone"),
        (STRATIFIED, "with equal shares of each person in both parts"),
    ):
        none = accuracies_of(results, name, "None", 2)
        found = accuracies_of(results, name, "RSDA", 10)
        if none and found:
            error = np.std(found) / np.sqrt(len(found))
            parts.append(
                f"split {words} they are {np.mean(found):.3f} ± {error:.3f} (standard error, "
                f"n={len(found)}) and {np.mean(none):.3f} here"
            )
    return ("; ".join(parts) + "." if parts else "").capitalize()


def without_standardising(results):
    stored = results.get("unstandardised", {})
    if not stored:
        return []
    lines = [
        "## Did the paper standardise every set?",
        "",
        "The nearest neighbour of all variables, PCA and PLS-DA have nothing to tune. Where "
        "their figures here are far from the paper's with standardised variables, which the "
        "paper says it used, the variables as they are come closer, if not always close (mean "
        "accuracy; splits in brackets).",
        "",
        "| data | method | paper | standardised | as they are |",
        "|---|---|---|---|---|",
    ]
    for name in in_order(stored, UNSTANDARDISED):
        for method in in_order(stored[name], METHODS):
            ours, found = accuracies_of(results, name, method, 2), stored[name][method]
            lines.append(
                f"| {name} | {method} | {PAPER[name][method][0]:.3f} | "
                f"{np.mean(ours):.3f} ({len(ours)}) | {np.mean(found):.3f} ({len(found)}) |"
            )
    return [*lines, ""]


def best_penalties(results):
    stored = results.get("penalties", {})
    if not stored:
        return []
    lines = [
        "## What the best penalty could reach",
        "",
        "Mean accuracy for fixed penalties, on splits that the tables do not hold, with its "
        "standard error over the splits; one start each, no path of penalties. A mean over ten "
        "of n splits has the square root of n / 10 times that standard error.",
        "",
        "| data | splits | " + " | ".join(f"alpha {a:g}" for a in PENALTY_GRID) + " |",
        "|---|---|" + "---|" * len(PENALTY_GRID),
    ]
    for name in sorted(stored, reverse=True):  # the paper's epsilon before the smaller one
        found = [list(stored[name][str(alpha)].values()) for alpha in PENALTY_GRID]
        cells = [with_error(values) for values in found]
        lines.append(f"| {name} | {min(map(len, found))} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def other_settings(results):
    stored = results.get("settings", {})
    if not stored:
        return []
    lines = [
        "## Olivetti in ten dimensions: other settings",
        "",
        "Mean accuracy and its standard error over splits that the tables do not hold, at alpha "
        "0.1; epsilon is 1 / 40 where nothing else is said.",
        "",
        "| setting | accuracy | splits |",
        "|---|---|---|",
    ]
    for words in in_order(stored, SETTINGS):
        found = list(stored[words].values())
        lines.append(f"| {words} | {with_error(found)} | {len(found)} |")
    return [*lines, ""]


def tolerances(results):
    stored = results.get("tolerance", {})
    if not stored:
        return []
    lines = [
        "## The tolerance",
        "",
        "How far the objective on training data is above that of the same descent followed to "
        "its end when `tol` stops it, and after how many iterations. The default, which was set "
        "before this table, is the largest of these at which no set is more than 0.1 % above.",
        "",
        "| data | " + " | ".join(f"tol {tol:g}" for tol in TOLERANCES) + " |",
        "|---|" + "---|" * len(TOLERANCES),
    ]
    for name in in_order(stored, TOLERANCE_DATA):
        cells = [f"{100 * excess:.3f} %, {n}" for excess, n in stored[name].values()]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def optimisers(results):
    stored = results.get("optimisers", {})
    if not stored:
        return []
    lines = [
        "## Figs. 14-16: optimisers against time",
        "",
        "Seconds until the objective is within 1 % of the lowest that any of them reached, from "
        "the same PCA start, without whitening (the whole curves are in "
        "`benchmarks/results/sda.jsonl`).",
        "",
        "| data | " + " | ".join(SOLVERS) + " |",
        "|---|" + "---|" * len(SOLVERS),
    ]
    for name in in_order(stored, REPEATS):
        lowest = min(min(curve["values"]) for curve in stored[name].values())
        cells = [time_to(stored[name][solver], 1.01 * lowest) for solver in SOLVERS]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def optimum(results):
    stored = results.get("optimum", {})
    if not stored:
        return []
    lines = [
        "## How good is the optimum",
        "",
        "Objective of the default, and how much lower the best of the seven solvers (one start "
        "each) and of ten random starts are.",
        "",
        "| data | default | best solver | best random start | at most 1 % lower |",
        "|---|---|---|---|---|",
    ]
    for name in in_order(stored, REPEATS):
        default = stored[name]["default"]
        best = [min(stored[name]["solvers"].values()), min(stored[name]["random"])]
        gains = [100 * (1 - value / default) for value in best]
        lines.append(
            f"| {name} | {default:.5f} | {best[0]:.5f} ({gains[0]:+.2f} %) | {best[1]:.5f} "
            f"({gains[1]:+.2f} %) | {'yes' if max(gains) <= 1 else 'no'} |"
        )
    return [*lines, ""]


def in_order(stored, names):
    """Those of the names that are stored."""
    return [name for name in names if name in stored]


def cell(accuracies, paper):
    if not accuracies:
        return "" if paper is None else f"({paper:.3f})"
    text = f"{np.mean(accuracies):.3f} ± {np.std(accuracies):.3f}, n={len(accuracies)}"
    return text if paper is None else f"{text} ({paper:.3f})"


def with_error(values):
    return f"{np.mean(values):.3f} ± {np.std(values) / np.sqrt(len(values)):.3f}"


def time_to(curve, value):
    reached = [t for t, v in zip(curve["seconds"], curve["values"], strict=True) if v <= value]
    return f"{reached[0]:.2f}" if reached else "not reached"
