"""Draw the pictures of the pages in docs/benchmarks; the site shows those that have been drawn.

    python benchmarks/pictures.py

Curves are drawn from benchmarks/results. Fig. 1 of kernel Fisher t-SNE is computed each time and needs
the data sets in the folder named by DISCRIMAP_DATA; without them it is left out.
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
from matplotlib import colormaps
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

CLOCK_TITLES = {
    "letters": "20,000 x 16, 26 classes",
    "images": "MNIST, 10,000 x 784",
    "made": "10,000 x 100, 10 classes",
    "wine": "wine, 178 x 13",
}


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
        seconds = [linear_maps.median_seconds(fits, name, method) for name in names]
        for ax, values in ((of_errors, errors[order, k]), (of_times, seconds)):
            ax.scatter(values, range(len(names)), marker=marker, s=42, alpha=0.8, label=method)
    of_errors.set_yticks(range(len(names)), names)
    of_errors.set(xlabel="held-out error of the nearest neighbour (%)", xlim=(-1, None))
    of_times.set(xlabel="processor seconds of a fit", xscale="log")
    for ax in (of_errors, of_times):
        ax.grid(alpha=0.3)
    handles, labels = of_errors.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    figure.savefig(path, dpi=110)


def draw_clock(results, path):
    """Error and rows of each method against the second at which they were known.

    One line of panels per data set, on a quiet and on a busy machine. Lines are the rounds, crosses the
    plan from cost estimates, whose figures were all known at its end.
    """
    names = [name for name in CLOCK_TITLES if name in results["now"]]
    figure = Figure(figsize=(16, 3.2 * len(names) + 1), layout="constrained")
    axes = figure.subplots(len(names), 4, squeeze=False)
    labels = sorted({label for label, *_ in _clock_rows(results["now"][names[0]]["quiet"])})
    colours = {label: colormaps["tab20"](i % 20) for i, label in enumerate(labels)}
    for line, name in zip(axes, names, strict=True):
        for condition, pair in (("quiet", line[:2]), ("busy", line[2:])):
            for version, style in (("before", {"marker": "x"}), ("now", {"marker": "o", "ms": 3})):
                run = results.get(version, {}).get(name, {}).get(condition)
                for label, seconds, errors, rows in _clock_rows(run):
                    colour = colours.get(label, "0.5")
                    for ax, values in zip(pair, (errors, rows), strict=True):
                        ax.plot(seconds, values, color=colour, lw=1, **style)
                if run is not None and version == "now":
                    for ax in pair:
                        ax.axvline(run["first_page"], color="0.5", linestyle=":")
            for ax, what in zip(pair, ("held-out error (%)", "training rows"), strict=True):
                ax.set(title=f"{CLOCK_TITLES[name]}, {condition}", xlabel="seconds", ylabel=what)
                ax.set_xscale("log")
                ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
                ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
                ax.xaxis.set_minor_formatter(NullFormatter())
                ax.set_visible(bool(ax.lines))
            pair[0].set_ylim(0, None)
            pair[1].set_yscale("log")
            pair[1].yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            pair[1].yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
            pair[1].yaxis.set_minor_formatter(NullFormatter())
    handles = [Line2D([], [], color=colour, label=label) for label, colour in colours.items()]
    handles += [
        Line2D([], [], color="0.3", marker="o", ms=3, label="in rounds"),
        Line2D([], [], color="0.3", marker="x", ls="", label="planned from cost estimates"),
        Line2D([], [], color="0.5", ls=":", label="first page of all methods"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=6, frameon=False)
    figure.savefig(path, dpi=90)


def _clock_rows(run):
    """Label, seconds, errors and rows of each method that has a figure."""
    for row in [] if run is None else run["methods"].values():
        if row["status"] == "done":
            usual = {
                "elapsed": run["seconds"],
                "errors": row["test_errors"],
                "n_rows": row["n_fitted"],
            }
            rounds = row.get("rounds") or [usual]
            yield (
                row["label"],
                [one["elapsed"] for one in rounds],
                [100 * np.mean(one["errors"]) for one in rounds],
                [one["n_rows"] for one in rounds],
            )


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
    clock = Store("compare-speed", results).tree()
    if clock.get("now"):
        draw_clock(clock, pages / "compare-speed.png")
    draw_fisher(pages / "fisher-figure1.png")


if __name__ == "__main__":
    main()
