"""Draw the pictures of the pages in docs/benchmarks; the site shows those that have been drawn.

    python benchmarks/pictures.py

Curves are drawn from benchmarks/results. Fig. 1 of kernel Fisher t-SNE is fitted anew and needs the
data sets in the folder named by DISCRIMAP_DATA; without them it is left out.
"""

import logging
import sys
import warnings
from pathlib import Path

import matplotlib
import numpy as np

from discrimap.plots import plot_prototypes, plot_retention, plot_side_by_side

sys.path.append(str(Path(__file__).resolve().parents[1]))
from benchmarks.few_labels import SETS
from benchmarks.pages import few_labels, linear_maps
from benchmarks.pages.projections import by_kind, deviations, mean_curves, splits_of
from benchmarks.papers.fisher_maps import fisher_tsne, plain_tsne, problems, split
from benchmarks.papers.projections import KS
from benchmarks.results import FOLDER, ROOT, Store

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.figure import Figure


def draw_projections(results, folder):
    """Figs. 3 and 5 to 7 of discriminative projections."""

    def save(ax, name):
        ax.figure.savefig(folder / f"projections-{name}.png", dpi=110)
        plt.close(ax.figure)

    pictures = {}
    if "usps" in results:
        pictures["usps"] = ("class", splits_of(results, "usps"))
    if "tdt2" in results:
        for kind, rows in by_kind(splits_of(results, "tdt2")).items():
            pictures[f"tdt2-{kind}"] = (kind, rows)
    for name, (kind, rows) in pictures.items():
        curves = mean_curves(rows)
        if kind == "topology":
            curves.pop("original")  # 1 by definition; without it the others have room
        ax = plot_retention(
            curves,
            KS,
            spread=deviations(rows),
            families={curve: curve.split(" ")[0] for curve in curves},
            what=f"{kind} retention",
        )
        save(ax, name)
    if "prototypes" in results:
        _, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
        places = splits_of(results, "prototypes")[0]
        for ax, (mu, prototypes) in zip(axes, places.items(), strict=True):
            plot_prototypes(prototypes, range(10), ax=ax, title=f"mu = {mu}")
        save(axes[0], "prototypes")


def draw_fisher(path):
    """Fig. 1 of kernel Fisher t-SNE, with held-out points marked and their errors in the titles."""
    shown = problems(["Aural Sonar", "Protein, D", "Voting", "Java"])
    if not shown:
        return
    drawing = Figure(figsize=(12, 4.2 * len(shown)), layout="constrained")
    axes = drawing.subplots(len(shown), 2, squeeze=False)
    for row, (name, problem) in zip(axes, shown.items(), strict=True):
        y = problem.y
        train, test = split(y, 0)
        both = np.concatenate([train, test])
        _, distances = problem.plain_distances()
        plain = plain_tsne(distances[np.ix_(train, train)], 0)
        placed = np.array(plain.transform(distances[np.ix_(test, train)]))
        tsne = fisher_tsne(problem, train, y[train], 0, bandwidth="likelihood")
        maps = {
            f"{name}: t-SNE": np.concatenate([np.array(plain), placed]),
            f"{name}: Fisher t-SNE": np.concatenate(
                [tsne.embedding_, tsne.transform(problem.part(test, train))]
            ),
        }
        is_test = np.arange(len(y)) >= len(train)
        plot_side_by_side(maps, y[both], is_test=is_test, axes=row)
    drawing.savefig(path, dpi=70)


def draw_few_labels(results, path):
    """Learning curves of each data set."""
    styles = {
        "DP": {"color": "#c0392b", "linewidth": 2.4, "zorder": 3},
        "ridge, mu 0": {"color": "#2c3e50", "linewidth": 1.8},
        "LPP": {"color": "#2e86c1", "linestyle": "--"},
        "LDA, shrunk": {"color": "#27ae60"},
        "LDA": {"color": "#27ae60", "linestyle": ":"},
        "self-training": {"color": "#8e44ad", "linestyle": "-."},
        "label spreading": {"color": "#e67e22", "linestyle": "-."},
    }
    names = [name for name in SETS if name in results]
    figure, axes = plt.subplots(2, 3, figsize=(11, 6.6), layout="constrained")
    for ax in axes.flat[len(names) :]:
        ax.axis("off")
    for ax, name in zip(axes.flat, names, strict=False):
        counts = list(results[name]["chosen"])
        for method, style in styles.items():
            values = [few_labels.accuracies(results, name, n, method).mean() for n in counts]
            ax.plot([int(n) for n in counts], values, marker="o", markersize=3.5, **style)
        ax.set_xscale("log")
        ax.set_xticks([int(n) for n in counts], counts)
        ax.minorticks_off()
        ax.set_title(SETS[name])
        ax.grid(alpha=0.3)
        ax.set_xlabel("labels per class")
        ax.set_ylabel("accuracy on the test set")
    handles = [plt.Line2D([], [], marker="o", markersize=3.5, **style) for style in styles.values()]
    axes.flat[-1].legend(handles, styles, loc="center", frameon=False)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def draw_linear_maps(fits, path):
    """Mean held-out error of each method on each data set, and its time beside that of LDA."""
    styles = dict(zip(linear_maps.METHODS, ("s", "o", "D", "*", "^", "v", "P"), strict=True))
    errors = linear_maps.mean_errors(fits)
    figure = Figure(figsize=(10, 6.2), layout="constrained")
    of_errors, of_times = figure.subplots(1, 2, sharey=True, width_ratios=[3, 2])
    order = np.argsort(errors.min(axis=1))[::-1]
    names = np.array(list(fits))[order]
    for k, (method, marker) in enumerate(styles.items()):
        seconds = [np.median(linear_maps.column(fits, name, method, "cpu")) for name in names]
        for ax, values in ((of_errors, errors[order, k]), (of_times, seconds)):
            ax.scatter(values, range(len(names)), marker=marker, s=42, alpha=0.8, label=method)
    of_errors.set_yticks(range(len(names)), names)
    of_errors.set(xlabel="held-out error of the nearest neighbour (%)", xlim=(0, None))
    of_times.set(xlabel="processor seconds of a fit", xscale="log")
    for ax in (of_errors, of_times):
        ax.grid(alpha=0.3)
    handles, labels = of_errors.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    figure.savefig(path, dpi=110)


def draw_clock(runs, path):
    """Errors of each method against the seconds at which they were known, one panel per data set."""
    figure = Figure(figsize=(5 * len(runs), 4), layout="constrained")
    axes = np.atleast_1d(figure.subplots(1, len(runs)))
    for ax, (name, run) in zip(axes, runs.items(), strict=True):
        for row in run["methods"].values():
            rounds = row.get("rounds", [])
            seconds = [one["elapsed"] for one in rounds]
            errors = [100 * np.mean(one["errors"]) for one in rounds]
            ax.plot(seconds, errors, marker="o", markersize=3, linewidth=1, label=row["label"])
        ax.axvline(run["first_page"], color="0.5", linestyle=":")
        ax.set(title=name, xlabel="seconds", ylabel="held-out error (%)", ylim=(0, None))
    axes[-1].legend(fontsize=6, loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    figure.savefig(path, dpi=110)


def main(results=FOLDER, pages=ROOT / "docs" / "benchmarks"):
    pages.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)  # openTSNE's remarks on perplexity
    draw_projections(Store("projections", results).tree(), pages)
    curves = few_labels.read(results)
    if curves:
        draw_few_labels(curves, pages / "few_labels.png")
    _, fits = linear_maps.read(results)
    if fits:
        draw_linear_maps(fits, pages / "linear-maps.png")
    clock = Store("compare-speed", results).tree("now")
    runs = {
        f"{name}, {condition}": run
        for name, conditions in clock.items()
        for condition, run in conditions.items()
        if name != "wine"
    }
    if runs:
        draw_clock(runs, pages / "compare-speed.png")
    draw_fisher(pages / "fisher-figure1.png")


if __name__ == "__main__":
    main()
