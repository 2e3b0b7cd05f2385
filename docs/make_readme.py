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


def main():
    report = ROOT / "discrimap-report.html"
    command = ["discrimap", "compare", "wine", "--out", report.name]
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

    wine = load("wine")
    # The picture is of one method, so that it stays the same when others are added.
    comparison = compare(wine.X, wine.class_labels, ["lda"], protocol=Protocol(n_repeats=1))
    picture = ROOT / "docs" / "images" / "wine.png"
    picture.parent.mkdir(exist_ok=True)
    draw_first_split(comparison.results[0], wine.class_labels).savefig(picture, dpi=110)


def draw_first_split(result, labels):
    """Draw training points and held-out points side by side, in the same window."""
    from matplotlib.figure import Figure

    split = result.first_map
    figure = Figure(figsize=(11, 5), layout="constrained")
    axes = figure.subplots(1, 2, sharex=True, sharey=True)
    for ax, Z, rows, what in (
        (axes[0], split.train, split.train_rows, "training points"),
        (axes[1], split.test, split.test_rows, "held-out points"),
    ):
        plot_embedding(Z, labels[rows], ax=ax, title=f"{result.label}: {what}")
    return figure


if __name__ == "__main__":
    main()
