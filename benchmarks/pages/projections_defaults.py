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
        "This page shows how the default `ridge` of `DiscriminativeProjections` was chosen. "
        "`python benchmarks/projections_defaults.py` makes the runs and stores them in "
        "`benchmarks/results/projections_defaults.jsonl`.",
        "",
        "Each row is a data set with 1, 2, 5, 20 or all labels per class (20 only if every class has more "
        "samples). With classes, the score is the 1-NN accuracy on the labelled points with one component "
        "less than there are classes. With a continuous target, it is the Spearman correlation of the first "
        f"component with the target. Scores are those of held-out samples, mean of {n_splits} splits; pools "
        "and test sets have at most 1000 samples. The *regret* of a value is the best score of the row minus "
        "its score. The default is the value with the smallest mean regret. None of these samples is used in "
        "[projections.md](projections.md) or [few_labels.md](few_labels.md); the text data have other classes.",
        "",
        f"The rule chooses ridge {chosen_ridge(results):g}. The default of the class is "
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
            "The automatic spread is a factor times `(C/l)^2 (1 - l/n)`, where C is the number of classes, l "
            f"the number of labels and n the number of samples. The default factor, {AUTO_SPREAD:g}, was chosen on "
            "draws 100 to 102 of the data sets of [few_labels.md](few_labels.md). This table checks it on other "
            f"data. Its mean regret here is {regrets[AUTO_SPREAD]:.2f} percentage points. The smallest mean regret "
            f"is {regrets[best]:.2f} (factor {best}); without the term (factor 0, the method of the paper) it is "
            f"{regrets[0]:.2f}.",
            "",
            *table(of_factors, FACTORS),
        ]
    return "\n".join(lines) + "\n"
