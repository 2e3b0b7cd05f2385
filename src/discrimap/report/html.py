"""The summary as one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import io

import numpy as np

from discrimap.report.summary import LabelledMap, Summary, percent


def to_html(summary: Summary) -> str:
    """Lay the summary out as a self-contained page; all text from data is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("discrimap.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = percent
    return environment.get_template("report.html").render(
        summary=summary,
        comparison=summary.comparison,
        comparison_picture=_as_data_uri(_draw_comparison(summary))
        if summary.comparison.done
        else "",
        map_picture=_as_data_uri(draw_maps(summary.best_map)) if summary.best_map else "",
    )


def _draw_comparison(summary: Summary):
    from matplotlib.figure import Figure

    from discrimap.plots import plot_comparison

    done = summary.comparison.done
    figure = Figure(figsize=(7.5, 1.4 + 0.42 * len(done)), layout="constrained")
    plot_comparison(
        [
            (result.label, np.array(result.test_errors), np.array(result.permuted_errors))
            for result in done
        ],
        chance=summary.comparison.chance_error,
        ax=figure.subplots(),
    )
    return figure


def draw_maps(best: LabelledMap):
    """Draw training points and held-out points side by side, in the same window."""
    from matplotlib.figure import Figure

    from discrimap.plots import plot_embedding

    n_axes = min(3, best.train.shape[1])
    classes = np.unique(np.concatenate([best.train_classes, best.test_classes]))
    figure = Figure(figsize=(11, 5), layout="constrained")
    axes = figure.subplots(1, 2, subplot_kw={"projection": "3d"} if n_axes == 3 else {})
    plot_embedding(
        best.train[:, :n_axes],
        best.train_classes,
        classes=classes,
        ax=axes[0],
        title=f"{best.label}: training points",
    )
    plot_embedding(
        best.test[:, :n_axes],
        best.test_classes,
        classes=classes,
        ax=axes[1],
        title=f"{best.label}: held-out points",
    )
    limits = [(ax.get_xlim(), ax.get_ylim()) for ax in axes]
    for ax in axes:
        ax.set_xlim(min(x[0] for x, _ in limits), max(x[1] for x, _ in limits))
        ax.set_ylim(min(y[0] for _, y in limits), max(y[1] for _, y in limits))
    return figure


def _as_data_uri(figure) -> str:
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=144)
    return "data:image/png;base64," + base64.b64encode(image.getvalue()).decode("ascii")
