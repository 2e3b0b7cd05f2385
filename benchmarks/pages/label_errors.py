"""The page of planted label errors: docs/benchmarks/label_errors.md."""

import numpy as np

from benchmarks.label_errors import (
    FLIPPED,
    FLIPPED_OF_CLASS,
    MOST_ROWS,
    OVERLAPPING,
    RECALL,
    SEPARATE,
    SHARE,
    TUNING,
)
from benchmarks.results import Store

BAR = 0.8  # precision that the list of suspicious labels should have
RULES = {
    "before": "before",
    "after": "**now**",
    "confident learning, same votes": "confident learning, same votes",
    "confident learning, logistic": "confident learning, logistic regression",
}


def page(folder):
    store = Store("label_errors", folder)
    planted, command = store.tree("planted"), store.tree("command")
    if not planted and not command:
        return ""
    lines = [
        "# Planted label errors",
        "",
        "The report of `discrimap compare` lists labels that are probably wrong. This page changes some labels "
        "on purpose and measures how many of them are found. The list uses the votes of a *jury*: several "
        "methods that predict the class of each sample from other samples. `python benchmarks/label_errors.py` "
        "makes the runs and stores them in `benchmarks/results/label_errors.jsonl`.",
    ]
    if planted:
        lines += planted_part(planted)
    if command:
        lines += command_part(command)
    return "\n".join(lines) + "\n"


def planted_part(planted):
    """The data sets with and without overlap."""
    return [
        "",
        "## Which labels are listed",
        "",
        f"Each data set has at most {MOST_ROWS:,} rows and is used in three versions: with its labels unchanged, with "
        f"{100 * FLIPPED:.0f} % of the labels changed to another class at random (*at random*), and with "
        f"{100 * FLIPPED_OF_CLASS:.0f} % of the labels of every second class changed to the class before it (*by class*). "
        f"The classes of {_names(SEPARATE)} overlap little, those of {_names(OVERLAPPING)} overlap more. *imbalanced* is a "
        "simulation that resembles the data set annthyroid: classes of 93, 5 and 2 %, of which the second is inside the "
        "first and the third is half outside. The jury is chosen among all methods, after one comparison for each data "
        "set with a budget of one minute. Figures are means over the draws. Four rules are compared:",
        "",
        "- **before**: an earlier rule, which lists every label that has fewer votes than another class.",
        "- **now**: estimates how many of these are wrong and lists that many, the most suspicious first.",
        "- **confident learning** (Northcutt, Jiang and Chuang 2021), with the votes of the same jury and with the "
        "cross-validated probabilities of a logistic regression. It lists as many labels as it estimates to be wrong, in "
        "the order of the same margin of votes.",
        "",
        "The published labels of a data set are taken to be correct here, but some of them may be wrong.",
        "",
        "### Unchanged labels: how many are listed",
        "",
        *_clean_table(planted),
        "",
        "### Planted errors: how many are listed, precision / recall",
        "",
        *_planted_table(planted),
        "",
        "Precision is the share of planted errors among the listed labels, recall is the share of "
        "the planted errors that are listed. A dash means that the list is empty.",
        "",
        "### How the rule was chosen, and its limits",
        "",
        "The rule is described in `src/discrimap/inspection/wrong_labels.py`. Its form and four constants "
        f"were chosen on other data: {TUNING}, and simulations of normal classes that overlap by "
        "different amounts (class sizes balanced, 2 : 1, 4 : 1, 8 : 1 and 93 : 5 : 2), with a jury of five fast methods and "
        "seeds from 100 on. The first aim was to list few labels of data without planted errors, the second "
        "to have high precision and recall. The constants were changed once after the data sets of this page had been run, "
        "because too many labels were listed in simulations of two and three balanced classes.",
        "",
        "Votes cannot distinguish a class that lies inside another from wrong labels that are spread over the other. If "
        "more than half of a class would be listed as wrong, the rule assumes the former and lists none of them. In the row "
        "*imbalanced, at random*, the changed labels of the large class are as many as the samples of the small "
        "classes, so none of the errors is listed. The rule also does not count errors where no class is "
        "certain, so it estimates too few where classes overlap strongly (vehicle). All labels with fewer votes than another "
        "class are still in the report (*show the other samples*), in the JSON file and in the file of `--suspects`.",
    ]


def _clean_table(planted):
    lines = ["| data | samples | " + " | ".join(RULES.values()) + " |", "|---" * 6 + "|"]
    for name in _sets(planted):
        runs = list(planted[name].get("clean", {}).values())
        if runs:
            cells = [f"{_mean_listed(runs, rule):.1f}" for rule in RULES]
            lines.append(f"| {name} | {runs[0]['n_samples']:,} | {' | '.join(cells)} |")
    return lines


def _planted_table(planted):
    lines = ["| data | errors | wrong | " + " | ".join(RULES.values()) + " |", "|---" * 7 + "|"]
    for name in _sets(planted):
        for kind in ("at random", "by class"):
            runs = list(planted[name].get(kind, {}).values())
            if runs:
                n_wrong = np.mean([run["n_wrong"] for run in runs])
                cells = [_listed(runs, rule) for rule in RULES]
                lines.append(f"| {name} | {kind} | {n_wrong:.1f} | {' | '.join(cells)} |")
    return lines


def _listed(runs, rule):
    n_listed, n_hits = (
        sum(run["lists"][rule][count] for run in runs) for count in ("n_listed", "n_hits")
    )
    n_wrong = sum(run["n_wrong"] for run in runs)
    precision = f"{n_hits / n_listed:.2f}" if n_listed else "–"
    return f"{_mean_listed(runs, rule):.1f}: {precision} / {n_hits / n_wrong:.2f}"


def _mean_listed(runs, rule):
    return np.mean([run["lists"][rule]["n_listed"] for run in runs])


def _sets(planted):
    return [name for name in (*SEPARATE, *OVERLAPPING) if name in planted]


def _names(names):
    return f"{', '.join(names[:-1])} and {names[-1]}"


def command_part(command):
    """The command as a user runs it, on digits."""
    runs = [command[seed] for seed in sorted(command, key=int)]
    precisions = [run["precision"] for run in runs]
    words = "discrimap compare digits.csv --target digit --out report.html"
    words = " ".join([words, *runs[0]["options"]])
    defaults = "" if runs[0]["options"] else ", with the defaults of all other options"
    lines = [
        "",
        "## The order of the list",
        "",
        "The data are digits (1,797 x 64, ten classes) as a CSV file, with "
        f"{100 * SHARE:.0f} % of the labels changed to another digit at random. The command is "
        f"`{words}`{defaults}. The list contains all labels that have fewer votes than another class, the most "
        f"suspicious first. It is read from the top until {100 * RECALL:.0f} % of the changed labels are found, and precision "
        "is the share of changed labels in this part. It is 0 if the list ends before.",
        "",
        f"**Precision at recall {RECALL}: mean {np.mean(precisions):.3f}, smallest "
        f"{min(precisions):.3f}, over {len(runs)} seeds** (required: at least {BAR}). The rules of "
        "the jury were chosen on other seeds (100 to 104).",
        "",
        "| seed | changed | in the list | of them changed | precision at recall 0.8 | jury | methods done |",
        "|---|---|---|---|---|---|---|",
    ]
    for seed, run in zip(sorted(command, key=int), runs, strict=True):
        lines.append(
            f"| {seed} | {run['n_flipped']} | {run['n_listed']} | {run['n_found']} | "
            f"{run['precision']:.3f} | {', '.join(run['jurors'])} | "
            f"{run['n_methods'] - len(run['not_done'])} of {run['n_methods']} |"
        )
    if any(run["not_done"] for run in runs):
        lines += [
            "",
            "Methods that are not done did not fit into the default budget of five minutes, on a machine that "
            "also ran other programs; the reasons are in `benchmarks/results/label_errors.jsonl`. Fast methods "
            "run first, and the jury is chosen among the methods that are done.",
        ]
    return lines
