"""The page of planted label errors: docs/benchmarks/label_errors.md."""

import numpy as np

from benchmarks.label_errors import RECALL, SHARE
from benchmarks.results import Store

BAR = 0.8  # precision that the list of suspicious labels should have


def page(folder):
    results = Store("label_errors", folder).tree()
    if not results:
        return ""
    runs = [results[seed] for seed in sorted(results, key=int)]
    precisions = [run["precision"] for run in runs]
    command = "discrimap compare digits.csv --target digit --out report.html"
    command = " ".join([command, *runs[0]["options"]])
    defaults = "" if runs[0]["options"] else ", all other options as they are by default"
    lines = [
        "# Planted label errors",
        "",
        "From `benchmarks/label_errors.py`: digits (1,797 x 64, ten classes) as a CSV file, "
        f"{100 * SHARE:.0f} % of the labels flipped to another digit at random, "
        f"`{command}`{defaults}. Precision is "
        f"that of the list of suspicious labels, read from the top until {100 * RECALL:.0f} % of "
        "the flipped ones are found; a list that ends before counts as 0.",
        "",
        f"**Precision at recall {RECALL}: mean {np.mean(precisions):.3f}, least "
        f"{min(precisions):.3f}, of {len(runs)} seeds** (bar: at least {BAR}). The rules of "
        "the jury were chosen on other seeds (100 to 104).",
        "",
        "| seed | flipped | listed | of them flipped | precision at recall 0.8 | jury | methods done |",
        "|---|---|---|---|---|---|---|",
    ]
    for seed, run in zip(sorted(results, key=int), runs, strict=True):
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
    return "\n".join(lines) + "\n"
