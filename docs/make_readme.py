"""Write the output of the demo into README.md, and draw its image.

python docs/make_readme.py              # both
python docs/make_readme.py --picture    # docs/images/digits.png only
"""

import argparse
import io
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np

from discrimap.comparison import Protocol, compare
from discrimap.datasets import load
from discrimap.plots import plot_embedding

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"(<!-- demo output.*?-->\n```\n).*?(```\n<!-- end)", flags=re.DOTALL)
PICTURE = ROOT / "docs" / "images" / "digits.png"
DEMO = ("pca", "lda", "sda", "dc")
SHOWN = (*DEMO, "fisher-tsne")
# The last line of the demo's output that README.md shows; the path of the report follows it.
LAST_LINE = re.compile(r"^\* as good as the best.*\n", flags=re.MULTILINE)
# The width of the table; longer lines are wrapped as a terminal of this width does.
WIDTH = 112
COLOURS = 128


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--picture", action="store_true", help="draw only the image")
    if not parser.parse_args().picture:
        write_demo()
    draw_picture()


def write_demo():
    report = ROOT / "discrimap-report.html"
    command = ["discrimap", "compare", "digits", "--methods", ",".join(DEMO)]
    command += ["--rounds", "9", "--out", report.name]
    done = subprocess.run(
        [sys.executable, "-m", "discrimap.cli", *command[1:]],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    end = LAST_LINE.search(done.stdout)
    output = done.stdout[: end.end()] if end else done.stdout
    lines = [textwrap.fill(line, WIDTH) for line in output.split("\n")]
    readme = ROOT / "README.md"
    text = "\n".join([f"$ {' '.join(command)}", *lines])
    readme.write_text(BLOCK.sub(lambda match: match[1] + text + match[2], readme.read_text()))


def draw_picture():
    """Draw the first split of a comparison of all five methods, with the mean errors of five splits."""
    from PIL import Image

    digits = load("digits")
    protocol = Protocol(n_repeats=5)
    comparison = compare(digits.X, digits.class_labels, SHOWN, protocol=protocol)
    results = sorted(comparison.done, key=lambda result: SHOWN.index(result.name))
    drawn = io.BytesIO()
    draw_first_splits(results, digits.class_labels).savefig(drawn, dpi=120)
    PICTURE.parent.mkdir(exist_ok=True)
    image = Image.open(drawn).convert("RGB")
    image.quantize(COLOURS, method=Image.Quantize.MEDIANCUT).save(PICTURE, optimize=True)


def draw_first_splits(results, labels):
    """Draw the training points of each method above its held-out points, in the same window."""
    from matplotlib.figure import Figure

    # Small, so that titles can be read where the picture is shown in a narrow column.
    figure = Figure(figsize=(2.4 * len(results) + 0.6, 5.0), layout="constrained")
    axes = figure.subplots(2, len(results), sharex="col", sharey="col")
    for column, result in zip(axes.T, results, strict=True):
        split = result.first_map
        for ax, Z, rows, what, error in (
            (column[0], split.train, split.train_rows, "training", np.mean(result.train_errors)),
            (column[1], split.test, split.test_rows, "held out", result.test_error),
        ):
            title = f"{result.label}\n{what}: {100 * error:.0f} % wrong"
            plot_embedding(Z, labels[rows], ax=ax, title=title)
            ax.set(xlabel="", ylabel="", xticks=[], yticks=[])
            if ax is not axes[0, -1] and ax.get_legend() is not None:
                ax.get_legend().remove()
    return figure


if __name__ == "__main__":
    main()
