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
    lines = ["# Planted label errors", "", "From `benchmarks/label_errors.py`."]
    if planted:
        lines += planted_part(planted)
    if command:
        lines += command_part(command)
    return "\n".join(lines) + "\n"


def planted_part(planted):
    """The data sets with and without overlap."""
    return [
        "",
        "## How many labels are wrong?",
        "",
        f"Data sets of at most {MOST_ROWS:,} rows: as they are, with {100 * FLIPPED:.0f} % of the labels "
        f"changed to another class at random, and with {100 * FLIPPED_OF_CLASS:.0f} % of the labels of "
        "every second class changed to the class before. The classes of "
        f"{_names(SEPARATE)} hardly overlap, those of {_names(OVERLAPPING)} do. *imbalanced* is a "
        "simulation after annthyroid: classes of 93, 5 and 2 %, the second inside the first, the third "
        "half outside. All methods were candidates of the jury (one comparison for each set, within a "
        "minute). Figures are means of the draws.",
        "",
        "- **before**: every label that has fewer votes than another, all of which were listed.",
        "- **now**: as many of them as are estimated to be wrong, the most suspicious first.",
        "- **confident learning** as published (Northcutt, Jiang and Chuang 2021): with the votes of the same "
        "jury, and with the cross-validated probabilities of a logistic regression. As many as it "
        "estimates are listed, by the same margin of votes.",
        "",
        "The data sets say nothing about their own errors: labels that are called clean here are those "
        "that were published, and some may be wrong.",
        "",
        "### Labels as they are: how many are listed",
        "",
        *_clean_table(planted),
        "",
        "### Planted errors: how many are listed, precision / recall",
        "",
        *_planted_table(planted),
        "",
        "Precision is the share of planted errors among the listed labels of all draws, recall the share of "
        "the planted errors that are listed; a dash stands for an empty list.",
        "",
        "### How the rule was chosen, and what it cannot do",
        "",
        "The rule is described in `src/discrimap/inspection/wrong_labels.py`. Its form and four constants "
        f"were chosen on other data: {TUNING}, and simulations of normal classes that overlap by "
        "different amounts (balanced, 2 : 1, 4 : 1, 8 : 1, 93 : 5 : 2), with a jury of five cheap methods and "
        "seeds from 100 on. The aim was few labels on data without planted errors first, then precision "
        "and recall. The constants were changed once after the sets of this page had been run, because "
        "too many labels were listed in simulations of two and three balanced classes.",
        "",
        "Votes cannot tell a class inside another from wrong labels that are spread over the other. A "
        "class of which more than half would be wrong is taken for the first. The price is in the row "
        "*imbalanced, at random*: 5 % of a class of 93 % are as many samples as the small classes have, none "
        "of these errors is listed. Nor are errors counted where no class is certain, so that too few are "
        "estimated where classes overlap much (vehicle). All labels with fewer votes than another are still in the "
        "report (*show the other samples*), in JSON and in the file of `--suspects`.",
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
    defaults = "" if runs[0]["options"] else ", all other options as they are by default"
    lines = [
        "",
        "## The order of the list",
        "",
        "digits (1,797 x 64, ten classes) as a CSV file, "
        f"{100 * SHARE:.0f} % of the labels flipped to another digit at random, "
        f"`{words}`{defaults}. Precision is that of all labels that have fewer votes than another, read "
        f"from the top until {100 * RECALL:.0f} % of the flipped ones are found; a list that ends "
        "before counts as 0.",
        "",
        f"**Precision at recall {RECALL}: mean {np.mean(precisions):.3f}, least "
        f"{min(precisions):.3f}, of {len(runs)} seeds** (bar: at least {BAR}). The rules of "
        "the jury were chosen on other seeds (100 to 104).",
        "",
        "| seed | flipped | fewer votes than another | of them flipped | precision at recall 0.8 | jury | methods done |",
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
            "Methods that are not done had no time left of the default budget of five minutes on the "
            "machine this ran on, which had other work to do as well; `benchmarks/results/label_errors.jsonl` has "
            "the reasons. What takes little runs first, and the jury is chosen from it.",
        ]
    return lines
