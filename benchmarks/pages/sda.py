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
        "This page compares stochastic discriminant analysis (SDA, `StochasticDiscriminantAnalysis`) with the "
        "figures of its paper. `python benchmarks/papers/sda.py --part P` makes the runs, with P one of "
        f"{', '.join(PARTS)}; `--data`, `--methods`, `--dimensions` and `--repeats` select some of them. Results "
        "are in `benchmarks/results/sda.jsonl`. `python benchmarks/run.py --pages` writes the page.",
        "",
        "Figures are 1-NN accuracies on held-out samples, mean ± standard deviation over n repeats, with the "
        "paper's figure in brackets. A figure in brackets alone means that nothing was measured here. There are "
        "fewer repeats than in the paper where a fit takes long. For the small data sets there are ten times as "
        "many, because the standard error of twenty repeats is too large to compare the methods. "
        "*RSDA* is SDA with a penalty chosen by cross-validation. *RSDA-epsilon* also chooses epsilon, which is "
        "1 / n_classes in the paper. COIL-20 and COIL-100 have 32 x 32 grey images here and 128 x 128 images in the paper. "
        "Their repeats are the first n of 24 folds; the last three folds were used to choose settings.",
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
    """Accuracies beside the least that this library must reach, with standard errors."""
    lines = [
        "## Requirements",
        "",
        "The accuracy that every version of this library should reach, and the measured accuracy.",
        "",
        "| data | components | method | required | mean ± standard error | n | reached |",
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
    lines = ["## Figs. 7, 10 and 12: accuracy by number of components", ""]
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
        "For Olivetti the paper states 0.980 for RSDA with ten components, and 0.901 or 0.908 for 1-NN with "
        "all features. " + olivetti_by_split(results),
        "",
    ]


def olivetti_by_split(results):
    """How much the way of splitting matters where classes are small."""
    parts = []
    for name, words in (
        ("olivetti", "at random"),
        (STRATIFIED, "with equal shares of each person in both parts"),
    ):
        none = accuracies_of(results, name, "None", 2)
        found = accuracies_of(results, name, "RSDA", 10)
        if none and found:
            error = np.std(found) / np.sqrt(len(found))
            parts.append(
                f"they are {np.mean(found):.3f} ± {error:.3f} (standard error, "
                f"n={len(found)}) and {np.mean(none):.3f} in our runs if the samples are split {words}"
            )
    return ("; ".join(parts) + "." if parts else "").capitalize()


def without_standardising(results):
    stored = results.get("unstandardised", {})
    if not stored:
        return []
    lines = [
        "## Standardised and original features",
        "",
        "The paper says that it standardised the features. 1-NN with all features (*None*), PCA and PLS-DA have no "
        "settings, so their figures show whether this is so. For some data sets our figures with "
        "standardised features are far from the paper's, and those with the original features are nearer. "
        "Mean accuracy, with the number of splits in brackets:",
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
        "## Accuracy with fixed penalties",
        "",
        "Mean accuracy ± its standard error for fixed values of alpha, on splits that are not in the tables. "
        "Each fit has one start. The table shows what an ideal choice of the penalty could reach. The standard "
        "error of a mean over ten splits is larger by the factor sqrt(n / 10), where n is the number of splits here.",
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
        "## Olivetti with ten components: other settings",
        "",
        "Mean accuracy ± its standard error over splits that are not in the tables, with alpha = 0.1 and "
        "epsilon = 1 / 40 unless the row says otherwise.",
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
        "The fit stops when `tol` is reached. The table shows by how much the objective on the training data is then "
        "larger than that of the same run continued to convergence, and the number of iterations. The default "
        "is the largest of these values for which no data set is more than 0.1 % above. It was set before this "
        "table was made.",
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
        "## Figs. 14-16: time of the optimisers",
        "",
        "Seconds until the objective is within 1 % of the lowest value that any optimiser reached, from "
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
        "## Quality of the optimum",
        "",
        "Objective of the default fit, of the best of the seven solvers with one start each, and of the best of ten "
        "random starts. In brackets is by how much the value is lower than that of the default.",
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
