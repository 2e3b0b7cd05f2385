"""Write the demo's real output and picture into README.md: ``python docs/make_readme.py``."""

import re
import subprocess
import sys
from pathlib import Path

from discrimap.comparison import Protocol, compare
from discrimap.datasets import load
from discrimap.plots import plot_embedding

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"(<!-- demo output.*?-->\n```\n).*?(```\n<!-- end)", flags=re.DOTALL)


METHODS = ("pca", "lda", "sda", "dc")


def main():
    report = ROOT / "discrimap-report.html"
    command = ["discrimap", "compare", "digits", "--methods", ",".join(METHODS)]
    command += ["--rounds", "9", "--out", report.name]
    done = subprocess.run(
        [sys.executable, "-m", "discrimap.cli", *command[1:]],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    output = done.stdout.replace(str(report), f".../{report.name}")
    readme = ROOT / "README.md"
    text = f"$ {' '.join(command)}\n{output}"
    readme.write_text(BLOCK.sub(lambda match: match[1] + text + match[2], readme.read_text()))

    digits = load("digits")
    comparison = compare(digits.X, digits.class_labels, METHODS, protocol=Protocol(n_repeats=1))
    picture = ROOT / "docs" / "images" / "digits.png"
    picture.parent.mkdir(exist_ok=True)
    results = sorted(comparison.done, key=lambda result: METHODS.index(result.name))
    draw_first_splits(results, digits.class_labels).savefig(picture, dpi=80)


def draw_first_splits(results, labels):
    """Draw the training points of each method above its held-out points, in the same window."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4 * len(results), 8), layout="constrained")
    axes = figure.subplots(2, len(results), sharex="col", sharey="col")
    for column, result in zip(axes.T, results, strict=True):
        split = result.first_map
        error = f"{100 * result.test_error:.0f} % of held-out points wrong"
        for ax, Z, rows, title in (
            (column[0], split.train, split.train_rows, f"{result.label}: training"),
            (column[1], split.test, split.test_rows, error),
        ):
            plot_embedding(Z, labels[rows], ax=ax, title=title)
            ax.set(xlabel="", ylabel="", xticks=[], yticks=[])
            if ax is not axes[0, -1] and ax.get_legend() is not None:
                ax.get_legend().remove()
    return figure


if __name__ == "__main__":
    main()
