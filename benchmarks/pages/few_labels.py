"""The page of learning curves with few labels: docs/benchmarks/few_labels.md."""

import numpy as np
from sklearn.covariance import ledoit_wolf

from benchmarks.few_label_draws import LARGEST_POOL, LARGEST_TEST, TEXT_RANK
from benchmarks.few_labels import (
    COLUMNS,
    GRID,
    LABELS_PER_CLASS,
    MANY_FEATURES,
    N_DIRECTIONS,
    SETS,
    TUNED,
    TUNING_SEED,
)
from benchmarks.pages.picture_marks import picture
from benchmarks.results import Store
from discrimap import DiscriminativeProjections

# Accuracies on COIL-20 that DP should reach, by labels per class.
BARS = {"1": 0.74, "2": 0.81, "5": 0.88}


def read(folder):
    """The sets that have draws."""
    stored = Store("few_labels", folder).tree()
    return {name: part for name, part in stored.items() if part.get("draws")}


def accuracies(results, name, n_labels, method):
    """Accuracy in each draw; NaN where a method could not be fitted."""
    draws = [scores[n_labels] for scores in results[name]["draws"].values() if n_labels in scores]
    return np.array([scores[method] for scores in draws], dtype=float)


def with_error(values):
    """Mean, and its standard error in brackets."""
    if np.isnan(values).any():
        return "-"
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return f"{values.mean():.3f} ({error:.3f})"


def page(folder):
    results = read(folder)
    if not results:
        return ""
    lines = [
        "# Few labels",
        "",
        "This page measures which methods gain from samples without a label, if each class has only 1 to "
        "20 labelled samples. `python benchmarks/few_labels.py` makes the runs and stores them in "
        "`benchmarks/results/few_labels.jsonl`. `python benchmarks/run.py --pages` writes the page, and "
        "`python benchmarks/pictures.py` draws the curves.",
        "",
        "Each draw splits a data set into a pool and a test set. The pool has at most "
        f"{LARGEST_POOL} samples (two thirds of smaller data sets), the test set at most {LARGEST_TEST}. "
        "The given number of samples per class in the pool has a label. Figures are accuracies on the test "
        "set, mean over the draws, with the standard error of the mean in brackets. There are 20 draws of "
        "COIL-20 with 1 to 5 labels, where a minimum is required, and fewer elsewhere, to limit the time. "
        "For the same reason there are few tuning draws where a fit takes long. Methods:",
        "",
        "- *DP* is `DiscriminativeProjections` with one component less than there are classes and the default `mu` and "
        "`spread`, followed by 1-NN on the labelled points. *All defaults* also keeps the default `ridge` "
        f"({DiscriminativeProjections().ridge:g}) and `n_neighbors` (10). *Spread 0* is the method of the "
        "paper. *Ridge, mu 0* also omits the graph; this is LDA with a ridge.",
        "- *LPP* is `LocalityPreservingProjections` followed by 1-NN, *manifold reg.* is "
        "`ManifoldRegularization`. *Self-training* uses logistic regression, on "
        f"{N_DIRECTIONS} principal components if there are more than {MANY_FEATURES} features, for speed. "
        "*Label spreading* uses scikit-learn's kNN kernel.",
        "- *LDA* is scikit-learn's. With one label per class the scatter within classes cannot be "
        "estimated, so there is a dash. *LDA, shrunk* uses one Ledoit-Wolf covariance of all labelled samples "
        "about their class means (scikit-learn estimates one for each class, see below).",
        f"- Text is given to every method as {TEXT_RANK} singular directions of the tf-idf matrix of the pool, "
        "with cosine graphs.",
        f"- The ridge ({', '.join(f'{ridge:g}' for ridge in GRID['ridge'])}) and the number of neighbours "
        f"({', '.join(map(str, GRID['n_neighbors']))}) are chosen for every method that has them, every "
        "data set and every number of labels. The choice is the setting with the best mean accuracy on "
        f"tuning draws (seeds from {TUNING_SEED}); the reported draws have seeds from 0. The rule for the "
        "automatic `spread` was chosen on draws 100 to 102, which are not reported.",
        "",
        picture("few_labels.png", "learning curves"),
        *verdict(results),
    ]
    for name in [name for name in SETS if name in results]:
        lines += accuracy_table(results, name) + settings_table(results[name]["chosen"])
    return "\n".join(lines) + "\n"


def accuracy_table(results, name):
    lines = [
        "",
        f"## {SETS[name]} (tuning draws: {len(results[name]['tuning'])})",
        "",
        "| labels per class | draws | " + " | ".join(COLUMNS) + " |",
        "|---" * (len(COLUMNS) + 2) + "|",
    ]
    for n_labels in results[name]["chosen"]:
        values = [accuracies(results, name, n_labels, method) for method in COLUMNS]
        row = " | ".join(map(with_error, values))
        lines.append(f"| {n_labels} | {len(values[0])} | {row} |")
    return lines


def settings_table(chosen):
    lines = [
        "",
        "Ridge / neighbours chosen on the tuning draws:",
        "",
        "| labels per class | " + " | ".join(TUNED) + " |",
        "|---" * (len(TUNED) + 1) + "|",
    ]
    for n_labels, settings in chosen.items():
        cells = [" / ".join(f"{v:g}" for v in settings[method].values()) for method in TUNED]
        lines.append(f"| {n_labels} | " + " | ".join(cells) + " |")
    return lines


def verdict(results):
    """What was measured beside what is required, and where the method helps."""
    lines = [
        "",
        "## Requirements",
        "",
        "What every version of this library should reach.",
        "",
        "| what | required | measured |",
        "|---|---|---|",
    ]
    for n_labels, bar in BARS.items():
        if n_labels in results.get("coil20", {}).get("chosen", {}):
            tuned, untuned = (
                with_error(accuracies(results, "coil20", n_labels, method))
                for method in ("DP", "DP, all defaults")
            )
            lines.append(
                f"| COIL-20, {n_labels} per class, DP with the default `spread` | at least {bar} | "
                f"{tuned}; with the default ridge and neighbours: {untuned} |"
            )
    names = [name for name in SETS if name in results]
    gains = {
        (name, n_labels): accuracies(results, name, n_labels, "DP")
        - accuracies(results, name, n_labels, "ridge, mu 0")
        for name in names
        for n_labels in results[name]["chosen"]
    }
    above = [name for name in names if gains[name, "1"].mean() > 0]
    lines += [
        "| DP better than tuned ridge with mu = 0, 1 label per class | at least 4 of 5 data sets | "
        f"{len(above)} of {len(names)} ({', '.join(SETS[name] for name in above)}) |",
        "",
        "## Where the unlabelled samples help",
        "",
        "Gain in accuracy of DP over tuned ridge with mu = 0, which does not use the unlabelled samples, in "
        "the same draws, in percentage points (standard error), and the best of all methods. The gain is large "
        "with one or two labels per class and close to zero with ten or more.",
        "",
        "| data | " + " | ".join(f"{n} per class | best" for n in LABELS_PER_CLASS) + " |",
        "|---" * (2 * len(LABELS_PER_CLASS) + 1) + "|",
    ]
    for name in names:
        cells = []
        for n_labels in map(str, LABELS_PER_CLASS):
            if (name, n_labels) not in gains:
                cells += ["", ""]
                continue
            gain = 100 * gains[name, n_labels]
            means = {m: accuracies(results, name, n_labels, m).mean() for m in COLUMNS}
            best = max(means, key=lambda method: np.nan_to_num(means[method]))
            error = gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else 0.0
            cells += [f"{gain.mean():+.1f} ({error:.1f})", f"{best} {means[best]:.3f}"]
        lines.append(f"| {SETS[name]} | " + " | ".join(cells) + " |")
    return lines + shrinkage_by_class(results)


def shrinkage_by_class(results):
    """Why scikit-learn's shrunk LDA fails with two labels, with the figures."""
    if "2" not in results.get("coil20", {}).get("chosen", {}):
        return []
    by_class, pooled = (
        accuracies(results, "coil20", "2", method).mean()
        for method in ("LDA, shrunk by class", "LDA, shrunk")
    )
    rng = np.random.default_rng(0)
    pair = rng.standard_normal((2, 50))
    pair = (pair - pair.mean(axis=0)) / pair.std(axis=0)
    return [
        "",
        "## Shrunk LDA with two labels per class",
        "",
        'scikit-learn\'s `LinearDiscriminantAnalysis(shrinkage="auto")` estimates one covariance '
        "for each class, each after scaling its features to variance 1. With two samples of a class, every "
        "scaled feature is +1 for one sample and -1 for the other. The Ledoit-Wolf formula then gives a "
        f"shrinkage of {ledoit_wolf(pair)[1]:.3f}, so the covariance has rank 1 and the solution is determined by "
        f"rounding errors. The accuracy is {by_class:.3f} on COIL-20 with two labels per class, and "
        f"{pooled:.3f} with the pooled estimate.",
    ]
