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
        "Written from the runs of `python benchmarks/few_labels.py`, which are in "
        "`benchmarks/results/few_labels.jsonl`; `python benchmarks/pictures.py` draws the curves.",
        "",
        "Accuracy on test samples that no method has seen, mean over draws (standard error of the "
        f"mean in brackets). The pool has at most {LARGEST_POOL} samples (two thirds of smaller "
        "sets), of which the given number per class has a label; test sets have at most "
        f"{LARGEST_TEST}. Pools and the number of draws are kept small to stay affordable: 20 draws "
        "for COIL-20 with 1 to 5 labels, where there are bars, fewer elsewhere, and few "
        "tuning draws where a fit takes long.",
        "",
        "- *DP* is `DiscriminativeProjections` with C - 1 components and the default `mu` and "
        "`spread`, then 1-NN on the labelled points; *all defaults* leaves `ridge` "
        f"({DiscriminativeProjections().ridge:g}) and `n_neighbors` (10) alone too; *spread 0* is "
        "the paper's method; *ridge, mu 0* leaves out the graph as well: ridge-regularised LDA.",
        "- *LPP* is followed by 1-NN, *manifold reg.* is `ManifoldRegularization`, self-training "
        f"is around logistic regression (on {N_DIRECTIONS} principal directions where there are "
        f"more than {MANY_FEATURES} features, for speed), label spreading has scikit-learn's kNN kernel.",
        "- *LDA* is scikit-learn's. With one label per class there is no scatter within classes to "
        "measure: a dash. *LDA, shrunk* has one Ledoit-Wolf covariance of all labelled samples "
        "about the means of their classes (scikit-learn has one for each class, see below).",
        f"- Text comes as {TEXT_RANK} singular directions of the pool's tf-idf, for every method, "
        "with cosine graphs.",
        f"- Ridge (of {', '.join(f'{ridge:g}' for ridge in GRID['ridge'])}) and neighbours (of "
        f"{', '.join(map(str, GRID['n_neighbors']))}) are, for every method that has them, every "
        "set and every number of labels, those with the best mean accuracy on tuning draws "
        f"(seeds from {TUNING_SEED}) that are not reported (seeds from 0). The rule of the "
        "automatic `spread` was set on draws 100 to 102, which are not reported either.",
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
        "Chosen on the tuning draws, ridge / neighbours:",
        "",
        "| labels per class | " + " | ".join(TUNED) + " |",
        "|---" * (len(TUNED) + 1) + "|",
    ]
    for n_labels, settings in chosen.items():
        cells = [" / ".join(f"{v:g}" for v in settings[method].values()) for method in TUNED]
        lines.append(f"| {n_labels} | " + " | ".join(cells) + " |")
    return lines


def verdict(results):
    """What was measured beside its bar, and where the method helps."""
    lines = ["", "## Bars", "", "| what | bar | measured |", "|---|---|---|"]
    for n_labels, bar in BARS.items():
        if n_labels in results.get("coil20", {}).get("chosen", {}):
            tuned, untuned = (
                with_error(accuracies(results, "coil20", n_labels, method))
                for method in ("DP", "DP, all defaults")
            )
            lines.append(
                f"| COIL-20, {n_labels} per class, DP with the default `spread` | at least {bar} | "
                f"{tuned}; ridge and neighbours not tuned either: {untuned} |"
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
        "| DP above tuned ridge with mu = 0, 1 label per class | at least 4 of 5 sets | "
        f"{len(above)} of {len(names)} ({', '.join(SETS[name] for name in above)}) |",
        "",
        "## Where the unlabelled samples help",
        "",
        "Gain of DP over tuned ridge with mu = 0 in the same draws, in points (standard error), "
        "and the best method of all:",
        "",
        "| set | " + " | ".join(f"{n} per class | best" for n in LABELS_PER_CLASS) + " |",
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
        "for each class, each after scaling its features to variance 1. Of two samples that leaves "
        "a column of +1 and -1 in every feature, which Ledoit and Wolf's formula takes for certain: "
        f"its shrinkage is {ledoit_wolf(pair)[1]:.3f}, the covariance has rank 1, and the solution is "
        f"rounding noise: {by_class:.3f} on COIL-20 with two labels per class, where the pooled "
        f"estimate has {pooled:.3f}.",
    ]
