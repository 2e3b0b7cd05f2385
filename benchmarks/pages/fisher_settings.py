"""How the settings of Fisher t-SNE were chosen: a section of docs/benchmarks/fisher-scale.md."""

import numpy as np

from benchmarks.fisher_settings import (
    METRICS,
    N_TRAIN,
    TRAINING_PARTS,
    USED,
    VALUES,
    chosen,
    chosen_size,
    mean_over_seeds,
    regrets_and_recalls,
    score,
    size_means,
)
from benchmarks.results import Store
from discrimap.costs import FISHER_LANDMARK_SAMPLES

TITLES = {
    "placing": "new points",
    "exaggeration": "exaggeration",
    "perplexity": "perplexity",
    "max_iter": "iterations",
    "largest lambda": "largest λ",
}


def line(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |\n"


def section(folder):
    results = Store("fisher-settings", folder).tree()
    if not {"map", "large", "size"} <= set(results):
        return ""
    sets = sorted(results["map"]["placing"])
    text = "\n## How the settings were chosen\n\n"
    text += (
        "`python benchmarks/fisher_settings.py` chooses the settings on samples that are not reported above: "
        f"{', '.join(name for name in sets if name not in TRAINING_PARTS)}, and inner splits of the training parts of "
        f"{', '.join(name.split(',')[0] for name in sets if name in TRAINING_PARTS)}. One setting is varied at a time, with three splits "
        f"of each data set and at most {N_TRAIN:,} training samples.\n\n"
        "The score is the mean of the 1-NN and 5-NN accuracies of the test samples. *Regret* is the best score of the data set minus the "
        "score of the value, mean over the data sets, in percentage points. *Recall* is defined above. The candidates are the values "
        "within 0.2 points of the smallest regret, and among these the values within 0.01 of the largest recall. The first candidate in "
        "the list is chosen. The lists begin with the fastest value, or (λ) with the value that keeps most of the structure inside the "
        "classes. The exaggeration 1.5 is before 2, because it keeps more neighbours in maps of many samples (below). The 0.01, and the "
        "half point below, were set after an earlier table of one split had been seen.\n\n"
    )
    text += line("setting", "value", "regret", "recall", "") + line(
        "---", "---", "---:", "---:", "---"
    )
    for setting in VALUES:
        text += setting_text(results, setting)
    text += other_choices_text(results)
    return text + large_text(results) + size_text(results)


def other_choices_text(results):
    """What the rule chooses and the library does not use."""
    text = ""
    for setting, used in USED.items():
        best, regrets = chosen(results, setting), regrets_and_recalls(results, setting)[0]
        if best != str(used):
            difference = 100 * (regrets[str(used)] - regrets[best])
            text += (
                f"\nThe rule chooses {best} as {TITLES[setting]}. The default is {used}, which was chosen from an earlier table. The "
                f"difference is {difference:.2f} points, less than the tolerance of 0.2 points.\n"
            )
    return text


def large_text(results):
    """Whether as few iterations are enough for many samples."""
    text = (
        "\nMaps of many samples need more iterations until neighbours inside the classes are close to each other. "
        "The table shows inner test samples of the training part of MNIST, one split:\n\n"
    )
    text += line("samples", "iterations", "exaggeration", "score", "recall")
    text += line(*["---:"] * 5)
    for n, numbers in results["large"].items():
        for max_iter, values in numbers.items():
            for exaggeration, rows in values.items():
                recall = mean_over_seeds(rows, lambda row: row["recall"])
                text += line(
                    n,
                    max_iter,
                    exaggeration,
                    f"{mean_over_seeds(rows, score):.4f}",
                    f"{recall:.3f}",
                )
    return text


def setting_text(results, setting):
    regrets, recalls = regrets_and_recalls(results, setting)
    best, text = chosen(results, setting), ""
    for value in regrets:
        marks = ["chosen"] * (value == best) + ["used"] * (value == str(USED[setting]))
        text += line(
            TITLES[setting],
            value,
            f"{100 * regrets[value]:.2f}",
            f"{recalls[value]:.3f}",
            ", ".join(marks),
        )
    return text


def size_text(results):
    means = size_means(results)
    text = (
        "\n**Few samples.** The same score for maps of few samples, mean over the data sets that have this many samples. In brackets is the "
        "5-NN accuracy of the training points minus that of the test samples. From "
        f"{chosen_size(results)} samples on, the score of the landmark metric is at most half a point below that of the exact metric, and its "
        "training points have about the same error as test samples. `FisherTSNE` uses landmarks from "
        f"{FISHER_LANDMARK_SAMPLES} samples on. These figures are from one split, with exaggeration 2 and new points placed next to the nearest "
        "sample, which was an earlier default.\n\n"
    )
    text += line("samples", "sets", *METRICS) + line("---:", "---:", *["---"] * len(METRICS))
    for n, scores in means.items():
        sets = results["size"][str(n)]
        cells = [
            f"{scores[method]:.3f} ({gap(sets, method):+.3f})" if method in scores else ""
            for method in METRICS
        ]
        text += line(n, len(sets), *cells)
    text += "\nThe same for each data set, exact metric / landmarks:\n\n"
    names = sorted({name for sets in results["size"].values() for name in sets})
    text += line("data", *means) + line("---", *["---"] * len(means))
    for name in names:
        cells = []
        for n in means:
            one = results["size"][str(n)].get(name)
            shown = (
                [f"{mean_over_seeds(one[m], score):.3f}" for m in ("exact", "landmarks")]
                if one
                else []
            )
            cells.append(" / ".join(shown))
        text += line(name.split(",")[0], *cells)
    return text


def gap(sets, method):
    return float(
        np.mean(
            [
                mean_over_seeds(one[method], lambda row: row["train_5"] - row["held_5"])
                for one in sets.values()
            ]
        )
    )
