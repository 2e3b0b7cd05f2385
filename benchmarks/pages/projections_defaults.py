"""The page of the default ridge of discriminative projections: docs/benchmarks/projections_defaults.md."""

from benchmarks.projections_defaults import (
    FACTORS,
    FIRST_FACTOR,
    RIDGES,
    chosen_ridge,
    mean_regrets,
    mean_scores,
)
from benchmarks.results import Store
from discrimap import DiscriminativeProjections
from discrimap.projections.estimator import AUTO_SPREAD


def table(cells, values):
    """Scores of each cell and the mean regret, by the value tried."""
    lines = [
        "| data | labels per class | " + " | ".join(f"{value:g}" for value in values) + " |",
        "|---" * (len(values) + 2) + "|",
    ]
    for (name, key), scores in cells.items():
        lines.append(f"| {name} | {key} | " + " | ".join(f"{s:.3f}" for s in scores) + " |")
    regrets = " | ".join(f"**{100 * regret:.2f}**" for regret in mean_regrets(cells))
    return [*lines, f"| **mean regret, points** | | {regrets} |"]


def page(folder):
    results = Store("projections_defaults", folder).tree()
    if not results:
        return ""
    of_ridges, of_factors = mean_scores(results, "ridge"), mean_scores(results, "factor")
    n_splits = len(next(iter(results["ridge"].values())))
    lines = [
        "# The default ridge of discriminative projections",
        "",
        "Written from the runs of `python benchmarks/projections_defaults.py`, which are in "
        "`benchmarks/results/projections_defaults.jsonl`.",
        "",
        "A cell is a data set with 1, 2, 5, 20 (if every class of the pool has more) or all labels "
        "per class: accuracy of 1-NN among the labelled points in C - 1 components; or with a "
        "continuous target: Spearman correlation of the first component. All on held-out samples, "
        f"mean of {n_splits} splits, pools and test sets of at most 1000. Regret is what a value "
        "lacks to the best one of the cell; the default has the smallest mean regret. None of these "
        "samples is in the figures of [projections.md](projections.md) and "
        "[few_labels.md](few_labels.md): the text is of other classes than theirs.",
        "",
        f"Chosen: ridge {chosen_ridge(results):g}. In the code: ridge "
        f"{DiscriminativeProjections().ridge:g}.",
        "",
        f"## Ridge, at spread factor {FIRST_FACTOR}",
        "",
        *table(of_ridges, RIDGES),
    ]
    if of_factors:
        regrets = dict(zip(FACTORS, 100 * mean_regrets(of_factors), strict=True))
        best = min(regrets, key=regrets.get)
        lines += [
            "",
            f"## Factor of the automatic spread, at ridge {chosen_ridge(results):g}",
            "",
            "The automatic spread is a factor times `(C/l)^2 (1 - l/n)`. The factor in the code, "
            f"{AUTO_SPREAD:g}, was set on draws 100 to 102 of the sets of "
            "[few_labels.md](few_labels.md); this is a check on other data. Its mean regret here is "
            f"{regrets[AUTO_SPREAD]:.2f} points, the smallest is {regrets[best]:.2f} with {best}, "
            f"and without the term (0, the paper's method) it is {regrets[0]:.2f}.",
            "",
            *table(of_factors, FACTORS),
        ]
    return "\n".join(lines) + "\n"
